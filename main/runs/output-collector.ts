import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as setTimeoutPromise } from 'node:timers/promises';
import mime from 'mime';
import { extract } from 'tar-stream';
import { OUTPUTS_FOLDER, WORKSPACE_PATH } from '#shared/protocol/layout.ts';
import { ProblemError, type Problem } from '#shared/problem.ts';
import {
  MAX_OUTPUT_BYTES,
  MAX_OUTPUT_FILE_BYTES,
  MAX_OUTPUT_FILES,
  type RunOutputFile,
} from '#shared/runs/run.ts';

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
/** Files whose absence is told one by one; the rest are told as a count. */
const MAX_TOLD_SKIPS = 20;
/** Characters of a refused path that are told. */
const MAX_SHOWN_PATH = 200;

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
  /** Delivered by name: they stay whatever the agent does with its own copy. */
  readonly #published = new Set<string>();
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
    const path = this.#publishedPath(source, name);
    const signal = AbortSignal.any([given, this.#abort.signal]);
    const published = Promise.withResolvers<{ path: string; size: number }>();
    this.#enqueue(() => this.#fetchOne(source, path, signal).then(published.resolve, published.reject));
    return published.promise;
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
          const problem = this.#refusal(relative, size);
          if (problem) {
            skips.add(relative, problem);
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

  /** @throws ProblemError `path_refused` */
  #publishedPath(source: string, name: string | undefined): string {
    const segments = source.split('/');
    const isInside = !source.startsWith('/') && segments.every((part) => part !== '' && part !== '..');
    const [folder, ...below] = segments;
    const wanted =
      name ?? (folder === OUTPUTS_FOLDER && below.length > 0 ? below.join('/') : (segments.at(-1) ?? ''));
    if (!isInside || !isKeepable(wanted) || (name?.includes('/') ?? false)) throw pathRefused(source, name);
    const isOwn = folder === OUTPUTS_FOLDER && below.join('/') === wanted;
    if (isOwn || this.#published.has(wanted)) return wanted;
    return freePath(wanted, (path) => this.#kept.has(path) || this.#clash(path) !== undefined);
  }

  async #fetchOne(
    source: string,
    path: string,
    signal: AbortSignal,
  ): Promise<{ path: string; size: number }> {
    try {
      const archive = await this.#source.getArchive(`${WORKSPACE_PATH}/${source}`, signal);
      const entries = extract();
      const piping = pipeline(archive, entries, { signal });
      piping.catch(() => undefined);
      let size: number | undefined;
      for await (const entry of entries) {
        const { type, mtime, size: length } = entry.header;
        if (type !== 'file') throw notAFile(source);
        const problem = this.#refusal(path, length);
        if (problem) throw new ProblemError(problem);
        await this.#keep(path, length, mtime?.getTime() ?? 0, Readable.from(entry), signal);
        size = length;
      }
      await piping;
      if (size === undefined) throw notAFile(source);
      this.#published.add(path);
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
    const temporary = `${target}.slipway-part`;
    const hash = createHash('sha256');
    try {
      await this.#clearWay(path);
      await mkdir(dirname(target), { recursive: true });
      await pipeline(
        content,
        async function* (chunks: AsyncIterable<Buffer>) {
          for await (const chunk of chunks) {
            hash.update(chunk);
            yield chunk;
          }
        },
        createWriteStream(temporary, { mode: 0o600 }),
        { signal },
      );
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
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

  #refusal(path: string, size: number): Problem | undefined {
    if (size > MAX_OUTPUT_FILE_BYTES) {
      return skipped(
        'file_too_large',
        path,
        `"${path}" has ${megabytes(size)}; one file may have ${megabytes(MAX_OUTPUT_FILE_BYTES)}.`,
      );
    }
    const other = this.#clash(path);
    if (other !== undefined) {
      return {
        ...skipped(
          'name_clash',
          path,
          `"${path}" and "${other}" are one name on this computer, which tells no capitals apart.`,
        ),
        action: 'Let the agent give the two files names that differ in more than capitals.',
      };
    }
    const earlier = this.#kept.get(path)?.size;
    if (earlier === undefined && this.#kept.size >= MAX_OUTPUT_FILES) {
      return skipped(
        'too_many_files',
        path,
        `A run may deliver ${MAX_OUTPUT_FILES} files; "${path}" came after them.`,
      );
    }
    const total = [...this.#kept.values()].reduce((sum, file) => sum + file.size, size - (earlier ?? 0));
    if (total > MAX_OUTPUT_BYTES) {
      return skipped(
        'quota_exceeded',
        path,
        `With "${path}" the run's files would have ${megabytes(total)}; ${megabytes(MAX_OUTPUT_BYTES)} are kept.`,
      );
    }
    return undefined;
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

/** A file that this computer did not take, for example for want of disk. */
class NotWritten extends Error {
  readonly path: string;
  readonly code: string;

  constructor(path: string, cause: NodeJS.ErrnoException) {
    super(cause.message, { cause });
    this.path = path;
    this.code = cause.code ?? 'unknown reason';
  }
}

/** Whether a file operation of this computer failed, and not the archive or the wait for it. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'path' in error;
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
      this.#listener?.skipped(
        OUTPUTS_FOLDER,
        skipped('too_many_files', OUTPUTS_FOLDER, `${untold} more files were not kept.`),
      );
    }
  }
}

/** Path under `outputs/` of an archive's entry. */
function relativePath(name: string, parent: string | undefined): string | undefined {
  const segments = name.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (parent !== undefined) return parent === '.' ? segments.join('/') : [parent, ...segments].join('/');
  return segments.length > 1 ? segments.slice(1).join('/') : undefined;
}

/** Whether a path may be kept: it stays inside, is not hidden, and every file system takes it. */
export function isKeepable(path: string): boolean {
  if (path === '' || path.length > 1000) return false;
  return path.split('/').every(
    (segment) =>
      segment !== '' &&
      !segment.startsWith('.') &&
      !segment.endsWith('.slipway-part') &&
      // eslint-disable-next-line no-control-regex
      !/[\\\u0000-\u001f\u007f]/.test(segment) &&
      (process.platform !== 'win32' || !/[<>:"|?*]|[. ]$/.test(segment)) &&
      Buffer.byteLength(segment) <= 240,
  );
}

/** A path that is not taken, with a number before its ending where that is needed. */
function freePath(wanted: string, isTaken: (path: string) => boolean): string {
  const dot = wanted.lastIndexOf('.');
  const [stem, ending] = dot > 0 ? [wanted.slice(0, dot), wanted.slice(dot)] : [wanted, ''];
  let path = wanted;
  for (let count = 2; isTaken(path); count += 1) path = `${stem} (${count})${ending}`;
  return path;
}

/** A name as file systems of macOS and Windows compare it. */
function foldName(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/** Whether a file is one that an agent keeps for itself: hidden, or in a hidden folder. */
function isHidden(path: string): boolean {
  return path.split('/').some((segment) => segment.startsWith('.'));
}

/** A path for a person: without what would break a line, and cut. */
function shownPath(path: string): string {
  // oxlint-disable-next-line no-control-regex -- they are what is taken out
  const text = path.replaceAll(/[\u0000-\u001f\u007f]/g, '\uFFFD');
  return text.length > MAX_SHOWN_PATH ? `${text.slice(0, MAX_SHOWN_PATH)}…` : text;
}

/** Media type by a file's name. */
export function mediaTypeOf(path: string): string {
  return mime.getType(path) ?? 'application/octet-stream';
}

function skipped(code: string, file: string, detail: string): Problem {
  return { code, title: 'A file was not kept', detail, file };
}

function pathRefused(source: string, name: string | undefined): ProblemError {
  return new ProblemError({
    code: 'path_refused',
    title: 'The file was not published',
    detail:
      name === undefined
        ? `"${shownPath(source)}" is not the path of a file inside the workspace.`
        : `"${shownPath(source)}" cannot be published as "${shownPath(name)}".`,
    action: 'Give a path relative to the workspace without "..", and a plain name without folders.',
  });
}

function fileAbsent(source: string): ProblemError {
  return new ProblemError({
    code: 'file_absent',
    title: 'The file was not published',
    detail: `There is no file "${shownPath(source)}" in the workspace.`,
    action: 'Write the file first.',
  });
}

function notAFile(source: string): ProblemError {
  return new ProblemError({
    code: 'not_a_file',
    title: 'The file was not published',
    detail: `"${shownPath(source)}" is a folder or a link.`,
    action: 'Publish one file; put a folder into an archive first.',
  });
}

function notWritten({ path, code }: NotWritten): Problem {
  const reason = code === 'ENOSPC' || code === 'EDQUOT' ? 'the disk is full' : code;
  return {
    ...skipped(
      'file_not_written',
      path,
      `"${path}" could not be written to this computer (${reason}). Files after it were not kept either.`,
    ),
    action: 'Make room in the data folder and run the agent again.',
  };
}

function cutShort(): Problem {
  return skipped(
    'outputs_cut_short',
    OUTPUTS_FOLDER,
    'The last look at the outputs was cut short, so files that were written last may be missing.',
  );
}

function linkRefused(path: string): Problem {
  return skipped(
    'link_refused',
    path,
    `"${path}" is a link. Links are not delivered; copy the file instead.`,
  );
}

function nameRefused(path: string): Problem {
  const shown = shownPath(path);
  return {
    ...skipped(
      'name_refused',
      shown,
      `"${shown}" has a name that not every computer takes: too long, or with a backslash or a line break.`,
    ),
    action: 'Let the agent give the file a plain, shorter name.',
  };
}

function outputsReplaced(): Problem {
  return skipped(
    'outputs_replaced',
    OUTPUTS_FOLDER,
    `The agent put something else in the place of the folder "${OUTPUTS_FOLDER}", so no file was found in it.`,
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(bytes < 10_485_760 ? 1 : 0)} MB`;
}
