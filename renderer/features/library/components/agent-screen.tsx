import { ChevronLeft } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Badge } from '#renderer/components/badge.tsx';
import { Button } from '#renderer/components/button.tsx';
import { CodeBlock } from '#renderer/components/code-block.tsx';
import { Loading } from '#renderer/components/empty-state.tsx';
import { Markdown } from '#renderer/components/markdown.tsx';
import { PageHeader } from '#renderer/components/page-header.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { Segmented } from '#renderer/components/segmented.tsx';
import { TabCount, TabPanel, Tabs } from '#renderer/components/tabs.tsx';
import { runBlocker } from '#renderer/features/engine/index.ts';
import { RunForm } from '#renderer/features/run-form/index.ts';
import { RunTable } from '#renderer/features/runs/index.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import { goTo, placeLink, type Place } from '#renderer/state/place.ts';
import { useRequest } from '#renderer/state/requests.ts';
import { useDocumentTitle } from '#renderer/state/use-document-title.ts';
import type { AgentDetail } from '#shared/ipc/routes.ts';
import { useStartValues } from '../hooks/use-start-values.ts';
import { AgentFacts } from './agent-facts.tsx';
import { FindingList } from './finding-list.tsx';

/** One agent: what it is, and the form that runs it. */
export function AgentScreen({ place }: { place: Extract<Place, { name: 'agent' }> }) {
  const summary = useApp(({ agents }) => agents?.find(({ id }) => id === place.agentId));
  const agent = useRequest('library.get', { agentId: place.agentId });
  const { refetch } = agent;
  useDocumentTitle(agent.data?.summary.displayName ?? place.agentId);
  // The library tells of a change of the package; what was asked for before is then stale.
  useEffect(() => {
    if (summary) void refetch();
  }, [summary, refetch]);

  const name = agent.data?.summary.displayName ?? summary?.displayName ?? place.agentId;
  return (
    <>
      <PageHeader
        title={name}
        before={
          <a
            href={placeLink({ name: 'library' })}
            className="inline-flex items-center gap-0.5 hover:text-ink"
          >
            <ChevronLeft size={13} aria-hidden="true" />
            Agents
          </a>
        }
        subtitle={
          agent.data && (
            <span className="flex items-center gap-2 font-mono text-sm">
              {agent.data.summary.id} {agent.data.summary.version}
              {agent.data.summary.origin === 'sample' && <Badge>Sample</Badge>}
            </span>
          )
        }
      />
      {agent.isError && (
        <main id="content" tabIndex={-1} className="max-w-170 px-6 focus:outline-none">
          <ProblemCard problem={agent.error.problem}>
            <Button size="small" onClick={() => void refetch()}>
              Try again
            </Button>
          </ProblemCard>
        </main>
      )}
      {agent.isPending && <Loading label="Loading the agent" />}
      {agent.data && <AgentTabs agent={agent.data} place={place} />}
    </>
  );
}

function AgentTabs({ agent, place }: { agent: AgentDetail; place: Extract<Place, { name: 'agent' }> }) {
  const { findings } = agent;
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  return (
    <Tabs
      label="Agent"
      current={place.tab}
      onChange={(tab) => goTo({ ...place, tab }, { replace: true })}
      className="flex min-h-0 flex-1 flex-col"
      tabs={[
        { key: 'run', label: 'Run' },
        { key: 'prompt', label: 'Prompt' },
        { key: 'manifest', label: 'Manifest' },
        {
          key: 'findings',
          label: 'Findings',
          extra:
            errors > 0 ? (
              <Badge tone="danger">{errors}</Badge>
            ) : (
              findings.length > 0 && <TabCount>{findings.length}</TabCount>
            ),
        },
        { key: 'history', label: 'Past runs' },
      ]}
    >
      <main id="content" tabIndex={-1} className="min-h-0 flex-1 overflow-auto focus:outline-none">
        <TabPanel value="run" className="px-6 py-5">
          <RunTab agent={agent} again={place.again} />
        </TabPanel>
        <TabPanel value="prompt" className="px-6 py-5">
          <Prompt text={agent.promptText} />
        </TabPanel>
        <TabPanel value="manifest" className="px-6 py-5">
          <CodeBlock label="Manifest" text={agent.manifestText} language="json" numbered maxHeight="" />
        </TabPanel>
        <TabPanel value="findings" className="px-6 py-5">
          <FindingList findings={findings} />
        </TabPanel>
        <TabPanel value="history" className="px-6 py-3">
          <RunTable agentId={agent.summary.id} />
        </TabPanel>
      </main>
    </Tabs>
  );
}

function RunTab({ agent, again }: { agent: AgentDetail; again: string | undefined }) {
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

function Prompt({ text }: { text: string }) {
  const [view, setView] = useState<'rendered' | 'raw'>('rendered');
  return (
    <div className="max-w-190 space-y-4">
      <Segmented
        label="Prompt view"
        value={view}
        onChange={setView}
        options={[
          { value: 'rendered', label: 'Rendered' },
          { value: 'raw', label: 'As it is sent' },
        ]}
      />
      {text.trim() === '' && <p className="text-ink-faint">The prompt is empty.</p>}
      {view === 'rendered' ? (
        <Markdown text={text} />
      ) : (
        <CodeBlock label="Prompt" text={text} numbered maxHeight="" />
      )}
    </div>
  );
}
