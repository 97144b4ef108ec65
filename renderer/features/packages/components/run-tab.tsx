import { Button } from '#renderer/components/button.tsx';
import { Loading } from '#renderer/components/empty-state.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { runBlocker } from '#renderer/features/engine/index.ts';
import { RunForm } from '#renderer/features/run-form/index.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import { useRequest } from '#renderer/state/requests.ts';
import type { AgentDetail } from '#shared/ipc/routes.ts';
import { useStartValues } from '../hooks/use-start-values.ts';
import { AgentFacts } from './agent-facts.tsx';

/** The form that runs an agent, and what it may do. */
export function RunTab({
  agentId,
  revision,
  again,
}: {
  /** Name of the agent, with a version when it is not the newest state that is shown. */
  agentId: string;
  /** Another number when the package has changed. */
  revision: number;
  again: string | undefined;
}) {
  const agent = useRequest('library.get', { agentId }, { version: revision, keepsPrevious: true });
  if (agent.isError) {
    return (
      <div className="max-w-170">
        <ProblemCard problem={agent.error.problem}>
          <Button size="small" onClick={() => void agent.refetch()}>
            Try again
          </Button>
        </ProblemCard>
      </div>
    );
  }
  if (!agent.data) return <Loading label="Loading the agent" />;
  return <AgentRun agent={agent.data} again={again} />;
}

function AgentRun({ agent, again }: { agent: AgentDetail; again: string | undefined }) {
  const models = useApp((state) => state.models);
  const blocker = useApp((state) => runBlocker(state.engine));
  const start = useStartValues(agent, again);
  return (
    <div className="grid gap-x-12 gap-y-8 xl:grid-cols-[minmax(0,40rem)_minmax(16rem,22rem)]">
      <div className="space-y-5">
        {agent.summary.description && (
          <p className="max-w-160 text-lg text-ink-soft">{agent.summary.description}</p>
        )}
        {start.notice && <p className="max-w-160 border-l-2 border-caution pl-3">{start.notice}</p>}
        {models && start.values ? (
          <RunForm
            // Another run's input makes another form.
            key={`${agent.summary.id} ${again ?? ''}`}
            agent={agent}
            providers={models.providers}
            defaultModel={models.defaultModel}
            start={start.values}
            blocker={blocker}
          />
        ) : (
          <Loading label="Loading the form" />
        )}
      </div>
      <AgentFacts agent={agent} />
    </div>
  );
}
