import { useServices } from '#renderer/state/app-context.tsx';
import { goTo } from '#renderer/state/place.ts';
import { useAction } from '#renderer/state/requests.ts';
import type { StartedRun } from '#renderer/state/started-runs.ts';
import type { RouteInput } from '#shared/ipc/routes.ts';
import type { Problem } from '#shared/problem.ts';

/**
 * Starts a run and shows it, unless who asks has another place for it. What it was started with is
 * remembered, to run it again.
 */
export function useStartRun(
  onProblem?: (problem: Problem) => void,
  onStarted: (runId: string) => void = (runId) => goTo({ name: 'run', runId }),
): {
  readonly start: (run: StartedRun) => void;
  readonly isStarting: boolean;
} {
  const { startedRuns } = useServices();
  const action = useAction('runs.start', { ...(onProblem && { onProblem }) });
  return {
    isStarting: action.isPending,
    start: (run) =>
      action.mutate(requestOf(run), {
        onSuccess: ({ runId }) => {
          startedRuns.remember(runId, run);
          onStarted(runId);
        },
      }),
  };
}

function requestOf({ agentId, input, files, model }: StartedRun): RouteInput<'runs.start'> {
  return {
    agentId,
    input,
    files: files.map(({ field, source }) => ({ field, source })),
    model,
  };
}
