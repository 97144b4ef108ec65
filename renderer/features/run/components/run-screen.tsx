import { useMemo } from 'react';
import { Loading } from '#renderer/components/empty-state.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { Split } from '#renderer/components/split.tsx';
import { statusLabel } from '#renderer/components/status-pill.tsx';
import { TabCount, TabPanel, Tabs, type Tab } from '#renderer/components/tabs.tsx';
import { useMediaQuery } from '#renderer/components/use-media-query.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import { goTo, placeLink, type Place, type RunTab } from '#renderer/state/place.ts';
import { useRequest } from '#renderer/state/requests.ts';
import { useDocumentTitle } from '#renderer/state/use-document-title.ts';
import type { RunProjection } from '#shared/runs/projection.ts';
import { isFinalStatus, type RunDetail, type RunStatus } from '#shared/runs/run.ts';
import { RunResourcesContext } from '../hooks/run-resources.ts';
import { useLogAnnouncement } from '../hooks/use-announcement.ts';
import { useRunFeed } from '../hooks/use-run-feed.ts';
import { runStatus } from '../model/run-state.ts';
import { CallsPanel } from './calls-panel.tsx';
import { DetailsPanel } from './details-panel.tsx';
import { FilesPanel } from './files-panel.tsx';
import { MemoryPanel } from './memory-panel.tsx';
import { OutputPanel } from './output-panel.tsx';
import { PhaseStepper } from './phase-stepper.tsx';
import { ReplayNote } from './replay-note.tsx';
import { RunHeader } from './run-header.tsx';
import { Timeline } from './timeline.tsx';

/** From this width on the timeline and the results stand side by side. */
const WIDE = '(min-width: 1080px)';

/** One run, live or past: what it did, and what it left. */
export function RunScreen({ place }: { place: Extract<Place, { name: 'run' }> }) {
  const { runId } = place;
  const { projection, closed, problem } = useRunFeed(runId);
  const summary = useApp(({ runs }) => runs?.get(runId));
  const status = runStatus(projection, summary);
  const isLive = !isFinalStatus(status);
  // What the record does not hold, such as the input, is asked for; anew when the run has ended.
  const detail = useRequest(
    'runs.get',
    { runId },
    { version: isLive ? 'live' : 'final', keepsPrevious: true },
  );
  const shown = detail.data;
  const name = projection.agent?.name ?? summary?.agentName ?? shown?.summary.agentName;
  useDocumentTitle(name && `${name}: ${statusLabel(status)}`);
  const resources = useMemo(
    () => ({ runId, resources: projection.resources }),
    [runId, projection.resources],
  );
  const announcement = useLogAnnouncement(projection.timeline, isLive);

  if (closed && projection.lastSequence === 0) {
    return (
      <main id="content" tabIndex={-1} className="mx-auto w-full max-w-150 px-6 py-16 focus:outline-none">
        <ProblemCard problem={problem ?? RUN_GONE}>
          <a href={placeLink({ name: 'runs' })} className="text-accent underline underline-offset-2">
            All runs
          </a>
        </ProblemCard>
      </main>
    );
  }
  if (name === undefined && detail.isPending) return <Loading label="Loading the run" />;

  const { replayOf } = summary ?? shown?.summary ?? {};
  const failure = projection.problem ?? (isLive ? undefined : (summary ?? shown?.summary)?.problem);
  return (
    <main id="content" tabIndex={-1} className="flex min-h-0 flex-1 flex-col focus:outline-none">
      <p role="status" className="sr-only">
        {name}: {statusLabel(status)}
      </p>
      <p aria-live="polite" className="sr-only">
        {announcement}
      </p>
      <RunHeader
        runId={runId}
        status={status}
        projection={projection}
        summary={summary ?? shown?.summary}
        detail={shown}
      />
      {replayOf && <ReplayNote runId={runId} replayOf={replayOf} isLive={isLive} />}
      {failure && (
        <div className="max-h-[40%] shrink-0 overflow-auto px-5 pb-3">
          <ProblemCard problem={failure} tone={status === 'failed' ? 'danger' : 'caution'} />
        </div>
      )}
      {closed && (
        <div className="shrink-0 px-5 pb-3">
          <ProblemCard problem={problem ?? RUN_GONE} tone="caution" />
        </div>
      )}
      <RunResourcesContext value={resources}>
        <RunBody
          place={place}
          status={status}
          projection={projection}
          detail={shown}
          callCount={(summary ?? shown?.summary)?.callCount ?? 0}
        />
      </RunResourcesContext>
    </main>
  );
}

function RunBody({
  place,
  status,
  projection,
  detail,
  callCount,
}: {
  place: Extract<Place, { name: 'run' }>;
  status: RunStatus;
  projection: RunProjection;
  detail: RunDetail | undefined;
  callCount: number;
}) {
  const isWide = useMediaQuery(WIDE);
  const isLive = !isFinalStatus(status);
  // A run without integrations has nothing to look for there.
  const callsServices = callCount > 0 || projection.tools.some(({ source }) => source === 'integration');
  const timeline = (
    <>
      <PhaseStepper phases={projection.phases} status={status} />
      <Timeline projection={projection} isLive={isLive} />
    </>
  );
  const results: readonly Tab<RunTab>[] = [
    { key: 'output', label: 'Output' },
    {
      key: 'files',
      label: 'Files',
      extra: projection.files.size > 0 && <TabCount>{projection.files.size}</TabCount>,
    },
    ...(callsServices
      ? [
          {
            key: 'calls' as const,
            label: 'Requests',
            extra: callCount > 0 && <TabCount>{callCount}</TabCount>,
          },
        ]
      : []),
    ...(projection.memory.length > 0
      ? [
          {
            key: 'memory' as const,
            label: 'Memory',
            extra: <TabCount>{projection.memory.length}</TabCount>,
          },
        ]
      : []),
    { key: 'details', label: 'Details' },
  ];
  const panels = (
    <>
      <TabPanel value="output" className="min-h-0 flex-1 overflow-auto">
        <OutputPanel output={projection.output} detail={detail} isLive={isLive} />
      </TabPanel>
      <TabPanel value="files" className="flex min-h-0 flex-1 flex-col">
        <FilesPanel runId={place.runId} projection={projection} isLive={isLive} />
      </TabPanel>
      <TabPanel value="calls" className="flex min-h-0 flex-1 flex-col">
        <CallsPanel runId={place.runId} count={callCount} isLive={isLive} />
      </TabPanel>
      <TabPanel value="memory" className="flex min-h-0 flex-1 flex-col">
        <MemoryPanel touches={projection.memory} agentId={projection.agent?.id} />
      </TabPanel>
      <TabPanel value="details" className="min-h-0 flex-1 overflow-auto">
        <DetailsPanel runId={place.runId} projection={projection} detail={detail} />
      </TabPanel>
    </>
  );
  const go = (tab: RunTab) => goTo({ ...place, tab }, { replace: true });
  const asked =
    results.some(({ key }) => key === place.tab) || place.tab === 'timeline' ? place.tab : undefined;
  const tab = asked ?? (projection.output || isWide ? 'output' : 'timeline');

  if (!isWide) {
    return (
      <Tabs
        label="Run"
        narrow
        tabs={[{ key: 'timeline', label: 'Timeline' }, ...results]}
        current={tab}
        onChange={go}
        className="flex min-h-0 flex-1 flex-col"
      >
        <TabPanel value="timeline" className="flex min-h-0 flex-1 flex-col">
          {timeline}
        </TabPanel>
        {panels}
      </Tabs>
    );
  }
  return (
    <div className="flex min-h-0 flex-1 border-t border-line">
      <Split
        label="Width of the results"
        storageKey="slipway.run-results-width"
        initial={480}
        min={340}
        max={900}
        first={timeline}
        second={
          <Tabs
            label="Results"
            narrow
            tabs={results}
            current={tab === 'timeline' ? 'output' : tab}
            onChange={go}
            className="flex min-h-0 flex-1 flex-col bg-surface"
          >
            {panels}
          </Tabs>
        }
      />
    </div>
  );
}

const RUN_GONE = {
  code: 'run_gone',
  title: 'This run was removed',
  detail: 'Its record and its files are no longer on this computer.',
};
