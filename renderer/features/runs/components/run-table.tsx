import { History, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { Button, IconButton } from '#renderer/components/button.tsx';
import { ConfirmDialog } from '#renderer/components/dialog.tsx';
import { EmptyState, Loading } from '#renderer/components/empty-state.tsx';
import { moveFocus } from '#renderer/components/move-focus.ts';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { statusLabel, StatusPill } from '#renderer/components/status-pill.tsx';
import {
  describeCost,
  formatCost,
  formatDateTime,
  formatDuration,
  formatElapsed,
  formatRelative,
} from '#renderer/format/format.ts';
import { useApp, useServices } from '#renderer/state/app-context.tsx';
import { newestFirst } from '#renderer/state/app-store.ts';
import { placeLink } from '#renderer/state/place.ts';
import { useAction } from '#renderer/state/requests.ts';
import { useNow } from '#renderer/state/use-now.ts';
import { toProblem } from '#shared/problem.ts';
import { isFinalStatus, type RunStatus, type RunSummary } from '#shared/runs/run.ts';

/** Runs asked for at once when paging back. */
const PAGE = 100;

/** Runs in a table, the newest first, kept up to date. */
export function RunTable({
  agentId,
  statuses,
  limit,
}: {
  agentId?: string | undefined;
  /** Only runs in one of these states. */
  statuses?: readonly RunStatus[] | undefined;
  /** Only so many of the newest, without the way to older ones. */
  limit?: number;
}) {
  const { client, notices } = useServices();
  const queryClient = useQueryClient();
  const known = useApp((state) => state.runs);
  const failure = useApp((state) => state.failures.get('runs'));
  const [older, setOlder] = useState<readonly RunSummary[]>([]);
  const [mayHaveMore, setMayHaveMore] = useState(true);
  const [isLoading, setIsLoading] = useState(false);
  const [removing, setRemoving] = useState<RunSummary | undefined>(undefined);
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set());
  const remove = useAction('runs.remove', {
    onDone: (_, { runId }) => {
      setRemoved((ids) => new Set([...ids, runId]));
      queryClient.removeQueries({ queryKey: ['runs.get', { runId }] });
      notices.say('Run removed');
    },
  });

  const runs = useMemo(() => {
    if (!known) return undefined;
    const all = new Map(older.map((run) => [run.id, run]));
    for (const run of known.values()) all.set(run.id, run);
    const matching = newestFirst(all.values()).filter(
      (run) =>
        !removed.has(run.id) &&
        (!agentId || run.agentId === agentId) &&
        (!statuses || statuses.includes(run.status)),
    );
    return limit === undefined ? matching : matching.slice(0, limit);
  }, [known, older, removed, agentId, statuses, limit]);
  const isLive = runs?.some((run) => !isFinalStatus(run.status)) ?? false;
  const now = useNow(isLive ? 1000 : 30_000);

  const loadOlder = async () => {
    setIsLoading(true);
    try {
      const oldest = newestFirst([...(known?.values() ?? []), ...older]).at(-1);
      const page = await client.request('runs.list', {
        limit: PAGE,
        ...(agentId !== undefined && { agentId }),
        ...(oldest && { before: { createdAt: oldest.createdAt, id: oldest.id } }),
      });
      setOlder((runs) => [...runs, ...page.runs]);
      setMayHaveMore(page.hasMore);
    } catch (error) {
      notices.report(toProblem(error));
    } finally {
      setIsLoading(false);
    }
  };

  if (failure) return <ProblemCard problem={failure} />;
  if (!runs) return <Loading label="Loading the runs" />;
  // Main sends the newest with the first message; fewer than that means that there are no others.
  const hasOlder = limit === undefined && mayHaveMore && (older.length > 0 || (known?.size ?? 0) >= PAGE);
  return (
    <>
      {runs.length === 0 ? (
        <EmptyState
          icon={<History size={28} aria-hidden="true" />}
          title={statuses ? 'No run is in this state' : 'Nothing has run yet'}
        >
          {statuses
            ? 'Choose another filter to see the others.'
            : 'Every run is kept here with all it did, so that it can be looked at again.'}
        </EmptyState>
      ) : (
        // Arrow keys move between the rows; each has a link that Tab reaches too.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
        <table
          aria-label="Runs"
          onKeyDown={(event) => moveFocus(event, 'a[data-item]')}
          className="w-full border-collapse"
        >
          <thead>
            <tr className="text-left text-sm text-ink-faint">
              <Head>Status</Head>
              {!agentId && <Head>Agent</Head>}
              <Head>Model</Head>
              <Head end>Duration</Head>
              <Head end>Cost</Head>
              <Head end>Files</Head>
              <Head>Started</Head>
              <th scope="col" className="w-8">
                <span className="sr-only">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {runs.map((run) => (
              <RunRow
                key={run.id}
                run={run}
                now={now}
                showsAgent={!agentId}
                onRemove={() => setRemoving(run)}
              />
            ))}
          </tbody>
        </table>
      )}
      {hasOlder && (
        <div className="py-3 text-center">
          <Button size="small" busy={isLoading} onClick={() => void loadOlder()}>
            Load older runs
          </Button>
        </div>
      )}
      <ConfirmDialog
        open={removing !== undefined}
        onOpenChange={(open) => {
          if (!open) setRemoving(undefined);
        }}
        title="Remove this run?"
        confirm="Remove"
        dangerous
        onConfirm={() => {
          if (removing) remove.mutate({ runId: removing.id });
        }}
      >
        <p>
          {removing?.agentName}, {removing && formatDateTime(removing.createdAt)}. Its record and its files
          are deleted from this computer.
        </p>
      </ConfirmDialog>
    </>
  );
}

function RunRow({
  run,
  now,
  showsAgent,
  onRemove,
}: {
  run: RunSummary;
  now: number;
  showsAgent: boolean;
  onRemove: () => void;
}) {
  const isFinal = isFinalStatus(run.status);
  const link = placeLink({ name: 'run', runId: run.id });
  const duration = isFinal
    ? formatDuration((run.endedAt ?? run.createdAt) - run.createdAt)
    : formatElapsed(now - run.createdAt);
  return (
    <tr className="group/row relative border-t border-line last:border-b hover:bg-hover">
      <td className="py-1.5 pr-4">
        {showsAgent ? (
          <StatusPill status={run.status} />
        ) : (
          <RowLink href={link} label={`${statusLabel(run.status)}, run of ${formatDateTime(run.createdAt)}`}>
            <StatusPill status={run.status} />
          </RowLink>
        )}
      </td>
      {showsAgent && (
        <td className="max-w-0 py-1.5 pr-4 [width:32%]">
          <RowLink href={link}>
            <span className="font-medium">{run.agentName}</span>
            {run.replayOf && <span className="ml-2 text-sm text-ink-faint">Replay</span>}
          </RowLink>
          {run.problem && <span className="block truncate text-sm text-ink-faint">{run.problem.title}</span>}
        </td>
      )}
      <td className="max-w-48 truncate py-1.5 pr-4 text-ink-soft">{run.modelName}</td>
      <td className="py-1.5 pr-6 text-right whitespace-nowrap text-ink-soft">{duration}</td>
      <td className="py-1.5 pr-6 text-right whitespace-nowrap text-ink-soft" title={describeCost(run.usage)}>
        {formatCost(run.usage)}
      </td>
      <td className="py-1.5 pr-6 text-right text-ink-soft">{run.fileCount > 0 ? run.fileCount : ''}</td>
      <td className="py-1.5 pr-2 whitespace-nowrap text-ink-faint">
        <time dateTime={new Date(run.createdAt).toISOString()} title={formatDateTime(run.createdAt)}>
          {formatRelative(run.createdAt, now)}
        </time>
      </td>
      <td className="w-8 py-1">
        {isFinal && (
          <IconButton
            size="small"
            label="Remove run"
            icon={<Trash2 size={14} />}
            onClick={onRemove}
            className="relative opacity-0 group-hover/row:opacity-100 focus-visible:opacity-100"
          />
        )}
      </td>
    </tr>
  );
}

/** The row's link; the whole row can be clicked. */
function RowLink({ href, label, children }: { href: string; label?: string; children: React.ReactNode }) {
  return (
    <a
      data-item
      href={href}
      aria-label={label}
      className="block truncate rounded-sm before:absolute before:inset-0"
    >
      {children}
    </a>
  );
}

function Head({ end = false, children }: { end?: boolean; children: React.ReactNode }) {
  return (
    <th scope="col" className={`py-1.5 font-medium ${end ? 'pr-6 text-right' : 'pr-4'}`}>
      {children}
    </th>
  );
}
