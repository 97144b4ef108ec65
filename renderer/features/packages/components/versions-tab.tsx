import { Ellipsis, GitCompare, History } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '#renderer/components/badge.tsx';
import { Button, IconButton } from '#renderer/components/button.tsx';
import { EmptyState } from '#renderer/components/empty-state.tsx';
import { Menu, type MenuItem } from '#renderer/components/menu.tsx';
import { moveFocus } from '#renderer/components/move-focus.ts';
import { formatBytes, formatDateTime, formatQuantity } from '#renderer/format/format.ts';
import { useServices } from '#renderer/state/app-context.tsx';
import { goTo, placeLink, type PackagePlace } from '#renderer/state/place.ts';
import { useAction } from '#renderer/state/requests.ts';
import type { PackageDetail } from '#shared/ipc/library-routes.ts';
import { originSentence } from '../model/origin.ts';
import { CompareView } from './compare-view.tsx';
import { DeleteDialog } from './delete-dialog.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { RestoreDialog } from './restore-dialog.tsx';
import { TagDialog } from './tag-dialog.tsx';
import { YankDialog } from './yank-dialog.tsx';

type Version = PackageDetail['versions'][number];
type Asked = { readonly what: 'yank' | 'restore' | 'tag' | 'export' | 'delete'; readonly version: Version };

/** Every version there was, and what differs between any two states. */
export function VersionsTab({ detail, place }: { detail: PackageDetail; place: PackagePlace }) {
  const { versions, summary } = detail;
  const [asked, setAsked] = useState<Asked | undefined>(undefined);
  const close = () => setAsked(undefined);
  if (place.from && place.to) return <CompareView detail={detail} place={place} />;
  if (versions.length === 0) {
    return (
      <EmptyState
        icon={<History size={28} aria-hidden="true" />}
        title={summary.state === 'sample' ? 'A sample has no versions' : 'It was never published'}
      >
        {summary.state === 'sample'
          ? 'It comes with Slipway and changes only with it. Fork it to have one of your own.'
          : 'Publishing keeps a copy that never changes. Agents can then ask for it by a range such as ^1.0.0.'}
      </EmptyState>
    );
  }
  const base = { ...place, tab: 'versions' as const, version: undefined };
  const hasDraft = summary.draftVersion !== undefined;
  return (
    <div className="px-6 py-4">
      <div className="mb-3 flex items-center gap-3">
        <p className="flex-1 text-ink-soft">
          {formatQuantity(versions.length, 'version')}. A version never changes; ranges lead to the highest
          that fits and was not withdrawn.
        </p>
        <Button
          icon={<GitCompare size={14} />}
          unavailable={
            versions.length + Number(hasDraft) < 2
              ? 'There is only one state, so nothing to compare.'
              : undefined
          }
          onClick={() => goTo({ ...base, ...firstComparison(versions, hasDraft) })}
        >
          Compare
        </Button>
      </div>
      {/* Arrow keys move between the rows; each has a link that Tab reaches too. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <table
        aria-label="Versions"
        className="w-full border-collapse"
        onKeyDown={(event) => moveFocus(event, 'a[data-item]')}
      >
        <thead>
          <tr className="text-left text-sm text-ink-faint">
            <th scope="col" className="py-1.5 pr-4 font-medium">
              Version
            </th>
            <th scope="col" className="py-1.5 pr-4 font-medium">
              Published
            </th>
            <th scope="col" className="py-1.5 pr-4 font-medium">
              Came
            </th>
            <th scope="col" className="py-1.5 pr-6 text-right font-medium">
              Files
            </th>
            <th scope="col" className="py-1.5 pr-6 text-right font-medium">
              Size
            </th>
            <th scope="col" className="w-8">
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {versions.map((version, index) => (
            <VersionRow
              key={version.version}
              detail={detail}
              version={version}
              place={place}
              previous={versions[index + 1]?.version}
              onAsk={(what) => setAsked({ what, version })}
            />
          ))}
        </tbody>
      </table>
      {asked?.what === 'yank' && <YankDialog name={summary.name} version={asked.version} onClose={close} />}
      {asked?.what === 'restore' && (
        <RestoreDialog summary={summary} version={asked.version.version} onClose={close} />
      )}
      {asked?.what === 'tag' && <TagDialog detail={detail} version={asked.version.version} onClose={close} />}
      {asked?.what === 'export' && (
        <ExportDialog detail={detail} version={asked.version.version} onClose={close} />
      )}
      {asked?.what === 'delete' && (
        <DeleteDialog summary={summary} version={asked.version.version} onClose={close} />
      )}
    </div>
  );
}

function VersionRow({
  detail,
  version,
  place,
  previous,
  onAsk,
}: {
  detail: PackageDetail;
  version: Version;
  place: PackagePlace;
  previous: string | undefined;
  onAsk: (what: Asked['what']) => void;
}) {
  const { summary } = detail;
  const { notices } = useServices();
  const unyank = useAction('library.unyank', {
    onDone: () => notices.say(`${version.version} can be found again`),
  });
  const base: PackagePlace = {
    ...place,
    tab: 'versions',
    version: undefined,
    from: undefined,
    to: undefined,
  };
  const isShown = detail.shown === version.version;
  const compareWith = (from: string, to: string): MenuItem => ({
    label: `Compare with ${from === version.version ? (to === 'draft' ? 'the draft' : to) : from}`,
    choose: () => goTo({ ...base, from, to }),
  });
  const groups: MenuItem[][] = [
    [
      {
        label: 'Look at this version',
        choose: () => goTo({ ...base, tab: 'overview', version: version.version }),
      },
      ...(previous === undefined ? [] : [compareWith(previous, version.version)]),
      ...(summary.draftVersion === undefined ? [] : [compareWith(version.version, 'draft')]),
    ],
    [
      { label: 'Restore as the draft…', choose: () => onAsk('restore') },
      { label: 'Tag…', choose: () => onAsk('tag') },
      { label: 'Export…', choose: () => onAsk('export') },
    ],
    [
      version.yanked
        ? {
            label: 'Take the withdrawal back',
            choose: () => unyank.mutate({ name: summary.name, version: version.version }),
          }
        : { label: 'Yank…', choose: () => onAsk('yank') },
      { label: 'Delete this version…', dangerous: true, choose: () => onAsk('delete') },
    ],
  ];
  return (
    <tr
      data-version={version.version}
      className="group/row relative border-t border-line last:border-b hover:bg-hover"
    >
      <td className="py-1.5 pr-4">
        <span className="flex flex-wrap items-center gap-2">
          <a
            data-item
            href={placeLink({ ...base, tab: 'overview', version: version.version })}
            className={`rounded-sm font-mono font-medium before:absolute before:inset-0 ${version.yanked ? 'text-ink-faint line-through' : ''}`}
          >
            {version.version}
          </a>
          {version.tags.map((tag) => (
            <Badge key={tag} tone={tag === 'latest' ? 'accent' : 'neutral'}>
              {tag}
            </Badge>
          ))}
          {version.yanked && <Badge tone="danger">Yanked</Badge>}
          {isShown && place.version && <Badge>Shown</Badge>}
        </span>
        {version.yanked?.reason && (
          <span className="block text-sm text-ink-soft">{version.yanked.reason}</span>
        )}
      </td>
      <td className="py-1.5 pr-4 whitespace-nowrap text-ink-soft">{formatDateTime(version.publishedAt)}</td>
      <td className="max-w-70 truncate py-1.5 pr-4 text-ink-soft" title={originSentence(version.origin)}>
        {originSentence(version.origin)}
      </td>
      <td className="py-1.5 pr-6 text-right text-ink-soft">{version.fileCount}</td>
      <td className="py-1.5 pr-6 text-right whitespace-nowrap text-ink-soft">{formatBytes(version.size)}</td>
      <td className="w-8 py-1">
        <Menu label={`Actions for ${version.version}`} groups={groups}>
          <IconButton
            size="small"
            label={`Actions for ${version.version}`}
            icon={<Ellipsis size={15} />}
            className="relative"
          />
        </Menu>
      </td>
    </tr>
  );
}

function firstComparison(
  versions: readonly Version[],
  hasDraft: boolean,
): { readonly from: string; readonly to: string } {
  const [newest = '', before = ''] = versions.map(({ version }) => version);
  return hasDraft ? { from: newest, to: 'draft' } : { from: before, to: newest };
}
