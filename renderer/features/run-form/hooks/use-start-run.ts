import { useRunGate } from '#renderer/features/connections/index.ts';
import { useServices } from '#renderer/state/app-context.tsx';
import { goTo } from '#renderer/state/place.ts';
import { useAction } from '#renderer/state/requests.ts';
import type { StartedRun } from '#renderer/state/started-runs.ts';
import type { ChosenConnections } from '#shared/ipc/connection-routes.ts';
import type { RouteInput } from '#shared/ipc/routes.ts';
import { toProblem, type Problem } from '#shared/problem.ts';

/**
 * Starts a run and shows it, after the sheet before it where accounts are missing or to be chosen; unless who asks has another place for it. What it was started with is
 * remembered, to run it again.
 */
export function useStartRun(
  onProblem?: (problem: Problem) => void,
  onStarted: (runId: string) => void = (runId) => goTo({ name: 'run', runId }),
): {
  readonly start: (run: StartedRun) => void;
  readonly isStarting: boolean;
} {
  const { startedRuns, notices } = useServices();
  const report = onProblem ?? ((problem: Problem) => notices.report(problem));
  const action = useAction('runs.start', { onProblem: () => undefined });
  const gate = useRunGate(report);
  const send = (run: StartedRun, connections: ChosenConnections | undefined) =>
    action.mutate(requestOf(run, connections), {
      onSuccess: ({ runId }) => {
        startedRuns.remember(runId, run);
        onStarted(runId);
      },
      onError: (error) => {
        const problem = toProblem(error);
        // An account may have ended since it was looked at.
        if (problem.code === 'missing_integration_connection')
          gate.choose(run.agentId, (chosen) => send(run, chosen));
        else report(problem);
      },
    });
  return {
    isStarting: action.isPending || gate.isLooking,
    start: (run) => gate.pass(run.agentId, (connections) => send(run, connections)),
  };
}

function requestOf(
  { agentId, input, files, model }: StartedRun,
  connections: ChosenConnections | undefined,
): RouteInput<'runs.start'> {
  return {
    agentId,
    input,
    files: files.map(({ field, source }) => ({ field, source })),
    model,
    ...(connections && { connections }),
  };
}
