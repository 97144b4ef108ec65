import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import { extract } from 'tar-stream';
import { OUTPUTS_FOLDER, WORKSPACE_PATH } from '#shared/protocol/layout.ts';
import { ProblemError, type Problem } from '#shared/problem.ts';
import {
  MAX_OUTPUT_BYTES,
  MAX_OUTPUT_FILE_BYTES,
  MAX_OUTPUT_FILES,
  type RunOutputFile,
} from '#shared/runs/run.ts';
import { freeName } from './free-name.ts';
import { foldName, isHidden, isKeepable, mediaTypeOf, relativePath, shownPath } from './output-names.ts';
import {
  cutShort,
  fileAbsent,
  fileTooLarge,
  isSystemError,
  linkRefused,
  nameClash,
  nameRefused,
  notAFile,
  notWritten,
  NotWritten,
  outputsReplaced,
  pathRefused,
  publishedThere,
  quotaExceeded,
  tooManyFiles,
  untoldFiles,
} from './output-problems.ts';
import { writeWhole } from './write-whole.ts';

/** Where the collector takes archives from; a container's `getArchive`. */
export interface ArchiveSource {
  getArchive(path: string, signal: AbortSignal): Promise<Readable>;
}

/** Told what became of each file; paths are those under `outputs/`. */
export interface CollectorListener {
  kept(file: RunOutputFile, sha256: string): void;
  skipped(path: string, problem: Problem): void;
  /** A file the agent removed again. */
  removed(path: string): void;
}

interface KeptFile {
  readonly size: number;
  readonly sha256: string;
}

/** Quiet time of a file before it is fetched; a script writes in many small steps. */
const SETTLE_MS = 250;
/** Characters of a path that is published; Linux knows no longer one. */
const MAX_SOURCE_PATH = 4096;
/** Files whose absence is told one by one; the rest are told as a count. */
const MAX_TOLD_SKIPS = 20;

/**
 * Brings the files under `outputs/` to the run's folder while the agent works and once more at its end. The
 * sandbox's reports only say when to look: what is kept is what the archive holds, within the limits.
 */
export class OutputCollector {
  readonly #source: ArchiveSource;
  readonly #folder: string;
  readonly #listener: CollectorListener;
  readonly #foldsNames: boolean;
  readonly #kept = new Map<string, KeptFile>();
  /** Delivered by name, with what they were in the workspace: they stay when that goes. */
  readonly #published = new Map<string, string>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #abort = new AbortController();
  #fetching: Promise<void> = Promise.resolve();
  #sweepDue = false;
  #closed = false;

  /**
   * @param folder where the kept files go; made when the first is kept
   * @param foldsNames whether names that differ in case alone are one file on this computer
   */
  constructor(
    source: ArchiveSource,
    folder: string,
    listener: CollectorListener,
    foldsNames = process.platform === 'darwin' || process.platform === 'win32',
  ) {
    this.#source = source;
    this.#folder = folder;
    this.#listener = listener;
    this.#foldsNames = foldsNames;
  }

  /** Takes note of a change that the sandbox reported. */
  changed(path: string): void {
    if (this.#closed || !isKeepable(path)) return;
    // Many files at once are cheaper to take as one archive.
    if (this.#timers.size > 8) {
      if (!this.#sweepDue) {
        this.#sweepDue = true;
        this.#enqueue(async () => {
          await setTimeoutPromise(SETTLE_MS, undefined, { signal: this.#abort.signal }).catch(
            () => undefined,
          );
          this.#sweepDue = false;
          await this.#take(`${WORKSPACE_PATH}/${OUTPUTS_FOLDER}`, undefined, this.#abort.signal);
        });
      }
      return;
    }
    clearTimeout(this.#timers.get(path));
    this.#timers.set(
      path,
      setTimeout(() => {
        this.#timers.delete(path);
        this.#enqueue(() =>
          this.#take(`${WORKSPACE_PATH}/${OUTPUTS_FOLDER}/${path}`, dirname(path), this.#abort.signal),
        );
      }, SETTLE_MS),
    );
  }

  /** Takes note that the sandbox reported a file as gone. */
  async gone(path: string): Promise<void> {
    clearTimeout(this.#timers.get(path));
    this.#timers.delete(path);
    await this.#fetching;
    if (this.#closed || !this.#kept.has(path) || this.#published.has(path)) return;
    await this.#drop(path);
  }

  /**
   * Delivers one file of the workspace now.
   * @param source relative to the workspace
   * @param name what it is called among the outputs; its own path or name by default
   * @returns where it was put under `outputs/`
   * @throws ProblemError `path_refused`, `file_absent`, `not_a_file`, `file_not_written`, and what a file is
   * left out for: `file_too_large`, `too_many_files`, `quota_exceeded`, `name_clash`
   */
  async publish(
    source: string,
    name: string | undefined,
    given: AbortSignal,
  ): Promise<{ path: string; size: number }> {
    const plain = source.replace(/^(?:\.\/)+/, '');
    const wanted = publishedName(plain, name);
    const signal = AbortSignal.any([given, this.#abort.signal]);
    const published = Promise.withResolvers<{ path: string; size: number }>();
    signal.throwIfAborted();
    const cancel = () => published.reject(signal.reason);
    signal.addEventListener('abort', cancel, { once: true });
    this.#enqueue(async () => {
      if (!signal.aborted) {
        await this.#fetchOne(plain, wanted, signal).then(published.resolve, published.reject);
      }
    });
    return published.promise.finally(() => signal.removeEventListener('abort', cancel));
  }

  /**
   * Takes everything once more; the last word on what the run delivered. Ends early, keeping what it has,
   * when the signal fires.
   */
  async finish(signal: AbortSignal): Promise<void> {
    this.#stopWatching();
    this.#abort.abort();
    await this.#fetching;
    await this.#take(`${WORKSPACE_PATH}/${OUTPUTS_FOLDER}`, undefined, signal, true);
  }

  /** Stops without another look, for a sandbox that is gone. */
  async close(): Promise<void> {
    this.#stopWatching();
    this.#abort.abort();
    await this.#fetching;
  }

  /** Fetches one after another, so that two never write one file. */
  #enqueue(fetch: () => Promise<void>): void {
    const before = this.#fetching;
    this.#fetching = (async () => {
      await before;
      await fetch();
    })();
  }

  #stopWatching(): void {
    this.#closed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  /** @param parent folder of a single file's archive; without it the archive is of `outputs/` itself */
  async #take(path: string, parent: string | undefined, signal: AbortSignal, last = false): Promise<void> {
    const skips = new SkipReport(last ? this.#listener : undefined);
    const seen = new Set<string>();
    try {
      const archive = await this.#source.getArchive(path, signal);
      const entries = extract();
      const piping = pipeline(archive, entries, { signal });
      piping.catch(() => undefined);
      for await (const entry of entries) {
        const { name, type, mtime } = entry.header;
        const size = entry.header.size ?? 0;
        const relative = relativePath(name, parent);
        if (type === 'file' && relative !== undefined && isKeepable(relative)) {
          seen.add(relative);
          const problem = this.#refusal(relative, `${OUTPUTS_FOLDER}/${relative}`, size);
          if (problem) {
            skips.add(relative, problem);
            // A sparse file takes no room and minutes to read: whatever is published next would wait for it.
            if (parent !== undefined) break;
          } else {
            await this.#keep(relative, size, mtime?.getTime() ?? 0, Readable.from(entry), signal);
            continue;
          }
        } else if (last && relative !== undefined && (type === 'symlink' || type === 'link')) {
          skips.add(relative, linkRefused(relative));
        } else if (last && type === 'file' && relative !== undefined && !isHidden(relative)) {
          skips.add(shownPath(relative), nameRefused(relative));
        } else if (last && relative === undefined && type !== 'directory') {
          skips.add(OUTPUTS_FOLDER, outputsReplaced());
        }
        entry.resume();
      }
      await piping;
      if (last) await this.#dropUnseen(seen);
    } catch (error) {
      // Before the end the file may have gone in the meantime; the final look is the one that counts.
      if (last) await this.#endEarly(error);
    }
    skips.finish();
  }

  /** Where a published file goes: its own place again, else one that nothing else is kept in. */
  #placeFor(source: string, wanted: string): string {
    const isOwn = (path: string) => (this.#published.get(path) ?? `${OUTPUTS_FOLDER}/${path}`) === source;
    const isFolder = (path: string) => [...this.#kept.keys()].some((kept) => kept.startsWith(`${path}/`));
    return freeName(
      wanted,
      (path) => !isOwn(path) && (this.#kept.has(path) || isFolder(path) || this.#clash(path) !== undefined),
    );
  }

  async #fetchOne(
    source: string,
    wanted: string,
    signal: AbortSignal,
  ): Promise<{ path: string; size: number }> {
    const path = this.#placeFor(source, wanted);
    try {
      const archive = await this.#source.getArchive(`${WORKSPACE_PATH}/${source}`, signal);
      const entries = extract();
      const piping = pipeline(archive, entries, { signal });
      piping.catch(() => undefined);
      let size: number | undefined;
      for await (const entry of entries) {
        const { type, mtime, size: length } = entry.header;
        if (type !== 'file') throw notAFile(source);
        const problem = this.#refusal(path, source, length);
        if (problem) throw new ProblemError(problem);
        await this.#keep(path, length, mtime?.getTime() ?? 0, Readable.from(entry), signal);
        size = length;
      }
      await piping;
      if (size === undefined) throw notAFile(source);
      this.#published.set(path, source);
      return { path, size };
    } catch (error) {
      if (error instanceof NotWritten) throw new ProblemError(notWritten(error), { cause: error });
      if (error instanceof ProblemError && error.problem.code === 'path_absent') throw fileAbsent(source);
      throw error;
    }
  }

  async #keep(
    path: string,
    size: number,
    modifiedAt: number,
    content: Readable,
    signal: AbortSignal,
  ): Promise<void> {
    const target = this.#target(path);
    const hash = createHash('sha256');
    try {
      await this.#clearWay(path);
      await mkdir(dirname(target), { recursive: true });
      await writeWhole(content, target, signal, (chunk) => void hash.update(chunk));
    } catch (error) {
      throw isSystemError(error) ? new NotWritten(path, error) : error;
    }
    const sha256 = hash.digest('hex');
    if (this.#kept.get(path)?.sha256 === sha256) return;
    this.#kept.set(path, { size, sha256 });
    this.#listener.kept({ path, size, mediaType: mediaTypeOf(path), modifiedAt, kept: true }, sha256);
  }

  /** Files that were kept while the agent worked and that it removed before the end. */
  async #dropUnseen(seen: ReadonlySet<string>): Promise<void> {
    for (const path of this.#kept.keys())
      if (!seen.has(path) && !this.#published.has(path)) await this.#drop(path);
  }

  async #drop(path: string): Promise<void> {
    this.#kept.delete(path);
    // Bytes that cannot be removed take room, no more: nobody is told of them.
    await rm(this.#target(path), { force: true }).catch(() => undefined);
    this.#listener.removed(path);
  }

  /** A file that the agent made a folder of gives way to what is in it, and the other way round. */
  async #clearWay(path: string): Promise<void> {
    const above = [...this.#kept.keys()].filter((kept) => path.startsWith(`${kept}/`));
    const below = [...this.#kept.keys()].filter((kept) => kept.startsWith(`${path}/`));
    for (const kept of [...above, ...below]) await this.#drop(kept);
    if (below.length > 0) await rm(this.#target(path), { recursive: true, force: true });
  }

  /** Tells what the last look did not come to, so that no file is missing in silence. */
  async #endEarly(error: unknown): Promise<void> {
    if (error instanceof ProblemError && error.problem.code === 'path_absent') {
      await this.#dropUnseen(new Set());
    } else if (error instanceof NotWritten) {
      this.#listener.skipped(error.path, notWritten(error));
    } else {
      this.#listener.skipped(OUTPUTS_FOLDER, cutShort());
    }
  }

  /** @param source what it is in the workspace */
  #refusal(path: string, source: string, size: number): Problem | undefined {
    if (size > MAX_OUTPUT_FILE_BYTES) return fileTooLarge(path, size);
    const other = this.#clash(path);
    if (other !== undefined) return nameClash(path, other);
    const published = this.#publishedInTheWay(path, source);
    if (published !== undefined) return publishedThere(source, published);
    const earlier = this.#kept.get(path)?.size;
    if (earlier === undefined && this.#kept.size >= MAX_OUTPUT_FILES) return tooManyFiles(path);
    const total = [...this.#kept.values()].reduce((sum, file) => sum + file.size, size - (earlier ?? 0));
    return total > MAX_OUTPUT_BYTES ? quotaExceeded(path, total) : undefined;
  }

  /** What was published of another file and would have to give way to this one. */
  #publishedInTheWay(path: string, source: string): string | undefined {
    const isSame = (other: string) =>
      other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`);
    return [...this.#published].find(([other, from]) => from !== source && isSame(other))?.[0];
  }

  /** A file that was kept before and whose place a path would take on this computer. */
  #clash(path: string): string | undefined {
    if (!this.#foldsNames || this.#kept.has(path)) return undefined;
    const folded = foldName(path);
    return [...this.#kept.keys()].find((kept) => foldName(kept) === folded);
  }

  #target(path: string): string {
    return join(this.#folder, ...path.split('/'));
  }
}

/** Tells of the first files that were not kept one by one, and of the rest as a number. */
class SkipReport {
  readonly #listener: CollectorListener | undefined;
  #count = 0;

  constructor(listener: CollectorListener | undefined) {
    this.#listener = listener;
  }

  add(path: string, problem: Problem): void {
    this.#count += 1;
    if (this.#count <= MAX_TOLD_SKIPS) this.#listener?.skipped(path, problem);
  }

  finish(): void {
    const untold = this.#count - MAX_TOLD_SKIPS;
    if (untold > 0) {
      this.#listener?.skipped(OUTPUTS_FOLDER, untoldFiles(untold));
    }
  }
}

/**
 * What a published file is called among the outputs.
 * @throws ProblemError `path_refused`
 */
function publishedName(source: string, name: string | undefined): string {
  const segments = source.split('/');
  const isInside =
    source.length <= MAX_SOURCE_PATH &&
    source.isWellFormed() &&
    !source.includes('\0') &&
    segments.every((part) => part !== '' && part !== '.' && part !== '..');
  const [folder, ...below] = segments;
  const wanted =
    name ?? (folder === OUTPUTS_FOLDER && below.length > 0 ? below.join('/') : (segments.at(-1) ?? ''));
  if (!isInside || !isKeepable(wanted) || name?.includes('/')) throw pathRefused(source, name);
  return wanted;
}
