import { constants, type BigIntStats, type Dirent } from 'node:fs';
import { lstat, open, opendir, realpath, stat, type FileHandle } from 'node:fs/promises';
import { basename, join, resolve, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { ProblemError } from '#shared/problem.ts';
import {
  decodeText,
  fileUnknown,
  tooLargeToRead,
  unreadable,
  type PackageFile,
  type PackageSource,
} from './package-source.ts';

/** Most files a package may have, and most folders within one another (reference: afps, section 14). */
export const MAX_PACKAGE_FILES = 10_000;
const MAX_PACKAGE_DEPTH = 16;
/** Entries of one folder that are looked at, those that are no part of a package among them. */
const MAX_FOLDER_ENTRIES = 2 * MAX_PACKAGE_FILES;

/** Folders that are never part of a package, though they may stand in its folder. */
const IGNORED_NAMES: ReadonlySet<string> = new Set(['node_modules', '__MACOSX', 'Thumbs.db', 'desktop.ini']);

/** A package as a folder on disk. Nothing outside the folder is read, whatever links lead there. */
export class PackageFolder implements PackageSource {
  readonly name: string;
  /** The folder itself, without links. */
  readonly location: string;

  private constructor(root: string) {
    this.location = root;
    this.name = basename(root);
  }

  /** @throws ProblemError `folder_unknown` when there is no folder of that name. */
  static async at(folder: string): Promise<PackageFolder> {
    const path = resolve(folder);
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory() === true) return new PackageFolder(await realpath(path));
    const detail =
      found === undefined
        ? `There is no folder ${path}.`
        : `${path} is a file. Name the folder that holds the package's manifest.json.`;
    throw new ProblemError({ code: 'folder_unknown', title: 'No such folder', detail });
  }

  async list(): Promise<PackageFile[]> {
    const files: PackageFile[] = [];
    await this.#listInto(files, '', 1);
    return files.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async readText(path: string, maxBytes: number): Promise<string | undefined> {
    await using opened = await this.#open(path);
    if (opened === undefined) return undefined;
    if (opened.size > maxBytes) throw tooLargeToRead(path, opened.size, maxBytes);
    // One byte more than expected shows a file that grows while it is read.
    const buffer = Buffer.alloc(opened.size + 1);
    let length = 0;
    for (let read = -1; read !== 0; length += read) {
      ({ bytesRead: read } = await opened.handle.read(buffer, length, buffer.length - length, null));
    }
    if (length > opened.size) throw unreadable(path, 'It changed while it was read. Try again.');
    return decodeText(path, buffer.subarray(0, length));
  }

  async openFile(path: string): Promise<{ name: string; size: number; stream: Readable }> {
    const opened = await this.#open(path);
    if (opened === undefined) throw fileUnknown(this.location, path);
    return { name: basename(path), size: opened.size, stream: opened.handle.createReadStream() };
  }

  async #open(path: string): Promise<OpenFile | undefined> {
    if (!isPackagePath(path)) throw unreadable(path, 'This is not a path inside a package.');
    try {
      const real = await realpath(join(this.location, path));
      if (!real.startsWith(this.location + sep)) {
        throw unreadable(path, 'It is a link out of the package. Put the file itself there.');
      }
      // Without waiting: a named pipe would otherwise hold the app until someone writes to it.
      const handle = await open(
        real,
        constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0),
      );
      const found = await handle.stat();
      if (found.isFile()) return new OpenFile(handle, found.size);
      await handle.close();
      throw unreadable(path, 'It is not a file.');
    } catch (error) {
      if (isErrorWith(error, 'ENOENT', 'ENOTDIR')) return undefined;
      if (error instanceof ProblemError) throw error;
      throw unreadable(path, `The system refused to open it (${codeOf(error)}).`, error);
    }
  }

  /**
   * What a folder holds; nothing when it is gone by now, as a build's own folders come and go.
   * @throws ProblemError `folder_unknown` when the package itself is gone, `file_unreadable`, `package_too_large`.
   */
  async #entriesOf(folder: string): Promise<Dirent[]> {
    const entries: Dirent[] = [];
    try {
      for await (const entry of await opendir(join(this.location, folder))) {
        entries.push(entry);
        if (entries.length > MAX_FOLDER_ENTRIES) {
          throw tooLarge(`"${folder || '.'}" has more than ${MAX_FOLDER_ENTRIES} entries`);
        }
      }
      return entries;
    } catch (error) {
      if (error instanceof ProblemError) throw error;
      if (isErrorWith(error, 'ENOENT', 'ENOTDIR')) {
        if (folder !== '') return [];
        await PackageFolder.at(this.location);
      }
      throw unreadable(folder || '.', `The system refused to list it (${codeOf(error)}).`, error);
    }
  }

  async #listInto(files: PackageFile[], folder: string, depth: number): Promise<void> {
    if (depth > MAX_PACKAGE_DEPTH) throw tooLarge(`its folders are more than ${MAX_PACKAGE_DEPTH} deep`);
    for (const entry of await this.#entriesOf(folder)) {
      if (isIgnored(entry)) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        await this.#listInto(files, path, depth + 1);
      } else if (entry.isFile()) {
        const found = await statOrNothing(join(this.location, path));
        if (found === undefined) continue;
        files.push({ path, size: Number(found.size), stamp: String(found.mtimeNs) });
        if (files.length > MAX_PACKAGE_FILES) throw tooLarge(`it has more than ${MAX_PACKAGE_FILES} files`);
      }
    }
  }
}

class OpenFile implements AsyncDisposable {
  readonly handle: FileHandle;
  readonly size: number;

  constructor(handle: FileHandle, size: number) {
    this.handle = handle;
    this.size = size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.handle.close();
  }
}

/** Whether a text is a plain relative path with forward slashes that stays where it starts. */
export function isPackagePath(path: string): boolean {
  const segments = path.split('/');
  return !/[\\\0]/.test(path) && segments.every((segment) => !['', '.', '..'].includes(segment));
}

function isIgnored(entry: Dirent): boolean {
  return IGNORED_NAMES.has(entry.name) || entry.name.startsWith('.');
}

async function statOrNothing(path: string): Promise<BigIntStats | undefined> {
  return lstat(path, { bigint: true }).catch(() => undefined);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

function isErrorWith(error: unknown, ...codes: string[]): boolean {
  return codes.includes(codeOf(error));
}

function tooLarge(reason: string): ProblemError {
  return new ProblemError({
    code: 'package_too_large',
    title: 'The package is too large',
    detail: `The folder cannot be read as a package: ${reason}.`,
    action: 'Name a folder that holds only the package.',
  });
}
