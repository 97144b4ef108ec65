import { randomUUID } from 'node:crypto';
import { open, readFile, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { ProblemError, type Problem } from '#shared/problem.ts';

const holderSchema = z.object({ processId: z.number().int(), host: z.string(), token: z.string() });
type Holder = z.infer<typeof holderSchema>;

/** Milliseconds after which a lock is taken for abandoned: holders keep it for a few file operations only. */
const ABANDONED_AFTER_MS = 30_000;

const VAULT_BUSY: Problem = {
  code: 'vault_busy',
  title: 'The key vault is in use',
  detail: 'Another Slipway process is writing to the key vault and did not finish in time.',
  action: 'Try again. If no other Slipway is running, remove the lock file.',
};

/** Locks this process holds, to know its own from those of a dead process that had the same id. */
const heldTokens = new Set<string>();

export interface FileLockOptions {
  /** Milliseconds to wait for another holder. */
  readonly timeoutMs?: number;
  /** What is told when it is waited for in vain; for a vault's lock nothing need be said. */
  readonly busy?: Problem;
  readonly signal?: AbortSignal;
}

/**
 * Runs `work` while no other process that uses the same lock file does. A lock whose process has died is
 * taken over; the file is gone afterwards.
 * @throws ProblemError `vault_busy`, or the one given, when another process keeps the lock.
 */
export async function withFileLock<T>(
  path: string,
  work: () => Promise<T>,
  options: FileLockOptions = {},
): Promise<T> {
  const holder: Holder = { processId: process.pid, host: hostname(), token: randomUUID() };
  const deadline = Date.now() + (options.timeoutMs ?? 10_000);
  while (!(await tryCreate(path, holder))) {
    if (await isAbandoned(path)) {
      await removeAbandoned(path);
      continue;
    }
    if (Date.now() >= deadline) {
      throw new ProblemError({ ...(options.busy ?? VAULT_BUSY), file: path });
    }
    await delay(10 + Math.random() * 30, undefined, options.signal ? { signal: options.signal } : {});
  }
  try {
    return await work();
  } finally {
    // Work that took too long has lost its lock, and what lies there now is another's.
    if ((await readHolder(path))?.token === holder.token) await rm(path, { force: true });
    heldTokens.delete(holder.token);
  }
}

async function tryCreate(path: string, holder: Holder): Promise<boolean> {
  let file;
  try {
    file = await open(path, 'wx', 0o600);
  } catch (error) {
    // Windows answers EPERM or EACCES while a removed file is still open elsewhere.
    if (isCode(error, 'EEXIST') || (process.platform === 'win32' && isCode(error, 'EPERM', 'EACCES'))) {
      return false;
    }
    throw error;
  }
  heldTokens.add(holder.token);
  try {
    await file.writeFile(JSON.stringify(holder));
  } finally {
    await file.close();
  }
  return true;
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return holderSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const holder = await readHolder(path);
  if (holder && holder.host === hostname() && !isHeld(holder)) return true;
  try {
    return Date.now() - (await stat(path)).mtimeMs > ABANDONED_AFTER_MS;
  } catch {
    return false;
  }
}

/**
 * Removes an abandoned lock. A second lock makes sure that only one process does, and that none removes
 * the lock a faster one has made meanwhile.
 */
async function removeAbandoned(path: string): Promise<void> {
  const guard = `${path}.takeover`;
  const holder: Holder = { processId: process.pid, host: hostname(), token: randomUUID() };
  if (!(await tryCreate(guard, holder))) {
    if (await isAbandoned(guard)) await rm(guard, { force: true });
    await delay(20);
    return;
  }
  try {
    if (await isAbandoned(path)) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
    heldTokens.delete(holder.token);
  }
}

function isHeld({ processId, token }: Holder): boolean {
  if (processId === process.pid) return heldTokens.has(token);
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return isCode(error, 'EPERM');
  }
}

function isCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
