import { FlaskConical, Import, LayoutGrid, PackageOpen, Plus, Table2 } from 'lucide-react';
import { useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { classes } from '#renderer/components/classes.ts';
import { EmptyState } from '#renderer/components/empty-state.tsx';
import { Select } from '#renderer/components/field.tsx';
import { PageHeader } from '#renderer/components/page-header.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { SearchInput } from '#renderer/components/search-input.tsx';
import { Segmented } from '#renderer/components/segmented.tsx';
import { useShortcut } from '#renderer/components/use-shortcut.ts';
import { runBlocker } from '#renderer/features/engine/index.ts';
import { useImport } from '#renderer/features/import/index.ts';
import { kindWords, KINDS } from '#renderer/features/packages/index.ts';
import { RunTable } from '#renderer/features/runs/index.ts';
import { useExampleRun } from '#renderer/features/run-form/index.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import { goTo, placeLink, type Place } from '#renderer/state/place.ts';
import { useDocumentTitle } from '#renderer/state/use-document-title.ts';
import type { PackageType } from '#shared/manifest/dialect.ts';
import { useShownCount } from '../hooks/use-shown-count.ts';
import { moveInGrid } from '../model/grid-focus.ts';
import {
  countStates,
  countTags,
  filterPackages,
  groupByKind,
  STATE_WORDS,
  type StateFilter,
} from '../model/package-filter.ts';
import { EmptyKind } from './empty-kind.tsx';
import { NewDialog } from './new-dialog.tsx';
import { PackageCard, type PackageItem } from './package-card.tsx';
import { PackageTable } from './package-table.tsx';
import { WatchProblems } from './watch-problems.tsx';

type View = 'cards' | 'list';
const VIEW_KEY = 'slipway.library-view';

const subtitles: Record<PackageType | 'all', string> = {
  all: 'Everything agents are made of.',
  agent: 'Each runs in a throw-away container, without network or credentials.',
  skill: 'Instructions and files that agents take along.',
  integration: 'Services that agents may call, with your sign-in and within their scopes.',
  'mcp-server': 'Programs that give agents tools, run on this computer.',
};

/** The packages there are, by kind: the app's first screen. */
export function LibraryScreen({ place }: { place: Extract<Place, { name: 'library' }> }) {
  const { kind } = place;
  const title = kind ? kindWords(kind).title : 'Library';
  useDocumentTitle(title);
  const packages = useApp(({ library }) => library?.packages);
  const failure = useApp((state) => state.failures.get('packages'));
  const importer = useImport();
  const [query, setQuery] = useState('');
  const [state, setState] = useState<StateFilter | undefined>(undefined);
  const [tag, setTag] = useState<string | undefined>(undefined);
  const [isMaking, setIsMaking] = useState(false);
  const [view, setView] = useState<View>(() =>
    localStorage.getItem(VIEW_KEY) === 'list' ? 'list' : 'cards',
  );
  const search = useRef<HTMLInputElement>(null);
  const content = useRef<HTMLElement>(null);
  useShortcut('/', () => search.current?.focus());
  useShortcut('n', () => setIsMaking(true));

  const items = usePackageItems();
  const inKind = useMemo(
    () => packages?.filter(({ type }) => kind === undefined || type === kind),
    [packages, kind],
  );
  const states = useMemo(() => countStates(inKind ?? []), [inKind]);
  const tags = useMemo(() => countTags(inKind ?? []), [inKind]);
  // A filter of which nothing is left here is as if it were off.
  const shownState = states.some((known) => known.state === state) ? state : undefined;
  const shownTag = tags.some((known) => known.tag === tag) ? tag : undefined;
  const found = useMemo(
    () =>
      inKind &&
      filterPackages(inKind, { state: shownState, tag: shownTag, query }, ({ name }) => items.wordsOf(name)),
    [inKind, shownState, shownTag, query, items],
  );
  const isFiltered = query.trim() !== '' || shownState !== undefined || shownTag !== undefined;
  const clear = () => {
    setQuery('');
    setState(undefined);
    setTag(undefined);
  };
  const onSearchKey = (event: KeyboardEvent) => {
    const first = content.current?.querySelector<HTMLElement>('a[data-item]');
    if (event.key === 'ArrowDown') first?.focus();
    else if (event.key === 'Enter' && query.trim() !== '') first?.click();
    else if (event.key === 'Escape' && query !== '') setQuery('');
    else return;
    event.preventDefault();
  };

  return (
    <>
      <PageHeader title={title} subtitle={subtitles[kind ?? 'all']}>
        {(kind === 'integration' || kind === 'mcp-server') && (
          <Button icon={<FlaskConical size={14} />} onClick={() => goTo({ name: 'try' })}>
            Try a server
          </Button>
        )}
        <Button icon={<Import size={14} />} onClick={() => importer.choose()}>
          Import
        </Button>
        <Button variant="primary" icon={<Plus size={14} />} onClick={() => setIsMaking(true)}>
          New
        </Button>
      </PageHeader>
      <search className="flex shrink-0 flex-wrap items-center gap-2 px-6 pb-3">
        <SearchInput
          className="w-54"
          ref={search}
          aria-label={`Search ${kind ? kindWords(kind).many : 'the library'}`}
          placeholder="Search"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={onSearchKey}
        />
        {states.length > 1 && (
          <div role="group" aria-label="State" className="flex flex-wrap gap-1">
            {states.map(({ state: known, count }) => (
              <button
                key={known}
                type="button"
                aria-pressed={known === shownState}
                onClick={() => setState(known === shownState ? undefined : known)}
                className="h-7 rounded-md border border-line px-2 text-sm text-ink-soft transition-colors duration-100 hover:border-line-strong hover:text-ink aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent-strong"
              >
                {STATE_WORDS[known]} <span className="text-ink-faint">{count}</span>
              </button>
            ))}
          </div>
        )}
        <div className="ml-auto flex items-center gap-2">
          {tags.length > 0 && (
            <Select
              aria-label="Tag"
              className={classes('w-34!', shownTag !== undefined && 'border-accent')}
              value={shownTag ?? ''}
              onChange={({ target }) => setTag(target.value || undefined)}
            >
              <option value="">Any tag</option>
              {tags.map(({ tag: known, count }) => (
                <option key={known} value={known}>
                  {known} ({count})
                </option>
              ))}
            </Select>
          )}
          <Segmented
            label="View"
            value={view}
            onChange={(next) => {
              setView(next);
              localStorage.setItem(VIEW_KEY, next);
            }}
            options={[
              { value: 'cards', name: 'Cards', label: <LayoutGrid size={14} aria-hidden="true" /> },
              { value: 'list', name: 'Table', label: <Table2 size={14} aria-hidden="true" /> },
            ]}
          />
        </div>
      </search>
      <main
        ref={content}
        id="content"
        tabIndex={-1}
        className="relative flex-1 overflow-auto px-6 pb-8 focus:outline-none"
      >
        {kind === 'agent' && <NewHere />}
        <WatchProblems />
        {failure && <ProblemCard problem={failure} />}
        {found === undefined && !failure && <CardSkeletons title={title} />}
        {found?.length === 0 &&
          (isFiltered ? (
            <EmptyState
              icon={<PackageOpen size={28} aria-hidden="true" />}
              title={query ? `Nothing here matches “${query}”` : 'Nothing here is in this state'}
              action={<Button onClick={clear}>Show everything</Button>}
            >
              The search looks at names, descriptions, tags and tools.
            </EmptyState>
          ) : (
            <EmptyKind kind={kind} onNew={() => setIsMaking(true)} onImport={() => importer.choose()} />
          ))}
        {found && found.length > 0 && (
          <Packages
            key={kind ?? 'all'}
            packages={found}
            kind={kind}
            view={view}
            itemOf={items.itemOf}
            listKey={`${kind} ${shownState} ${shownTag} ${query}`}
          />
        )}
        {kind === 'agent' && !isFiltered && <RecentRuns />}
      </main>
      {isMaking && <NewDialog kind={kind} onClose={() => setIsMaking(false)} />}
    </>
  );
}

function Packages({
  packages,
  kind,
  view,
  itemOf,
  listKey,
}: {
  packages: readonly PackageItem['summary'][];
  kind: PackageType | undefined;
  view: View;
  itemOf: (summary: PackageItem['summary']) => PackageItem;
  listKey: string;
}) {
  const { count, endMark } = useShownCount(listKey);
  const shown = packages.slice(0, count);
  const hasMore = shown.length < packages.length;
  return (
    <>
      {view === 'list' ? (
        <PackageTable
          label={kind ? kindWords(kind).title : 'Packages'}
          kind={kind}
          items={shown.map(itemOf)}
        />
      ) : (
        <div className="space-y-7">
          {groupByKind(shown).map((group) => (
            <section key={group.kind} aria-label={`All ${kindWords(group.kind).many}`}>
              {kind !== undefined && <h2 className="sr-only">All {kindWords(kind).many}</h2>}
              {kind === undefined && (
                <h2 className="mb-2 flex items-baseline gap-2 font-semibold">
                  <a href={placeLink({ name: 'library', kind: group.kind })} className="hover:text-accent">
                    {kindWords(group.kind).title}
                  </a>
                  <span className="font-normal text-ink-faint">
                    {packages.filter(({ type }) => type === group.kind).length}
                  </span>
                </h2>
              )}
              {/* Arrow keys move between the items; each is a link that Tab reaches too. */}
              {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
              <ul
                aria-label={kindWords(group.kind).title}
                onKeyDown={(event) => moveInGrid(event, 'a[data-item]')}
                className="grid grid-cols-[repeat(auto-fill,minmax(20.5rem,1fr))] gap-3"
              >
                {group.packages.map((summary) => (
                  <PackageCard key={summary.name} {...itemOf(summary)} />
                ))}
              </ul>
            </section>
          ))}
        </div>
      )}
      {hasMore && (
        <p ref={endMark} className="py-4 text-center text-sm text-ink-faint">
          {packages.length - shown.length} more
        </p>
      )}
    </>
  );
}

/** What the cards know of packages beside their summary. */
function usePackageItems(): {
  readonly itemOf: (summary: PackageItem['summary']) => PackageItem;
  readonly wordsOf: (name: string) => string;
} {
  const agents = useApp((state) => state.agents);
  const blocker = useApp((state) => runBlocker(state.engine));
  const { run, startingId } = useExampleRun();
  const byName = useMemo(() => new Map((agents ?? []).map((agent) => [agent.id, agent])), [agents]);
  const wordsOf = (name: string) => byName.get(name)?.tools.join(' ') ?? '';
  const itemOf = (summary: PackageItem['summary']): PackageItem => ({
    summary,
    agent: byName.get(summary.name),
    blocker: blocker ?? (summary.errorCount > 0 ? 'The package has errors.' : undefined),
    isStarting: startingId === summary.name,
    onRun: () => run(summary.name),
  });
  return { itemOf, wordsOf };
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

function CardSkeletons({ title }: { title: string }) {
  const many = KINDS.find((known) => known.title === title)?.many ?? 'library';
  return (
    <div role="status" className="grid grid-cols-[repeat(auto-fill,minmax(20.5rem,1fr))] gap-3">
      <span className="sr-only">Loading the {many}</span>
      {[0, 1, 2].map((index) => (
        <div key={index} className="h-44 rounded-lg border border-line bg-surface/60" />
      ))}
    </div>
  );
}
