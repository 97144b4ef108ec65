import { readFile, stat } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { Direction } from '#shared/manifest/finding-list.ts';
import { ProblemError } from '#shared/problem.ts';
import { isBundle, readBundle } from './archive/bundle.ts';
import { ARCHIVE_LIMITS } from './archive/limits.ts';
import { readArchive } from './archive/read-archive.ts';
import {
  decodeText,
  fileUnknown,
  tooLargeToRead,
  type PackageFile,
  type PackageSource,
} from './package-source.ts';

/** A package as an archive: an `.afps`, or the root of an `.afps-bundle`; what it is, its content says. */
export class PackageArchive implements PackageSource {
  readonly name: string;
  readonly location: string;
  /** A bundle was published, so what was withdrawn since is left out of it; an archive is its author's. */
  readonly direction: Direction;
  readonly #files: ReadonlyMap<string, Buffer>;

  private constructor(location: string, files: ReadonlyMap<string, Buffer>, direction: Direction) {
    this.location = location;
    this.name = basename(location, extname(location));
    this.direction = direction;
    this.#files = files;
  }

  /** @throws ProblemError `archive_…` and `bundle_…` when it cannot be read. */
  static async at(path: string): Promise<PackageArchive> {
    const location = resolve(path);
    const { size } = await stat(location);
    if (size > ARCHIVE_LIMITS.archiveBytes) {
      throw new ProblemError({
        code: 'archive_too_large',
        title: 'The archive is too large',
        detail: `${location} has ${size} bytes; ${ARCHIVE_LIMITS.archiveBytes} is the most that is read.`,
        action: 'Leave out files the package does not need.',
      });
    }
    const { files } = await readArchive(await readFile(location));
    if (!isBundle(files)) return new PackageArchive(location, files, 'author');
    const { root, packages } = readBundle(files);
    return new PackageArchive(location, packages.get(root) ?? new Map(), 'stored');
  }

  list(): Promise<readonly PackageFile[]> {
    const files = [...this.#files].map(([path, { length }]) => ({ path, size: length, stamp: '' }));
    return Promise.resolve(files.sort((a, b) => (a.path < b.path ? -1 : 1)));
  }

  readText(path: string, maxBytes: number): Promise<string | undefined> {
    const bytes = this.#files.get(path);
    if (bytes === undefined) return Promise.resolve(undefined);
    if (bytes.length > maxBytes) return Promise.reject(tooLargeToRead(path, bytes.length, maxBytes));
    return Promise.try(() => decodeText(path, bytes));
  }

  openFile(path: string): Promise<{ name: string; size: number; stream: Readable }> {
    const bytes = this.#files.get(path);
    if (bytes === undefined) return Promise.reject(fileUnknown(this.location, path));
    return Promise.resolve({ name: basename(path), size: bytes.length, stream: Readable.from([bytes]) });
  }
}
