import { Ban, CircleAlert, CircleCheck, CircleDashed, CircleSlash, Hourglass, Unplug } from 'lucide-react';
import type { ReactNode } from 'react';
import type { RunStatus } from '#shared/runs/run.ts';
import { classes } from './classes.ts';
import { Spinner } from './spinner.tsx';

const looks: Record<RunStatus, { label: string; tone: string; icon: ReactNode }> = {
  queued: { label: 'Queued', tone: 'text-ink-soft', icon: <CircleDashed size={14} aria-hidden="true" /> },
  preparing: { label: 'Preparing', tone: 'text-accent', icon: <Spinner /> },
  running: { label: 'Running', tone: 'text-accent', icon: <Spinner /> },
  success: {
    label: 'Succeeded',
    tone: 'text-success',
    icon: <CircleCheck size={14} aria-hidden="true" />,
  },
  failed: { label: 'Failed', tone: 'text-danger', icon: <CircleAlert size={14} aria-hidden="true" /> },
  cancelled: { label: 'Stopped', tone: 'text-ink-soft', icon: <Ban size={14} aria-hidden="true" /> },
  timed_out: {
    label: 'Timed out',
    tone: 'text-caution',
    icon: <Hourglass size={14} aria-hidden="true" />,
  },
  interrupted: {
    label: 'Interrupted',
    tone: 'text-caution',
    icon: <Unplug size={14} aria-hidden="true" />,
  },
};

/** What a run's state is called. */
export function statusLabel(status: RunStatus): string {
  return looks[status].label;
}

/** A run's state, told by icon, word and colour. */
export function StatusPill({ status, strong = false }: { status: RunStatus; strong?: boolean }) {
  const look = looks[status] ?? { label: status, tone: 'text-ink', icon: <CircleSlash size={14} /> };
  return (
    <span
      data-status={status}
      className={classes(
        'inline-flex shrink-0 items-center gap-1.5 align-middle font-medium whitespace-nowrap',
        look.tone,
        strong ? 'text-base' : 'text-sm',
      )}
    >
      {look.icon}
      {look.label}
    </span>
  );
}
