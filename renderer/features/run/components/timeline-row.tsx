import {
  CircleAlert,
  CircleCheck,
  FoldVertical,
  Info,
  MessageSquareWarning,
  PackageCheck,
  RotateCw,
  TriangleAlert,
} from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { classes } from '#renderer/components/classes.ts';
import { problemPlace } from '#renderer/components/problem-card.tsx';
import { statusLabel } from '#renderer/components/status-pill.tsx';
import { formatCount, formatDuration, formatQuantity, formatTokens } from '#renderer/format/format.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import type { LogItem, OutputItem, TurnItem, WarningItem } from '#shared/runs/projection.ts';
import { CallRow } from './call-row.tsx';
import { MessageRow } from './message-row.tsx';
import { Row, type RowProps } from './row.tsx';

/** One entry of the timeline. Renders only when its own item changes. */
export const TimelineRow = memo(function TimelineRow(props: RowProps) {
  const { item } = props;
  switch (item.kind) {
    case 'turn':
      return <TurnRow item={item} />;
    case 'message':
      return <MessageRow {...props} item={item} />;
    case 'call':
      return <CallRow {...props} item={item} />;
    case 'log':
      return <LogRow {...props} item={item} />;
    case 'output':
      return <OutputRow {...props} item={item} />;
    case 'nudge':
      return (
        <NoticeRow {...props} icon={<MessageSquareWarning size={14} />}>
          <strong className="font-semibold text-ink">
            {item.reason === 'deadline' ? 'Reminded of the time' : 'Asked for a correct output'}
          </strong>{' '}
          {item.detail}
        </NoticeRow>
      );
    case 'retry':
      return (
        <NoticeRow {...props} icon={<RotateCw size={14} />}>
          <strong className="font-semibold text-ink">
            Model asked again (attempt {item.attempt}, after {formatDuration(item.delayMs)})
          </strong>{' '}
          {item.detail}
        </NoticeRow>
      );
    case 'compaction':
      return (
        <NoticeRow {...props} icon={<FoldVertical size={14} />} tone="text-ink-soft">
          <strong className="font-semibold text-ink">Context compacted</strong> ({item.reason}): from{' '}
          {formatTokens(item.tokensBefore)}
          {item.tokensAfter !== undefined && ` to ${formatTokens(item.tokensAfter)}`} tokens
        </NoticeRow>
      );
    case 'warning':
      return <WarningRow {...props} item={item} />;
    case 'end':
      return (
        <Row
          at={item.at}
          origin={props.origin}
          className="pt-3 pb-1"
          icon={<EndIcon isGood={item.status === 'success'} />}
        >
          <p className="font-medium" data-row tabIndex={-1}>
            {statusLabel(item.status)}{' '}
            <span className="text-ink-faint">after {formatDuration(item.durationMs)}</span>
          </p>
          {item.problem && <p className="text-ink-soft">{item.problem.title}</p>}
        </Row>
      );
  }
});

function TurnRow({ item: { turn, metrics } }: { item: TurnItem }) {
  return (
    <div className="flex items-baseline gap-3 px-5 pt-3.5 pb-1" data-row tabIndex={-1}>
      <h3 className="text-sm font-semibold text-ink-soft">Turn {turn}</h3>
      <span aria-hidden="true" className="h-px flex-1 self-center bg-line" />
      {metrics && (
        <p className="text-xs text-ink-faint">
          <span
            title={`${formatCount(metrics.contextTokens)} of ${formatCount(metrics.contextWindow)} tokens`}
          >
            {formatTokens(metrics.contextTokens)} context
          </span>
          {', '}
          {formatTokens(metrics.outputTokens)} out, {formatDuration(metrics.durationMs)}
        </p>
      )}
    </div>
  );
}

const logLooks: Record<LogItem['level'], { icon: ReactNode; word: string; tone: string }> = {
  info: { icon: <Info size={14} aria-hidden="true" className="text-accent" />, word: 'Info', tone: '' },
  warn: {
    icon: <TriangleAlert size={14} aria-hidden="true" className="text-caution" />,
    word: 'Warning',
    tone: 'text-caution',
  },
  error: {
    icon: <CircleAlert size={14} aria-hidden="true" className="text-danger" />,
    word: 'Error',
    tone: 'text-danger',
  },
};

function LogRow({ item, origin }: RowProps<LogItem>) {
  const look = logLooks[item.level];
  return (
    <Row at={item.at} origin={origin} icon={look.icon}>
      <p data-row tabIndex={-1} className={classes('font-medium whitespace-pre-wrap', look.tone)}>
        <span className="sr-only">{look.word}: </span>
        {item.message}
      </p>
    </Row>
  );
}

function OutputRow({ item, origin }: RowProps<OutputItem>) {
  const count = isRecord(item.data) ? Object.keys(item.data).length : undefined;
  return (
    <Row
      at={item.at}
      origin={origin}
      icon={
        <PackageCheck
          size={15}
          aria-hidden="true"
          className={item.superseded ? 'text-ink-faint' : 'text-accent'}
        />
      }
    >
      <p data-row tabIndex={-1} className={item.superseded ? 'text-ink-faint' : 'font-medium'}>
        Output delivered
        {count !== undefined && <span className="text-ink-soft">, {formatQuantity(count, 'field')}</span>}
        {item.superseded && ', replaced by a later one'}
      </p>
    </Row>
  );
}

function WarningRow({ item, origin }: RowProps<WarningItem>) {
  const { problem } = item;
  const place = problemPlace(problem);
  return (
    <Row
      at={item.at}
      origin={origin}
      icon={<TriangleAlert size={14} aria-hidden="true" className="text-caution" />}
    >
      <div data-row tabIndex={-1} data-problem={problem.code}>
        <p className="font-medium">{problem.title}</p>
        <p className="text-ink-soft">{problem.detail}</p>
        {place && <p className="font-mono text-sm text-ink-faint">{place}</p>}
        {problem.action && <p className="text-ink-faint">{problem.action}</p>}
      </div>
    </Row>
  );
}

function NoticeRow({
  item,
  origin,
  icon,
  tone = 'text-caution',
  children,
}: RowProps & { icon: ReactNode; tone?: string; children: ReactNode }) {
  return (
    <Row at={item.at} origin={origin} icon={<span className={tone}>{icon}</span>}>
      <p data-row tabIndex={-1} className="text-ink-soft">
        {children}
      </p>
    </Row>
  );
}

function EndIcon({ isGood }: { isGood: boolean }) {
  return isGood ? (
    <CircleCheck size={15} aria-hidden="true" className="text-success" />
  ) : (
    <CircleAlert size={15} aria-hidden="true" className="text-danger" />
  );
}
