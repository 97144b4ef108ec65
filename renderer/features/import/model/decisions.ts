import { withoutRivals } from '#shared/ipc/import-rivals.ts';
import type { ImportItem, ImportPreview } from '#shared/ipc/library-routes.ts';

export type Choice = ImportItem['choices'][number];
/** What is to be done with each item, by its id. */
export type Decisions = Readonly<Record<string, Choice>>;

/** What is proposed for each item. */
export function proposedDecisions({ items }: ImportPreview): Decisions {
  return Object.fromEntries(items.map(({ id, choices }) => [id, choices[0] ?? 'skip']));
}

/** The decisions with one of them made; what cannot be taken with it is left. */
export function decideOne(
  { items }: ImportPreview,
  decisions: Decisions,
  id: string,
  choice: Choice,
): Decisions {
  const made = items.filter((item) => item.id === id).map((item) => ({ item, as: choice }));
  const others = items
    .filter((item) => item.id !== id)
    .map((item) => ({ item, as: decisions[item.id] ?? 'skip' }));
  return Object.fromEntries(withoutRivals([...made, ...others]));
}

/** The decisions with one choice for every item that may have it; the others stay as they are. */
export function decideAll({ items }: ImportPreview, decisions: Decisions, choice: Choice): Decisions {
  const wanted = items.map((item) => {
    const before = decisions[item.id] ?? 'skip';
    return { item, before, as: item.choices.includes(choice) ? choice : before };
  });
  // Of rivals that one stays which was chosen before.
  const chosen = wanted.filter(({ before }) => before !== 'skip');
  const left = wanted.filter(({ before }) => before === 'skip');
  return Object.fromEntries(withoutRivals([...chosen, ...left]));
}

export interface ImportSummary {
  readonly taken: number;
  readonly left: number;
  /** Those that cannot be taken at all. */
  readonly refused: number;
  /** Items whose draft here goes for what is taken. */
  readonly replaced: readonly ImportItem[];
  /** Installed packages that may do more afterwards. */
  readonly widened: readonly ImportItem[];
}

/** What the decisions come to. */
export function summarize({ items }: ImportPreview, decisions: Decisions): ImportSummary {
  const isTaken = ({ id }: ImportItem) => (decisions[id] ?? 'skip') !== 'skip';
  const refused = items.filter(isRefused).length;
  const taken = items.filter(isTaken);
  return {
    taken: taken.length,
    refused,
    left: items.length - taken.length - refused,
    replaced: taken.filter(({ id, replacesDraft }) => replacesDraft && decisions[id] === 'draft'),
    widened: taken.filter(
      ({ installedVersion, changes }) => installedVersion !== undefined && changes.widens,
    ),
  };
}

/** Whether nothing can be done with an item but to leave it. */
function isRefused({ choices }: ImportItem): boolean {
  return choices.every((choice) => choice === 'skip');
}

/** What a choice does, in a few words. */
export function choiceWords(choice: Choice, { version }: Pick<ImportItem, 'version'>): string {
  switch (choice) {
    case 'version':
      return `Take as version ${version}`;
    case 'draft':
      return 'Take as a draft';
    case 'skip':
      return 'Leave it';
  }
}

/** How an item stands to what is in the library. */
export function stateWords({ state, installedVersion, version }: ImportItem): {
  readonly word: string;
  readonly tone: 'neutral' | 'accent' | 'caution' | 'danger';
} {
  switch (state) {
    case 'new':
      return { word: 'New', tone: 'accent' };
    case 'upgrade':
      return { word: `${installedVersion} → ${version}`, tone: 'accent' };
    case 'older':
      return { word: `Older than ${installedVersion}`, tone: 'caution' };
    case 'unchanged':
      return { word: 'In the library already', tone: 'neutral' };
    case 'version_differs':
      return { word: `Another ${version} is here`, tone: 'caution' };
    case 'type_mismatch':
      return { word: 'Name taken by another kind', tone: 'danger' };
    case 'invalid':
      return { word: 'Refused', tone: 'danger' };
  }
}

/** Items as a person reads them best: what was refused, then what a bundle is about, then the rest by name. */
export function inReadingOrder(items: readonly ImportItem[]): ImportItem[] {
  const rank = (item: ImportItem) => (isRefused(item) ? 0 : item.isRoot ? 1 : 2);
  return [...items].sort((a, b) => rank(a) - rank(b) || a.displayName.localeCompare(b.displayName, 'en'));
}
