/** What stands in a text in place of a key. */
const REPLACEMENT = '[key]';
/** Characters of a key's beginning or end that give it away: providers echo such parts in errors. */
const TELLING_LENGTH = 8;
/** Keys shorter than this are words such as `ollama`, which no stream is searched for. */
const SECRET_LENGTH = 8;

/**
 * Takes a key out of a text, whole or in the shortened forms providers echo: its beginning, its end, and
 * both with stars or dots between them.
 */
export function redactKey(text: string, key: string | undefined): string {
  if (key === undefined || key.length < 4) return text;
  let result = text.replaceAll(key, REPLACEMENT);
  if (key.length < TELLING_LENGTH * 2) return result;
  result = replaceBeginnings(result, key);
  return replaceEnds(result, key);
}

function replaceBeginnings(text: string, key: string): string {
  const beginning = key.slice(0, TELLING_LENGTH);
  let result = '';
  let position = 0;
  for (;;) {
    const start = text.indexOf(beginning, position);
    if (start === -1) return result + text.slice(position);
    let end = start + beginning.length;
    while (end - start < key.length && text[end] === key[end - start]) end += 1;
    const mask = /^[*.…•xX]{2,}[^\s"',.;)\]}]{0,12}/.exec(text.slice(end, end + 200));
    result += text.slice(position, start) + REPLACEMENT;
    position = end + (mask?.[0].length ?? 0);
  }
}

function replaceEnds(text: string, key: string): string {
  const end = key.slice(-TELLING_LENGTH);
  let result = text;
  for (;;) {
    const at = result.indexOf(end);
    if (at === -1) return result;
    let start = at;
    let offset = key.length - TELLING_LENGTH;
    while (start > 0 && offset > 0 && result[start - 1] === key[offset - 1]) {
      start -= 1;
      offset -= 1;
    }
    result = result.slice(0, start) + REPLACEMENT + result.slice(at + end.length);
  }
}

/**
 * Takes a key out of a stream of bytes, also where it lies across chunks. Bytes are held back only while
 * they may be the key's beginning, so a stream without it passes as it came.
 */
export class StreamRedactor {
  readonly #key: Buffer | undefined;
  #held = Buffer.alloc(0);

  constructor(key: string | undefined) {
    this.#key = key !== undefined && key.length >= SECRET_LENGTH ? Buffer.from(key) : undefined;
  }

  push(chunk: Uint8Array): Uint8Array {
    if (!this.#key) return chunk;
    const bytes =
      this.#held.length > 0
        ? Buffer.concat([this.#held, chunk])
        : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const clean = replaceAll(bytes, this.#key);
    const kept = overlap(clean, this.#key);
    this.#held = Buffer.from(clean.subarray(clean.length - kept));
    return clean.subarray(0, clean.length - kept);
  }

  /** What was held back, once no more comes. */
  end(): Uint8Array {
    const rest = this.#held;
    this.#held = Buffer.alloc(0);
    return rest;
  }
}

function replaceAll(bytes: Buffer, key: Buffer): Buffer {
  const parts: Buffer[] = [];
  let position = 0;
  for (;;) {
    const at = bytes.indexOf(key, position);
    if (at === -1) break;
    parts.push(bytes.subarray(position, at), Buffer.from(REPLACEMENT));
    position = at + key.length;
  }
  if (parts.length === 0) return bytes;
  return Buffer.concat([...parts, bytes.subarray(position)]);
}

/** Length of the longest end of `bytes` that is a beginning of `key`, but not all of it. */
function overlap(bytes: Buffer, key: Buffer): number {
  for (let length = Math.min(key.length - 1, bytes.length); length > 0; length -= 1) {
    if (bytes.subarray(bytes.length - length).equals(key.subarray(0, length))) return length;
  }
  return 0;
}
