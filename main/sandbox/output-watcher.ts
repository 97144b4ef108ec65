import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxEvent } from '#shared/events/run-event.ts';

/** Time between two looks while a tool runs. */
const INTERVAL_MS = 250;
/** A look takes at most this part of the time, however much there is to see. */
const MAX_SHARE = 0.1;
/** Files reported one by one; of the rest only the number is told. */
const MAX_REPORTED = 2000;
/** Files that are counted before the looking stops. */
const MAX_COUNTED = 20_000;
const MAX_DEPTH = 32;

/**
 * Reports the files under `outputs/` as they are written. It looks instead of being told: a watch of the
 * kernel's takes a handle for each folder, of which an agent's own processes can leave none, and tells of
 * 100 000 files one by one. Links, hidden files and what is in hidden folders are left out.
 */
export class OutputWatcher implements Disposable {
  readonly #folder: string;
  readonly #report: (event: SandboxEvent) => void;
  readonly #known = new Map<string, { size: number; modifiedAt: number }>();
  #omitted = { count: 0, atLeast: false };
  #runningTools = 0;
  #timer: NodeJS.Timeout | undefined;
  #look: Promise<void> | undefined;
  #isDisposed = false;

  constructor(folder: string, report: (event: SandboxEvent) => void) {
    this.#folder = folder;
    this.#report = report;
  }

  toolStarted(): void {
    this.#runningTools += 1;
    this.#schedule(INTERVAL_MS);
  }

  /** What a tool wrote last is reported soon after it ended. */
  toolEnded(): void {
    this.#runningTools -= 1;
    this.#schedule(0);
  }

  /** Looks now. What was written before the call has been reported when it resolves. */
  async look(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // A look on its way may have passed what was just written.
    await this.#look;
    this.#look ??= this.#compare().finally(() => {
      this.#look = undefined;
    });
    await this.#look;
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
  }

  #schedule(delayMs: number): void {
    if (this.#isDisposed || this.#look) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#lookAndSchedule(), delayMs);
  }

  async #lookAndSchedule(): Promise<void> {
    const startedAt = performance.now();
    await this.look();
    const tookMs = performance.now() - startedAt;
    if (this.#runningTools > 0) this.#schedule(Math.max(INTERVAL_MS, tookMs / MAX_SHARE));
  }

  async #compare(): Promise<void> {
    const seen = new Set<string>();
    let others = 0;
    for await (const path of this.#files()) {
      if (this.#isDisposed) return;
      const isReported = this.#known.has(path) || this.#known.size < MAX_REPORTED;
      if (!isReported) others += 1;
      else if (await this.#reportIfChanged(path)) seen.add(path);
      if (seen.size + others >= MAX_COUNTED) break;
    }
    const atLeast = seen.size + others >= MAX_COUNTED;
    for (const path of this.#known.keys()) {
      // Past the count nobody looked, so nothing is known to be gone.
      if (seen.has(path) || atLeast) continue;
      this.#known.delete(path);
      this.#report({ type: 'file.removed', path });
    }
    if (others !== this.#omitted.count || atLeast !== this.#omitted.atLeast) {
      this.#omitted = { count: others, atLeast };
      this.#report({ type: 'files.omitted', ...this.#omitted });
    }
  }

  /** Answers whether the file is there. */
  async #reportIfChanged(path: string): Promise<boolean> {
    const stats = await lstat(join(this.#folder, path)).catch(() => undefined);
    if (!stats?.isFile()) return false;
    const { size, mtimeMs: modifiedAt } = stats;
    const known = this.#known.get(path);
    if (known?.size !== size || known.modifiedAt !== modifiedAt) {
      this.#known.set(path, { size, modifiedAt });
      this.#report({ type: 'file.written', path, size, modifiedAt });
    }
    return true;
  }

  /** Paths of the files, relative to the folder, with forward slashes. */
  async *#files(): AsyncGenerator<string> {
    const root = await lstat(this.#folder).catch(() => undefined);
    if (!root?.isDirectory()) return;
    const folders = [{ path: '', depth: 0 }];
    for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
      const { path, depth } = folder;
      const entries = await opendir(join(this.#folder, path), { bufferSize: 256 }).catch(() => undefined);
      if (entries === undefined) continue;
      for await (const entry of entries) {
        if (entry.name.startsWith('.')) continue;
        const entryPath = path === '' ? entry.name : `${path}/${entry.name}`;
        if (entry.isFile()) yield entryPath;
        else if (entry.isDirectory() && depth < MAX_DEPTH)
          folders.push({ path: entryPath, depth: depth + 1 });
      }
    }
  }
}
