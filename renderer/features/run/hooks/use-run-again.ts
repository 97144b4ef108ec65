import { useStartRun } from '#renderer/features/run-form/index.ts';
import { useServices } from '#renderer/state/app-context.tsx';
import { goTo } from '#renderer/state/place.ts';
import type { RunDetail } from '#shared/runs/run.ts';

/**
 * Runs an agent again with the same input: at once when every file can be read again, else by the form,
 * filled in as far as it can be.
 */
export function useRunAgain(
  runId: string,
  detail: RunDetail | undefined,
): { readonly runAgain: () => void; readonly isStarting: boolean } {
  const { startedRuns, notices } = useServices();
  const openForm = (agentId: string) =>
    goTo({ name: 'package', kind: 'agent', packageName: agentId, tab: 'run', again: runId });
  const { start, isStarting } = useStartRun((problem) => {
    notices.report(problem);
    if (detail) openForm(detail.summary.agentId);
  });
  return {
    isStarting,
    runAgain: () => {
      const started = startedRuns.find(runId);
      if (started) start(started);
      else if (detail?.inputFiles.every(({ kept }) => kept === true)) {
        const { agentId, model } = detail.summary;
        const files = detail.inputFiles.map(({ field, name, originalName, size }) => ({
          field,
          name: originalName,
          size,
          source: { kind: 'run', runId, folder: 'documents', path: name } as const,
        }));
        // Main sets the path of each file anew.
        const fields = new Set(files.map(({ field }) => field));
        const values = Object.entries(detail.input).filter(([key]) => !fields.has(key));
        start({ agentId, input: Object.fromEntries(values), files, model });
      } else if (detail) openForm(detail.summary.agentId);
    },
  };
}
