import { useApp } from '#renderer/state/app-context.tsx';
import { useRequest } from '#renderer/state/requests.ts';
import type { PackageDetail, PackageSummary } from '#shared/ipc/library-routes.ts';
import type { ProblemError } from '#shared/problem.ts';
import type { UseQueryResult } from '@tanstack/react-query';

/** A package in one of its states, asked for again whenever the library changes. */
export function usePackage(
  name: string,
  version: string | undefined,
): {
  readonly summary: PackageSummary | undefined;
  readonly detail: UseQueryResult<PackageDetail, ProblemError>;
  /** Another number after each change of the library. */
  readonly revision: number;
} {
  const library = useApp((state) => state.library);
  const revision = revisionOf(library);
  const summary = library?.packages.find((known) => known.name === name);
  const detail = useRequest(
    'library.package',
    { name, ...(version !== undefined && { version }) },
    { version: revision, keepsPrevious: true },
  );
  return { summary, detail, revision };
}

const revisions = new WeakMap<object, number>();
let lastRevision = 0;

/** A number for an object: the same for the same one, a higher one for each that comes later. */
function revisionOf(value: object | undefined): number {
  if (value === undefined) return 0;
  const revision = revisions.get(value) ?? (lastRevision += 1);
  revisions.set(value, revision);
  return revision;
}
