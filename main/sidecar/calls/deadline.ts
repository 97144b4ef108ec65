/** A time limit that can be moved while it runs. */
export class Deadline implements Disposable {
  readonly #abort = new AbortController();
  readonly #parent: AbortSignal;
  readonly #onParent: () => void;
  readonly #endsAt: number;
  #timer: NodeJS.Timeout | undefined;
  #hasExpired = false;

  /**
   * @param totalMs after which it ends, however often it is moved
   * @param parent whose abort it passes on
   */
  constructor(parent: AbortSignal, totalMs: number) {
    this.#parent = parent;
    this.#endsAt = performance.now() + totalMs;
    this.#onParent = () => this.#abort.abort(parent.reason);
    parent.addEventListener('abort', this.#onParent, { once: true });
    if (parent.aborted) this.#onParent();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Whether the time was up, rather than that somebody gave up. */
  get hasExpired(): boolean {
    return this.#hasExpired;
  }

  /** Ends so many milliseconds from now. */
  endIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    const left = Math.max(0, Math.min(milliseconds, this.#endsAt - performance.now()));
    this.#timer = setTimeout(() => {
      this.#hasExpired = true;
      this.#abort.abort(new DOMException('The time is up.', 'TimeoutError'));
    }, left);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#parent.removeEventListener('abort', this.#onParent);
  }
}
