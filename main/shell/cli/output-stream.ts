import { once } from 'node:events';
import type { Writable } from 'node:stream';

/** A standard stream whose reader may be slow or go away, as `head` does. */
export class OutputStream {
  readonly #stream: Writable;
  readonly #broken = new AbortController();

  constructor(stream: Writable) {
    this.#stream = stream;
    stream.on('error', () => this.#broken.abort());
  }

  /** Aborted when nobody reads any more. */
  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  /** Writes a line; resolves when the reader can take more. Nothing happens once it is gone. */
  async line(text: string): Promise<void> {
    if (this.#broken.signal.aborted) return;
    if (this.#stream.write(`${text}\n`)) return;
    await once(this.#stream, 'drain', { signal: this.#broken.signal }).catch(() => undefined);
  }

  /** Writes a part of a line, such as a question. */
  write(text: string | Uint8Array): void {
    if (!this.#broken.signal.aborted) this.#stream.write(text);
  }

  /** Resolves when all that was written has been handed over, so that the process may end. */
  flush(): Promise<void> {
    if (this.#broken.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => void this.#stream.write('', () => resolve()));
  }

  json(value: unknown): Promise<void> {
    return this.line(JSON.stringify(value));
  }
}
