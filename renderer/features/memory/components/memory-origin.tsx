import { Badge } from '#renderer/components/badge.tsx';
import { formatDateTime, formatRelative } from '#renderer/format/format.ts';
import { placeLink } from '#renderer/state/place.ts';
import { useNow } from '#renderer/state/use-now.ts';
import type { MemoryScope } from '#shared/memory/memory.ts';

/** Who wrote something into the memory, when, and for whom. */
export function MemoryOrigin({
  at,
  runId,
  scope,
  changed = false,
}: {
  /** Milliseconds since the epoch. */
  at: number;
  runId: string | undefined;
  scope: MemoryScope;
  /** Whether the author has changed it since. */
  changed?: boolean;
}) {
  const now = useNow(30_000);
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-sm text-ink-faint">
      <time dateTime={new Date(at).toISOString()} title={formatDateTime(at)}>
        {formatRelative(at, now)}
      </time>
      {runId === undefined ? (
        <span>by you</span>
      ) : (
        <a href={placeLink({ name: 'run', runId })} className="text-accent hover:underline">
          by a run
        </a>
      )}
      {changed && <span>changed by you</span>}
      {scope === 'shared' && <Badge>shared</Badge>}
    </p>
  );
}
