import { cutText, utf8Length } from '#shared/text/cut-text.ts';

/** Parts of a value that are looked at; a larger one is cut there. */
const MAX_PARTS = 2000;
const MAX_DEPTH = 24;
const MAX_KEY_BYTES = 256;

/**
 * A copy of a JSON value for display whose texts take at most `maxBytes` together. Long texts give way
 * first, so that a path stays whole beside a file's content; what is left out is marked where it was.
 */
export function boundValue(value: unknown, maxBytes: number): unknown {
  const lengths: number[] = [];
  copy(value, { visitText: (text) => (lengths.push(utf8Length(text)), text), partsLeft: MAX_PARTS }, 0);
  const limit = sharedLimit(lengths, maxBytes);
  return copy(value, { visitText: (text) => cutWithMark(text, limit), partsLeft: MAX_PARTS }, 0);
}

/** A text cut to `maxBytes`, saying so at its end. */
export function cutWithMark(text: string, maxBytes: number): string {
  const cut = cutText(text, maxBytes);
  if (!cut.isCut) return text;
  return `${cut.text}… [${cut.bytes - utf8Length(cut.text)} more bytes not shown]`;
}

interface Visit {
  readonly visitText: (text: string) => string;
  partsLeft: number;
}

function copy(value: unknown, visit: Visit, depth: number): unknown {
  visit.partsLeft -= 1;
  if (typeof value === 'string') return visit.visitText(value);
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'object') return `[${typeof value}]`;
  if (depth >= MAX_DEPTH) return '[too deep to be shown]';
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      if (visit.partsLeft <= 0) return [...items, notShown(value.length - items.length)];
      items.push(copy(item, visit, depth + 1));
    }
    return items;
  }
  const entries: [string, unknown][] = [];
  const all = Object.entries(value);
  for (const [key, part] of all) {
    if (visit.partsLeft <= 0) {
      entries.push(['…', notShown(all.length - entries.length)]);
      break;
    }
    entries.push([cutWithMark(key, MAX_KEY_BYTES), copy(part, visit, depth + 1)]);
  }
  return Object.fromEntries(entries);
}

function notShown(count: number): string {
  return `[${count} more not shown]`;
}

/** The greatest length to which each text may be cut so that all together keep within `maxBytes`. */
function sharedLimit(lengths: readonly number[], maxBytes: number): number {
  let left = maxBytes;
  const sorted = lengths.toSorted((a, b) => a - b);
  for (const [index, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index));
    if (length > share) return share;
    left -= length;
  }
  return maxBytes;
}
