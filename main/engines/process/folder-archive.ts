import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, readlink, realpath, rm } from 'node:fs/promises';
import { basename, dirname, join, posix, relative, sep, isAbsolute } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, pack, type Pack } from 'tar-stream';
import { ProblemError } from '#shared/problem.ts';

/** Windows has no such flag, and makes no links without being asked. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/**
 * Unpacks a tar stream into a folder. Only files and folders are taken, and nothing is written through a
 * link: neither an entry nor what stands in the folder can lead outside `boundary`.
 * @param boundary folder that `folder` is in or the same as
 * @throws ProblemError `archive_refused`.
 */
export async function unpackInto(
  folder: string,
  boundary: string,
  archive: Readable,
  signal: AbortSignal,
): Promise<void> {
  await makeFolder(boundary, relative(boundary, folder));
  const entries = extract();
  const reading = pipeline(archive, entries, { signal });
  reading.catch(() => undefined);
  // Begins at once: the reader does not keep an entry that comes before someone asks for it.
  const take = async (): Promise<void> => {
    for await (const entry of entries) {
      signal.throwIfAborted();
      const { name, type, mode } = entry.header;
      const path = safePath(name);
      if (type === 'directory') {
        await makeFolder(boundary, join(relative(boundary, folder), path));
        entry.resume();
      } else if (type === 'file' || type === 'contiguous-file') {
        if (path === '') throw refused(name, 'it has no name');
        await makeFolder(boundary, join(relative(boundary, folder), dirname(path)));
        await writeFile(join(folder, path), Readable.from(entry), (mode ?? 0o644) & 0o777);
      } else {
        throw refused(name, `entries of type ${type ?? 'unknown'} are not taken`);
      }
    }
  };
  try {
    await take();
    await reading;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ProblemError) throw error;
    throw brokenOff(error);
  } finally {
    archive.destroy();
    entries.destroy();
  }
}

/** Relative path of an entry, in the platform's form. */
function safePath(name: string): string {
  if (name.includes('\0') || name.startsWith('/') || isAbsolute(name) || (sep === '\\' && /[\\:]/.test(name)))
    throw refused(name, 'it is not a relative path');
  if (name.split('/').includes('..')) throw refused(name, 'it leads out of its folder');
  const path = posix.normalize(name).replace(/\/$/, '');
  return path === '.' ? '' : path.split('/').join(sep);
}

/** Makes a folder step by step, refusing to go through anything that is not one. */
async function makeFolder(boundary: string, path: string): Promise<void> {
  let folder = boundary;
  for (const step of path.split(sep)) {
    if (step === '' || step === '.') continue;
    folder = join(folder, step);
    const entry = await lstat(folder).catch(() => undefined);
    if (!entry) await mkdir(folder);
    else if (!entry.isDirectory()) throw refused(step, 'something that is not a folder stands in its way');
  }
}

async function writeFile(path: string, content: Readable, mode: number): Promise<void> {
  // What stands there, a link included, is replaced and never written through.
  await rm(path, { force: true });
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;
  const file = await open(path, flags, mode);
  await pipeline(content, file.createWriteStream());
}

/**
 * A tar stream of a file or folder, as Docker gives it: names begin with the last part of the path, links
 * are given as links and never followed.
 * @param boundary folder that nothing may lead out of
 * @throws ProblemError `path_absent`, `archive_refused`.
 */
export async function packFrom(path: string, boundary: string): Promise<Readable> {
  const parent = await realpath(dirname(path)).catch(() => undefined);
  const inside = parent === undefined ? '..' : relative(await realpath(boundary), parent);
  const target = path === boundary ? boundary : parent && join(parent, basename(path));
  if (path !== boundary && (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)))
    throw parent === undefined ? absent(path) : refused(basename(path), 'it leads out of the workspace');
  if (target === undefined || !(await lstat(target).catch(() => undefined))) throw absent(path);
  const archive = pack();
  addEntry(archive, target, basename(path)).then(
    () => archive.finalize(),
    (error: unknown) => archive.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return Readable.from(archive);
}

async function addEntry(archive: Pack, path: string, name: string): Promise<void> {
  // A running agent may remove anything at any time.
  const entry = await lstat(path).catch(() => undefined);
  if (!entry) return;
  const common = { mode: entry.mode & 0o777, mtime: entry.mtime };
  if (entry.isSymbolicLink()) {
    const linkname = await readlink(path).catch(() => '');
    archive.entry({ ...common, name, type: 'symlink', linkname });
  } else if (entry.isDirectory()) {
    archive.entry({ ...common, name: `${name}/`, type: 'directory' });
    const names = await readdir(path).catch(() => []);
    for (const each of names) await addEntry(archive, join(path, each), `${name}/${each}`);
  } else if (entry.isFile()) {
    await addFile(archive, path, { ...common, name });
  }
}

async function addFile(
  archive: Pack,
  path: string,
  header: { name: string; mode: number; mtime: Date },
): Promise<void> {
  // A named pipe put there a moment ago must not block the opening.
  const flags = constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0);
  const file = await open(path, flags).catch(() => undefined);
  if (!file) return;
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return;
    if (stat.size === 0) {
      archive.entry({ ...header, size: 0 }, '');
      return;
    }
    const content = file.createReadStream({ start: 0, autoClose: false });
    await pipeline(exactly(content, stat.size), archive.entry({ ...header, size: stat.size }));
  } finally {
    await file.close();
  }
}

/** As many bytes as the header says, although the file may grow or shrink while it is read. */
async function* exactly(source: Readable, size: number): AsyncGenerator<Buffer> {
  let left = size;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    const part = chunk.subarray(0, left);
    left -= part.length;
    yield part;
    if (left === 0) return;
  }
  while (left > 0) {
    const padding = Buffer.alloc(Math.min(left, 64 * 1024));
    left -= padding.length;
    yield padding;
  }
}

function refused(name: string, reason: string): ProblemError {
  return new ProblemError({
    code: 'archive_refused',
    title: 'A file was refused',
    detail: `"${name}" was refused: ${reason}.`,
  });
}

function brokenOff(cause: unknown): ProblemError {
  const detail = 'The archive broke off, or could not be written.';
  return new ProblemError({ code: 'archive_refused', title: 'Files were refused', detail }, { cause });
}

function absent(path: string): ProblemError {
  return new ProblemError({
    code: 'path_absent',
    title: 'Not there',
    detail: `There is no "${basename(path)}" in the workspace.`,
  });
}
