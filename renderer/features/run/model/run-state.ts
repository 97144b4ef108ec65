import type { RunProjection } from '#shared/runs/projection.ts';
import { isFinalStatus, type RunStatus, type RunSummary } from '#shared/runs/run.ts';

/**
 * A run's state by its record and its summary. The record is the nearer one, but the end of a run whose app
 * was killed may stand in the summary alone.
 */
export function runStatus(projection: RunProjection, summary: RunSummary | undefined): RunStatus {
  if (isFinalStatus(projection.status)) return projection.status;
  const isRead = summary !== undefined && projection.lastSequence >= summary.lastSequence;
  if (isRead && isFinalStatus(summary.status)) return summary.status;
  return projection.lastSequence === 0 && summary ? summary.status : projection.status;
}

export interface RunClock {
  /** Milliseconds the run has taken, or took. */
  readonly elapsed: number;
  /** Milliseconds it may take, from the start of the agent's loop. */
  readonly limit: number | undefined;
}

/** How long a run has taken at a time; preparation does not count against its limit. */
export function runClock(
  projection: RunProjection,
  summary: RunSummary | undefined,
  now: number,
): RunClock | undefined {
  const from = projection.startedAt ?? summary?.startedAt ?? projection.queuedAt ?? summary?.createdAt;
  if (from === undefined) return undefined;
  const to = projection.endedAt ?? summary?.endedAt ?? now;
  const seconds = projection.timeoutSeconds ?? summary?.timeoutSeconds;
  return {
    elapsed: Math.max(0, to - from),
    limit: seconds === undefined ? undefined : seconds * 1000,
  };
}
