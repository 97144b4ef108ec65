import { isUtf8 } from 'node:buffer';
import { ProblemError } from '#shared/problem.ts';
import { TopLevelId } from './top-level-id.ts';

/** Bytes of one line of a server. */
export const MAX_LINE_BYTES = 4 * 1024 * 1024;
/** Bytes without the end of a line after which a server is ended: it says nothing that could be answered. */
const MAX_SWALLOWED_BYTES = 128 * 1024 * 1024;
/** Lines a second a server may go on sending, and how many it may send at once. */
const LINES_PER_SECOND = 1000;
const LINES_AT_ONCE = 3000;

/** What a server wrote to its standard output. */
export type ServerOutput =
  | { readonly kind: 'message'; readonly text: string }
  /** Not JSON: servers print greetings where only messages belong. */
  | { readonly kind: 'noise'; readonly text: string }
  /** A message too long to be passed on; its id as it stands in the JSON, when it has one. */
  | { readonly kind: 'oversized'; readonly id: string | undefined; readonly bytes: number };

/**
 * Takes a server's standard output apart into lines (reference: sidecar, section 6.5). Never holds more than
 * one line of the largest size.
 */
export class MessageLines {
  readonly #now: () => number;
  #parts: Buffer[] = [];
  #length = 0;
  #swallowed: TopLevelId | undefined;
  #credit = LINES_AT_ONCE;
  #creditedAt: number;

  /** @param now milliseconds of a clock that only goes on */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#creditedAt = now();
  }

  /**
   * What a chunk completed.
   * @throws ProblemError `server_floods`, `server_output_invalid`: the server must be ended
   */
  *push(chunk: Buffer): Generator<ServerOutput> {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(0x0a, start);
      this.#take(chunk.subarray(start, end === -1 ? chunk.length : end));
      if (end === -1) return;
      start = end + 1;
      const output = this.#finish();
      if (output === undefined) continue;
      this.#count();
      yield output;
    }
  }

  #take(bytes: Buffer): void {
    this.#length += bytes.length;
    if (this.#swallowed === undefined && this.#length > MAX_LINE_BYTES) {
      this.#swallowed = new TopLevelId();
      for (const part of this.#parts) this.#swallowed.push(part);
      this.#parts = [];
    }
    if (this.#swallowed === undefined) this.#parts.push(bytes);
    else this.#swallowed.push(bytes);
    if (this.#length > MAX_SWALLOWED_BYTES) {
      throw invalidOutput(
        `It wrote more than ${MAX_SWALLOWED_BYTES / 1024 / 1024} MB without the end of a line.`,
      );
    }
  }

  #finish(): ServerOutput | undefined {
    const [bytes, swallowed, length] = [Buffer.concat(this.#parts), this.#swallowed, this.#length];
    this.#parts = [];
    this.#swallowed = undefined;
    this.#length = 0;
    if (swallowed !== undefined) return { kind: 'oversized', id: swallowed.id, bytes: length };
    if (!isUtf8(bytes)) throw invalidOutput('It wrote bytes that are not UTF-8 text.');
    const text = bytes.toString('utf8').trim();
    if (text === '') return undefined;
    return { kind: text.startsWith('{') ? 'message' : 'noise', text };
  }

  #count(): void {
    const now = this.#now();
    this.#credit = Math.min(
      LINES_AT_ONCE,
      this.#credit + ((now - this.#creditedAt) / 1000) * LINES_PER_SECOND,
    );
    this.#creditedAt = now;
    this.#credit -= 1;
    if (this.#credit >= 0) return;
    throw new ProblemError({
      code: 'server_floods',
      title: 'The server floods',
      detail: `It went on writing more than ${LINES_PER_SECOND} lines a second, so it was ended.`,
    });
  }
}

function invalidOutput(detail: string): ProblemError {
  return new ProblemError({
    code: 'server_output_invalid',
    title: 'The server does not speak the protocol',
    detail: `${detail} It was ended.`,
  });
}
