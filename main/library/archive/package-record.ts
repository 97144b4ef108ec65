import { createHash } from 'node:crypto';
import { integrityOf } from './integrity.ts';

/** Name of the list of a bundled package's files. */
export const RECORD_FILE = 'RECORD';

/**
 * The list of a package's files: one line of path, digest and size for each, sorted, the list itself left
 * out (reference: afps, section 16). A path with a comma or a line end cannot be listed.
 */
export function recordOf(files: ReadonlyMap<string, Uint8Array>): string {
  return recordOfDigests(digested([...files].filter(([path]) => path !== RECORD_FILE)));
}

/** Size and digest, in hexadecimal, of each file. */
export function digested(
  files: Iterable<readonly [path: string, bytes: Uint8Array]>,
): { path: string; size: number; digest: string }[] {
  return [...files].map(([path, bytes]) => ({
    path,
    size: bytes.length,
    digest: createHash('sha256').update(bytes).digest('hex'),
  }));
}

/** A list of all the files given, of which the digests are known already, in hexadecimal. */
export function recordOfDigests(
  files: readonly { readonly path: string; readonly size: number; readonly digest: string }[],
): string {
  return [...files]
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, size, digest }) => {
      const encoded = Buffer.from(digest, 'hex').toString('base64').replace(/=+$/, '');
      return `${path},sha256=${encoded},${size}\n`;
    })
    .join('');
}

/** Whether a path can stand in a line of the list. */
export function isRecordable(path: string): boolean {
  return !/[,\r\n]/.test(path);
}

/** Integrity of a bundled package: that of its list of files. */
export function recordIntegrity(record: string): string {
  return integrityOf(Buffer.from(record));
}
