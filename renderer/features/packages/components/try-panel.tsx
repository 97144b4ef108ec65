import { X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button, IconButton } from '#renderer/components/button.tsx';
import { Loading } from '#renderer/components/empty-state.tsx';
import { focusOnMount } from '#renderer/components/focus-on-mount.ts';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { runBlocker } from '#renderer/features/engine/index.ts';
import { RunPanel } from '#renderer/features/run/index.ts';
import { RunForm } from '#renderer/features/run-form/index.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import { useRequest } from '#renderer/state/requests.ts';
import type { AgentDetail } from '#shared/ipc/routes.ts';
import type { Problem } from '#shared/problem.ts';
import { useStartValues } from '../hooks/use-start-values.ts';

/** Runs a draft beside its editor, with the values of its last run or with given ones. */
export function TryPanel({
  agentId,
  revision,
  values,
  prepare,
  onClose,
}: {
  agentId: string;
  /** Another number when the package has changed. */
  revision: number;
  /** Values to begin with, in the place of those of the last run. */
  values: Readonly<Record<string, unknown>> | undefined;
  /** Saves the draft; gives why it is not saved. */
  prepare: () => Promise<Problem | undefined>;
  onClose: () => void;
}) {
  const [runId, setRunId] = useState<string>();
  const agent = useRequest('library.get', { agentId }, { version: revision, keepsPrevious: true });
  return (
    <aside
      ref={focusOnMount}
      tabIndex={-1}
      aria-label="Try it"
      className="flex min-h-0 flex-1 flex-col bg-surface focus:outline-none"
    >
      <header className="flex items-center gap-2 border-b border-line px-5 py-2">
        <h2 className="flex-1 font-semibold">{runId === undefined ? 'Try the draft' : 'The draft runs'}</h2>
        {runId !== undefined && (
          <Button size="small" onClick={() => setRunId(undefined)}>
            Another run
          </Button>
        )}
        <IconButton label="Close the trial" icon={<X size={15} />} onClick={onClose} />
      </header>
      {runId !== undefined ? (
        <RunPanel key={runId} runId={runId} />
      ) : (
        <div className="min-h-0 flex-1 overflow-auto px-5 py-4">
          {agent.isError ? (
            <ProblemCard problem={agent.error.problem}>
              <Button size="small" onClick={() => void agent.refetch()}>
                Try again
              </Button>
            </ProblemCard>
          ) : agent.data ? (
            <TryForm agent={agent.data} values={values} prepare={prepare} onStarted={setRunId} />
          ) : (
            <Loading label="Loading the form" />
          )}
        </div>
      )}
    </aside>
  );
}

function TryForm({
  agent,
  values,
  prepare,
  onStarted,
}: {
  agent: AgentDetail;
  values: Readonly<Record<string, unknown>> | undefined;
  prepare: () => Promise<Problem | undefined>;
  onStarted: (runId: string) => void;
}) {
  const models = useApp((state) => state.models);
  const blocker = useApp((state) => runBlocker(state.engine));
  const runs = useApp((state) => state.runs);
  // The run that was the last when the form came; one that ends meanwhile does not take it away.
  const [last] = useState(() =>
    [...(runs?.values() ?? [])]
      .filter(({ agentId }) => agentId === agent.summary.id)
      .reduce<{ id: string; createdAt: number } | undefined>(
        (newest, run) => (newest === undefined || run.createdAt > newest.createdAt ? run : newest),
        undefined,
      ),
  );
  const start = useStartValues(agent, last?.id);
  const begun = useMemo(
    () => start.values && { ...start.values, ...(values && { input: values }) },
    [start.values, values],
  );
  if (!models || !begun) return <Loading label="Loading the form" />;
  return (
    <div className="space-y-4">
      {start.notice && values === undefined && (
        <p className="border-l-2 border-caution pl-3">{start.notice}</p>
      )}
      <RunForm
        // Another input, or other values, make another form.
        key={JSON.stringify([agent.input, begun.input])}
        agent={agent}
        providers={models.providers}
        defaultModel={models.defaultModel}
        start={begun}
        blocker={blocker}
        prepare={prepare}
        onStarted={onStarted}
      />
    </div>
  );
}
