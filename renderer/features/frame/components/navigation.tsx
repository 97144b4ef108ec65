import { CircleHelp, History, Library, PlugZap, Search, Settings } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import { IconButton } from '#renderer/components/button.tsx';
import { classes } from '#renderer/components/classes.ts';
import { Kbd, shortcutText } from '#renderer/components/kbd.tsx';
import { Mark } from '#renderer/components/mark.tsx';
import { KindIcon, KINDS } from '#renderer/features/packages/index.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import { placeLink, usePlace, type Place } from '#renderer/state/place.ts';
import { useEndsNow } from '#renderer/state/use-ends-now.ts';
import { hasEnded } from '#shared/connections/connection.ts';
import type { PackageType } from '#shared/manifest/dialect.ts';
import { isFinalStatus } from '#shared/runs/run.ts';
import { EngineChip, ModelChip } from './status-chips.tsx';

/** The way between the screens, and what runs happen on. */
export function Navigation({ onSearch, onHelp }: { onSearch: () => void; onHelp: () => void }) {
  const place = usePlace();
  const packages = useApp(({ library }) => library?.packages);
  const counts = useMemo(() => {
    const byKind = new Map<PackageType, number>();
    for (const { type } of packages ?? []) byKind.set(type, (byKind.get(type) ?? 0) + 1);
    return byKind;
  }, [packages]);
  const activeRuns = useApp(({ runs }) => countActive(runs?.values()));
  return (
    <nav
      aria-label="Main"
      className="flex w-52 shrink-0 flex-col border-r border-line bg-sunken/60 px-3 py-3"
    >
      <div className="flex items-center gap-2 px-2 pb-3 text-accent">
        <Mark size={22} />
        <span className="text-lg font-semibold tracking-[-0.01em] text-ink">Slipway</span>
      </div>
      <button
        type="button"
        onClick={onSearch}
        className="mb-3 flex h-8 items-center gap-2 rounded-md border border-line bg-surface px-2 text-ink-faint transition-colors duration-100 hover:border-line-strong"
      >
        <Search size={14} aria-hidden="true" />
        <span className="flex-1 text-left">Go to…</span>
        <Kbd keys="mod+k" />
      </button>
      <ul className="space-y-0.5">
        <Item
          place={{ name: 'library' }}
          current={(place.name === 'library' && place.kind === undefined) || place.name === 'try'}
          icon={<Library size={16} aria-hidden="true" />}
          label="Library"
        />
        {KINDS.map(({ kind, title }) => (
          <Item
            key={kind}
            inner
            place={{ name: 'library', kind }}
            current={(place.name === 'library' || place.name === 'package') && place.kind === kind}
            icon={<KindIcon kind={kind} size={15} />}
            label={title}
            extra={<Count of={counts.get(kind)} />}
          />
        ))}
        <Item
          place={{ name: 'runs' }}
          current={place.name === 'runs' || place.name === 'run'}
          icon={<History size={16} aria-hidden="true" />}
          label="Runs"
          extra={
            activeRuns > 0 && (
              <span className="rounded-sm bg-accent px-1.5 text-xs leading-4.5 font-medium text-on-accent">
                {activeRuns}
                <span className="sr-only"> active</span>
              </span>
            )
          }
        />
        <Item
          place={{ name: 'connections' }}
          current={place.name === 'connections'}
          icon={<PlugZap size={16} aria-hidden="true" />}
          label="Connections"
          extra={<EndedAccounts />}
        />
        <Item
          place={{ name: 'settings', section: 'engine' }}
          current={place.name === 'settings'}
          icon={<Settings size={16} aria-hidden="true" />}
          label="Settings"
        />
      </ul>
      <div className="flex-1" />
      <div className="space-y-0.5">
        <EngineChip />
        <ModelChip />
      </div>
      <div className="mt-2 flex items-center border-t border-line pt-2">
        <IconButton
          label="Keyboard shortcuts"
          shortcut={shortcutText('?')}
          icon={<CircleHelp size={16} />}
          onClick={onHelp}
        />
      </div>
    </nav>
  );
}

function Item({
  place,
  current,
  icon,
  label,
  extra,
  inner = false,
}: {
  place: Place;
  current: boolean;
  /** Stands below another one that it is a part of. */
  inner?: boolean;
  icon: ReactNode;
  label: string;
  extra?: ReactNode;
}) {
  return (
    <li>
      <a
        href={placeLink(place)}
        aria-current={current ? 'page' : undefined}
        className={classes(
          'flex items-center gap-2.5 rounded-md px-2 transition-colors duration-100',
          inner ? 'ml-3.5 h-7' : 'h-8 font-medium',
          current
            ? 'bg-selected text-ink [&_svg]:text-accent'
            : 'text-ink-soft hover:bg-hover hover:text-ink',
        )}
      >
        {icon}
        <span className="flex-1">{label}</span>
        {extra}
      </a>
    </li>
  );
}

/** Accounts that want a new sign-in. */
function EndedAccounts() {
  const connections = useApp((state) => state.connections?.connections) ?? [];
  const now = useEndsNow(connections);
  const ended = connections.filter((connection) => hasEnded(connection, now)).length;
  if (!ended) return null;
  return (
    <span className="rounded-sm bg-caution-soft px-1.5 text-xs leading-4.5 font-medium text-caution">
      {ended}
      <span className="sr-only"> to be signed in again</span>
    </span>
  );
}

/** How many there are; nothing while that is not known. */
function Count({ of: count }: { of: number | undefined }) {
  if (!count) return null;
  return <span className="text-xs text-ink-faint">{count}</span>;
}

function countActive(runs: Iterable<{ status: Parameters<typeof isFinalStatus>[0] }> | undefined): number {
  let active = 0;
  for (const run of runs ?? []) if (!isFinalStatus(run.status)) active += 1;
  return active;
}
