import type { ReactNode } from 'react';
import { classes } from '#renderer/components/classes.ts';
import { formatOffset } from '#renderer/format/format.ts';
import type { TimelineItem } from '#shared/runs/projection.ts';

export interface RowProps<I extends TimelineItem = TimelineItem> {
  readonly item: I;
  /** Time from which the offsets are counted. */
  readonly origin: number;
  readonly isOpen: boolean;
  readonly onToggle: (key: number) => void;
}

/** The frame of a row: time, icon, content. */
export function Row({
  at,
  origin,
  icon,
  className,
  children,
}: {
  at: number;
  origin: number;
  icon: ReactNode;
  className?: string | undefined;
  children: ReactNode;
}) {
  return (
    <div className={classes('grid grid-cols-[3.25rem_1rem_minmax(0,1fr)] gap-x-2.5 px-5 py-1', className)}>
      <time
        className="pt-px text-right text-xs leading-5 text-ink-faint"
        dateTime={new Date(at).toISOString()}
      >
        {formatOffset(at - origin)}
      </time>
      <span className="flex h-5 items-center justify-center">{icon}</span>
      <div className="min-w-0 wrap-anywhere">{children}</div>
    </div>
  );
}
