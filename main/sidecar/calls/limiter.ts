/** Lets so many tasks run at a time; others wait their turn, in order. */
export class Limiter {
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** @throws what the signal was aborted with, when that happens before its turn. */
  async run<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    await this.#enter(signal);
    try {
      return await task();
    } finally {
      this.#running -= 1;
      this.#waiting.shift()?.();
    }
  }

  async #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#running >= this.#limit) {
      await new Promise<void>((resolve, reject) => {
        const enter = () => {
          signal.removeEventListener('abort', leave);
          // Taken here, so that nobody slips in between.
          this.#running += 1;
          resolve();
        };
        const leave = () => {
          this.#waiting.splice(this.#waiting.indexOf(enter), 1);
          reject(signal.reason as Error);
        };
        this.#waiting.push(enter);
        signal.addEventListener('abort', leave, { once: true });
      });
      return;
    }
    this.#running += 1;
  }
}
