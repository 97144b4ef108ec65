import { ArrowDownLeft, ArrowUpRight, ChevronRight, Dot, Download } from 'lucide-react';
import { useState } from 'react';
import { Badge, type Tone } from '#renderer/components/badge.tsx';
import { Button } from '#renderer/components/button.tsx';
import { classes } from '#renderer/components/classes.ts';
import { CodeBlock } from '#renderer/components/code-block.tsx';
import { downloadText } from '#renderer/components/download-text.ts';
import { EmptyState } from '#renderer/components/empty-state.tsx';
import { Input, Select } from '#renderer/components/field.tsx';
import { ScrollRegion } from '#renderer/components/scroll-region.tsx';
import { formatBytes, formatClock, formatDuration } from '#renderer/format/format.ts';
import { useServices } from '#renderer/state/app-context.tsx';
import { useAction } from '#renderer/state/requests.ts';
import type { ProtocolEntry, ServerSession } from '#shared/ipc/server-routes.ts';
import { exportLines } from '#shared/mcp/protocol-lines.ts';
import { answersOf, filterLog, prettyText, type LogKind } from '../model/log-filter.ts';

/** Entries that are shown at once; older ones come on demand. */
const SHOWN = 200;

const KINDS: Record<LogKind, string> = {
  all: 'Everything',
  calls: 'Requests and answers',
  notifications: 'Notifications',
  errors: 'Errors',
  notes: 'Notes',
};

/** Every message of a connection, the newest first. */
export function ProtocolLog({
  session,
  entries,
}: {
  session: ServerSession;
  entries: readonly ProtocolEntry[];
}) {
  const [kind, setKind] = useState<LogKind>('all');
  const [query, setQuery] = useState('');
  const [shown, setShown] = useState(SHOWN);
  const found = filterLog(entries, kind, query);
  const answers = answersOf(entries);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex shrink-0 flex-wrap items-center gap-2 px-5 py-2.5">
        <Input
          type="search"
          aria-label="Search the log"
          placeholder="Search methods and messages"
          className="w-60!"
          value={query}
          onChange={({ target }) => setQuery(target.value)}
        />
        <Select
          aria-label="Kind of message"
          className="w-48!"
          value={kind}
          onChange={({ target }) => setKind(target.value as LogKind)}
        >
          {Object.entries(KINDS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
        <span className="flex-1" />
        <Export session={session} entries={entries} />
      </div>
      <ScrollRegion label="Messages" className="min-h-0 flex-1 border-t border-line">
        {found.length === 0 ? (
          <EmptyState title={entries.length === 0 ? 'Nothing was said yet' : 'Nothing of this was said'} />
        ) : (
          <ul className="divide-y divide-line">
            {found.slice(0, shown).map((entry) => (
              <Entry
                key={entry.sequence}
                entry={entry}
                answer={answers.get(entry.sequence)}
                isOver={session.state === 'closed'}
              />
            ))}
          </ul>
        )}
        {found.length > shown && (
          <div className="p-3 text-center">
            <Button size="small" onClick={() => setShown(shown + SHOWN)}>
              Show {Math.min(SHOWN, found.length - shown)} older
            </Button>
          </div>
        )}
      </ScrollRegion>
    </div>
  );
}

function Entry({
  entry,
  answer,
  isOver,
}: {
  entry: ProtocolEntry;
  answer: ProtocolEntry | undefined;
  isOver: boolean;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const { direction, method, id, at, size, durationMs } = entry;
  const { word, tone } = statusOf(entry, answer, isOver);
  return (
    <li>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="flex w-full items-center gap-2 px-5 py-1.5 text-left text-sm hover:bg-hover focus-visible:-outline-offset-2"
      >
        <ChevronRight
          size={14}
          aria-hidden="true"
          className={classes('shrink-0 text-ink-faint transition-transform', isOpen && 'rotate-90')}
        />
        <Direction direction={direction} />
        <span className="min-w-0 truncate font-mono font-semibold">{method || 'answer'}</span>
        {direction === 'note' ? (
          <span className="min-w-0 flex-1 truncate text-ink-soft">{entry.text}</span>
        ) : (
          <span className="flex-1 truncate font-mono text-ink-faint">{id !== undefined && `#${id}`}</span>
        )}
        {word !== '' && <Badge tone={tone}>{word}</Badge>}
        <span className="w-16 shrink-0 text-right text-xs text-ink-soft">
          {durationMs !== undefined && formatDuration(durationMs)}
        </span>
        <span className="w-16 shrink-0 text-right text-xs text-ink-soft">{formatBytes(size)}</span>
        <span className="w-16 shrink-0 text-right font-mono text-xs text-ink-faint">
          {formatClock(at).slice(0, 8)}
        </span>
      </button>
      {isOpen && (
        <div className="px-5 pb-3">
          <CodeBlock
            label={`Message ${entry.sequence}`}
            text={prettyText(entry)}
            language={entry.kind === 'note' ? 'text' : 'json'}
          />
          {entry.isCut && <p className="mt-1 text-sm text-ink-soft">The beginning of {formatBytes(size)}.</p>}
        </div>
      )}
    </li>
  );
}

function Direction({ direction }: Pick<ProtocolEntry, 'direction'>) {
  switch (direction) {
    case 'sent':
      return (
        <>
          <ArrowUpRight size={14} aria-hidden="true" className="shrink-0 text-accent" />
          <span className="sr-only">sent</span>
        </>
      );
    case 'received':
      return (
        <>
          <ArrowDownLeft size={14} aria-hidden="true" className="shrink-0 text-success" />
          <span className="sr-only">received</span>
        </>
      );
    case 'note':
      return (
        <>
          <Dot size={14} aria-hidden="true" className="shrink-0 text-ink-faint" />
          <span className="sr-only">note</span>
        </>
      );
  }
}

function statusOf(
  { kind, saysError }: ProtocolEntry,
  answer: ProtocolEntry | undefined,
  isOver: boolean,
): { word: string; tone: Tone } {
  switch (kind) {
    case 'request':
      if (answer?.kind === 'notification') return { word: 'cancelled', tone: 'neutral' };
      if (answer !== undefined) return { word: '', tone: 'neutral' };
      return isOver ? { word: 'no answer', tone: 'caution' } : { word: 'waiting', tone: 'accent' };
    case 'error':
      return { word: 'error', tone: 'danger' };
    case 'result':
      return saysError === true ? { word: 'says error', tone: 'danger' } : { word: 'ok', tone: 'success' };
    case 'notification':
      return { word: 'notification', tone: 'neutral' };
    case 'note':
      return { word: '', tone: 'neutral' };
  }
}

function Export({ session, entries }: { session: ServerSession; entries: readonly ProtocolEntry[] }) {
  const { bridge, notices } = useServices();
  const save = useAction('servers.saveLog', {
    onDone: ({ savedTo }) => {
      if (savedTo !== undefined) notices.say(`Saved to ${savedTo}`);
    },
  });
  const run = () => {
    if (bridge.shell !== 'browser') save.mutate({ sessionId: session.id });
    else downloadText(exportLines(entries), `${session.subject.split('/').at(-1) ?? 'server'}.jsonl`);
  };
  return (
    <Button
      icon={<Download size={14} />}
      busy={save.isPending}
      unavailable={entries.length === 0 ? 'Nothing was said yet' : undefined}
      onClick={run}
    >
      Export
    </Button>
  );
}
