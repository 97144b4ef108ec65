import { CircleHelp, History, Library, Search, Settings } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '#renderer/components/button.tsx';
import { classes } from '#renderer/components/classes.ts';
import { Kbd, shortcutText } from '#renderer/components/kbd.tsx';
import { Mark } from '#renderer/components/mark.tsx';
import { useApp } from '#renderer/state/app-context.tsx';
import { placeLink, usePlace, type Place } from '#renderer/state/place.ts';
import { isFinalStatus } from '#shared/runs/run.ts';
import { EngineChip, ModelChip } from './status-chips.tsx';

/** The way between the screens, and what runs happen on. */
export function Navigation({ onSearch, onHelp }: { onSearch: () => void; onHelp: () => void }) {
  const place = usePlace();
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
          current={place.name === 'library' || place.name === 'agent'}
          icon={<Library size={16} aria-hidden="true" />}
          label="Agents"
        />
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
}: {
  place: Place;
  current: boolean;
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
          'flex h-8 items-center gap-2.5 rounded-md px-2 font-medium transition-colors duration-100',
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

function countActive(runs: Iterable<{ status: Parameters<typeof isFinalStatus>[0] }> | undefined): number {
  let active = 0;
  for (const run of runs ?? []) if (!isFinalStatus(run.status)) active += 1;
  return active;
}
