import type { Problem } from '#shared/problem.ts';
import type { RunStatus } from '#shared/runs/run.ts';

/** Exit codes of the command line, as `slipway run --help` tells them. */
export const EXIT = {
  success: 0,
  failed: 1,
  usage: 2,
  engineMissing: 3,
  timedOut: 124,
  cancelled: 130,
  brokenPipe: 141,
  terminated: 143,
} as const;

export const EXIT_CODE_HELP = `
Exit codes:
  0    the run succeeded
  1    the run failed, was interrupted, or its outputs could not be copied
  2    wrong usage or bad input; nothing was run
  3    no engine to run on
  124  the run exceeded its time limit
  130  the run was cancelled (Ctrl+C stops it and still prints the result; a second one ends at once)
  143  the command was asked to terminate`;

export const REPLAY_EXIT_CODE_HELP = `
Exit codes:
  0    it came out as recorded; with --live, the run succeeded
  1    it came out otherwise, or the recording lacks something it asked for
  2    wrong usage, or no recording that can be replayed; nothing was run
  and those of "slipway run" for an engine that is missing, a time limit and Ctrl+C`;

const ENGINE_PROBLEMS: ReadonlySet<string> = new Set([
  'no_engine',
  'consent_required',
  'engine_unreachable',
  'isolation_failed',
  'image_build_failed',
]);

/** Whether a problem says that there is nothing to run on. */
export function isEngineProblem(problem: Problem | undefined): boolean {
  return problem !== undefined && ENGINE_PROBLEMS.has(problem.code);
}

/** Exit code for how a run ended. */
export function exitCodeOfRun(status: RunStatus, problem: Problem | undefined): number {
  switch (status) {
    case 'success':
      return EXIT.success;
    case 'timed_out':
      return EXIT.timedOut;
    case 'cancelled':
      return EXIT.cancelled;
    case 'failed':
      return isEngineProblem(problem) ? EXIT.engineMissing : EXIT.failed;
    case 'interrupted':
    case 'queued':
    case 'preparing':
    case 'running':
      return EXIT.failed;
  }
}
