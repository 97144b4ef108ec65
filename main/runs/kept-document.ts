import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { describedWriteFailure } from '#main/store/index.ts';
import { writeWhole } from './write-whole.ts';

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
  try {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await writeWhole(await file.open(), target, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw describedWriteFailure(error);
  }
  return createReadStream(target);
}
