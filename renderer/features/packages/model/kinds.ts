import type { PackageType } from '#shared/manifest/dialect.ts';

/** Words for the kinds of package, in the order in which they are shown. */
export const KINDS: readonly {
  readonly kind: PackageType;
  /** In the middle of a sentence. */
  readonly one: string;
  readonly many: string;
  /** As a heading. */
  readonly title: string;
}[] = [
  { kind: 'agent', one: 'agent', many: 'agents', title: 'Agents' },
  { kind: 'skill', one: 'skill', many: 'skills', title: 'Skills' },
  { kind: 'integration', one: 'integration', many: 'integrations', title: 'Integrations' },
  { kind: 'mcp-server', one: 'MCP server', many: 'MCP servers', title: 'MCP servers' },
];

/** Words for one kind. */
export function kindWords(kind: PackageType): (typeof KINDS)[number] {
  const words = KINDS.find((known) => known.kind === kind);
  if (!words) throw new Error(`No words for the kind "${kind}"`);
  return words;
}

/** The kind with its article: `an agent`, `a skill`. */
export function aKind(kind: PackageType): string {
  const { one } = kindWords(kind);
  return `${/^[aeioM]/.test(one) ? 'an' : 'a'} ${one}`;
}
