import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describedWriteFailure } from '#main/store/index.ts';

/**
 * Copies a run's input file to where it is kept, and opens the copy: the run and whoever runs it again read
 * the same bytes, whatever becomes of the original.
 * @throws ProblemError `disk_full`, what opening and reading the file throws, or the signal's reason
 */
export async function openKeptDocument(
  file: { open(): Promise<Readable> },
  target: string,
  signal: AbortSignal,
): Promise<Readable> {
  const temporary = `${target}.slipway-part`;
  try {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await pipeline(await file.open(), createWriteStream(temporary, { mode: 0o600 }), { signal });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    signal.throwIfAborted();
    throw describedWriteFailure(error);
  }
  return createReadStream(target);
}
