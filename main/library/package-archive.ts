import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import type { Direction } from '#shared/manifest/finding-list.ts';
import { archiveProblem } from './archive/archive-problem.ts';
import { isBundle, readBundle } from './archive/bundle.ts';
import { ARCHIVE_LIMITS } from './archive/limits.ts';
import { readArchive } from './archive/read-archive.ts';
import { bufferUpTo } from './bounded-buffer.ts';
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

/** Bytes of an archive on disk, or of what a pipe gives in its place. @throws ProblemError `archive_too_large`. */
export async function readArchiveFile(path: string): Promise<Buffer> {
  const { archiveBytes } = ARCHIVE_LIMITS;
  const tooLarge = (size: string): Error =>
    archiveProblem(
      'archive_too_large',
      `${path} has ${size} bytes; ${archiveBytes} is the most that is read.`,
    );
  const { size } = await stat(path);
  if (size > archiveBytes) throw tooLarge(String(size));
  return bufferUpTo(createReadStream(path), archiveBytes, () => tooLarge(`more than ${archiveBytes}`));
}
