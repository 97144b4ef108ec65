import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Ending of a file that is not whole yet. */
export const PART_ENDING = '.slipway-part';

/**
 * Writes a file whole or not at all, for this person alone. Its folder is there.
 * @param onChunk sees what is written
 * @throws what the content or the disk fails with, or the signal's reason
 */
export async function writeWhole(
  content: Readable,
  target: string,
  signal: AbortSignal,
  onChunk?: (chunk: Buffer) => void,
): Promise<void> {
  const part = `${target}${PART_ENDING}`;
  try {
    await pipeline(
      content,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          onChunk?.(chunk);
          yield chunk;
        }
      },
      createWriteStream(part, { mode: 0o600 }),
      { signal },
    );
    await rename(part, target);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
}
