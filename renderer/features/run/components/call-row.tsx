import { Check, ChevronRight, CircleSlash, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '#renderer/components/badge.tsx';
import { classes } from '#renderer/components/classes.ts';
import { Spinner } from '#renderer/components/spinner.tsx';
import { formatDuration, formatElapsed, formatTokens } from '#renderer/format/format.ts';
import { useNow } from '#renderer/state/use-now.ts';
import type { CallItem } from '#shared/runs/projection.ts';
import { summarizeCall } from '../model/call-summary.ts';
import { CallBody } from './call-body.tsx';
import { Row, type RowProps } from './row.tsx';

const states: Record<CallItem['state'], { word: string; icon: ReactNode }> = {
  running: { word: 'running', icon: <Spinner /> },
  succeeded: { word: 'succeeded', icon: <Check size={14} aria-hidden="true" className="text-success" /> },
  failed: { word: 'failed', icon: <X size={14} aria-hidden="true" className="text-danger" /> },
  interrupted: {
    word: 'interrupted',
    icon: <CircleSlash size={14} aria-hidden="true" className="text-caution" />,
  },
};

const sources: Record<CallItem['source'], string> = {
  sandbox: 'Sandbox',
  runtime: 'Platform',
  integration: 'Integration',
  other: 'Other',
};

/** One tool call in a line; unfolded, all it was given and all it answered. */
export function CallRow({ item, origin, isOpen, onToggle }: RowProps<CallItem>) {
  const state = states[item.state];
  return (
    <Row at={item.at} origin={origin} icon={state.icon} className={isOpen ? 'pb-2' : undefined}>
      <button
        type="button"
        data-row
        data-call={item.tool}
        aria-expanded={isOpen}
        onClick={() => onToggle(item.key)}
        className="-mx-1.5 -my-0.5 flex w-[calc(100%+12px)] items-center gap-2 rounded-sm px-1.5 py-0.5 text-left hover:bg-hover"
      >
        <span className="shrink-0 font-mono text-sm leading-5 font-semibold">{item.tool}</span>
        <span className="sr-only">{state.word}</span>
        {item.source !== 'sandbox' && (
          <Badge tone={item.source === 'runtime' ? 'accent' : 'neutral'}>{sources[item.source]}</Badge>
        )}
        <span className="min-w-0 flex-1 truncate font-mono text-sm text-ink-faint">
          {summarizeCall(item)}
        </span>
        <CallFigures item={item} />
        <ChevronRight
          size={13}
          aria-hidden="true"
          className={classes('shrink-0 text-ink-faint transition-transform', isOpen && 'rotate-90')}
        />
      </button>
      {item.progress && !isOpen && (
        <p className="truncate font-mono text-sm text-ink-faint">{item.progress.trim().split('\n').at(-1)}</p>
      )}
      {isOpen && <CallBody item={item} source={sources[item.source]} />}
    </Row>
  );
}

function CallFigures({ item }: { item: CallItem }) {
  const now = useNow(500, item.state === 'running');
  const { result } = item;
  return (
    <span className="shrink-0 text-xs text-ink-faint">
      {result ? (
        <>
          <span title="Estimated tokens of the result">≈ {formatTokens(result.estimatedTokens)} tok</span>
          <span className="inline-block min-w-14 pl-2 text-right">{formatDuration(result.durationMs)}</span>
        </>
      ) : (
        item.state === 'running' && formatElapsed(now - item.at)
      )}
    </span>
  );
}
