import { createHash } from 'node:crypto';
import { integrityOf } from './integrity.ts';

/** Name of the list of a bundled package's files. */
export const RECORD_FILE = 'RECORD';

/**
 * The list of a package's files: one line of path, digest and size for each, sorted, the list itself left
 * out (reference: afps, section 16). A path with a comma or a line end cannot be listed.
 */
export function recordOf(files: ReadonlyMap<string, Uint8Array>): string {
  const paths = [...files.keys()].filter((path) => path !== RECORD_FILE).sort();
  const lines = paths.map((path) => {
    const bytes = files.get(path) ?? new Uint8Array();
    const digest = createHash('sha256').update(bytes).digest('base64').replace(/=+$/, '');
    return `${path},sha256=${digest},${bytes.length}\n`;
  });
  return lines.join('');
}

/** Whether a path can stand in a line of the list. */
export function isRecordable(path: string): boolean {
  return !/[,\r\n]/.test(path);
}

/** Integrity of a bundled package: that of its list of files. */
export function recordIntegrity(record: string): string {
  return integrityOf(Buffer.from(record));
}
