import { useMemo } from 'react';
import { useServices } from '#renderer/state/app-context.tsx';
import { useRequest } from '#renderer/state/requests.ts';
import type { StartedFile, StartedRun } from '#renderer/state/started-runs.ts';
import type { AgentDetail } from '#shared/ipc/routes.ts';
import type { ModelReference } from '#shared/models/model.ts';
import type { RunDetail } from '#shared/runs/run.ts';

interface StartValues {
  readonly input: Readonly<Record<string, unknown>>;
  readonly files: readonly StartedFile[];
  readonly model: ModelReference | undefined;
}

/**
 * What the form begins with: the agent's example, or the input of an earlier run with the files that are kept
 * with it. Runs of an earlier Slipway kept none; the notice names what cannot be read again.
 */
export function useStartValues(
  agent: AgentDetail,
  again: string | undefined,
): { readonly values: StartValues | undefined; readonly notice: string | undefined } {
  const { startedRuns } = useServices();
  const started = again === undefined ? undefined : startedRuns.find(again);
  const earlier = useRequest(
    'runs.get',
    { runId: again ?? '' },
    { enabled: again !== undefined && started === undefined },
  );
  return useMemo(() => {
    if (again === undefined) return { values: exampleValues(agent), notice: undefined };
    if (started) return { values: startedValues(started), notice: undefined };
    if (earlier.data) return earlierValues(agent, earlier.data);
    if (earlier.isError)
      return {
        values: exampleValues(agent),
        notice: 'The earlier run is gone; this is the example instead.',
      };
    return { values: undefined, notice: undefined };
  }, [agent, again, started, earlier.data, earlier.isError]);
}

function exampleFiles(agent: AgentDetail): StartedFile[] {
  return agent.examples.map(({ field, name, size, path }) => ({
    field,
    name,
    size,
    source: { kind: 'example', path },
  }));
}

function exampleValues(agent: AgentDetail): StartValues {
  return { input: agent.exampleInput, files: exampleFiles(agent), model: undefined };
}

function startedValues({ input, files, model }: StartedRun): StartValues {
  return { input, files, model };
}

function earlierValues(
  agent: AgentDetail,
  run: RunDetail,
): { values: StartValues; notice: string | undefined } {
  const examples = exampleFiles(agent);
  const found: StartedFile[] = [];
  const lost: string[] = [];
  for (const { field, name, originalName, size, kept } of run.inputFiles) {
    if (kept === true) {
      const source = { kind: 'run', runId: run.summary.id, folder: 'documents', path: name } as const;
      found.push({ field, name: originalName, size, source });
      continue;
    }
    const example = examples.find(
      (candidate) => candidate.field === field && candidate.name === originalName && candidate.size === size,
    );
    if (example) found.push(example);
    else lost.push(originalName);
  }
  return {
    values: { input: run.input, files: found, model: run.summary.model },
    notice:
      lost.length > 0
        ? `The input of the earlier run is filled in. Choose again what it was given: ${lost.join(', ')}.`
        : undefined,
  };
}
