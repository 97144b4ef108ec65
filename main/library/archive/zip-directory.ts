import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { pathFault, repeatedPath, repetitionWords } from '../package-path.ts';
import { archiveProblem } from './archive-problem.ts';
import { MAX_RATIO, RATIO_FREE_BYTES, type ArchiveLimits } from './limits.ts';

/** A file of an archive, as both its directory and its local header have it. */
export interface ZipEntry {
  readonly path: string;
  readonly isDirectory: boolean;
  readonly isDeflated: boolean;
  readonly crc32: number;
  /** Bytes inflated, as declared. */
  readonly size: number;
  /** The bytes as they stand in the archive. */
  readonly data: Buffer;
}

const END_RECORD_BYTES = 22;
const ZIP64_LOCATOR = 0x07064b50;
const ZIP64_LOCATOR_BYTES = 20;
const ZIP64_FIELD = 0x0001;
const UNICODE_PATH_FIELD = 0x7075;
const LOCAL_HEADER = 0x04034b50;
const LOCAL_HEADER_BYTES = 30;
const DESCRIPTOR = 0x08074b50;

const FLAG_ENCRYPTED = 0x1;
const FLAG_DESCRIPTOR = 0x8;
const FLAGS_UNREADABLE = 0x20 | 0x40 | 0x2000;

const FILE_TYPE = 0o170000;
const REGULAR_FILE = 0o100000;
const FOLDER = 0o040000;
const REPARSE_POINT = 0x400;

/**
 * Reads an archive's directory and holds it against the local headers and the limits. Whatever two
 * readers could understand differently is refused, and nothing is inflated.
 * @param isWanted which files matter, by their name; of others only the place in the archive is checked
 * @throws ProblemError with a code of `ArchiveFault`
 */
export async function readZipDirectory(
  bytes: Buffer,
  limits: ArchiveLimits,
  isWanted: (name: string) => boolean = () => true,
): Promise<ZipEntry[]> {
  if (bytes.length > limits.archiveBytes) {
    const detail = `It has ${bytes.length} bytes; ${limits.archiveBytes} is the most that is read.`;
    throw archiveProblem('archive_too_large', detail);
  }
  if (bytes.subarray(0, 2).toString('latin1') !== 'PK') {
    throw archiveProblem('archive_invalid', 'It does not begin like a ZIP archive.');
  }
  const { entries, start } = await readRecords(bytes, limits);
  const names = entries.map((entry) => nameOf(entry));
  const wanted = entries.filter((entry, index) => {
    const name = names[index] ?? '';
    if (!isWanted(name)) return false;
    checkEntry(entry, name);
    return true;
  });
  const wantedNames = names.filter(isWanted);
  checkSizes(wanted, wantedNames, limits);
  checkPaths(wantedNames, limits);
  const read = readLocalHeaders(bytes, entries, names, start);
  return read.filter((_, index) => isWanted(names[index] ?? ''));
}

async function readRecords(
  bytes: Buffer,
  limits: ArchiveLimits,
): Promise<{ entries: Entry[]; start: number }> {
  let zip: ZipFile;
  const entries: Entry[] = [];
  try {
    zip = await fromBufferPromise(bytes, { decodeStrings: false, validateEntrySizes: true });
  } catch (error) {
    throw unreadable(error);
  }
  if (zip.entryCount > limits.entries) {
    const detail = `It has ${zip.entryCount} entries; ${limits.entries} is the most that is read.`;
    throw archiveProblem('archive_too_large', detail);
  }
  const end = bytes.length - END_RECORD_BYTES - zip.comment.length;
  const start = bytes.readUInt32LE(end + 16);
  const size = bytes.readUInt32LE(end + 12);
  if (end >= ZIP64_LOCATOR_BYTES && bytes.readUInt32LE(end - ZIP64_LOCATOR_BYTES) === ZIP64_LOCATOR) {
    throw archiveProblem('archive_ambiguous', 'It uses ZIP64, which no archive of this size needs.');
  }
  try {
    for await (const entry of zip.eachEntry()) entries.push(entry);
  } catch (error) {
    throw unreadable(error);
  }
  const recordBytes = entries.reduce(
    (sum, entry) => sum + 46 + entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength,
    0,
  );
  if (recordBytes !== size || start + size !== end) {
    throw archiveProblem('archive_ambiguous', 'Its directory does not fill the place it claims.');
  }
  return { entries, start };
}

function unreadable(error: unknown): Error {
  const reason = error instanceof Error ? error.message : 'it cannot be read';
  const code = /encryption/.test(reason) ? 'archive_encrypted' : 'archive_invalid';
  return archiveProblem(code, `The archive cannot be read: ${reason}.`, undefined, error);
}

/** Checks what an entry says of itself. */
function checkEntry(entry: Entry, name: string): void {
  const flags = entry.generalPurposeBitFlag;
  if ((flags & FLAG_ENCRYPTED) !== 0) {
    throw archiveProblem('archive_encrypted', `"${shownPath(name)}" is encrypted.`, shownPath(name));
  }
  if ((flags & FLAGS_UNREADABLE) !== 0 || ![0, 8].includes(entry.compressionMethod)) {
    const detail = `"${shownPath(name)}" is stored in a way that is not read (method ${entry.compressionMethod}).`;
    throw archiveProblem('archive_invalid', detail, shownPath(name));
  }
  if (entry.extraFields.some((field) => field.id === ZIP64_FIELD)) {
    const detail = `"${shownPath(name)}" uses ZIP64, which no file of this size needs.`;
    throw archiveProblem('archive_ambiguous', detail, shownPath(name));
  }
  const system = entry.versionMadeBy >> 8;
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE;
  const isLink = (system === 0 || system === 10) && (entry.externalFileAttributes & REPARSE_POINT) !== 0;
  const isFolder = name.endsWith('/');
  if (isLink || ![0, isFolder ? FOLDER : REGULAR_FILE].includes(type)) {
    const detail = `"${shownPath(name)}" is a link or a device, not a file.`;
    throw archiveProblem('archive_path_unsafe', detail, shownPath(name));
  }
  if (isFolder && entry.uncompressedSize !== 0) {
    throw archiveProblem(
      'archive_ambiguous',
      `The folder "${shownPath(name)}" has content.`,
      shownPath(name),
    );
  }
}

function nameOf(entry: Entry): string {
  try {
    const name = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(entry.fileNameRaw);
    const other = entry.extraFields.find((field) => field.id === UNICODE_PATH_FIELD);
    if (other === undefined || other.data.subarray(5).equals(entry.fileNameRaw)) return name;
  } catch (error) {
    throw archiveProblem('archive_invalid', 'A file has a name that is not UTF-8.', undefined, error);
  }
  const raw = shownPath(entry.fileNameRaw.toString('latin1'));
  throw archiveProblem('archive_ambiguous', `"${raw}" has another name beside this one.`, raw);
}

function checkSizes(entries: readonly Entry[], names: readonly string[], limits: ArchiveLimits): void {
  let total = 0;
  let stored = 0;
  entries.forEach((entry, index) => {
    const { uncompressedSize: size, compressedSize } = entry;
    const path = shownPath(names[index] ?? '');
    total += size;
    stored += compressedSize;
    if (size > RATIO_FREE_BYTES && size > compressedSize * MAX_RATIO) {
      const detail = `"${path}" would grow from ${compressedSize} to ${size} bytes.`;
      throw archiveProblem('archive_bomb', detail, path);
    }
    if (size > limits.fileBytes) {
      const detail = `"${path}" has ${size} bytes; ${limits.fileBytes} is the most for one file.`;
      throw archiveProblem('archive_too_large', detail, path);
    }
  });
  // Many small files may together do what one large one may not.
  if (total > RATIO_FREE_BYTES && total > stored * MAX_RATIO) {
    throw archiveProblem('archive_bomb', `Its files would grow from ${stored} to ${total} bytes.`);
  }
  if (total > limits.totalBytes) {
    const detail = `Its files have ${total} bytes together; ${limits.totalBytes} is the most that is read.`;
    throw archiveProblem('archive_too_large', detail);
  }
}

function checkPaths(names: readonly string[], limits: ArchiveLimits): void {
  for (const name of names) {
    const path = name.endsWith('/') ? name.slice(0, -1) : name;
    const fault = pathFault(path, limits.depth);
    if (fault !== undefined) {
      throw archiveProblem('archive_path_unsafe', `"${shownPath(name)}" ${fault}.`, shownPath(name));
    }
  }
  const repeated = repeatedPath(names);
  if (repeated === undefined) return;
  const [path, earlier] = [shownPath(repeated.path), shownPath(repeated.earlier)];
  throw archiveProblem('archive_path_repeated', repetitionWords(path, earlier), path);
}

/** A path as a sentence may hold it, whatever it was made of. */
function shownPath(path: string): string {
  const clean = path.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '\uFFFD');
  return clean.length > 120 ? `${clean.slice(0, 120)}…` : clean;
}

/**
 * Reads the header that stands before each file's bytes. Some readers see only these, so each must agree
 * with the directory, and they must follow one another without a gap for anything to hide in.
 */
function readLocalHeaders(
  bytes: Buffer,
  entries: readonly Entry[],
  names: readonly string[],
  directoryStart: number,
): ZipEntry[] {
  const order = entries.map((_, index) => index);
  order.sort((a, b) => offsetOf(entries[a]) - offsetOf(entries[b]));
  const read: ZipEntry[] = [];
  let expected = 0;
  for (const index of order) {
    const entry = entries[index];
    const path = names[index] ?? '';
    if (entry === undefined) continue;
    if (offsetOf(entry) !== expected) throw disagreement(path, 'does not follow the file before it');
    const { data, end } = readLocalHeader(bytes, entry, path, directoryStart);
    expected = end;
    read[index] = {
      path: path.endsWith('/') ? path.slice(0, -1) : path,
      isDirectory: path.endsWith('/'),
      isDeflated: entry.compressionMethod === 8,
      crc32: entry.crc32,
      size: entry.uncompressedSize,
      data,
    };
  }
  if (expected !== directoryStart) {
    throw archiveProblem('archive_ambiguous', 'It has bytes that belong to no file.');
  }
  return read;
}

function offsetOf(entry: Entry | undefined): number {
  return entry?.relativeOffsetOfLocalHeader ?? 0;
}

function readLocalHeader(
  bytes: Buffer,
  entry: Entry,
  path: string,
  directoryStart: number,
): { data: Buffer; end: number } {
  const start = offsetOf(entry);
  if (start + LOCAL_HEADER_BYTES > directoryStart || bytes.readUInt32LE(start) !== LOCAL_HEADER) {
    throw disagreement(path, 'is not where the directory says');
  }
  const flags = bytes.readUInt16LE(start + 6);
  const nameLength = bytes.readUInt16LE(start + 26);
  const extraLength = bytes.readUInt16LE(start + 28);
  const nameStart = start + LOCAL_HEADER_BYTES;
  const dataStart = nameStart + nameLength + extraLength;
  const dataEnd = dataStart + entry.compressedSize;
  if (dataEnd > directoryStart) throw disagreement(path, 'is longer than the archive');
  if (!bytes.subarray(nameStart, nameStart + nameLength).equals(entry.fileNameRaw)) {
    throw disagreement(path, 'has another name before its content');
  }
  const hasDescriptor = (flags & FLAG_DESCRIPTOR) !== 0;
  const local = [
    bytes.readUInt32LE(start + 14),
    bytes.readUInt32LE(start + 18),
    bytes.readUInt32LE(start + 22),
  ];
  const declared = [entry.crc32, entry.compressedSize, entry.uncompressedSize];
  const agrees = local.every((value, index) => value === declared[index] || (hasDescriptor && value === 0));
  if (
    !agrees ||
    flags !== entry.generalPurposeBitFlag ||
    bytes.readUInt16LE(start + 8) !== entry.compressionMethod
  ) {
    throw disagreement(path, 'is described differently in the directory and before its content');
  }
  const data = bytes.subarray(dataStart, dataEnd);
  return {
    data,
    end: hasDescriptor ? descriptorEnd(bytes, dataEnd, declared, path, directoryStart) : dataEnd,
  };
}

/** A writer that did not know the sizes puts them after the content, with or without a signature. */
function descriptorEnd(
  bytes: Buffer,
  start: number,
  declared: readonly number[],
  path: string,
  directoryStart: number,
): number {
  for (const skipped of [4, 0]) {
    const end = start + skipped + 12;
    if (end > directoryStart) continue;
    if (skipped === 4 && bytes.readUInt32LE(start) !== DESCRIPTOR) continue;
    const values = [0, 4, 8].map((offset) => bytes.readUInt32LE(start + skipped + offset));
    if (values.every((value, index) => value === declared[index])) return end;
  }
  throw disagreement(path, 'is described differently in the directory and after its content');
}

function disagreement(path: string, what: string): Error {
  return archiveProblem('archive_ambiguous', `"${shownPath(path)}" ${what}.`, shownPath(path));
}
