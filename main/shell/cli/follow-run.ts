import { styleText } from 'node:util';
import type { Application } from '#main/app/application.ts';
import { followRun } from '#main/app/run-topic.ts';
import { toProblem, type Problem } from '#shared/problem.ts';
import { onEndSignal, type EndSignal } from '../end-signals.ts';
import { RunLog } from './run-log.ts';
import type { Streams } from './streams.ts';

/** Follows the run to its end. A signal, or a reader that goes away, stops it. */
export async function followToEnd(
  { runs }: Application,
  runId: string,
  json: boolean,
  { output, errors }: Streams,
): Promise<EndSignal | undefined> {
  let received: EndSignal | undefined;
  const stop = () => void runs.stop(runId).catch(() => undefined);
  using _signals = onEndSignal((signal) => {
    received = signal;
    if (!json) void errors.line(styleText('yellow', 'Stopping …'));
    stop();
  });
  output.broken.addEventListener('abort', stop, { once: true });
  // The reader may have gone before the first event.
  if (output.broken.aborted) stop();
  const log = new RunLog((line) => void errors.line(line));
  const over = new AbortController();
  for await (const { data } of followRun(runs, runId, undefined, over.signal)) {
    for (const event of data.events) {
      if (json) await output.json({ sequence: event.sequence, at: event.at, ...event.data });
      else log.event(event);
      if (event.data.type === 'run.ended') over.abort();
    }
  }
  return received;
}

/** The last line of a run that never began, so that a reader of JSON lines always finds a result. */
export function refusedLine(error: unknown): Record<string, unknown> {
  const problem: Problem = toProblem(error);
  return { type: 'result', runId: null, status: 'refused', output: null, files: [], usage: null, problem };
}
