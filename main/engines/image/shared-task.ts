import { abortable } from '#main/async/abortable.ts';

/**
 * A long piece of work that several callers share: it begins with the first, tells all how far it is, and
 * is aborted when the last has given up.
 */
export class SharedTask<Result, Progress> {
  readonly #abort = new AbortController();
  readonly #listeners = new Set<{ readonly tell: (progress: Progress) => void }>();
  readonly #result: Promise<Result>;
  #latest: { readonly progress: Progress } | undefined;
  #settled = false;

  constructor(work: (signal: AbortSignal, tell: (progress: Progress) => void) => Promise<Result>) {
    this.#result = work(this.#abort.signal, (progress) => {
      this.#latest = { progress };
      for (const { tell } of this.#listeners) tell(progress);
    }).finally(() => {
      this.#settled = true;
    });
    this.#result.catch(() => undefined);
  }

  /** Whether it ended, or nobody wants it any more: whoever comes now needs a new one. */
  get over(): boolean {
    return this.#settled || this.#abort.signal.aborted;
  }

  /** Resolves when the work has ended, however it did. */
  async settle(): Promise<void> {
    await this.#result.catch(() => undefined);
  }

  /** Waits for the result. @throws the signal's reason when it is aborted, leaving the work to the others. */
  async join(signal: AbortSignal, tell: (progress: Progress) => void): Promise<Result> {
    signal.throwIfAborted();
    const listener = { tell };
    this.#listeners.add(listener);
    if (this.#latest) tell(this.#latest.progress);
    try {
      return await abortable(this.#result, signal);
    } finally {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0 && !this.#settled) this.#abort.abort();
    }
  }
}
