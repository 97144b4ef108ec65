/** Counts changes within one process, and lets followers wait for the next. */
export class Revision {
  readonly #epoch: string;
  #number = 0;
  #waiters = new Set<() => void>();

  /** @param epoch Tells this process's revisions from those of one before it. */
  constructor(epoch: string) {
    this.#epoch = epoch;
  }

  get number(): number {
    return this.#number;
  }

  /** `<epoch>:<number>`. */
  get cursor(): string {
    return `${this.#epoch}:${this.#number}`;
  }

  /** The number in a cursor of this process; `undefined` for any other text. */
  parse(cursor: string | undefined): number | undefined {
    if (!cursor?.startsWith(`${this.#epoch}:`)) return undefined;
    const digits = cursor.slice(this.#epoch.length + 1);
    const number = Number(digits);
    return /^\d{1,15}$/.test(digits) && number <= this.#number ? number : undefined;
  }

  advance(): number {
    this.#number += 1;
    const waiters = this.#waiters;
    this.#waiters = new Set();
    for (const wake of waiters) wake();
    return this.#number;
  }

  /** Resolves when the number is above `seen` or the signal aborts; never rejects. */
  after(seen: number, signal: AbortSignal): Promise<void> {
    if (this.#number > seen || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        this.#waiters.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiters.add(wake);
      signal.addEventListener('abort', wake);
    });
  }
}
