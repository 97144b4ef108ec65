import { readFile, stat } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import type { Direction } from '#shared/manifest/finding-list.ts';
import { ProblemError } from '#shared/problem.ts';
import { isBundle, readBundle } from './archive/bundle.ts';
import { ARCHIVE_LIMITS } from './archive/limits.ts';
import { readArchive } from './archive/read-archive.ts';
import { MemoryPackage } from './memory-package.ts';

/** A package as an archive: an `.afps`, or the root of an `.afps-bundle`; what it is, its content says. */
export class PackageArchive extends MemoryPackage {
  /** A bundle was published, so what was withdrawn since is left out of it; an archive is its author's. */
  readonly direction: Direction;

  private constructor(location: string, files: ReadonlyMap<string, Buffer>, direction: Direction) {
    super(location, basename(location, extname(location)), files);
    this.direction = direction;
  }

  /** @throws ProblemError `archive_…` and `bundle_…` when it cannot be read. */
  static async at(path: string): Promise<PackageArchive> {
    const location = resolve(path);
    const { files } = await readArchive(await readArchiveFile(location));
    if (!isBundle(files)) return new PackageArchive(location, files, 'author');
    const { root, packages } = readBundle(files);
    return new PackageArchive(location, packages.get(root) ?? new Map(), 'stored');
  }
}

/** Bytes of an archive on disk. @throws ProblemError `archive_too_large`. */
export async function readArchiveFile(path: string): Promise<Buffer> {
  const { size } = await stat(path);
  if (size > ARCHIVE_LIMITS.archiveBytes) {
    throw new ProblemError({
      code: 'archive_too_large',
      title: 'The archive is too large',
      detail: `${path} has ${size} bytes; ${ARCHIVE_LIMITS.archiveBytes} is the most that is read.`,
      action: 'Leave out files the package does not need.',
    });
  }
  return readFile(path);
}
