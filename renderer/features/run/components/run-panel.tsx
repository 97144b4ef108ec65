import { useMemo, useState } from 'react';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { StatusPill, statusLabel } from '#renderer/components/status-pill.tsx';
import { TabCount, TabPanel, Tabs } from '#renderer/components/tabs.tsx';
import { useApp } from '#renderer/state/app-context.tsx';
import { placeLink, type RunTab } from '#renderer/state/place.ts';
import { useRequest } from '#renderer/state/requests.ts';
import { isFinalStatus } from '#shared/runs/run.ts';
import { RunResourcesContext } from '../hooks/run-resources.ts';
import { useRunFeed } from '../hooks/use-run-feed.ts';
import { runStatus } from '../model/run-state.ts';
import { FilesPanel } from './files-panel.tsx';
import { OutputPanel } from './output-panel.tsx';
import { PhaseStepper } from './phase-stepper.tsx';
import { StopButton } from './stop-button.tsx';
import { Timeline } from './timeline.tsx';

/** One run beside something else: how it goes, what it gives, and the way to the whole of it. */
export function RunPanel({ runId }: { runId: string }) {
  const { projection, closed, problem } = useRunFeed(runId);
  const summary = useApp(({ runs }) => runs?.get(runId));
  const [tab, setTab] = useState<RunTab>('timeline');
  const resources = useMemo(
    () => ({ runId, resources: projection.resources }),
    [runId, projection.resources],
  );
  const status = runStatus(projection, summary);
  const isLive = !isFinalStatus(status);
  const detail = useRequest(
    'runs.get',
    { runId },
    { version: isLive ? 'live' : 'final', keepsPrevious: true },
  );
  const failure =
    projection.problem ?? (isLive ? undefined : summary?.problem) ?? (closed ? problem : undefined);
  return (
    <RunResourcesContext value={resources}>
      <section aria-label="Run" className="flex min-h-0 flex-1 flex-col">
        <div className="flex items-center gap-3 px-5 py-2">
          <StatusPill status={status} />
          <span role="status" className="sr-only">
            {statusLabel(status)}
          </span>
          <a
            href={placeLink({ name: 'run', runId })}
            className="ml-auto text-sm text-accent underline underline-offset-2"
          >
            Open the run
          </a>
          {isLive && <StopButton runId={runId} isPreparing={status !== 'running'} hasShortcuts={false} />}
        </div>
        {failure && (
          <div className="max-h-[40%] shrink-0 overflow-auto px-5 pb-3">
            <ProblemCard problem={failure} tone={status === 'failed' ? 'danger' : 'caution'} />
          </div>
        )}
        <Tabs<RunTab>
          label="Run"
          narrow
          tabs={[
            { key: 'timeline', label: 'Timeline' },
            { key: 'output', label: 'Output' },
            {
              key: 'files',
              label: 'Files',
              extra: projection.files.size > 0 && <TabCount>{projection.files.size}</TabCount>,
            },
          ]}
          current={tab}
          onChange={setTab}
          className="flex min-h-0 flex-1 flex-col"
        >
          <TabPanel value="timeline" className="flex min-h-0 flex-1 flex-col">
            <PhaseStepper phases={projection.phases} status={status} />
            <Timeline projection={projection} isLive={isLive} />
          </TabPanel>
          <TabPanel value="output" className="min-h-0 flex-1 overflow-auto">
            <OutputPanel output={projection.output} detail={detail.data} isLive={isLive} />
          </TabPanel>
          <TabPanel value="files" className="flex min-h-0 flex-1 flex-col">
            <FilesPanel runId={runId} projection={projection} isLive={isLive} />
          </TabPanel>
        </Tabs>
      </section>
    </RunResourcesContext>
  );
}
