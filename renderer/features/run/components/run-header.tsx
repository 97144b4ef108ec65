import { ChevronLeft, RotateCcw } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '#renderer/components/badge.tsx';
import { Button } from '#renderer/components/button.tsx';
import { Gauge } from '#renderer/components/progress.tsx';
import { StatusPill } from '#renderer/components/status-pill.tsx';
import { Tooltip } from '#renderer/components/tooltip.tsx';
import { useShortcut } from '#renderer/components/use-shortcut.ts';
import {
  describeCost,
  formatCost,
  formatCount,
  formatElapsed,
  formatTokens,
} from '#renderer/format/format.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import { placeLink } from '#renderer/state/place.ts';
import { useNow } from '#renderer/state/use-now.ts';
import type { RunProjection } from '#shared/runs/projection.ts';
import { isFinalStatus, type RunDetail, type RunStatus, type RunSummary } from '#shared/runs/run.ts';
import { useRunAgain } from '../hooks/use-run-again.ts';
import { runClock } from '../model/run-state.ts';
import { ReplayMenu } from './replay-menu.tsx';
import { StopButton } from './stop-button.tsx';

/** What run this is, how it stands, what it has taken, and the way to stop or repeat it. */
export function RunHeader({
  runId,
  status,
  projection,
  summary,
  detail,
}: {
  runId: string;
  status: RunStatus;
  projection: RunProjection;
  summary: RunSummary | undefined;
  detail: RunDetail | undefined;
}) {
  const isLive = !isFinalStatus(status);
  const agentId = projection.agent?.id ?? summary?.agentId;
  const name = projection.agent?.name ?? summary?.agentName ?? agentId ?? '';
  return (
    <header className="shrink-0 px-5 pt-4 pb-3">
      <a
        href={placeLink({ name: 'runs' })}
        className="mb-1 inline-flex items-center gap-0.5 text-sm text-ink-faint hover:text-ink"
      >
        <ChevronLeft size={13} aria-hidden="true" />
        Runs
      </a>
      <div className="flex items-center gap-3">
        <h1 className="min-w-0 truncate text-xl font-semibold tracking-[-0.01em]">
          {agentId ? (
            <a
              href={placeLink({ name: 'package', kind: 'agent', packageName: agentId, tab: 'run' })}
              className="rounded-sm hover:underline"
            >
              {name}
            </a>
          ) : (
            name
          )}
        </h1>
        <StatusPill status={status} strong />
        <span className="flex-1" />
        {isLive ? (
          <StopButton runId={runId} isPreparing={status !== 'running'} />
        ) : (
          <>
            {detail && <ReplayMenu runId={runId} detail={detail} />}
            <RunAgainButton runId={runId} detail={detail} />
          </>
        )}
      </div>
      <dl className="mt-2 flex flex-wrap items-center gap-x-6 gap-y-1 text-sm">
        <Clock projection={projection} summary={summary} status={status} />
        <Model summary={summary} projection={projection} />
        <Usage projection={projection} summary={summary} />
        <Context context={projection.context} isLive={isLive} />
      </dl>
    </header>
  );
}

function RunAgainButton({ runId, detail }: { runId: string; detail: RunDetail | undefined }) {
  const { runAgain, isStarting } = useRunAgain(runId, detail);
  const isKnown = useApp(
    ({ agents }) => !detail || !agents || agents.some(({ id }) => id === detail.summary.agentId),
  );
  const unavailable = isKnown ? undefined : 'The agent is no longer in the library.';
  useShortcut('mod+Enter', runAgain, !isStarting && isKnown);
  return (
    <Button
      icon={<RotateCcw size={14} />}
      busy={isStarting}
      unavailable={detail ? unavailable : 'Still loading what it was run with.'}
      onClick={runAgain}
    >
      Run again
    </Button>
  );
}

function Clock({
  projection,
  summary,
  status,
}: {
  projection: RunProjection;
  summary: RunSummary | undefined;
  status: RunStatus;
}) {
  const isLive = !isFinalStatus(status);
  const now = useNow(250, isLive);
  const clock = runClock(projection, summary, now);
  if (!clock) return null;
  const isCounting = projection.startedAt !== undefined || summary?.startedAt !== undefined;
  return (
    <Fact label={isCounting || !isLive ? 'Time' : 'Waiting'}>
      {formatElapsed(clock.elapsed)}
      {isCounting && clock.limit !== undefined && (
        <span className="text-ink-faint"> / {formatElapsed(clock.limit)}</span>
      )}
    </Fact>
  );
}

function Model({ summary, projection }: { summary: RunSummary | undefined; projection: RunProjection }) {
  const name = summary?.modelName ?? projection.model;
  if (!name) return null;
  const isScripted = summary?.model.providerId === 'walkthrough';
  return (
    <Fact label="Model">
      <span className="inline-flex items-center gap-1.5">
        {name}
        {isScripted && !/scripted/i.test(name) && <Badge>Scripted</Badge>}
      </span>
    </Fact>
  );
}

function Usage({ projection, summary }: { projection: RunProjection; summary: RunSummary | undefined }) {
  const usage = projection.usage.modelRequests > 0 ? projection.usage : (summary?.usage ?? projection.usage);
  const input = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens;
  return (
    <>
      <Fact label="Cost" hint={describeCost(usage)}>
        {formatCost(usage)}
      </Fact>
      <Fact
        label="Tokens"
        hint={`${formatCount(input)} in, of which ${formatCount(usage.cacheReadTokens)} from the cache; ${formatCount(usage.outputTokens)} out; ${formatCount(usage.modelRequests)} model requests`}
      >
        {formatTokens(input)} <span className="text-ink-faint">in</span> {formatTokens(usage.outputTokens)}{' '}
        <span className="text-ink-faint">out</span>
      </Fact>
    </>
  );
}

function Context({ context, isLive }: { context: RunProjection['context']; isLive: boolean }) {
  if (!context) return null;
  const tokens = isLive ? context.tokens : context.peakTokens;
  const share = tokens / context.window;
  const text = `${formatCount(tokens)} of ${formatCount(context.window)} tokens, ${Math.round(share * 100)} %`;
  return (
    <Fact label={isLive ? 'Context' : 'Peak context'} hint={text}>
      <span className="inline-flex items-center gap-2">
        {share < 0.01 ? '< 1' : Math.round(share * 100)} %
        <Gauge label="Context window" fraction={share} valueText={text} className="w-16" />
      </span>
    </Fact>
  );
}

function Fact({ label, hint, children }: { label: string; hint?: string; children: ReactNode }) {
  return (
    <Tooltip text={hint} side="bottom">
      <div
        className="flex items-baseline gap-1.5 rounded-sm whitespace-nowrap"
        // What a hover explains must be reachable without a pointer.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={hint ? 0 : undefined}
      >
        <dt className="text-ink-faint">{label}</dt>
        <dd className="font-medium text-ink">{children}</dd>
      </div>
    </Tooltip>
  );
}
