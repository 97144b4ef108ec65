import { Ban, Check, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from '#renderer/components/classes.ts';
import { ScrollRegion } from '#renderer/components/scroll-region.tsx';
import { Spinner } from '#renderer/components/spinner.tsx';
import { formatClock, formatDuration } from '#renderer/format/format.ts';
import type { PlaygroundCall } from '#shared/ipc/playground-routes.ts';

const LOOKS: Record<PlaygroundCall['state'], { readonly word: string; readonly icon: ReactNode }> = {
  running: { word: 'under way', icon: <Spinner /> },
  done: { word: 'done', icon: <Check size={14} aria-hidden="true" className="text-success" /> },
  failed: { word: 'failed', icon: <X size={14} aria-hidden="true" className="text-danger" /> },
  cancelled: { word: 'cancelled', icon: <Ban size={14} aria-hidden="true" className="text-ink-soft" /> },
};

/** The calls of this session, one to be looked at. */
export function CallList({
  calls,
  shownId,
  onShow,
}: {
  calls: readonly PlaygroundCall[];
  shownId: string | undefined;
  onShow: (id: string) => void;
}) {
  return (
    <ScrollRegion label="Calls of this session" className="max-h-44 border-y border-line">
      <ul className="divide-y divide-line">
        {calls.map((call) => (
          <li key={call.id}>
            <button
              type="button"
              aria-current={call.id === shownId || undefined}
              onClick={() => onShow(call.id)}
              className={classes(
                'flex w-full items-center gap-2 px-2 py-1.5 text-left text-sm hover:bg-hover',
                call.id === shownId && 'bg-selected',
              )}
            >
              {LOOKS[call.state].icon}
              <span className="sr-only">{LOOKS[call.state].word}</span>
              <span className="shrink-0 font-mono font-semibold">{toolKey(call.tool)}</span>
              <span className="min-w-0 flex-1 truncate font-mono text-ink-soft">{call.summary}</span>
              <span className="shrink-0 font-mono text-ink-soft">{outcomeOf(call)}</span>
              <span className="w-14 shrink-0 text-right text-xs text-ink-faint">
                {call.durationMs !== undefined && formatDuration(call.durationMs)}
              </span>
              <span className="shrink-0 font-mono text-xs text-ink-faint">
                {formatClock(call.startedAt).slice(0, 8)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </ScrollRegion>
  );
}

/** A tool without its namespace, which is the same for all of them. */
function toolKey(tool: string): string {
  return tool.slice(tool.indexOf('__') + 2);
}

export function outcomeOf({ status, code }: PlaygroundCall): string {
  if (code !== undefined) return code;
  return status === undefined ? '' : String(status);
}
