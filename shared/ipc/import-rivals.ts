import type { ImportItem } from './library-routes.ts';

type Choice = ImportItem['choices'][number];
type Subject = Pick<ImportItem, 'name' | 'version' | 'type'>;

/**
 * Whether two packages of one import cannot both be taken so: the library has one version of each number
 * and one draft of each name, and all that is under a name is of one type.
 */
export function areRivals(
  one: Subject & { readonly as: Choice },
  other: Subject & { readonly as: Choice },
): boolean {
  if (one.name !== other.name || one.as === 'skip' || other.as === 'skip') return false;
  if (one.type !== other.type) return true;
  return one.as === other.as && (one.as === 'draft' || one.version === other.version);
}

/** Decisions by item, where of rivals only the first stays, in the order given; the others are left. */
export function withoutRivals(
  decided: Iterable<{ readonly item: ImportItem; readonly as: Choice }>,
): Map<string, Choice> {
  const taken: (Subject & { readonly as: Choice })[] = [];
  const decisions = new Map<string, Choice>();
  for (const { item, as } of decided) {
    const { id, name, version, type } = item;
    const wanted = { name, version, type, as };
    const isFree = !taken.some((other) => areRivals(wanted, other));
    if (isFree) taken.push(wanted);
    decisions.set(id, isFree ? as : 'skip');
  }
  return decisions;
}
