const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/** A server's answer, or one event of its stream, has more bytes than are read. */
export class AnswerTooLarge extends Error {
  constructor(maxBytes: number) {
    super(`the answer has more than ${maxBytes} bytes`);
  }
}

/** A body that ends with an error when it has more than so many bytes. */
export async function* boundedBody(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const piece of source) {
    size += piece.length;
    if (size > maxBytes) throw new AnswerTooLarge(maxBytes);
    yield piece;
  }
}

/**
 * A stream of events that ends with an error when one event has more than so many bytes; it may go on for as
 * long as it likes. Events end with an empty line.
 */
export async function* boundedEvents(
  source: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  let size = 0;
  let isLineEmpty = true;
  let wasReturn = false;
  for await (const piece of source) {
    let start = 0;
    for (;;) {
      const end = nextLineEnd(piece, start);
      const isContent = (end === -1 ? piece.length : end) > start;
      if (isContent) {
        isLineEmpty = false;
        wasReturn = false;
      }
      if (end === -1) break;
      // The second half of CR LF ends no further line.
      if (piece[end] === LINE_FEED && wasReturn) wasReturn = false;
      else {
        if (isLineEmpty) size = 0;
        isLineEmpty = true;
        wasReturn = piece[end] === RETURN;
      }
      size += end + 1 - start;
      start = end + 1;
      if (size > maxBytes) throw new AnswerTooLarge(maxBytes);
    }
    size += piece.length - start;
    if (size > maxBytes) throw new AnswerTooLarge(maxBytes);
    yield piece;
  }
}

function nextLineEnd(piece: Buffer, from: number): number {
  const feed = piece.indexOf(LINE_FEED, from);
  const end = feed === -1 ? piece.length : feed;
  const before = piece.subarray(from, end).indexOf(RETURN);
  if (before !== -1) return from + before;
  return feed;
}
