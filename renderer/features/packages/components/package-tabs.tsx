import { Badge } from '#renderer/components/badge.tsx';
import { TabCount, TabPanel, Tabs, type Tab } from '#renderer/components/tabs.tsx';
import { IntegrationConnections } from '#renderer/features/connections/index.ts';
import { MemoryTab } from '#renderer/features/memory/index.ts';
import { PlaygroundTab } from '#renderer/features/playground/index.ts';
import { ServerPage } from '#renderer/features/servers/index.ts';
import { RunTable } from '#renderer/features/runs/index.ts';
import { goTo, type PackagePlace, type PackageTab } from '#renderer/state/place.ts';
import type { PackageDetail } from '#shared/ipc/library-routes.ts';
import { identityOf } from '#shared/manifest/identity.ts';
import { manifestFacts } from '../model/manifest-facts.ts';
import { tabPlace } from '../model/package-places.ts';
import { EditTab } from './edit-tab.tsx';
import { FilesTab } from './files-tab.tsx';
import { FindingList } from './finding-list.tsx';
import { LinksTab } from './links-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { RunTab } from './run-tab.tsx';
import { VersionsTab } from './versions-tab.tsx';

/** All that there is of one state of a package. */
export function PackageTabs({
  detail,
  readAt,
  revision,
  place,
  onFork,
}: {
  detail: PackageDetail;
  readAt: number;
  revision: number;
  place: PackagePlace;
  onFork: () => void;
}) {
  const { summary, findings, files, versions, dependencies, usedBy } = detail;
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const links = dependencies.length + usedBy.length;
  const isAgent = summary.type === 'agent';
  const run: Tab<PackageTab>[] = isAgent ? [{ key: 'run', label: 'Run' }] : [];
  const history: Tab<PackageTab>[] = isAgent
    ? [
        { key: 'memory', label: 'Memory' },
        { key: 'history', label: 'Past runs' },
      ]
    : [];
  const accounts: Tab<PackageTab>[] =
    summary.type === 'integration'
      ? [
          { key: 'connections', label: 'Connections' },
          { key: 'playground', label: 'Playground' },
        ]
      : [];
  const server: Tab<PackageTab>[] = manifestFacts(detail.manifestText).hasServer
    ? [{ key: 'server', label: 'Server' }]
    : [];
  const tabs: Tab<PackageTab>[] = [
    ...run,
    { key: 'overview', label: 'Overview' },
    ...accounts,
    ...server,
    { key: 'edit', label: 'Edit' },
    { key: 'files', label: 'Files', extra: <TabCount>{files.length}</TabCount> },
    {
      key: 'versions',
      label: 'Versions',
      extra: versions.length > 0 && <TabCount>{versions.length}</TabCount>,
    },
    { key: 'links', label: 'Dependencies', extra: links > 0 && <TabCount>{links}</TabCount> },
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
    ...history,
  ];
  const current = tabs.some(({ key }) => key === place.tab) ? place.tab : 'overview';
  return (
    <Tabs
      label={summary.displayName}
      current={current}
      onChange={(tab) => goTo(tabPlace(place, tab), { replace: true })}
      className="flex min-h-0 flex-1 flex-col"
      tabs={tabs}
    >
      <main id="content" tabIndex={-1} className="relative min-h-0 flex-1 overflow-auto focus:outline-none">
        <TabPanel value="run" className="px-6 py-5">
          <RunTab
            agentId={place.version === undefined ? summary.name : identityOf(summary.name, place.version)}
            revision={revision}
            again={place.again}
          />
        </TabPanel>
        <TabPanel value="overview" className="px-6 py-5">
          <OverviewTab detail={detail} place={place} />
        </TabPanel>
        <TabPanel value="connections" className="px-6 py-5">
          <IntegrationConnections integrationId={summary.name} />
        </TabPanel>
        <TabPanel value="playground" className="h-full">
          <PlaygroundTab integrationId={summary.name} />
        </TabPanel>
        <TabPanel value="server" className="h-full">
          <ServerPage subject={summary.name} takesAccounts={summary.type === 'integration'} />
        </TabPanel>
        <TabPanel value="edit" className="h-full">
          <EditTab detail={detail} readAt={readAt} revision={revision} place={place} onFork={onFork} />
        </TabPanel>
        <TabPanel value="files" className="h-full">
          <FilesTab detail={detail} place={place} />
        </TabPanel>
        <TabPanel value="versions" className="h-full">
          <VersionsTab detail={detail} place={place} />
        </TabPanel>
        <TabPanel value="links" className="px-6 py-5">
          <LinksTab detail={detail} />
        </TabPanel>
        <TabPanel value="findings" className="px-6 py-5">
          <FindingList findings={findings} />
        </TabPanel>
        <TabPanel value="memory" className="px-6 py-5">
          <MemoryTab agentId={summary.name} />
        </TabPanel>
        <TabPanel value="history" className="px-6 py-3">
          <RunTable agentId={summary.name} />
        </TabPanel>
      </main>
    </Tabs>
  );
}
