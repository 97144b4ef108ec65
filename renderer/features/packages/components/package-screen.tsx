import {
  ChevronLeft,
  Copy,
  Download,
  Ellipsis,
  PackageCheck,
  Pencil,
  Play,
  Trash2,
  Undo2,
} from 'lucide-react';
import { useEffect, useState } from 'react';
import { Badge } from '#renderer/components/badge.tsx';
import { Button, IconButton } from '#renderer/components/button.tsx';
import { ConfirmDialog } from '#renderer/components/dialog.tsx';
import { Loading } from '#renderer/components/empty-state.tsx';
import { Select } from '#renderer/components/field.tsx';
import { Menu } from '#renderer/components/menu.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { TabCount, TabPanel, Tabs, type Tab } from '#renderer/components/tabs.tsx';
import { IntegrationConnections } from '#renderer/features/connections/index.ts';
import { preloadManifestEditor } from '#renderer/features/editor/index.ts';
import { MemoryTab } from '#renderer/features/memory/index.ts';
import { PlaygroundTab } from '#renderer/features/playground/index.ts';
import { ServerPage } from '#renderer/features/servers/index.ts';
import { RunTable } from '#renderer/features/runs/index.ts';
import { useApp, useServices } from '#renderer/state/app-context.tsx';
import { goTo, placeLink, type PackagePlace, type PackageTab } from '#renderer/state/place.ts';
import { useAction } from '#renderer/state/requests.ts';
import { useDocumentTitle } from '#renderer/state/use-document-title.ts';
import type { PackageDetail, PackageSummary } from '#shared/ipc/library-routes.ts';
import { identityOf } from '#shared/manifest/identity.ts';
import { usePackage } from '../hooks/use-package.ts';
import { kindWords } from '../model/kinds.ts';
import { manifestFacts } from '../model/manifest-facts.ts';
import { openDrafts } from '../model/open-drafts.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { EditTab } from './edit-tab.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { FilesTab } from './files-tab.tsx';
import { FindingList } from './finding-list.tsx';
import { ForkDialog } from './fork-dialog.tsx';
import { KindIcon } from './kind-icon.tsx';
import { LinksTab } from './links-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { PublishDialog } from './publish-dialog.tsx';
import { RunTab } from './run-tab.tsx';
import { StateBadges } from './state-badges.tsx';
import { VersionsTab } from './versions-tab.tsx';

type Asked = 'publish' | 'fork' | 'export' | 'delete' | 'discard';

/** One package in one of its states: what it is, and all that can be done with it. */
export function PackageScreen({ place }: { place: PackagePlace }) {
  const { packageName, kind } = place;
  const { summary, detail, revision } = usePackage(packageName, place.version);
  const shown = detail.data?.summary ?? summary;
  useDocumentTitle(shown?.displayName ?? packageName);
  const [asked, setAsked] = useState<Asked | undefined>(undefined);
  useUnsavedWarning();
  useEffect(preloadManifestEditor, []);
  // A link may call a package another kind than it is.
  useEffect(() => {
    if (shown && shown.type !== kind) goTo({ ...place, kind: shown.type }, { replace: true });
  }, [shown, kind, place]);
  const close = () => setAsked(undefined);
  return (
    <>
      <Header place={place} summary={shown} detail={detail.data} onAsk={setAsked} />
      {detail.isError && (
        <main id="content" tabIndex={-1} className="max-w-170 px-6 focus:outline-none">
          <ProblemCard problem={detail.error.problem}>
            <Button size="small" onClick={() => void detail.refetch()}>
              Try again
            </Button>
            {place.version !== undefined && (
              <Button size="small" onClick={() => goTo({ ...place, version: undefined }, { replace: true })}>
                Show what there is
              </Button>
            )}
          </ProblemCard>
        </main>
      )}
      {detail.isPending && <Loading label={`Loading the ${kindWords(kind).one}`} />}
      {detail.data && !detail.isError && (
        <PackageTabs
          detail={detail.data}
          readAt={detail.dataUpdatedAt}
          revision={revision}
          place={place}
          onFork={() => setAsked('fork')}
        />
      )}
      {detail.data && <AskedDialog asked={asked} detail={detail.data} place={place} onClose={close} />}
    </>
  );
}

/** Closing the window asks first while something typed is not in the library. */
function useUnsavedWarning(): void {
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => {
      if (openDrafts.hasUnsaved) event.preventDefault();
    };
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, []);
}

function Header({
  place,
  summary,
  detail,
  onAsk,
}: {
  place: PackagePlace;
  summary: PackageSummary | undefined;
  detail: PackageDetail | undefined;
  onAsk: (what: Asked) => void;
}) {
  const { kind, packageName } = place;
  const words = kindWords(kind);
  const goToTab = (tab: PackageTab) => goTo(tabPlace(place, tab));
  const isSample = summary?.state === 'sample';
  const isPublishable = summary?.state === 'draft' || summary?.state === 'modified';
  return (
    <header className="flex shrink-0 flex-wrap items-end gap-x-4 gap-y-2 px-6 pt-5 pb-3">
      <div className="min-w-80 flex-1">
        <div className="mb-1 text-sm text-ink-faint">
          <a
            href={placeLink({ name: 'library', kind })}
            className="inline-flex items-center gap-0.5 hover:text-ink"
          >
            <ChevronLeft size={13} aria-hidden="true" />
            {words.title}
          </a>
        </div>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="flex min-w-0 items-center gap-2 text-xl font-semibold tracking-[-0.01em]">
            <span className="text-ink-faint">
              <KindIcon kind={kind} size={18} />
            </span>
            <span className="truncate">{summary?.displayName ?? packageName}</span>
          </h1>
          {summary && <StateBadges summary={summary} isDetailed />}
        </div>
        <div className="mt-0.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-ink-soft">
          <span className="font-mono text-sm">{packageName}</span>
          {summary && detail && <VersionSelect place={place} detail={detail} />}
          {summary && summary.keywords.length > 0 && (
            <ul aria-label="Tags" className="flex flex-wrap gap-1">
              {summary.keywords.slice(0, 8).map((keyword) => (
                <li key={keyword}>
                  <Badge>{keyword}</Badge>
                </li>
              ))}
            </ul>
          )}
        </div>
      </div>
      {summary && detail && (
        <div className="flex items-center gap-2">
          {kind === 'agent' && place.tab !== 'run' && (
            <Button icon={<Play size={13} />} onClick={() => goToTab('run')}>
              Run…
            </Button>
          )}
          {isSample ? (
            <Button icon={<Copy size={14} />} onClick={() => onAsk('fork')}>
              Fork
            </Button>
          ) : (
            place.tab !== 'edit' && (
              <Button
                icon={<Pencil size={13} />}
                onClick={() => goTo({ ...tabPlace(place, 'edit'), version: undefined })}
              >
                Edit
              </Button>
            )
          )}
          <Button icon={<Download size={14} />} onClick={() => onAsk('export')}>
            Export
          </Button>
          {isPublishable && (
            <Button
              variant={place.tab === 'run' ? 'secondary' : 'primary'}
              icon={<PackageCheck size={14} />}
              unavailable={
                place.version === undefined ? undefined : 'A version is shown. Go to the draft to publish it.'
              }
              onClick={() => onAsk('publish')}
            >
              Publish
            </Button>
          )}
          {!isSample && (
            <Menu
              label="More actions"
              groups={[
                [{ label: 'Fork…', icon: <Copy size={14} />, choose: () => onAsk('fork') }],
                [
                  ...(summary.state === 'modified'
                    ? [
                        {
                          label: 'Discard the draft…',
                          icon: <Undo2 size={14} />,
                          choose: () => onAsk('discard'),
                        },
                      ]
                    : []),
                  {
                    label: 'Delete…',
                    icon: <Trash2 size={14} />,
                    dangerous: true,
                    choose: () => onAsk('delete'),
                  },
                ],
              ]}
            >
              <IconButton label="More actions" icon={<Ellipsis size={16} />} />
            </Menu>
          )}
        </div>
      )}
    </header>
  );
}

/** Which state of the package is shown. */
function VersionSelect({ place, detail }: { place: PackagePlace; detail: PackageDetail }) {
  const { summary, versions, shown } = detail;
  if (summary.state === 'sample') return <span className="font-mono text-sm">{summary.latestVersion}</span>;
  const hasDraft = summary.draftVersion !== undefined;
  if (versions.length + Number(hasDraft) < 2) {
    return <span className="font-mono text-sm">{shown === 'draft' ? summary.draftVersion : shown}</span>;
  }
  const newest = hasDraft ? 'draft' : summary.latestVersion;
  return (
    <Select
      aria-label="Shown version"
      className="h-6.5! w-auto! py-0! text-sm!"
      value={shown}
      onChange={({ target }) =>
        goTo({ ...tabPlace(place, place.tab), version: target.value === newest ? undefined : target.value })
      }
    >
      {hasDraft && <option value="draft">Draft of {summary.draftVersion}</option>}
      {versions.map(({ version, yanked }) => (
        <option key={version} value={version}>
          {version}
          {version === summary.latestVersion ? ' (latest)' : ''}
          {yanked ? ' (yanked)' : ''}
        </option>
      ))}
    </Select>
  );
}

function PackageTabs({
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

function AskedDialog({
  asked,
  detail,
  place,
  onClose,
}: {
  asked: Asked | undefined;
  detail: PackageDetail;
  place: PackagePlace;
  onClose: () => void;
}) {
  const { summary } = detail;
  const { notices } = useServices();
  const packages = useApp(({ library }) => library?.packages);
  const discard = useAction('library.discardDraft', {
    onDone: () => notices.say(`${summary.latestVersion ?? 'The last version'} is what is left`),
  });
  if (asked === 'publish') return <PublishDialog detail={detail} onClose={onClose} />;
  if (asked === 'export') return <ExportDialog detail={detail} onClose={onClose} />;
  if (asked === 'delete') return <DeleteDialog summary={summary} onClose={onClose} />;
  if (asked === 'fork') {
    const names = (packages ?? []).map(({ name }) => name);
    return <ForkDialog summary={summary} version={place.version} names={names} onClose={onClose} />;
  }
  return (
    <ConfirmDialog
      open={asked === 'discard'}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title="Discard the draft?"
      confirm="Discard"
      dangerous
      onConfirm={() => {
        openDrafts.forget(summary.name);
        discard.mutate({ name: summary.name });
      }}
    >
      <p>What was changed since {summary.latestVersion} is lost. The versions stay.</p>
    </ConfirmDialog>
  );
}

/** The same package at another tab, without what only one tab knows. */
function tabPlace({ name, kind, packageName, version }: PackagePlace, tab: PackageTab): PackagePlace {
  return { name, kind, packageName, tab, version };
}
