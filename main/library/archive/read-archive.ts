import { promisify } from 'node:util';
import { crc32, inflateRaw, inflateRawSync, type InflateRaw, type ZlibOptions } from 'node:zlib';
import { archiveProblem } from './archive-problem.ts';
import { ARCHIVE_LIMITS, type ArchiveLimits } from './limits.ts';
import { readZipDirectory, type ZipEntry } from './zip-directory.ts';

/** The files of an archive in memory. */
export interface ArchiveContents {
  /** Bytes by path, in the archive's order. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** What was left out: the folders and notes that operating systems add. */
  readonly ignored: readonly string[];
  /** The one folder that held everything, when there was one. */
  readonly wrapper: string | undefined;
}

/** Bytes below which inflating at once costs less than handing it to another thread. */
const INFLATE_AT_ONCE_BYTES = 64 * 1024;

const inflateElsewhere = promisify<Buffer, ZlibOptions & { info: true }, Inflated>(inflateRaw as never);

/** What `info` makes of a result, which the types of Node do not know. */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: Pick<InflateRaw, 'bytesWritten'>;
}

/**
 * Reads a ZIP archive whole, within limits that hold while it is inflated too.
 * @param isWanted which files to read, by their name in the archive; the others are not inflated
 * @throws ProblemError with a code of `ArchiveFault`
 */
export async function readArchive(
  bytes: Buffer,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
  isWanted?: (name: string) => boolean,
): Promise<ArchiveContents> {
  const entries = await readZipDirectory(bytes, limits, isWanted);
  const ignored = entries.filter((entry) => !entry.isDirectory && isLitter(entry.path));
  const kept = entries.filter((entry) => !entry.isDirectory && !isLitter(entry.path));
  const wrapper = wrapperOf(kept.map((entry) => entry.path));
  const files = new Map<string, Buffer>();
  for (const entry of kept) {
    const path = wrapper === undefined ? entry.path : entry.path.slice(wrapper.length + 1);
    files.set(path, await contentOf(entry));
  }
  return { files, ignored: ignored.map((entry) => entry.path), wrapper };
}

function isLitter(path: string): boolean {
  const segments = path.split('/');
  return (
    segments[0] === '__MACOSX' || ['.DS_Store', 'Thumbs.db', 'desktop.ini'].includes(segments.at(-1) ?? '')
  );
}

/** The folder that every file is in; a file at the root means that there is none. */
function wrapperOf(paths: readonly string[]): string | undefined {
  const [first = ''] = paths;
  const folder = first.slice(0, first.indexOf('/') + 1);
  if (folder === '' || !paths.every((path) => path.startsWith(folder))) return undefined;
  return folder.slice(0, -1);
}

async function contentOf(entry: ZipEntry): Promise<Buffer> {
  const content = entry.isDeflated ? await inflated(entry) : entry.data;
  if (content.length > entry.size) throw growing(entry);
  if (content.length < entry.size || crc32(content) !== entry.crc32) throw damaged(entry);
  return content;
}

async function inflated(entry: ZipEntry): Promise<Buffer> {
  // One byte of room more than declared, since zlib takes no limit of 0.
  const options = { maxOutputLength: entry.size + 1, info: true } as const;
  try {
    const result =
      entry.size < INFLATE_AT_ONCE_BYTES
        ? (inflateRawSync(entry.data, options) as unknown as Inflated)
        : await inflateElsewhere(entry.data, options);
    if (result.engine.bytesWritten !== entry.data.length) {
      throw archiveProblem('archive_ambiguous', `"${entry.path}" has bytes after its end.`, entry.path);
    }
    return result.buffer;
  } catch (error) {
    if (error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') {
      throw growing(entry, error);
    }
    if (error instanceof Error && 'errno' in error) throw damaged(entry, error);
    throw error;
  }
}

function growing(entry: ZipEntry, cause?: unknown): Error {
  const detail = `"${entry.path}" grows beyond the ${entry.size} bytes that it claims to have.`;
  return archiveProblem('archive_bomb', detail, entry.path, cause);
}

function damaged(entry: ZipEntry, cause?: unknown): Error {
  const detail = `"${entry.path}" is damaged: its content does not match its checksum.`;
  return archiveProblem('archive_invalid', detail, entry.path, cause);
}
