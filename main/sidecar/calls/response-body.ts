import { Readable } from 'node:stream';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';

/** A body as it was received, in pieces, so that a large one is held but once. */
export interface BodyBytes {
  readonly pieces: readonly Buffer[];
  readonly size: number;
}

export const EMPTY_BODY: BodyBytes = { pieces: [], size: 0 };

/** A body could not be read whole. */
export class BodyTooLarge extends Error {}
/** What it says of its coding is not true. */
export class BodyUndecodable extends Error {}

/** Codings that may be upon each other; nobody has a use for more. */
const MAX_CODINGS = 3;

export interface ReadBodyOptions {
  readonly maxBytes: number;
  /** Cuts at the limit rather than to fail. */
  readonly mayCut: boolean;
  /** Called as bytes come in. */
  readonly onProgress: (bytes: number) => void;
}

/** The body, and whether it was cut. */
export interface ReadBody extends BodyBytes {
  readonly isCut: boolean;
}

/** Whether every coding in the header can be undone. */
export function canDecode(contentEncoding: string | undefined): boolean {
  const codings = codingsOf(contentEncoding);
  return codings.length <= MAX_CODINGS && codings.every((coding) => DECODERS.has(coding));
}

/**
 * Reads a body to its end, undoing its coding, and no further than the limit: of a bomb it unpacks but that
 * much. The source is let go in any case.
 * @param contentEncoding undone only when {@link canDecode}
 * @throws BodyTooLarge, BodyUndecodable, or what the source throws
 */
export async function readBody(
  source: AsyncIterable<Buffer>,
  contentEncoding: string | undefined,
  { maxBytes, mayCut, onProgress }: ReadBodyOptions,
): Promise<ReadBody> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of decodedBody(observed(source, onProgress), contentEncoding)) {
    const left = maxBytes - size;
    if (piece.length > left) {
      if (!mayCut) throw new BodyTooLarge();
      pieces.push(piece.subarray(0, left));
      return { pieces, size: maxBytes, isCut: true };
    }
    pieces.push(piece);
    size += piece.length;
  }
  return { pieces, size, isCut: false };
}

async function* observed(
  source: AsyncIterable<Buffer>,
  onProgress: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    onProgress(piece.length);
    yield piece;
  }
}

const DECODERS: ReadonlyMap<string, () => ReturnType<typeof createGunzip>> = new Map([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress()],
] as [string, () => ReturnType<typeof createGunzip>][]);

function codingsOf(contentEncoding: string | undefined): string[] {
  return (contentEncoding ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
}

/** A body piece by piece, its coding undone where {@link canDecode}. @throws BodyUndecodable, or what the source throws */
export async function* decodedBody(
  source: AsyncGenerator<Buffer>,
  contentEncoding: string | undefined,
): AsyncGenerator<Buffer> {
  const codings = canDecode(contentEncoding) ? codingsOf(contentEncoding) : [];
  if (codings.length === 0) {
    yield* source;
    return;
  }
  const first = await source.next();
  // A HEAD, or an answer without content, says how it would be coded.
  if (first.done === true) return;
  let failure: Error | undefined;
  const whole = Readable.from(
    (async function* () {
      try {
        yield first.value;
        yield* source;
      } catch (error) {
        failure = error instanceof Error ? error : new Error(String(error));
        throw failure;
      }
    })(),
  );
  const decoders = codings.toReversed().map((coding) => {
    // Some servers send the bare stream under this name.
    const isBare = coding === 'deflate' && ((first.value[0] ?? 0) & 0x0f) !== 8;
    return isBare ? createInflateRaw() : DECODERS.get(coding)?.();
  });
  const streams = [whole, ...decoders.filter((decoder) => decoder !== undefined)];
  for (const [index, stream] of streams.entries()) {
    const next = streams[index + 1];
    // `pipe` passes no error on, and `pipeline` would wait for an end that a bomb never has.
    stream.on('error', (error) => streams.at(-1)?.destroy(error));
    if (next !== undefined) stream.pipe(next as unknown as NodeJS.WritableStream);
  }
  try {
    for await (const piece of streams.at(-1) as AsyncIterable<Buffer>) yield piece;
  } catch (error) {
    throw failure ?? new BodyUndecodable('', { cause: error });
  } finally {
    for (const stream of streams) stream.destroy();
  }
}
