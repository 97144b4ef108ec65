import type { IncomingMessage } from 'node:http';

/** Bytes of bodies held at one time, all requests together; a sandbox may send many at once. */
const MAX_HELD_BYTES = 48 * 1024 * 1024;

/** Why a body was not read. */
export class BodyRefused extends Error {
  readonly reason: 'too_large' | 'busy' | 'aborted';
  /** Bytes the sender announced, where it did. */
  readonly announced: number | undefined;

  constructor(reason: BodyRefused['reason'], announced?: number) {
    super(reason);
    this.reason = reason;
    this.announced = announced;
  }
}

/** Bytes a request announces, where it does. */
export function announcedLength(request: IncomingMessage): number | undefined {
  const { 'content-length': length } = request.headers;
  return length === undefined ? undefined : Number(length);
}

/** Reads request bodies whole, with a limit for each and one for all together. */
export class BodyReader {
  readonly #maxHeldBytes: number;
  #held = 0;

  /** @param largestBytes of one body, which must always find room. */
  constructor(largestBytes = 0) {
    this.#maxHeldBytes = Math.max(MAX_HELD_BYTES, largestBytes);
  }

  /**
   * Hands the whole body to `consume` and counts it as held until that has ended. A refused body is
   * discarded as it comes, so that its sender lives to read the answer.
   * @throws BodyRefused
   */
  async withBody<T>(
    request: IncomingMessage,
    limit: number,
    consume: (body: Buffer) => Promise<T>,
  ): Promise<T> {
    const announced = announcedLength(request);
    if (announced !== undefined && announced > limit) {
      request.resume();
      throw new BodyRefused('too_large', announced);
    }
    let held = 0;
    try {
      const parts: Buffer[] = [];
      const body = await new Promise<Buffer>((resolve, reject) => {
        const refuse = (refusal: BodyRefused) => {
          request.removeListener('data', take);
          request.resume();
          reject(refusal);
        };
        const take = (part: Buffer) => {
          held += part.length;
          this.#held += part.length;
          if (held > limit) refuse(new BodyRefused('too_large'));
          else if (this.#held > this.#maxHeldBytes) refuse(new BodyRefused('busy'));
          else parts.push(part);
        };
        request.on('data', take);
        request.once('end', () => resolve(Buffer.concat(parts)));
        request.once('error', () => reject(new BodyRefused('aborted')));
        request.once('close', () => reject(new BodyRefused('aborted')));
      });
      return await consume(body);
    } finally {
      this.#held -= held;
    }
  }
}
