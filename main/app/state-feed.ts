import { isDeepStrictEqual } from 'node:util';
import { Revision } from './revision.ts';

/** Follows one piece of state that a service reads out whole and tells of when it changed. */
export class StateFeed<T> implements Disposable {
  readonly #revision: Revision;
  readonly #read: () => T | Promise<T>;
  readonly #stop: () => void;
  #latest: { readonly value: T } | undefined;
  #reading: Promise<T> | undefined;

  constructor(
    epoch: string,
    read: () => T | Promise<T>,
    listen: (listener: (value: T) => void) => () => void,
  ) {
    this.#revision = new Revision(epoch);
    this.#read = read;
    this.#stop = listen((value) => {
      if (this.#latest && isDeepStrictEqual(this.#latest.value, value)) return;
      this.#latest = { value };
      this.#revision.advance();
    });
  }

  /** The state whenever it is not what the cursor stands for. Changes nobody took are skipped. */
  async *follow(after: string | undefined, signal: AbortSignal): AsyncGenerator<{ cursor: string; data: T }> {
    let seen = this.#revision.parse(after) ?? -1;
    while (!signal.aborted) {
      if (this.#revision.number > seen) {
        const data = await this.#current();
        seen = this.#revision.number;
        if (signal.aborted) return;
        yield { cursor: this.#revision.cursor, data };
      }
      await this.#revision.after(seen, signal);
    }
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  async #current(): Promise<T> {
    if (!this.#latest) {
      this.#reading ??= Promise.resolve(this.#read()).finally(() => (this.#reading = undefined));
      const value = await this.#reading;
      // A change told of while the reading was under way is newer than what was read.
      this.#latest ??= { value };
    }
    return this.#latest.value;
  }
}
