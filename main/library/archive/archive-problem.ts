import { ProblemError } from '#shared/problem.ts';

export type ArchiveFault =
  | 'archive_invalid'
  | 'archive_too_large'
  | 'archive_bomb'
  | 'archive_encrypted'
  | 'archive_path_unsafe'
  | 'archive_path_repeated'
  | 'archive_ambiguous';

const TITLES: Readonly<Record<ArchiveFault, string>> = {
  archive_invalid: 'This is not a readable ZIP archive',
  archive_too_large: 'The archive is too large',
  archive_bomb: 'The archive would grow without measure',
  archive_encrypted: 'The archive is encrypted',
  archive_path_unsafe: 'The archive has a dangerous path',
  archive_path_repeated: 'The archive has the same path twice',
  archive_ambiguous: 'The archive says two different things',
};

const ACTIONS: Readonly<Record<ArchiveFault, string>> = {
  archive_invalid: 'Fetch or make the archive again.',
  archive_too_large: 'Leave out files the package does not need.',
  archive_bomb: 'Do not trust where it came from.',
  archive_encrypted: 'Make it again without a password.',
  archive_path_unsafe: 'Do not trust where it came from, or make it again from a plain folder.',
  archive_path_repeated: 'Rename one of the two and make the archive again.',
  archive_ambiguous: 'Do not trust where it came from, or make it again with another tool.',
};

/** A refusal to read an archive; `path` is the entry at fault, as it is shown. */
export function archiveProblem(
  code: ArchiveFault,
  detail: string,
  path?: string,
  cause?: unknown,
): ProblemError {
  const problem = {
    code,
    title: TITLES[code],
    detail,
    action: ACTIONS[code],
    ...(path === undefined ? {} : { file: path }),
  };
  return new ProblemError(problem, { cause });
}
