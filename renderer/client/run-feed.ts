import type { RunEvent } from '#shared/events/run-event.ts';
import type { IpcClient } from '#shared/ipc/client.ts';
import type { Problem } from '#shared/problem.ts';
import { EMPTY_PROJECTION, projectEvents, type RunProjection } from '#shared/runs/projection.ts';
import { scheduleFrame, type Schedule } from './frame-scheduler.ts';

export interface RunFeedState {
  readonly projection: RunProjection;
  /** Main ended the feed: the run was removed, or there is none of that id. */
  readonly closed: boolean;
  readonly problem: Problem | undefined;
}

/** How often a hole in a run's record is asked for again before it is called a fault. */
const MAX_RESTARTS = 3;

/**
 * Follows one run: what arrives between two frames is projected once, so that a burst of events costs one
 * render. A hole in the record is mended by subscribing anew; what is known already is skipped. It is
 * subscribed while it has listeners.
 */
export class RunFeed {
  readonly #client: IpcClient;
  readonly #runId: string;
  readonly #schedule: Schedule;
  readonly #listeners = new Set<() => void>();
  #state: RunFeedState = { projection: EMPTY_PROJECTION, closed: false, problem: undefined };
  #arrived: RunEvent[] = [];
  #cancelFrame: (() => void) | undefined;
  #unsubscribe: (() => void) | undefined;
  #restarts = 0;

  constructor(client: IpcClient, runId: string, schedule: Schedule = scheduleFrame) {
    this.#client = client;
    this.#runId = runId;
    this.#schedule = schedule;
  }

  readonly getState = (): RunFeedState => this.#state;

  readonly onChange = (listener: () => void): (() => void) => {
    if (this.#listeners.size === 0 && !this.#state.closed) this.#open();
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#close();
    };
  };

  #close(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#cancelFrame?.();
    this.#cancelFrame = undefined;
    this.#arrived = [];
  }

  #open(): void {
    this.#close();
    this.#unsubscribe = this.#client.subscribe(
      'run',
      { runId: this.#runId },
      ({ events }) => {
        this.#arrived.push(...events);
        this.#cancelFrame ??= this.#schedule(() => this.#project());
      },
      (problem) => {
        this.#cancelFrame?.();
        this.#project();
        this.#change({ closed: true, problem });
      },
    );
  }

  #project(): void {
    this.#cancelFrame = undefined;
    const arrived = this.#arrived;
    this.#arrived = [];
    const before = this.#state.projection;
    const projection = projectEvents(before, arrived);
    if (projection !== before) this.#change({ projection });
    if (projection.lastSequence > before.lastSequence) this.#restarts = 0;
    if (!projection.gap || this.#state.closed) return;
    this.#restarts += 1;
    if (this.#restarts <= MAX_RESTARTS) this.#open();
    else this.#change({ closed: true, problem: recordIncomplete(projection.gap.after) });
  }

  #change(change: Partial<RunFeedState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

function recordIncomplete(after: number): Problem {
  return {
    code: 'record_incomplete',
    title: 'The run’s record has a hole',
    detail: `Events after number ${after} are missing. What is shown ends there.`,
    action: 'Open the run again.',
  };
}
