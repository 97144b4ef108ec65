import type { Readable } from 'node:stream';
import { addAbortSignal } from 'node:stream';

/** The beginning of a file as text. */
export interface TextStart {
  readonly text: string;
  /** Bytes of the whole file. */
  readonly size: number;
  readonly truncated: boolean;
  /** The bytes are no text; `text` is then empty. */
  readonly binary: boolean;
}

/**
 * Reads at most `limit` bytes from the beginning of a file as text: UTF-8, or UTF-16 when a byte order
 * mark says so. A character cut by the limit is left out.
 * @param open Streams the bytes from `start` to `end`, both inclusive.
 */
export async function readTextStart(
  size: number,
  limit: number,
  signal: AbortSignal,
  open: (start: number, end: number) => Readable,
): Promise<TextStart> {
  if (size === 0) return { text: '', size, truncated: false, binary: false };
  const length = Math.min(size, limit);
  const chunks: Uint8Array[] = [];
  for await (const chunk of addAbortSignal(signal, open(0, length - 1))) chunks.push(chunk as Uint8Array);
  const bytes = Buffer.concat(chunks);
  const truncated = size > length;
  const text = decode(bytes, truncated);
  return { text: text ?? '', size, truncated, binary: text === undefined };
}

function decode(bytes: Uint8Array, truncated: boolean): string | undefined {
  const encoding = markedEncoding(bytes);
  try {
    // With `stream`, an incomplete character at the end is held back instead of being an error.
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: truncated });
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

function markedEncoding(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}
