import { REACH_KINDS, type ReachKind } from '#shared/manifest/reach.ts';

export interface ReachGroup<T> {
  readonly kind: ReachKind;
  readonly title: string;
  readonly items: readonly T[];
}

/** What each kind of reach is called, over a list of them. */
export const REACH_TITLES: Readonly<Record<ReachKind, string>> = {
  host: 'Hosts it may call',
  credential: 'Credentials',
  scope: 'Scopes it asks for',
  tool: 'Tools',
  script: 'Code that runs',
  dependency: 'Packages it needs',
};

/** Items by their kind, in the order in which a person should read them; without the empty kinds. */
export function groupReach<T extends { readonly kind: ReachKind }>(items: readonly T[]): ReachGroup<T>[] {
  return REACH_KINDS.map((kind) => ({
    kind,
    title: REACH_TITLES[kind],
    items: items.filter((item) => item.kind === kind),
  })).filter((group) => group.items.length > 0);
}

/** What is reached through other packages, by each of them, in the order given. */
export function groupThrough<T extends { readonly through?: string | undefined }>(
  items: readonly T[],
): { readonly name: string; readonly items: readonly T[] }[] {
  const groups = Map.groupBy(items, ({ through }) => through);
  return [...groups].flatMap(([name, group]) => (name === undefined ? [] : [{ name, items: group }]));
}
