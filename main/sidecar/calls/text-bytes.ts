import { charsetOf } from '#shared/tools/media-types.ts';
import type { BodyBytes } from './response-body.ts';

/** Secrets below this length are too common as parts of other texts to be looked for. */
const SHORTEST_SECRET = 8;

/** How the bytes of a text are to be read: as it says, as its first bytes say, or as what they can be. */
export function encodingOf(body: BodyBytes, contentType: string | undefined): string {
  const [first] = body.pieces;
  if (first?.[0] === 0xff && first[1] === 0xfe) return 'utf-16le';
  if (first?.[0] === 0xfe && first[1] === 0xff) return 'utf-16be';
  const said = charsetOf(contentType);
  if (said !== undefined && isKnown(said)) return said;
  return isUtf8(body) ? 'utf-8' : 'windows-1252';
}

/** UTF-16 units of the text, without ever holding it. */
export function textLength(body: BodyBytes, encoding: string): number {
  const decoder = new TextDecoder(encoding);
  let length = 0;
  for (const piece of body.pieces) length += decoder.decode(piece, { stream: true }).length;
  return length + decoder.decode().length;
}

/** The text itself, without a mark of byte order. */
export function decodeText(body: BodyBytes, encoding: string): string {
  const decoder = new TextDecoder(encoding);
  const parts = body.pieces.map((piece) => decoder.decode(piece, { stream: true }));
  return parts.join('') + decoder.decode();
}

/**
 * Puts the names of secrets where a service answered with the secrets themselves, also as they stand in a
 * URL or in JSON. What has none comes back as it is, byte for byte.
 */
export function hideSecrets(body: BodyBytes, secrets: ReadonlyMap<string, string>): BodyBytes {
  let result = body;
  for (const [secret, name] of secrets) {
    if (secret.length < SHORTEST_SECRET) continue;
    for (const form of formsOf(secret)) {
      const needle = Buffer.from(form, 'utf8');
      if (!includes(result, needle)) continue;
      const whole = Buffer.concat(result.pieces);
      const replaced = Buffer.from(
        whole.toString('latin1').replaceAll(needle.toString('latin1'), `{{${name}}}`),
        'latin1',
      );
      result = { pieces: [replaced], size: replaced.length };
    }
  }
  return result;
}

/**
 * The same while a text passes through. So much of its end is held back that no secret leaves it in halves,
 * and none is taken for a shorter one that it begins with.
 */
export async function* hideSecretsInPassing(
  source: AsyncIterable<Buffer>,
  secrets: ReadonlyMap<string, string>,
): AsyncGenerator<Buffer> {
  const placeholders = new Map<string, string>();
  for (const [secret, name] of secrets) {
    if (secret.length < SHORTEST_SECRET) continue;
    for (const form of formsOf(secret)) {
      const needle = Buffer.from(form, 'utf8').toString('latin1');
      if (!placeholders.has(needle)) placeholders.set(needle, `{{${name}}}`);
    }
  }
  if (placeholders.size === 0) {
    yield* source;
    return;
  }
  const needles = [...placeholders.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(needles.map((needle) => RegExp.escape(needle)).join('|'), 'g');
  const longest = needles[0]?.length ?? 0;
  let rest = '';
  const take = (end: number): Buffer => {
    let shown = '';
    let from = 0;
    for (const match of rest.matchAll(pattern)) {
      if (match.index >= end) break;
      shown += rest.slice(from, match.index) + (placeholders.get(match[0]) ?? '');
      from = match.index + match[0].length;
    }
    const until = Math.max(from, end);
    shown += rest.slice(from, until);
    rest = rest.slice(until);
    return Buffer.from(shown, 'latin1');
  };
  for await (const piece of source) {
    rest += piece.toString('latin1');
    if (rest.length >= longest) yield take(rest.length - longest + 1);
  }
  if (rest !== '') yield take(rest.length);
}

/**
 * The same where lines must pass as soon as they are whole, such as events of a stream: none waits for the
 * next. A secret within a line has no line end, since JSON writes it in another way.
 */
export async function* hideSecretsInLines(
  source: AsyncIterable<Buffer>,
  secrets: ReadonlyMap<string, string>,
): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  const shown = () => {
    const size = pieces.reduce((sum, piece) => sum + piece.length, 0);
    return hideSecrets({ pieces, size }, secrets).pieces;
  };
  for await (const piece of source) {
    const end = Math.max(piece.lastIndexOf(0x0a), piece.lastIndexOf(0x0d)) + 1;
    if (end > 0) {
      pieces.push(piece.subarray(0, end));
      yield* shown();
      pieces = [];
    }
    if (end < piece.length) pieces.push(piece.subarray(end));
  }
  yield* shown();
}

/** The same in a short text, such as an address. */
export function hideSecretsIn(text: string, secrets: ReadonlyMap<string, string>): string {
  let result = text;
  for (const [secret, name] of secrets) {
    if (secret === '') continue;
    for (const form of formsOf(secret)) result = result.replaceAll(form, `{{${name}}}`);
  }
  return result;
}

/** A secret as it is, in a URL, in JSON, and in JSON that stands in JSON as a text. */
function formsOf(secret: string): Set<string> {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const twice = JSON.stringify(inJson).slice(1, -1);
  return new Set([secret, encodeURIComponent(secret.toWellFormed()), inJson, twice]);
}

/** Looks within pieces and across their borders. */
function includes({ pieces }: BodyBytes, needle: Buffer): boolean {
  let tail: Buffer = Buffer.alloc(0);
  for (const piece of pieces) {
    if (piece.includes(needle)) return true;
    const border = Buffer.concat([tail, piece.subarray(0, needle.length - 1)]);
    if (border.includes(needle)) return true;
    const end = piece.length >= needle.length - 1 ? piece : Buffer.concat([tail, piece]);
    tail = end.subarray(Math.max(0, end.length - needle.length + 1));
  }
  return false;
}

function isKnown(encoding: string): boolean {
  try {
    return new TextDecoder(encoding).encoding !== '';
  } catch {
    return false;
  }
}

function isUtf8({ pieces }: BodyBytes): boolean {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for (const piece of pieces) decoder.decode(piece, { stream: true });
    decoder.decode();
    return true;
  } catch {
    return false;
  }
}
