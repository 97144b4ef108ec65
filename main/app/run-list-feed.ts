import type { RunService } from '#main/runs/run-service.ts';
import type { RunSummary } from '#shared/runs/run.ts';
import type { TopicMessage } from '#shared/ipc/topics.ts';
import { Revision } from './revision.ts';

/** Newest runs that a reset carries; older ones are paged with the route `runs.list`. */
const RESET_LIMIT = 200;

/** Follows the list of runs: first the newest, then only what changed. */
export class RunListFeed implements Disposable {
  readonly #runs: RunService;
  readonly #revision: Revision;
  /** Each run's last change in this process; without a summary when the run was removed. */
  readonly #changes = new Map<string, { revision: number; run: RunSummary | undefined }>();
  readonly #stop: () => void;

  constructor(epoch: string, runs: RunService) {
    this.#runs = runs;
    this.#revision = new Revision(epoch);
    this.#stop = runs.onSummary((change) => {
      const revision = this.#revision.number + 1;
      if (change.kind === 'removed') this.#changes.set(change.runId, { revision, run: undefined });
      else this.#changes.set(change.run.id, { revision, run: change.run });
      this.#revision.advance();
    });
  }

  async *follow(
    after: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<{ cursor: string; data: TopicMessage<'runs'> }> {
    let seen = this.#revision.parse(after);
    while (!signal.aborted) {
      if (seen === undefined) {
        const { runs } = this.#runs.list({ limit: RESET_LIMIT });
        seen = this.#revision.number;
        yield { cursor: this.#revision.cursor, data: { kind: 'reset', runs } };
      } else if (this.#revision.number > seen) {
        const data = this.#changedSince(seen);
        seen = this.#revision.number;
        yield { cursor: this.#revision.cursor, data };
      } else {
        await this.#revision.after(seen, signal);
      }
    }
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  #changedSince(seen: number): TopicMessage<'runs'> {
    const runs: RunSummary[] = [];
    const removed: string[] = [];
    for (const [runId, change] of this.#changes) {
      if (change.revision <= seen) continue;
      if (change.run) runs.push(change.run);
      else removed.push(runId);
    }
    return { kind: 'changed', runs, removed };
  }
}
