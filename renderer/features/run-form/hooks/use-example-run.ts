import { useServices } from '#renderer/state/app-context.tsx';
import { goTo } from '#renderer/state/place.ts';
import type { StartedRun } from '#renderer/state/started-runs.ts';
import type { AgentDetail } from '#shared/ipc/routes.ts';
import { toProblem } from '#shared/problem.ts';
import { useState } from 'react';
import { useStartRun } from './use-start-run.ts';

/** Runs an agent at once with its example input, on the default model. */
export function useExampleRun(): {
  readonly run: (agentId: string) => void;
  /** The agent that is being started. */
  readonly startingId: string | undefined;
} {
  const { client, notices } = useServices();
  const { start, isStarting } = useStartRun();
  const [asked, setAsked] = useState<string | undefined>(undefined);
  const [loading, setLoading] = useState(false);
  return {
    startingId: loading || isStarting ? asked : undefined,
    run: (agentId) => {
      setAsked(agentId);
      setLoading(true);
      client
        .request('library.get', { agentId })
        .then((agent) => {
          if (needsForm(agent)) goTo({ name: 'package', kind: 'agent', packageName: agentId, tab: 'run' });
          else start(exampleOf(agent));
        })
        .catch((error: unknown) => notices.report(toProblem(error)))
        .finally(() => setLoading(false));
    },
  };
}

/** What an agent's own example gives it. */
function exampleOf(agent: AgentDetail): StartedRun {
  return {
    agentId: agent.summary.id,
    input: agent.exampleInput,
    files: agent.examples.map(({ field, name, size, path }) => ({
      field,
      name,
      size,
      source: { kind: 'example', path },
    })),
    model: undefined,
  };
}

/** Whether the example leaves out something the agent requires. */
function needsForm({ input, exampleInput, examples }: AgentDetail): boolean {
  const required: unknown = input?.schema['required'];
  if (!Array.isArray(required)) return false;
  return required.some((name) => !(name in exampleInput) && !examples.some(({ field }) => field === name));
}
