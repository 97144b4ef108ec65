import mime from 'mime';

/** Characters of a refused path that are told. */
const MAX_SHOWN_PATH = 200;

/** Whether a path may be kept: it stays inside, is not hidden, and every file system takes it. */
export function isKeepable(path: string): boolean {
  if (path === '' || path.length > 1000) return false;
  return path.split('/').every(
    (segment) =>
      segment !== '' &&
      !segment.startsWith('.') &&
      !segment.endsWith('.slipway-part') &&
      // eslint-disable-next-line no-control-regex
      !/[\\\u0000-\u001f\u007f]/.test(segment) &&
      (process.platform !== 'win32' || !/[<>:"|?*]|[. ]$/.test(segment)) &&
      Buffer.byteLength(segment) <= 240,
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
  // oxlint-disable-next-line no-control-regex -- they are what is taken out
  const text = path.replaceAll(/[\u0000-\u001f\u007f]/g, '\uFFFD');
  return text.length > MAX_SHOWN_PATH ? `${text.slice(0, MAX_SHOWN_PATH)}…` : text;
}

/** Media type by a file's name. */
export function mediaTypeOf(path: string): string {
  return mime.getType(path) ?? 'application/octet-stream';
}
