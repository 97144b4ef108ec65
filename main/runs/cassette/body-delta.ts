/** A text as what it has anew: its first and last bytes are those of the one before it. */
export interface BodyDelta {
  readonly prefix: number;
  readonly suffix: number;
  readonly middle: Buffer;
}

/** What of `next` does not stand at the beginning or the end of `previous`. */
export function deltaOf(previous: Buffer, next: Buffer): BodyDelta {
  const shorter = Math.min(previous.length, next.length);
  let prefix = 0;
  while (prefix < shorter && previous[prefix] === next[prefix]) prefix += 1;
  let suffix = 0;
  while (
    suffix < shorter - prefix &&
    previous[previous.length - 1 - suffix] === next[next.length - 1 - suffix]
  ) {
    suffix += 1;
  }
  return { prefix, suffix, middle: next.subarray(prefix, next.length - suffix) };
}

/** The text again. @throws RangeError when `previous` is not the one it was made from */
export function applyDelta(previous: Buffer, { prefix, suffix, middle }: BodyDelta): Buffer {
  if (prefix + suffix > previous.length) throw new RangeError('The recording lacks the request before.');
  return Buffer.concat([
    previous.subarray(0, prefix),
    middle,
    previous.subarray(previous.length - suffix, previous.length),
  ]);
}
