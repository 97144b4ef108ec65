import type { TextReplacement } from './text-source.ts';

/** The smallest single change that makes one text the other; undefined when they are the same. */
export function replacementBetween(before: string, after: string): TextReplacement | undefined {
  if (before === after) return undefined;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  let end = 0;
  while (
    end < shorter - start &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  ) {
    end += 1;
  }
  // Half of a surrogate pair, or of a line end of two characters, is no place to cut.
  if (start > 0 && isSplit(before, after, start)) start -= 1;
  if (end > 0 && isSplit(before, after, before.length - end, after.length - end)) end -= 1;
  return { offset: start, length: before.length - end - start, text: after.slice(start, after.length - end) };
}

function isSplit(before: string, after: string, at: number, afterAt = at): boolean {
  return isInside(before, at) || isInside(after, afterAt);
}

function isInside(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return false;
  const left = text.charCodeAt(at - 1);
  const right = text.charCodeAt(at);
  const splitsPair = left >= 0xd800 && left <= 0xdbff && right >= 0xdc00 && right <= 0xdfff;
  return splitsPair || (left === 13 && right === 10);
}
