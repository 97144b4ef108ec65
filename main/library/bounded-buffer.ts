/**
 * All of a stream in one piece, ended as soon as it has more than it may: what it said of its length
 * before need not hold, and a device has none.
 * @param maxBytes the most that is taken into memory
 * @param tooLarge makes the error for a stream that has more
 */
export async function bufferUpTo(
  stream: AsyncIterable<Buffer>,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  const [only] = chunks;
  return only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks);
}
