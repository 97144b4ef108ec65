import { randomBytes } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { lstat, mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { join, posix } from 'node:path';

/** Why a path of the workspace cannot be used; the message tells the model what to do. */
export class PathRefused extends Error {}

/** A file that is open to be read. */
export interface OpenFile extends AsyncDisposable {
  readonly handle: FileHandle;
  readonly size: number;
}

/** Folders are opened one within the other by way of their descriptors, where the system has a path to those. */
const DESCRIPTORS = '/proc/self/fd';
const FOLDER_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
/** A named pipe without a writer must not be waited for. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Opens a file of the workspace, following no symbolic link anywhere on the way: the agent's own commands
 * run beside this and may swap a folder for a link at any moment.
 * @throws PathRefused
 */
export async function openWorkspaceFile(workspace: string, path: string): Promise<OpenFile> {
  const { folders, name } = partsOf(workspace, path);
  await using folder = await enter(workspace, folders, path, false);
  if (folder === undefined) throw new PathRefused(`there is no file ${quoted(path)} in the workspace`);
  const place = folder.pathOf(name);
  await refuseLink(place, path);
  let handle: FileHandle;
  try {
    handle = await open(place, READ_FLAGS);
  } catch (error) {
    throw unusable(error, path);
  }
  const stats = await handle.stat();
  if (!stats.isFile()) {
    await handle.close();
    throw new PathRefused(`${quoted(path)} is ${stats.isDirectory() ? 'a folder' : 'no regular file'}`);
  }
  return { handle, size: stats.size, [Symbol.asyncDispose]: () => handle.close() };
}

/**
 * Refuses a path that could not be written to, before anything depends on it. Nothing is made yet.
 * @throws PathRefused
 */
export async function checkWritable(workspace: string, path: string): Promise<void> {
  const { folders, name } = partsOf(workspace, path);
  await using folder = await enter(workspace, folders, path, false);
  if (folder !== undefined) await refuseTarget(folder.pathOf(name), path);
}

/**
 * Writes a file of the workspace, making its folders. It appears whole or not at all; one that was there is
 * replaced, a link never followed.
 * @returns bytes written
 * @throws PathRefused, Error of the file system such as `ENOSPC`
 */
export async function writeWorkspaceFile(
  workspace: string,
  path: string,
  content: AsyncIterable<Uint8Array>,
): Promise<number> {
  const { folders, name } = partsOf(workspace, path);
  await using folder = await enter(workspace, folders, path, true);
  if (folder === undefined) throw new PathRefused(`${quoted(path)} cannot be made`);
  const place = folder.pathOf(name);
  await refuseTarget(place, path);
  const temporary = folder.pathOf(`.${randomBytes(9).toString('hex')}.part`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const handle = await open(temporary, flags, 0o644);
  let size = 0;
  try {
    try {
      for await (const piece of content) {
        await handle.writeFile(piece);
        size += piece.byteLength;
      }
    } finally {
      await handle.close();
    }
    // Takes the place of whatever has this name by now, be it a link.
    await rename(temporary, place);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return size;
}

interface Folder extends AsyncDisposable {
  /** A path to an entry of the folder that no link can lead elsewhere. */
  pathOf(name: string): string;
}

function partsOf(workspace: string, path: string): { folders: string[]; name: string } {
  if (path === '' || path.includes('\0')) throw new PathRefused('the path is empty or has a zero byte in it');
  if (path.startsWith('/') || /^[a-z]:[\\/]/i.test(path)) {
    const inside = path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : undefined;
    const hint = inside === undefined ? 'copy the file into it first' : `write ${quoted(inside)}`;
    throw new PathRefused(`${quoted(path)} is not relative to the workspace; ${hint}`);
  }
  const segments = posix.normalize(path).split('/');
  if (segments[0] === '..') throw new PathRefused(`${quoted(path)} is outside of the workspace`);
  const name = segments.pop() ?? '';
  if (name === '' || name === '.') throw new PathRefused(`${quoted(path)} is a folder`);
  return { folders: segments, name };
}

/** Goes down folder by folder; undefined when one is missing and may not be made. */
async function enter(
  workspace: string,
  folders: readonly string[],
  path: string,
  mayMake: boolean,
): Promise<Folder | undefined> {
  let current = await openFolder(workspace, path);
  for (const name of folders) {
    const place = current.pathOf(name);
    let next: Folder | undefined;
    try {
      await refuseLink(place, path);
      if (mayMake) await makeFolder(place);
      next = await openFolder(place, path);
    } catch (error) {
      if (!isMissing(error)) throw error;
    } finally {
      await current[Symbol.asyncDispose]();
    }
    if (next === undefined) return undefined;
    current = next;
  }
  return current;
}

async function openFolder(place: string, path: string): Promise<Folder> {
  if (!existsSync(DESCRIPTORS)) {
    // Without descriptors, looking before each step is the best there is.
    const stats = await lstat(place);
    if (!stats.isDirectory())
      throw new PathRefused(`${quoted(path)} goes through something that is no folder`);
    return { pathOf: (name) => join(place, name), [Symbol.asyncDispose]: () => Promise.resolve() };
  }
  let handle: FileHandle;
  try {
    handle = await open(place, FOLDER_FLAGS);
  } catch (error) {
    if (isMissing(error)) throw error;
    throw unusable(error, path);
  }
  return {
    pathOf: (name) => `${DESCRIPTORS}/${handle.fd}/${name}`,
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function makeFolder(place: string): Promise<void> {
  try {
    await mkdir(place);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

async function refuseLink(place: string, path: string): Promise<void> {
  const stats = await lstat(place).catch(() => undefined);
  if (stats?.isSymbolicLink() === true) {
    throw new PathRefused(`${quoted(path)} goes through a symbolic link, which is not followed`);
  }
}

async function refuseTarget(place: string, path: string): Promise<void> {
  await refuseLink(place, path);
  const stats = await lstat(place).catch(() => undefined);
  if (stats !== undefined && !stats.isFile()) {
    throw new PathRefused(`${quoted(path)} is ${stats.isDirectory() ? 'a folder' : 'no regular file'}`);
  }
}

function unusable(error: unknown, path: string): PathRefused {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  const reasons: Record<string, string> = {
    ENOENT: `there is no file ${quoted(path)} in the workspace`,
    ENOTDIR: `${quoted(path)} goes through something that is no folder`,
    ELOOP: `${quoted(path)} goes through a symbolic link, which is not followed`,
    EACCES: `${quoted(path)} may not be opened`,
  };
  return new PathRefused(reasons[code] ?? `${quoted(path)} cannot be opened (${code})`, { cause: error });
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

function quoted(path: string): string {
  return JSON.stringify(path.length > 200 ? `${path.slice(0, 200)}…` : path);
}
