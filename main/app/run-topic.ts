import type { RunService } from '#main/runs/run-service.ts';
import type { TopicMessage } from '#shared/ipc/topics.ts';
import { ProblemError } from '#shared/problem.ts';
import { Revision } from './revision.ts';

/** Events in one message, so that opening a long run neither blocks the carrier nor the page. */
const RUN_BATCH_LIMIT = 500;

/**
 * A run's events after the cursor, which is the last sequence number. Ends when the run is removed.
 * @throws ProblemError `run_unknown`, `cursor_invalid`.
 */
export async function* followRun(
  runs: RunService,
  runId: string,
  after: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<{ cursor: string; data: TopicMessage<'run'> }> {
  let sequence = parseSequence(after);
  const removed = new AbortController();
  const over = AbortSignal.any([signal, removed.signal]);
  const news = new Revision('');
  const stopEvents = runs.onEvents(runId, () => void news.advance());
  const stopSummary = runs.onSummary((change) => {
    if (change.kind === 'removed' && change.runId === runId) removed.abort();
  });
  try {
    runs.get(runId);
    while (!over.aborted) {
      const seen = news.number;
      const events = runs.events(runId, sequence, RUN_BATCH_LIMIT);
      const last = events.at(-1);
      if (last) {
        sequence = last.sequence;
        yield { cursor: String(sequence), data: { events } };
      }
      if (events.length < RUN_BATCH_LIMIT) await news.after(seen, over);
    }
  } finally {
    stopEvents();
    stopSummary();
  }
}

function parseSequence(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new ProblemError({
    code: 'cursor_invalid',
    title: 'Unknown position in the run',
    detail: `"${cursor.slice(0, 40)}" is no position in a run's record.`,
    action: 'Open the run again.',
  });
}
