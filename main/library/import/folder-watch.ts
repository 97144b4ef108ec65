import { watch, type FSWatcher } from 'node:fs';
import type { WatchState } from '#shared/ipc/library-routes.ts';
import { toProblem, type Problem } from '#shared/problem.ts';
import { PackageFolder } from '../package-folder.ts';

/** Milliseconds of quiet after which what was saved is taken: editors write a file in several steps. */
const QUIET_MS = 250;
/** Milliseconds between looks for a folder that is gone. */
const RETRY_MS = 5_000;

export interface FolderWatchOptions {
  readonly path: string;
  /** Reads the folder and saves it as a draft, and gives the package's name. */
  take(folder: PackageFolder, expectedName: string | undefined): Promise<string>;
  onState(state: WatchState): void;
}

/** Follows one folder: what its author saves there becomes the draft. A broken state is told and not taken. */
export class FolderWatch implements AsyncDisposable {
  readonly #options: FolderWatchOptions;
  #name: string | undefined;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;
  #taking: Promise<void> = Promise.resolve();
  #isOver = false;
  #state: WatchState;

  constructor(options: FolderWatchOptions, name: string | undefined) {
    this.#options = options;
    this.#name = name;
    this.#state = { path: options.path, name: name ?? '', state: 'gone' };
  }

  get state(): WatchState {
    return this.#state;
  }

  /**
   * Takes the folder as it is, and follows it from then on. One that is new and cannot be taken is not
   * followed; the state says why.
   */
  async start(): Promise<void> {
    // A new folder is followed once it was taken: what is no package may be as large as the disk.
    const isNew = this.#name === undefined;
    if (!isNew) this.#watch();
    await this.#takeNow();
    if (this.#name === undefined) return this[Symbol.asyncDispose]();
    // What was saved between the two would be missed.
    if (isNew) this.#later(QUIET_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#watcher?.close();
    this.#watcher = undefined;
    await this.#taking;
  }

  #watch(): void {
    try {
      this.#watcher = watch(this.#options.path, { recursive: true, persistent: false }, () =>
        this.#later(QUIET_MS),
      );
      this.#watcher.on('error', () => this.#lose());
    } catch {
      this.#lose();
    }
  }

  #later(milliseconds: number): void {
    if (this.#isOver) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#takeNow(), milliseconds);
    this.#timer.unref();
  }

  #lose(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#later(RETRY_MS);
  }

  /** One at a time, each after the last. */
  #takeNow(): Promise<void> {
    this.#taking = this.#taking.then(() => this.#take());
    return this.#taking;
  }

  async #take(): Promise<void> {
    if (this.#isOver) return;
    const options = this.#options;
    try {
      const folder = await PackageFolder.at(options.path);
      this.#name = await options.take(folder, this.#name);
      if (this.#watcher === undefined) this.#watch();
      this.#tell({ state: 'following', takenAt: Date.now() });
    } catch (error) {
      const problem = toProblem(error);
      const isGone = problem.code === 'folder_unknown';
      if (isGone) this.#lose();
      this.#tell({ state: isGone ? 'gone' : 'faulty', problem });
    }
  }

  #tell(change: { state: WatchState['state']; problem?: Problem; takenAt?: number }): void {
    if (this.#isOver) return;
    const takenAt = change.takenAt ?? this.#state.takenAt;
    this.#state = {
      path: this.#options.path,
      name: this.#name ?? '',
      state: change.state,
      ...(change.problem === undefined ? {} : { problem: change.problem }),
      ...(takenAt === undefined ? {} : { takenAt }),
    };
    this.#options.onState(this.#state);
  }
}
