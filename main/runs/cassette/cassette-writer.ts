import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { toProblem, type Problem } from '#shared/problem.ts';
import type { CassetteEntry } from './cassette-entry.ts';

/** Bytes of one run's cassette. */
const MAX_CASSETTE_BYTES = 256 * 1024 * 1024;

/**
 * Writes what a run heard from outside, line by line, so that it can be run again without it. A cassette
 * that cannot go on ends with why; the run itself never fails for it.
 */
export class CassetteWriter {
  readonly #file: string;
  readonly #maxBytes: number;
  readonly #onStopped: (problem: Problem) => void;
  #bytes = 0;
  #isStopped = false;
  #writing: Promise<void>;

  /** @param onStopped told once, when nothing more is recorded */
  constructor(file: string, onStopped: (problem: Problem) => void, maxBytes = MAX_CASSETTE_BYTES) {
    this.#file = file;
    this.#maxBytes = maxBytes;
    this.#onStopped = onStopped;
    this.#writing = mkdir(dirname(file), { recursive: true, mode: 0o700 }).then(() => undefined);
    this.#writing.catch(() => undefined);
  }

  add(entry: CassetteEntry): void {
    if (this.#isStopped) return;
    const line = `${JSON.stringify(entry)}\n`;
    this.#bytes += Buffer.byteLength(line);
    if (this.#bytes <= this.#maxBytes) return this.#write(line);
    this.stop({
      code: 'recording_full',
      title: 'The run cannot be replayed to its end',
      detail: `What it heard has more than the ${this.#maxBytes / 1_048_576} MB that are recorded of a run.`,
    });
  }

  /** Ends the recording early. */
  stop(problem: Problem): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#write(`${JSON.stringify({ kind: 'stopped', problem } satisfies CassetteEntry)}\n`);
    this.#onStopped(problem);
  }

  /** Resolves when all of it is on disk. */
  async close(): Promise<void> {
    await this.#writing.catch(() => undefined);
  }

  #write(line: string): void {
    this.#writing = this.#writing.then(() => appendFile(this.#file, line, { mode: 0o600 }));
    this.#writing.catch((error: unknown) => {
      if (this.#isStopped) return;
      this.#isStopped = true;
      const { detail } = toProblem(error);
      this.#onStopped({
        code: 'recording_failed',
        title: 'The run cannot be replayed to its end',
        detail: `Its recording could not be written: ${detail}`,
      });
    });
  }
}
