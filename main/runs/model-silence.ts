import type { RelayedResponse } from '#main/models/model-gateway.ts';

/** Knows how long a run's model has kept it waiting: for the head of an answer, or for its next piece. */
export class ModelSilence {
  readonly #now: () => number;
  /** When each wait in progress began. */
  readonly #waits = new Set<{ readonly since: number }>();

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Milliseconds of the longest wait in progress; 0 when nothing is waited for. */
  get milliseconds(): number {
    return Math.max(0, ...[...this.#waits].map(({ since }) => this.#now() - since));
  }

  /** Watches one request. A reader who takes its time is not the model's silence. */
  async watch(answer: Promise<RelayedResponse>): Promise<RelayedResponse> {
    const response = await this.#during(answer);
    return { ...response, body: this.#watched(response.body) };
  }

  async *#watched(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
    const pieces = body[Symbol.asyncIterator]();
    try {
      for (;;) {
        const piece = await this.#during(pieces.next());
        if (piece.done) return;
        yield piece.value;
      }
    } finally {
      await pieces.return?.();
    }
  }

  async #during<T>(work: Promise<T>): Promise<T> {
    const wait = { since: this.#now() };
    this.#waits.add(wait);
    try {
      return await work;
    } finally {
      this.#waits.delete(wait);
    }
  }
}
