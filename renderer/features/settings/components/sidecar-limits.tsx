import { Badge } from '#renderer/components/badge.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { formatCount } from '#renderer/format/format.ts';
import type { NetworkDescription } from '#shared/ipc/network-routes.ts';
import type { Problem } from '#shared/problem.ts';

const MEBIBYTE = 1024 * 1024;

type Limit = NetworkDescription['limits'][number];

/** What the sidecar lets through at once: each limit with what it does, its bounds, and what it is now. */
export function SidecarLimits({
  limits,
  problem,
}: {
  limits: readonly Limit[];
  problem: Problem | undefined;
}) {
  return (
    <section aria-label="Limits of the sidecar" className="space-y-3">
      <div>
        <h3 className="font-semibold">Limits of the sidecar</h3>
        <p className="text-ink-soft">
          The sidecar makes an agent’s calls and keeps large results out of its conversation. Its limits are
          set by variables of the environment that Slipway is started in; a change counts from its next start
          on.
        </p>
      </div>
      {problem && <ProblemCard problem={problem} />}
      <ul aria-label="Limits" className="divide-y divide-line border-y border-line">
        {limits.map((limit) => (
          <li key={limit.variable} aria-label={limit.variable} className="space-y-0.5 py-2.5">
            <p className="flex flex-wrap items-center gap-2">
              <code className="font-mono text-sm font-semibold wrap-anywhere">{limit.variable}</code>
              <span className="ml-auto font-medium">{shown(limit.value, limit.unit)}</span>
              {limit.isSet && limit.ignored === undefined ? (
                <Badge tone="accent">Set</Badge>
              ) : (
                <Badge>Default</Badge>
              )}
            </p>
            <p className="text-ink-soft">{limit.explanation}</p>
            <p className="text-sm text-ink-faint">{bounds(limit)}</p>
            {limit.ignored !== undefined && <p className="text-caution">{limit.ignored}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function bounds({ unit, defaultValue, ceiling }: Limit): string {
  const from = unit === 'calls' ? '1' : `1 ${unit.replace(/s$/, '')}`;
  const to = ceiling === undefined ? 'any number' : shown(ceiling, unit);
  return `Default ${shown(defaultValue, unit)}. From ${from} to ${to}.`;
}

function shown(value: number, unit: Limit['unit']): string {
  const isWhole = unit === 'bytes' && value % MEBIBYTE === 0;
  return isWhole ? `${formatCount(value / MEBIBYTE)} MiB` : `${formatCount(value)} ${unit}`;
}
