import { isRecord } from '#shared/manifest/plain.ts';

/**
 * Whether a regular expression surely ends soon on any text: nothing that is repeated has choices or
 * repetitions of its own, and few things are repeated without limit. A package brings its patterns along,
 * and the page has no way to end one that backtracks for ever.
 */
export function isQuickPattern(source: string): boolean {
  if (source.length > MAX_PATTERN) return false;
  /** Of each open group: whether it has choices or repetitions. */
  const groups: boolean[] = [false];
  let closed = false;
  let endless = 0;
  for (let index = 0; index < source.length; index += 1) {
    const character = source[index];
    let isGroup = false;
    switch (character) {
      case '\\':
        // What refers back to a group is matched by trying.
        if (/[1-9k]/.test(source[index + 1] ?? '')) return false;
        index += 1;
        break;
      case '[':
        index = endOfClass(source, index);
        break;
      case '(':
        groups.push(false);
        continue;
      case ')':
        closed = groups.pop() ?? false;
        isGroup = true;
        // What is inside of a group is inside of the one around it.
        if (closed) markLast(groups);
        break;
      case '|':
        markLast(groups);
        continue;
      default:
        break;
    }
    const [quantifier] = /^(?:[*+]|\{\d+,\d*\}|\{\d+\}|\?)/.exec(source.slice(index + 1, index + 24)) ?? [];
    if (quantifier === undefined) continue;
    if (quantifier !== '?' && isGroup && closed) return false;
    if (/^[*+]|,\}$/.test(quantifier)) endless += 1;
    if (endless > MAX_ENDLESS) return false;
    if (quantifier !== '?' || isGroup) markLast(groups);
    index += quantifier.length;
  }
  return true;
}

const MAX_PATTERN = 2_000;
/** Each one multiplies the time by the length of the text. */
const MAX_ENDLESS = 3;

function markLast(groups: boolean[]): void {
  if (groups.length > 0) groups[groups.length - 1] = true;
}

function endOfClass(source: string, start: number): number {
  for (let index = start + 1; index < source.length; index += 1) {
    if (source[index] === '\\') index += 1;
    else if (source[index] === ']') return index;
  }
  return source.length;
}

const quick = new WeakMap<object, Record<string, unknown>>();

/** A schema without the patterns that might not end; main holds a value against all of them. */
export function withQuickPatterns(schema: Record<string, unknown>): Record<string, unknown> {
  const known = quick.get(schema);
  if (known !== undefined) return known;
  const made = withoutSlow(schema, 0) as Record<string, unknown>;
  quick.set(schema, made);
  return made;
}

/** Nesting of what is read of a schema; manifests have less. */
const MAX_DEPTH = 80;

/** Also where "pattern" is no keyword, such as a field of that name, whose value is then no text. */
function withoutSlow(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return true;
  if (Array.isArray(value)) return value.map((item) => withoutSlow(item, depth + 1));
  if (!isRecord(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (name === 'pattern' && typeof member === 'string' && !isQuickPattern(member)) return [];
    if (name !== 'patternProperties' || !isRecord(member)) return [[name, withoutSlow(member, depth + 1)]];
    const kept = Object.entries(member).filter(([pattern]) => isQuickPattern(pattern));
    return [[name, withoutSlow(Object.fromEntries(kept), depth + 1)]];
  });
  return Object.fromEntries(members) as unknown;
}
