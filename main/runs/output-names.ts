import mime from 'mime';
import { portabilityFault } from '#main/library/index.ts';
import { PART_ENDING } from './write-whole.ts';

/** Bytes of one name that are kept: room is left for a number, and for the ending of a file being written. */
const MAX_NAME_BYTES = 230;
/** Characters of a refused path that are told. */
const MAX_SHOWN_PATH = 200;

/** Whether a path may be kept: it stays inside, is not hidden, reads as what it is, and the system takes it. */
export function isKeepable(path: string, platform: NodeJS.Platform = process.platform): boolean {
  if (path === '' || path.length > 1000 || !path.isWellFormed()) return false;
  if (platform === 'win32' && (path.includes(':') || portabilityFault(path) !== undefined)) return false;
  return path.split('/').every(
    (segment) =>
      segment.trim() !== '' &&
      !segment.startsWith('.') &&
      !segment.endsWith(PART_ENDING) &&
      // Who turns the direction of writing shows another name: "bill\u202Efdp.exe" reads as a PDF.
      !/[\\\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\uFEFF\u200B]/u.test(segment) &&
      Buffer.byteLength(segment) <= MAX_NAME_BYTES,
  );
}

/** A name as file systems of macOS and Windows compare it. */
export function foldName(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** Whether a file is one that an agent keeps for itself: hidden, or in a hidden folder. */
export function isHidden(path: string): boolean {
  return path.split('/').some((segment) => segment.startsWith('.'));
}

/** Path under `outputs/` of an archive's entry. */
export function relativePath(name: string, parent: string | undefined): string | undefined {
  const segments = name.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (parent !== undefined) return parent === '.' ? segments.join('/') : [parent, ...segments].join('/');
  return segments.length > 1 ? segments.slice(1).join('/') : undefined;
}

/** A path for a person: without what would break a line, and cut. */
export function shownPath(path: string): string {
  const text = path.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu, '\uFFFD').toWellFormed();
  return text.length > MAX_SHOWN_PATH ? `${text.slice(0, MAX_SHOWN_PATH)}…` : text;
}

/** Media type by a file's name. */
export function mediaTypeOf(path: string): string {
  return mime.getType(path) ?? 'application/octet-stream';
}
