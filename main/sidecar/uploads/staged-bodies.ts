/** Bodies that may wait at one time; who has one more waits until one was sent. */
const MAX_WAITING = 6;
/** Time after which nobody comes for a body any more, as after an upload that was cancelled. */
const FORGOTTEN_MS = 120_000;

interface StagedBody {
  readonly bytes: Buffer;
  readonly since: number;
}

/**
 * Chunks of an upload that the sandbox has handed over as bytes, each for the one call that names it. As
 * base64 in a message they would take many times as long, and as much memory.
 */
export class StagedBodies {
  /** Bytes one body may have. */
  readonly maxBytes: number;
  readonly #now: () => number;
  readonly #bodies = new Map<string, StagedBody>();

  constructor(maxBytes: number, now: () => number = () => performance.now()) {
    this.maxBytes = maxBytes;
    this.#now = now;
  }

  /** Whether there is room for another body. */
  get hasRoom(): boolean {
    for (const [id, { since }] of this.#bodies) {
      if (this.#now() - since > FORGOTTEN_MS) this.#bodies.delete(id);
    }
    return this.#bodies.size < MAX_WAITING;
  }

  put(id: string, bytes: Buffer): void {
    this.#bodies.set(id, { bytes, since: this.#now() });
  }

  /** The body, which stays for its call. */
  peek(id: string): Buffer | undefined {
    return this.#bodies.get(id)?.bytes;
  }

  /** The body, once. */
  take(id: string): Buffer | undefined {
    const body = this.#bodies.get(id);
    this.#bodies.delete(id);
    return body?.bytes;
  }
}
