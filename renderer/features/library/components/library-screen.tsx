import { LayoutGrid, List, PackageOpen, Play, Search } from 'lucide-react';
import { useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { Badge } from '#renderer/components/badge.tsx';
import { Button } from '#renderer/components/button.tsx';
import { EmptyState } from '#renderer/components/empty-state.tsx';
import { Input } from '#renderer/components/field.tsx';
import { moveFocus } from '#renderer/components/move-focus.ts';
import { PageHeader } from '#renderer/components/page-header.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { Segmented } from '#renderer/components/segmented.tsx';
import { useShortcut } from '#renderer/components/use-shortcut.ts';
import { formatQuantity } from '#renderer/format/format.ts';
import { runBlocker } from '#renderer/features/engine/index.ts';
import { RunTable } from '#renderer/features/runs/index.ts';
import { useExampleRun } from '#renderer/features/run-form/index.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import { placeLink } from '#renderer/state/place.ts';
import { useDocumentTitle } from '#renderer/state/use-document-title.ts';
import type { AgentSummary } from '#shared/ipc/routes.ts';

type View = 'cards' | 'list';
const VIEW_KEY = 'slipway.library-view';

/** The agents there are: the app's first screen. */
export function LibraryScreen() {
  useDocumentTitle('Agents');
  const agents = useApp((state) => state.agents);
  const failure = useApp((state) => state.failures.get('library'));
  const blocker = useApp((state) => runBlocker(state.engine));
  const [query, setQuery] = useState('');
  const [view, setView] = useState<View>(() =>
    localStorage.getItem(VIEW_KEY) === 'list' ? 'list' : 'cards',
  );
  const search = useRef<HTMLInputElement>(null);
  const { run, startingId } = useExampleRun();
  useShortcut('/', () => search.current?.focus());

  const found = useMemo(() => agents?.filter((agent) => matches(agent, query)), [agents, query]);
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => moveFocus(event, 'a[data-item]');

  return (
    <>
      <PageHeader
        title="Agents"
        subtitle="Each runs in a throw-away container, without network or credentials."
      >
        <div className="relative w-56">
          <Search
            size={14}
            aria-hidden="true"
            className="absolute top-1/2 left-2.5 -translate-y-1/2 text-ink-faint"
          />
          <Input
            ref={search}
            type="search"
            aria-label="Search agents"
            placeholder="Search"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
            className="pl-8"
          />
        </div>
        <Segmented
          label="View"
          value={view}
          onChange={(next) => {
            setView(next);
            localStorage.setItem(VIEW_KEY, next);
          }}
          options={[
            { value: 'cards', name: 'Cards', label: <LayoutGrid size={14} aria-hidden="true" /> },
            { value: 'list', name: 'List', label: <List size={14} aria-hidden="true" /> },
          ]}
        />
      </PageHeader>
      <main id="content" tabIndex={-1} className="relative flex-1 overflow-auto px-6 pb-8 focus:outline-none">
        <NewHere />
        {failure && <ProblemCard problem={failure} />}
        {found === undefined && !failure && <CardSkeletons />}
        {found?.length === 0 && (
          <EmptyState
            icon={<PackageOpen size={28} aria-hidden="true" />}
            title={query ? `No agent matches “${query}”` : 'There is no agent yet'}
          >
            {query
              ? 'The search looks at names, descriptions and tools.'
              : 'An agent is a folder with a manifest.json and a prompt.md.'}
          </EmptyState>
        )}
        {found && found.length > 0 && (
          // Arrow keys move between the items; each is a link that Tab reaches too.
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
          <ul
            aria-label="Agents"
            onKeyDown={onKeyDown}
            className={
              view === 'cards'
                ? 'grid grid-cols-[repeat(auto-fit,minmax(19rem,1fr))] gap-3'
                : 'divide-y divide-line border-y border-line'
            }
          >
            {found.map((agent) => {
              const props = {
                agent,
                blocker: blocker ?? (agent.errorCount > 0 ? 'The package has errors.' : undefined),
                isStarting: startingId === agent.id,
                onRun: () => run(agent.id),
              };
              return view === 'cards' ? (
                <AgentCard key={agent.id} {...props} />
              ) : (
                <AgentRow key={agent.id} {...props} />
              );
            })}
          </ul>
        )}
        <RecentRuns />
      </main>
    </>
  );
}

/** Runs shown below the agents. */
const RECENT_RUNS = 5;

/** The way back to what was run last. */
function RecentRuns() {
  const hasRuns = useApp(({ runs }) => (runs?.size ?? 0) > 0);
  if (!hasRuns) return null;
  return (
    <section aria-label="Recent runs" className="mt-9">
      <div className="mb-1 flex items-baseline gap-3">
        <h2 className="flex-1 font-semibold">Recent runs</h2>
        <a href={placeLink({ name: 'runs' })} className="text-sm text-accent underline underline-offset-2">
          All runs
        </a>
      </div>
      <RunTable limit={RECENT_RUNS} />
    </section>
  );
}

interface ItemProps {
  agent: AgentSummary;
  blocker: string | undefined;
  isStarting: boolean;
  onRun: () => void;
}

function AgentCard(props: ItemProps) {
  const { agent } = props;
  return (
    <li className="relative flex max-w-120 flex-col rounded-lg border border-line bg-surface p-4 transition-colors duration-100 focus-within:border-line-strong hover:border-line-strong">
      <div className="flex items-start gap-2">
        <h2 className="min-w-0 flex-1 text-lg leading-5.5 font-semibold">
          <AgentLink agent={agent} />
        </h2>
        <Origin agent={agent} />
      </div>
      <p className="mt-0.5 font-mono text-xs text-ink-faint">
        {agent.id} {agent.version}
      </p>
      <p className="mt-2.5 flex-1 text-ink-soft">{agent.description}</p>
      <p className="mt-3 text-sm text-ink-faint">
        {inputHint(agent)}
        {agent.tools.length > 0 && (
          <>
            {' · '}
            <span className="font-mono">{agent.tools.join(' ')}</span>
          </>
        )}
      </p>
      <div className="mt-3 flex items-center gap-2 border-t border-line pt-3">
        <RunExample {...props} />
        <span className="text-sm text-ink-faint">with its example</span>
      </div>
    </li>
  );
}

function AgentRow(props: ItemProps) {
  const { agent } = props;
  return (
    <li className="relative flex items-center gap-4 px-2 py-2 hover:bg-hover">
      <div className="w-56 shrink-0">
        <h2 className="font-semibold">
          <AgentLink agent={agent} />
        </h2>
        <p className="font-mono text-xs text-ink-faint">{agent.id}</p>
      </div>
      <p className="line-clamp-2 min-w-0 flex-1 text-ink-soft">{agent.description}</p>
      <span className="w-32 shrink-0 text-sm text-ink-faint">{inputHint(agent)}</span>
      <Origin agent={agent} />
      <RunExample {...props} />
    </li>
  );
}

/** The item's link; its whole area can be clicked, but not the button that stands over it. */
function AgentLink({ agent }: { agent: AgentSummary }) {
  return (
    <a
      data-item
      href={placeLink({ name: 'agent', agentId: agent.id, tab: 'run' })}
      className="rounded-sm before:absolute before:inset-0"
    >
      {agent.displayName}
    </a>
  );
}

function RunExample({ agent, blocker, isStarting, onRun }: ItemProps) {
  return (
    <Button
      className="relative"
      size="small"
      variant="primary"
      icon={<Play size={12} />}
      aria-label={`Run ${agent.displayName}`}
      busy={isStarting}
      unavailable={blocker}
      onClick={onRun}
    >
      Run
    </Button>
  );
}

function Origin({ agent }: { agent: AgentSummary }) {
  return (
    <span className="flex shrink-0 gap-1.5">
      {agent.errorCount > 0 && <Badge tone="danger">{formatQuantity(agent.errorCount, 'error')}</Badge>}
      {agent.origin === 'sample' && <Badge>Sample</Badge>}
    </span>
  );
}

/** One line for a person who sees the app for the first time. */
function NewHere() {
  const isWalkthrough = useApp(({ models }) => models?.defaultModel.providerId === 'walkthrough');
  if (!isWalkthrough) return null;
  return (
    <p className="mb-4 max-w-170 border-l-2 border-accent pl-3 text-ink-soft">
      <strong className="font-semibold text-ink">New here?</strong> Press Run on any of these: no account and
      no key is needed. The walkthrough model is scripted; the loop, the sandbox and every tool call are real.
    </p>
  );
}

function CardSkeletons() {
  return (
    <div role="status" className="grid grid-cols-[repeat(auto-fill,minmax(19rem,1fr))] gap-3">
      <span className="sr-only">Loading the agents</span>
      {[0, 1, 2].map((index) => (
        <div key={index} className="h-44 rounded-lg border border-line bg-surface/60" />
      ))}
    </div>
  );
}

function inputHint({ inputFieldCount }: AgentSummary): string {
  return inputFieldCount === 0 ? 'No input' : formatQuantity(inputFieldCount, 'input field');
}

function matches(agent: AgentSummary, query: string): boolean {
  const text = `${agent.displayName} ${agent.id} ${agent.description} ${agent.tools.join(' ')}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
