import { REACH_KINDS, reachKey, type ReachItem, type ReachKind } from './reach.ts';

/** A difference between what a package may reach and what another version of it may. */
export interface ReachChange {
  readonly kind: ReachKind;
  readonly change: 'added' | 'removed' | 'changed';
  readonly subject: string;
  readonly reason: string;
  /** The package it needs that has this reach; absent for what is its own. */
  readonly through?: string;
}

/**
 * What changes for a person who takes `after` in the place of `before`; an empty `before` stands for a
 * package that is not installed. What is its own stands first, and what grows before what goes.
 */
export function reachChanges(before: readonly ReachItem[], after: readonly ReachItem[]): ReachChange[] {
  const old = new Map(before.map((item) => [reachKey(item), item]));
  const current = new Map(after.map((item) => [reachKey(item), item]));
  const changes: ReachChange[] = [];
  for (const [key, { mark, ...item }] of current) {
    const earlier = old.get(key);
    if (earlier === undefined) changes.push({ ...item, change: 'added' });
    else if (earlier.mark !== mark) changes.push({ ...item, change: 'changed' });
  }
  for (const [key, { mark: _mark, ...item }] of old) {
    if (!current.has(key)) changes.push({ ...item, change: 'removed' });
  }
  return changes.sort(
    (a, b) =>
      Number(a.through !== undefined) - Number(b.through !== undefined) ||
      Number(a.change === 'removed') - Number(b.change === 'removed') ||
      REACH_KINDS.indexOf(a.kind) - REACH_KINDS.indexOf(b.kind),
  );
}

/** Whether a change lets a package do more than before, so that a person must agree to it. */
export function isWidening({ change }: Pick<ReachChange, 'change'>): boolean {
  return change !== 'removed';
}

/** How the files of two versions differ. */
export interface FileChange {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
}

/** The files that differ, by path. */
export function fileChanges(
  before: readonly { readonly path: string; readonly digest: string }[],
  after: readonly { readonly path: string; readonly digest: string }[],
): FileChange[] {
  const old = new Map(before.map(({ path, digest }) => [path, digest]));
  const current = new Map(after.map(({ path, digest }) => [path, digest]));
  const changes: FileChange[] = [];
  for (const [path, digest] of current) {
    const earlier = old.get(path);
    if (earlier === undefined) changes.push({ path, change: 'added' });
    else if (earlier !== digest) changes.push({ path, change: 'changed' });
  }
  for (const path of old.keys()) if (!current.has(path)) changes.push({ path, change: 'removed' });
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}
