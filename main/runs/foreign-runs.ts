import type { InstanceRegistry } from '#main/store/index.ts';
import { isFinalStatus, type RunSummary } from '#shared/runs/run.ts';
import type { RunRepository } from './run-repository.ts';

/** Milliseconds between two looks whether the processes with unfinished runs still live. */
const LIFE_CHECK_MS = 3_000;

export interface ForeignRunsOptions {
  readonly repository: RunRepository;
  readonly instances: InstanceRegistry;
  /** Calls back when another process has written to the database. */
  onForeignChange(listener: () => void): Disposable;
  /** A run of another process may have new events. */
  eventsWritten(runId: string): void;
  changed(run: RunSummary): void;
  removed(runId: string): void;
  /** A process with unfinished runs has died. */
  abandoned(): void;
}

/**
 * Follows the runs that other processes on the same data folder make, such as the command line's beside the
 * open app: their summaries as they change, and their end when the process dies.
 */
export class ForeignRuns implements Disposable {
  readonly #options: ForeignRunsOptions;
  readonly #unfinished = new Map<string, RunSummary>();
  readonly #watch: Disposable;
  #newest = Date.now();
  #lifeCheck: NodeJS.Timeout | undefined;

  constructor(options: ForeignRunsOptions) {
    this.#options = options;
    this.#watch = options.onForeignChange(() => this.#look());
    this.#look();
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
    clearInterval(this.#lifeCheck);
  }

  #look(): void {
    const { repository, instances } = this.#options;
    const found = repository.ofOthers(instances.instanceId, this.#newest);
    const present = new Set(found.map(({ summary }) => summary.id));
    for (const { summary } of found) this.#follow(summary);
    for (const id of this.#unfinished.keys()) if (!present.has(id)) this.#finish(id);
    this.#checkLives();
  }

  #follow(summary: RunSummary): void {
    const known = this.#unfinished.get(summary.id);
    this.#newest = Math.max(this.#newest, summary.createdAt);
    if (isFinalStatus(summary.status)) this.#unfinished.delete(summary.id);
    else this.#unfinished.set(summary.id, summary);
    this.#options.eventsWritten(summary.id);
    if (JSON.stringify(known) !== JSON.stringify(summary)) this.#options.changed(summary);
  }

  /** A run that is no longer among the unfinished ones has ended, or was removed since. */
  #finish(runId: string): void {
    this.#unfinished.delete(runId);
    const summary = this.#options.repository.find(runId);
    if (summary) this.#follow(summary);
    else this.#options.removed(runId);
  }

  #checkLives(): void {
    if (this.#unfinished.size === 0) {
      clearInterval(this.#lifeCheck);
      this.#lifeCheck = undefined;
      return;
    }
    this.#lifeCheck ??= setInterval(() => {
      const { repository, instances } = this.#options;
      const dead = repository
        .ofOthers(instances.instanceId, this.#newest)
        .some(({ instanceId }) => !instances.isLive(instanceId));
      if (!dead) return;
      this.#options.abandoned();
      this.#look();
    }, LIFE_CHECK_MS).unref();
  }
}
