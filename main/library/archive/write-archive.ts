import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { pathFault, repeatedPath, repetitionWords } from '../package-path.ts';
import { archiveProblem } from './archive-problem.ts';
import { ARCHIVE_LIMITS } from './limits.ts';

export interface WriteOptions {
  /** Deflate the files; a bundle stores them as they are. */
  readonly isCompressed: boolean;
  /** Time given to every file, as the parts of a clock without a zone. */
  readonly time: readonly [year: number, month: number, day: number, hour: number];
}

/** How a package is written: the same content always gives the same bytes. */
const PACKAGE_WRITING: WriteOptions = { isCompressed: true, time: [2020, 1, 1, 0] };
/** How a bundle of packages is written. */
export const BUNDLE_WRITING: WriteOptions = { isCompressed: false, time: [1980, 1, 2, 12] };

/** Deflate's own middle way; another level would give other bytes. */
const COMPRESSION_LEVEL = 6;
const FILE_MODE = 0o100644;

/**
 * Writes files into a ZIP archive: sorted, without folders, with one time for all, so that equal content
 * gives equal bytes on every computer.
 * @throws ProblemError `archive_path_unsafe`, `archive_path_repeated` for what `readArchive` would refuse
 */
export async function writeArchive(
  files: ReadonlyMap<string, Uint8Array>,
  { isCompressed, time }: WriteOptions = PACKAGE_WRITING,
): Promise<Buffer> {
  const zip = new ZipFile();
  const [year, month, day, hour] = time;
  // The format keeps a local time: one made from local parts is the same in every zone.
  const mtime = new Date(year, month - 1, day, hour);
  const repeated = repeatedPath(files.keys());
  if (repeated !== undefined) {
    const { path, earlier } = repeated;
    throw archiveProblem('archive_path_repeated', repetitionWords(path, earlier), path);
  }
  for (const path of [...files.keys()].sort()) {
    const fault = pathFault(path, ARCHIVE_LIMITS.depth);
    if (fault !== undefined) throw archiveProblem('archive_path_unsafe', `"${path}" ${fault}.`, path);
    const content = files.get(path) ?? new Uint8Array();
    zip.addBuffer(Buffer.from(content.buffer, content.byteOffset, content.byteLength), path, {
      mtime,
      mode: FILE_MODE,
      compress: isCompressed,
      compressionLevel: isCompressed ? COMPRESSION_LEVEL : 0,
      forceDosTimestamp: true,
    });
  }
  zip.end();
  return buffer(zip.outputStream);
}
