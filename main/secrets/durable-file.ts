import { randomUUID } from 'node:crypto';
import { copyFile, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Name of the copy that is kept until a replacement has been read back. */
export function previousPath(path: string): string {
  return `${path}.previous`;
}

/** The file's bytes, or `undefined` when there is none. */
export async function readIfPresent(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Replaces a file so that a crash at any moment leaves the old bytes or the new ones: written beside it,
 * flushed, renamed over it, read back and checked. The old file stays as `.previous` until the check
 * passed, and comes back when it did not. Call it under the file's lock.
 */
export async function replaceDurably(
  path: string,
  bytes: Buffer,
  check: (readBack: Buffer) => void,
): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  const previous = previousPath(path);
  await removeUnfinished(path);
  try {
    await writeFlushed(temporary, bytes);
    const hadFile = await copyIfPresent(path, previous);
    await renameOver(temporary, path);
    await flushFolder(dirname(path));
    try {
      check(await readFile(path));
    } catch (error) {
      if (hadFile) await renameOver(previous, path);
      throw error;
    }
  } finally {
    await rm(temporary, { force: true });
  }
  await rm(previous, { force: true });
}

/**
 * Ends a replacement that a crash cut short: where the file is missing or damaged and the kept copy is
 * good, the copy takes its place. Call it under the file's lock.
 */
export async function recoverPrevious(path: string, check: (bytes: Buffer) => void): Promise<void> {
  const passes = (bytes: Buffer | undefined) => {
    try {
      if (bytes) check(bytes);
      return bytes !== undefined;
    } catch {
      return false;
    }
  };
  const previous = previousPath(path);
  if (!passes(await readIfPresent(previous)) || passes(await readIfPresent(path))) return;
  await renameOver(previous, path);
  await flushFolder(dirname(path));
}

/**
 * Renames a file, and the copy that an interrupted replacement may have left, out of the way of a new one.
 * @returns the file's new path; undefined when there was none
 */
export async function setFileAside(path: string): Promise<string | undefined> {
  const stamp = new Date().toISOString().replace(/[:.]/g, '-');
  const aside = path.replace(/(\.json)?$/, `.set-aside-${stamp}$1`);
  let kept: string | undefined;
  for (const [from, to] of [
    [path, aside],
    [previousPath(path), previousPath(aside)],
  ] as const) {
    try {
      await renameOver(from, to);
      kept ??= to;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
  if (kept !== undefined) await flushFolder(dirname(path));
  return kept;
}

/** Removes what a crash left of earlier replacements before it had the file's name. */
async function removeUnfinished(path: string): Promise<void> {
  const prefix = `${basename(path)}.`;
  const names = await readdir(dirname(path));
  const unfinished = names.filter((name) => name.startsWith(prefix) && name.endsWith('.tmp'));
  await Promise.all(unfinished.map((name) => rm(join(dirname(path), name), { force: true })));
}

async function writeFlushed(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function copyIfPresent(from: string, to: string): Promise<boolean> {
  try {
    await copyFile(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Virus scanners hold files open for moments on Windows, where renaming over them then fails. */
async function renameOver(from: string, to: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      const passing =
        error instanceof Error && 'code' in error && /^(EPERM|EACCES|EBUSY)$/.test(String(error.code));
      if (process.platform !== 'win32' || !passing || attempt === 10) throw error;
      await delay(20 * attempt);
    }
  }
}

/** Makes a rename survive a power cut; Windows has no such call for folders and needs none. */
async function flushFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
