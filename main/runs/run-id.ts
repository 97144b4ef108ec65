import { randomBytes } from 'node:crypto';

/** An id that sorts by the time it was made and cannot be guessed. */
export function newRunId(now = Date.now()): string {
  return `run_${now.toString(36).padStart(9, '0')}${randomBytes(8).toString('hex')}`;
}
