import { styleText } from 'node:util';
import type { Application } from '#main/app/application.ts';
import { ProblemError } from '#shared/problem.ts';
import type { RunDifference } from '#shared/runs/differences.ts';
import type { RunDetail } from '#shared/runs/run.ts';
import { cutText } from '#shared/text/cut-text.ts';
import { exitCodeOf } from '../end-signals.ts';
import { problemText } from '../problem-text.ts';
import { EXIT, exitCodeOfRun } from './exit-codes.ts';
import { followToEnd } from './follow-run.ts';
import { withApplication, type DataOptions } from './services.ts';
import type { Streams } from './streams.ts';

/** Bytes of one side of a difference that a terminal is shown. */
const SHOWN_BYTES = 1200;

export interface ReplayOptions extends DataOptions {
  readonly live: boolean;
  readonly model?: string | undefined;
  readonly agent?: string | undefined;
  readonly json: boolean;
}

/**
 * Runs a recorded run again, to its end, and tells what came out otherwise.
 * @returns the exit code. @throws ProblemError for everything that keeps it from starting.
 */
export async function replayCommand(run: string, options: ReplayOptions, streams: Streams): Promise<number> {
  const { live, json, agent } = options;
  if (!live && (options.model !== undefined || agent !== undefined)) throw needsLive();
  return withApplication(options, async (application) => {
    const original = run === 'last' ? newestRun(application) : run;
    const model = options.model === undefined ? undefined : application.models.parseReference(options.model);
    const mode = live ? 'live' : 'recorded';
    const { id } = await application.runs.replay({ runId: original, mode, agent, model, trigger: 'cli' });
    if (json) await streams.output.json({ type: 'run', runId: id, replayOf: original, mode });
    const signal = await followToEnd(application, id, json, streams);
    const detail = application.runs.get(id);
    const differences = application.runs.differences(id);
    if (json) await streams.output.json(resultLine(detail, differences));
    else await tell(detail, differences, live, streams);
    const { status, problem } = detail.summary;
    if (signal && status === 'cancelled') return exitCodeOf(signal);
    // A run that failed as it did when it was recorded is a replay that went well.
    if (!live && differences.length === 0) return EXIT.success;
    return exitCodeOfRun(status, problem) || (live ? EXIT.success : EXIT.failed);
  });
}

function newestRun({ runs }: Application): string {
  // Replays have no recording of their own.
  const newest = runs.list({ limit: 500 }).runs.find(({ replayOf }) => replayOf === undefined);
  if (newest !== undefined) return newest.id;
  throw new ProblemError({
    code: 'run_unknown',
    title: 'There is no run yet',
    detail: 'Nothing was run that could be replayed.',
    action: 'Run an agent first: slipway run @slipway/csv-report',
  });
}

function needsLive(): ProblemError {
  return new ProblemError({
    code: 'options_conflict',
    title: 'A recorded model is not chosen',
    detail:
      '--model and --agent are for a live model; without --live the recorded one answers the agent as it was.',
    action: 'Add --live.',
  });
}

function resultLine({ summary, output }: RunDetail, differences: readonly RunDifference[]): object {
  const { id, status, problem, replayOf } = summary;
  return {
    type: 'result',
    runId: id,
    replayOf: replayOf?.runId,
    status,
    output: output ?? null,
    problem: problem ?? null,
    differences,
  };
}

async function tell(
  { summary, output }: RunDetail,
  differences: readonly RunDifference[],
  isLive: boolean,
  { errors, output: out }: Streams,
): Promise<void> {
  if (summary.problem) await errors.line(styleText('red', problemText(summary.problem)));
  for (const { part, before, after } of differences) {
    await errors.line(styleText('yellow', `In the ${PART_NAMES[part]}:`));
    await errors.line(styleText('red', `- ${shown(before)}`));
    await errors.line(styleText('green', `+ ${shown(after)}`));
  }
  const same = isLive ? 'nothing came out otherwise' : 'as recorded';
  const count = differences.length === 1 ? '1 difference' : `${differences.length} differences`;
  const parts = [
    summary.status.replace('_', ' '),
    differences.length === 0 ? same : count,
    `run ${summary.id}`,
  ];
  await errors.line(styleText('bold', parts.join(' · ')));
  if (output !== undefined) await out.line(JSON.stringify(output, null, 2));
}

const PART_NAMES: Readonly<Record<RunDifference['part'], string>> = {
  conversation: 'conversation',
  told: 'log, output or memory',
  files: 'files',
  end: 'end',
};

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const { text, isCut } = cutText(JSON.stringify(value), SHOWN_BYTES);
  return isCut ? `${text} …` : text;
}
