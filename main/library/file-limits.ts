import { ProblemError } from '#shared/problem.ts';
import { ARCHIVE_LIMITS } from './archive/limits.ts';
import { pathFault, repeatedPath, repetitionWords } from './package-path.ts';

/**
 * Holds the files of a package to what an archive of them may have, so that whatever is saved can be
 * exported and read again.
 * @throws ProblemError `package_too_large`, `file_path_unsafe`.
 */
export function checkFileLimits(files: ReadonlyMap<string, { readonly length: number }>): void {
  if (files.size > ARCHIVE_LIMITS.entries) {
    throw tooLarge(`it has ${files.size} files, and ${ARCHIVE_LIMITS.entries} is the most`);
  }
  let total = 0;
  for (const [path, { length }] of files) {
    const fault = pathFault(path, ARCHIVE_LIMITS.depth);
    if (fault !== undefined) throw unsafe(path, `"${path}" ${fault}.`);
    if (length > ARCHIVE_LIMITS.fileBytes) {
      throw tooLarge(
        `"${path}" has ${length} bytes, and ${ARCHIVE_LIMITS.fileBytes} is the most for a file`,
        path,
      );
    }
    total += length;
  }
  const repeated = repeatedPath(files.keys());
  if (repeated !== undefined) {
    throw unsafe(repeated.path, repetitionWords(repeated.path, repeated.earlier));
  }
  if (total > ARCHIVE_LIMITS.totalBytes) {
    throw tooLarge(`its files have ${total} bytes, and ${ARCHIVE_LIMITS.totalBytes} is the most`);
  }
}

function unsafe(path: string, detail: string): ProblemError {
  return new ProblemError({
    code: 'file_path_unsafe',
    title: 'A file may not be named so',
    detail,
    file: path,
  });
}

function tooLarge(reason: string, file?: string): ProblemError {
  return new ProblemError({
    code: 'package_too_large',
    title: 'The package is too large',
    detail: `It cannot be kept as a package: ${reason}.`,
    action: 'Leave out files the package does not need.',
    ...(file === undefined ? {} : { file }),
  });
}
