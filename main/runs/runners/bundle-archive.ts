import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pack } from 'tar-stream';
import type { RunPackage } from '#main/library/library.ts';
import { ProblemError } from '#shared/problem.ts';

/** Bytes and files of a bundle (reference: sidecar, section 6.3). */
export const MAX_BUNDLE_BYTES = 200 * 1024 * 1024;
export const MAX_BUNDLE_FILES = 10_000;

/** What a server may write beside its own files, as some keep their data there. */
const SPARE_BYTES = 16 * 1024 * 1024;
const SPARE_INODES = 1024;
const PAGE = 4096;

type BundleSource = Pick<RunPackage['source'], 'list' | 'openFile'>;

/** The files of a server's bundle, and the room they take. */
export interface Bundle {
  readonly sizeBytes: number;
  readonly inodes: number;
  /** A tar stream of all its files, anew for each start, owned by the user that the server runs as. */
  archive(userId: number, signal: AbortSignal): Readable;
}

/**
 * Reads what a bundle holds, within bounds.
 * @throws ProblemError `bundle_too_large`, `bundle_path_unsafe`, `bundle_entry_missing`
 */
export async function readBundle(name: string, source: BundleSource, entryPoint: string): Promise<Bundle> {
  const files = await source.list();
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (files.length > MAX_BUNDLE_FILES || bytes > MAX_BUNDLE_BYTES) {
    throw new ProblemError({
      code: 'bundle_too_large',
      title: `${name} is too large`,
      detail: `Its bundle has ${files.length} files of ${bytes} bytes; ${MAX_BUNDLE_FILES} files of ${MAX_BUNDLE_BYTES} bytes are the most that is started.`,
    });
  }
  const unsafe = files.find(({ path }) => !isSafe(path));
  if (unsafe !== undefined) {
    throw new ProblemError({
      code: 'bundle_path_unsafe',
      title: `${name} cannot be unpacked`,
      detail: `Its bundle has a file at ${JSON.stringify(unsafe.path)}, which is outside of it.`,
    });
  }
  if (!files.some(({ path }) => path === entryPoint)) {
    throw new ProblemError({
      code: 'bundle_entry_missing',
      title: `${name} cannot be started`,
      detail: `Its bundle has no file ${JSON.stringify(entryPoint)}, which is to start it.`,
    });
  }
  const folders = foldersOf(files.map(({ path }) => path));
  const pages = files.reduce((sum, { size }) => sum + Math.ceil(size / PAGE) * PAGE, 0);
  return {
    sizeBytes: pages + folders.length * PAGE + SPARE_BYTES,
    inodes: files.length + folders.length + SPARE_INODES,
    archive: (userId, signal) => archiveOf(files, folders, source, userId, signal),
  };
}

function isSafe(path: string): boolean {
  if (path === '' || path.startsWith('/') || path.includes('\\') || path.includes('\u0000')) return false;
  return path.split('/').every((step) => step !== '' && step !== '.' && step !== '..');
}

/** Every folder the paths are in, parents first. */
function foldersOf(paths: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    const steps = path.split('/').slice(0, -1);
    for (let count = 1; count <= steps.length; count += 1) folders.add(steps.slice(0, count).join('/'));
  }
  return [...folders];
}

function archiveOf(
  files: readonly { readonly path: string; readonly size: number }[],
  folders: readonly string[],
  source: BundleSource,
  userId: number,
  signal: AbortSignal,
): Readable {
  const archive = pack();
  const owner = { uid: userId, gid: userId };
  const write = async (): Promise<void> => {
    for (const folder of folders) {
      archive.entry({ name: `${folder}/`, type: 'directory', mode: 0o755, ...owner });
    }
    for (const { path, size } of files) {
      signal.throwIfAborted();
      const { stream } = await source.openFile(path);
      // A package does not keep who may run a file; the server may run its own, in a container of its own.
      const entry = archive.entry({ name: path, size, mode: 0o755, mtime: new Date(0), ...owner });
      await pipeline(stream, entry, { signal });
    }
    archive.finalize();
  };
  write().catch((error: unknown) =>
    archive.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return Readable.from(archive);
}
