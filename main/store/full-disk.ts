import { ProblemError } from '#shared/problem.ts';

/** Primary result code of SQLite for a write that found no room (https://sqlite.org/rescode.html#full). */
const SQLITE_FULL = 13;

/** What to throw in the place of a failed write: `disk_full` where that is why, else the error as it came. */
export function describedWriteFailure(error: unknown): unknown {
  if (!(error instanceof Error) || !isDiskFull(error)) return error;
  const problem = {
    code: 'disk_full',
    title: 'The disk is full',
    detail: 'There is no room left in the data folder, so nothing of this was saved.',
    action: 'Free some space, then try again.',
  };
  return new ProblemError(problem, { cause: error });
}

function isDiskFull(error: Error & { code?: unknown; errcode?: unknown }): boolean {
  // Extended codes of SQLite keep the primary one in their lowest byte.
  const isSqlite = typeof error.errcode === 'number' && (error.errcode & 0xff) === SQLITE_FULL;
  return isSqlite || error.code === 'ENOSPC' || error.code === 'EDQUOT';
}
