import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, Search } from 'lucide-react';
import { ToggleGroup } from 'radix-ui';
import { useCallback, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { EmptyState } from '#renderer/components/empty-state.tsx';
import { isTyping, useShortcut } from '#renderer/components/use-shortcut.ts';
import type { RunProjection, TimelineItem } from '#shared/runs/projection.ts';
import {
  filterTimeline,
  NO_FILTER,
  TIMELINE_KINDS,
  type TimelineFilter,
  type TimelineKind,
} from '../model/timeline-filter.ts';
import { TimelineRow } from './timeline-row.tsx';

const kindLabels: Record<TimelineKind, string> = {
  delivered: 'Delivered',
  tools: 'Tools',
  text: 'Text',
  notices: 'Notices',
};

/** First guess of a row's height in pixels, until it is measured. */
const heights: Record<TimelineItem['kind'], number> = {
  turn: 36,
  message: 60,
  call: 30,
  log: 30,
  output: 30,
  nudge: 30,
  retry: 30,
  compaction: 30,
  warning: 56,
  end: 40,
};

/** Pixels from the end within which the view counts as being there. */
const END_THRESHOLD = 48;

/** Everything the run did, in order. Only what is in sight is in the page. */
export function Timeline({ projection, isLive }: { projection: RunProjection; isLive: boolean }) {
  const { timeline } = projection;
  const [filter, setFilter] = useState<TimelineFilter>(NO_FILTER);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const scroller = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const items = useMemo(() => filterTimeline(timeline, filter), [timeline, filter]);
  const origin = projection.startedAt ?? projection.queuedAt ?? 0;

  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => heights[items[index]?.kind ?? 'call'],
    getItemKey: (index) => items[index]?.key ?? index,
    overscan: 12,
    paddingEnd: 12,
    anchorTo: isLive ? 'end' : 'start',
    followOnAppend: isLive,
    scrollEndThreshold: END_THRESHOLD,
  });
  const isAtEnd = virtualizer.isAtEnd(END_THRESHOLD);
  const canScroll = virtualizer.getTotalSize() > (virtualizer.scrollRect?.height ?? 0);

  const toggle = useCallback((key: number) => {
    setOpen((keys) => {
      const next = new Set(keys);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  }, []);
  useShortcut('/', () => search.current?.focus());
  useShortcut('End', () => virtualizer.scrollToEnd());
  useShortcut('Home', () => virtualizer.scrollToOffset(0));

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
      return;
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]');
    const next = Math.min(items.length - 1, Math.max(0, row ? Number(row.dataset['index']) + step : 0));
    event.preventDefault();
    virtualizer.scrollToIndex(next);
    // The row may only now come into the page.
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-index="${next}"] [data-row]`)?.focus({
        preventScroll: true,
      }),
    );
  };

  return (
    <section aria-label="Timeline" className="relative flex min-h-0 flex-1 flex-col">
      <div className="flex shrink-0 items-center gap-3 border-b border-line px-5 py-1.5">
        <label className="flex min-w-0 flex-1 items-center gap-2">
          <Search size={14} aria-hidden="true" className="shrink-0 text-ink-faint" />
          <input
            ref={search}
            type="search"
            aria-label="Search the timeline"
            placeholder="Search the timeline"
            value={filter.query}
            onChange={(event) => setFilter({ ...filter, query: event.target.value })}
            className="h-7 min-w-0 flex-1 rounded-sm bg-transparent px-1"
          />
        </label>
        <ToggleGroup.Root
          type="multiple"
          aria-label="Kinds shown"
          value={[...filter.kinds]}
          onValueChange={(values) => {
            const kinds = TIMELINE_KINDS.filter((kind) => values.includes(kind));
            // Nothing at all is never what is meant.
            setFilter({ ...filter, kinds: kinds.length > 0 ? kinds : TIMELINE_KINDS });
          }}
          className="flex gap-1"
        >
          {TIMELINE_KINDS.map((kind) => (
            <ToggleGroup.Item
              key={kind}
              value={kind}
              className="h-6 rounded-sm px-1.5 text-sm font-medium text-ink-faint transition-colors duration-100 hover:bg-hover data-[state=on]:bg-sunken data-[state=on]:text-ink"
            >
              {kindLabels[kind]}
            </ToggleGroup.Item>
          ))}
        </ToggleGroup.Root>
      </div>

      {/* j and k move between rows; the rows that do something are buttons that Tab reaches too. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        ref={scroller}
        role="region"
        aria-label="Timeline entries"
        // A region that scrolls must be reachable by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        onKeyDown={onKeyDown}
        className="min-h-0 flex-1 overflow-auto focus-visible:outline-offset-[-2px]"
      >
        {items.length === 0 && <EmptyTimeline isFiltered={timeline.length > 0} isLive={isLive} />}
        <div role="list" className="relative" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((row) => {
            const item = items[row.index];
            if (!item) return null;
            return (
              <div
                key={row.key}
                role="listitem"
                data-index={row.index}
                ref={virtualizer.measureElement}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${row.start}px)` }}
              >
                <TimelineRow item={item} origin={origin} isOpen={open.has(item.key)} onToggle={toggle} />
              </div>
            );
          })}
        </div>
      </div>

      {!isAtEnd && canScroll && isLive && (
        <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
          <Button
            size="small"
            variant="primary"
            className="pointer-events-auto animate-appear"
            icon={<ArrowDown size={13} />}
            onClick={() => virtualizer.scrollToEnd()}
          >
            Jump to latest
          </Button>
        </div>
      )}
    </section>
  );
}

function EmptyTimeline({ isFiltered, isLive }: { isFiltered: boolean; isLive: boolean }) {
  if (isFiltered)
    return <EmptyState title="Nothing matches">Change the search or the kinds above.</EmptyState>;
  return (
    <EmptyState title={isLive ? 'The first turn has not begun' : 'The agent never began'}>
      {isLive
        ? 'Each model turn appears here with its tool calls as they happen.'
        : 'The run ended while it was being prepared; the steps above say where.'}
    </EmptyState>
  );
}
