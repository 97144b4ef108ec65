import { isWithdrawn } from '#renderer/features/packages/index.ts';
import type { PackageSummary } from '#shared/ipc/library-routes.ts';
import { PACKAGE_TYPES, type PackageType } from '#shared/manifest/dialect.ts';

/** States a person may look for. A package can be in several at once. */
export const STATES = ['draft', 'changed', 'published', 'yanked', 'sample', 'errors'] as const;
export type StateFilter = (typeof STATES)[number];

export const STATE_WORDS: Readonly<Record<StateFilter, string>> = {
  draft: 'Drafts',
  changed: 'Changed',
  published: 'Published',
  yanked: 'Yanked',
  sample: 'Samples',
  errors: 'With errors',
};

export interface PackageFilter {
  readonly kind?: PackageType | undefined;
  readonly state?: StateFilter | undefined;
  readonly tag?: string | undefined;
  /** Words that must all be in what is known of the package. */
  readonly query: string;
}

/** One for all comparisons: making one costs more than comparing. */
const byWord = new Intl.Collator('en').compare;

/** Whether a package is in a state. */
export function isInState(summary: PackageSummary, state: StateFilter): boolean {
  switch (state) {
    case 'draft':
      return summary.state === 'draft';
    case 'changed':
      return summary.state === 'modified';
    case 'published':
      return summary.state !== 'sample' && summary.versionCount > summary.yankedCount;
    case 'yanked':
      return isWithdrawn(summary) || summary.yankedCount > 0;
    case 'sample':
      return summary.state === 'sample';
    case 'errors':
      return summary.errorCount > 0 || summary.publishErrorCount > 0;
  }
}

/**
 * The packages a filter lets through: by the words of the query, the ones whose name has them first; without
 * a query by name.
 * @param words Further words a package is found by, such as its tools.
 */
export function filterPackages(
  packages: readonly PackageSummary[],
  { kind, state, tag, query }: PackageFilter,
  words: (summary: PackageSummary) => string = () => '',
): PackageSummary[] {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = packages.flatMap((summary) => {
    if (kind !== undefined && summary.type !== kind) return [];
    if (state !== undefined && !isInState(summary, state)) return [];
    if (tag !== undefined && !summary.keywords.includes(tag)) return [];
    const title = `${summary.displayName} ${summary.name}`.toLowerCase();
    const text =
      `${title} ${summary.description} ${summary.keywords.join(' ')} ${words(summary)}`.toLowerCase();
    if (!wanted.every((word) => text.includes(word))) return [];
    return [{ summary, rank: wanted.filter((word) => title.includes(word)).length }];
  });
  return found
    .sort(
      (a, b) =>
        b.rank - a.rank ||
        byWord(a.summary.displayName, b.summary.displayName) ||
        byWord(a.summary.name, b.summary.name),
    )
    .map(({ summary }) => summary);
}

/** Packages by their kind, in the order of the kinds; without the empty ones. */
export function groupByKind(
  packages: readonly PackageSummary[],
): { readonly kind: PackageType; readonly packages: readonly PackageSummary[] }[] {
  return PACKAGE_TYPES.map((kind) => ({
    kind,
    packages: packages.filter(({ type }) => type === kind),
  })).filter((group) => group.packages.length > 0);
}

/** How many packages are in each state; states of none are left out. */
export function countStates(
  packages: readonly PackageSummary[],
): { readonly state: StateFilter; readonly count: number }[] {
  return STATES.map((state) => ({
    state,
    count: packages.filter((summary) => isInState(summary, state)).length,
  })).filter(({ count }) => count > 0);
}

/** The tags there are, the most frequent first. */
export function countTags(
  packages: readonly PackageSummary[],
): { readonly tag: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const { keywords } of packages)
    for (const tag of new Set(keywords)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts]
    .map(([tag, count]) => ({ tag, count }))
    .sort((a, b) => b.count - a.count || byWord(a.tag, b.tag));
}
