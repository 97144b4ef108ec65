import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as breathe } from 'node:timers/promises';
import { describedWriteFailure, type Database } from '#main/store/index.ts';
import { ProblemError } from '#shared/problem.ts';

/** Bytes up to which content stands in the database: one transaction instead of a flush for each file. */
const INLINE_BYTES = 64 * 1024;
/** Bytes that are hashed or written before other work of the process gets its turn. */
const STRETCH_BYTES = 4 * 1024 * 1024;
/** Files that are written at the same time; each waits for the disk. */
const WRITERS = 8;
/** Milliseconds for which content that nothing refers to is kept: another process may be about to. */
const GRACE_MS = 24 * 60 * 60 * 1000;

/** A content's address and length. */
export interface BlobReference {
  /** SHA-256 in hexadecimal. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
}

/**
 * Content by its SHA-256. Small content is kept in the database, larger content in files that are flushed
 * before anything refers to them, so that a kill at any moment leaves no reference without its content.
 */
export class BlobStore {
  readonly #database: Database;
  readonly #folder: string;

  /** @param folder Folder for larger content; made when the first is kept. */
  constructor(database: Database, folder: string) {
    this.#database = database;
    this.#folder = folder;
  }

  /** Keeps contents and gives their addresses, in the same order. Nothing refers to them yet. */
  async put(contents: readonly Uint8Array[]): Promise<BlobReference[]> {
    const references: BlobReference[] = [];
    const missing = new Map<string, Uint8Array>();
    await inStretches(contents, (content) => {
      const digest = createHash('sha256').update(content).digest('hex');
      references.push({ digest, size: content.length });
      if (!missing.has(digest)) missing.set(digest, content);
    });
    const inline = [...missing].filter(([, content]) => content.length <= INLINE_BYTES);
    const large = [...missing].filter(([, content]) => content.length > INLINE_BYTES);
    await inTurns(large, ([digest, content]) => this.#writeFile(digest, content));
    const now = Date.now();
    for (const stretch of stretchesOf(inline)) {
      this.#database.transaction(() => {
        for (const [digest, content] of stretch) {
          this.#database.run(
            'INSERT INTO package_blob (digest, bytes, kept_at) VALUES (?, ?, ?) ON CONFLICT (digest) DO UPDATE SET bytes = excluded.bytes, kept_at = excluded.kept_at',
            digest,
            content,
            now,
          );
        }
      });
      await breathe();
    }
    return references;
  }

  /** The content at an address. @throws ProblemError `package_damaged` when it is gone or was changed. */
  async get({ digest, size }: BlobReference): Promise<Buffer> {
    const content = size <= INLINE_BYTES ? this.#inline(digest) : await this.#file(digest);
    if (content === undefined) throw damaged(digest, 'is missing');
    if (createHash('sha256').update(content).digest('hex') !== digest) throw damaged(digest, 'was changed');
    return content;
  }

  /** Removes content that nothing has referred to for a day. */
  async collectGarbage(now: number = Date.now()): Promise<void> {
    const before = now - GRACE_MS;
    this.#database.run(
      'DELETE FROM package_blob WHERE kept_at < ? AND digest NOT IN (SELECT digest FROM package_file)',
      before,
    );
    for (const shelf of await readdir(this.#folder).catch((): string[] => [])) {
      for (const name of await readdir(join(this.#folder, shelf)).catch((): string[] => [])) {
        const path = join(this.#folder, shelf, name);
        const found = await stat(path).catch(() => undefined);
        if (found === undefined || found.mtimeMs >= before) continue;
        const isUsed = this.#database.get(
          'SELECT 1 FROM package_file WHERE digest = ? LIMIT 1',
          shelf + name,
        );
        if (isUsed === undefined) await rm(path, { force: true });
      }
    }
  }

  #inline(digest: string): Buffer | undefined {
    const bytes = this.#database.get('SELECT bytes FROM package_blob WHERE digest = ?', digest)?.['bytes'];
    if (!(bytes instanceof Uint8Array)) return undefined;
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  #file(digest: string): Promise<Buffer | undefined> {
    return readFile(this.#pathOf(digest)).catch(() => undefined);
  }

  #pathOf(digest: string): string {
    return join(this.#folder, digest.slice(0, 2), digest.slice(2));
  }

  async #writeFile(digest: string, content: Uint8Array): Promise<void> {
    const path = this.#pathOf(digest);
    const now = new Date();
    const isKept = (await this.#file(digest))?.equals(content) ?? false;
    if (isKept) return utimes(path, now, now);
    await mkdir(join(this.#folder, digest.slice(0, 2)), { recursive: true, mode: 0o700 });
    const temporary = `${path}.${randomUUID().slice(0, 8)}.part`;
    try {
      const file = await open(temporary, 'wx', 0o600);
      try {
        await file.writeFile(content);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, path);
    } catch (error) {
      throw describedWriteFailure(error);
    } finally {
      await rm(temporary, { force: true });
    }
  }
}

async function inStretches<T extends Uint8Array>(
  contents: readonly T[],
  work: (content: T) => void,
): Promise<void> {
  let bytes = 0;
  for (const content of contents) {
    work(content);
    bytes += content.length;
    if (bytes < STRETCH_BYTES) continue;
    bytes = 0;
    await breathe();
  }
}

function* stretchesOf(
  contents: readonly (readonly [string, Uint8Array])[],
): Generator<(readonly [string, Uint8Array])[]> {
  let stretch: (readonly [string, Uint8Array])[] = [];
  let bytes = 0;
  for (const entry of contents) {
    stretch.push(entry);
    bytes += entry[1].length;
    if (bytes < STRETCH_BYTES) continue;
    yield stretch;
    stretch = [];
    bytes = 0;
  }
  if (stretch.length > 0) yield stretch;
}

/** Works on all items, a few at a time, and waits for every one of them before it fails. */
async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  const results = await Promise.allSettled(Array.from({ length: WRITERS }, worker));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

function damaged(digest: string, what: string): ProblemError {
  return new ProblemError({
    code: 'package_damaged',
    title: 'A package in the library is damaged',
    detail: `The content ${digest.slice(0, 12)}… of a package ${what}, though nothing but Slipway writes there.`,
    action: 'Import the package again: it takes the place of what is damaged.',
  });
}
