import { Play } from 'lucide-react';
import { Button } from '#renderer/components/button.tsx';
import { formatQuantity } from '#renderer/format/format.ts';
import { KindIcon, placeOf, StateBadges } from '#renderer/features/packages/index.ts';
import { placeLink } from '#renderer/state/place.ts';
import type { PackageSummary } from '#shared/ipc/library-routes.ts';
import type { AgentSummary } from '#shared/ipc/routes.ts';

/** A package in a list, and what can be done with it there. */
export interface PackageItem {
  readonly summary: PackageSummary;
  /** What runs know of it, for an agent. */
  readonly agent: AgentSummary | undefined;
  /** Why it cannot be run now. */
  readonly blocker: string | undefined;
  readonly isStarting: boolean;
  readonly onRun: () => void;
}

export function PackageCard(item: PackageItem) {
  const { summary, agent } = item;
  return (
    <li className="relative flex flex-col rounded-lg border border-line bg-surface p-4 transition-colors duration-100 [contain-intrinsic-size:auto_180px] [content-visibility:auto] focus-within:border-line-strong hover:border-line-strong">
      <div className="flex items-start gap-2">
        <span className="mt-[3px] text-ink-faint">
          <KindIcon kind={summary.type} />
        </span>
        <h3 className="min-w-0 flex-1 text-lg leading-5.5 font-semibold wrap-anywhere">
          <PackageLink summary={summary} />
        </h3>
        <StateBadges summary={summary} />
      </div>
      <p className="mt-0.5 truncate font-mono text-xs text-ink-faint">
        {summary.name} {summary.draftVersion ?? summary.latestVersion}
      </p>
      <div className="mt-2.5 flex-1">
        <p className="line-clamp-3 text-ink-soft">{summary.description}</p>
      </div>
      <p className="mt-3 truncate text-sm text-ink-faint">{factsOf(item)}</p>
      {agent && (
        <div className="mt-3 flex items-center gap-2 border-t border-line pt-3">
          <RunExample {...item} />
          {summary.state === 'sample' && <span className="text-sm text-ink-faint">with its example</span>}
        </div>
      )}
    </li>
  );
}

/** The item's link; its whole area can be clicked, but not the button that stands over it. */
export function PackageLink({ summary }: { summary: PackageSummary }) {
  return (
    <a data-item href={placeLink(placeOf(summary))} className="rounded-sm before:absolute before:inset-0">
      {summary.displayName}
    </a>
  );
}

export function RunExample({ summary, blocker, isStarting, onRun }: PackageItem) {
  return (
    <Button
      className="relative"
      size="small"
      variant="primary"
      icon={<Play size={12} />}
      aria-label={`Run ${summary.displayName}`}
      busy={isStarting}
      unavailable={blocker}
      onClick={onRun}
    >
      Run
    </Button>
  );
}

/** One line of what else is worth knowing. */
function factsOf({ summary, agent }: PackageItem) {
  const { keywords, usedByCount } = summary;
  if (agent) {
    const { inputFieldCount, tools } = agent;
    return (
      <>
        {inputFieldCount === 0 ? 'No input' : formatQuantity(inputFieldCount, 'input field')}
        {tools.length > 0 && (
          <>
            {' · '}
            <span className="font-mono">{tools.join(' ')}</span>
          </>
        )}
      </>
    );
  }
  const used = usedByCount > 0 && `used by ${formatQuantity(usedByCount, 'package')}`;
  return [used, keywords.slice(0, 4).join(', ')].filter(Boolean).join(' · ');
}
