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
import { Badge } from '#renderer/components/badge.tsx';
import { Button, IconButton } from '#renderer/components/button.tsx';
import { Select } from '#renderer/components/field.tsx';
import { Menu } from '#renderer/components/menu.tsx';
import { goTo, placeLink, type PackagePlace, type PackageTab } from '#renderer/state/place.ts';
import type { PackageDetail, PackageSummary } from '#shared/ipc/library-routes.ts';
import { kindWords } from '../model/kinds.ts';
import { tabPlace } from '../model/package-places.ts';
import { KindIcon } from './kind-icon.tsx';
import { StateBadges } from './state-badges.tsx';
import type { PackageAction } from './package-dialog.tsx';

/** A package’s name and state, and what can be done with it. */
export function PackageHeader({
  place,
  summary,
  detail,
  onAsk,
}: {
  place: PackagePlace;
  summary: PackageSummary | undefined;
  detail: PackageDetail | undefined;
  onAsk: (action: PackageAction) => void;
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
