import { Brain, Pin as PinIcon, Search, SquarePen } from 'lucide-react';
import type { ReactNode } from 'react';
import { JsonTree } from '#renderer/components/json-tree.tsx';
import { ScrollRegion } from '#renderer/components/scroll-region.tsx';
import { formatClock, formatQuantity } from '#renderer/format/format.ts';
import { placeLink } from '#renderer/state/place.ts';
import type { MemoryTouch } from '#shared/runs/projection.ts';

/** What a run found in its agent's memory, and what it left there. */
export function MemoryPanel({
  touches,
  agentId,
}: {
  touches: readonly MemoryTouch[];
  agentId: string | undefined;
}) {
  return (
    <ScrollRegion label="Memory" className="min-h-0 flex-1 px-5 py-3">
      <ol className="space-y-3">
        {touches.map(({ key, at, event }) => (
          <li key={key} className="flex gap-2.5">
            <span className="mt-0.5 text-ink-faint">{ICONS[event.type]}</span>
            <div className="min-w-0 flex-1">
              <p className="flex items-baseline gap-2">
                <span className="font-medium">{titleOf(event)}</span>
                <time dateTime={new Date(at).toISOString()} className="ml-auto text-sm text-ink-faint">
                  {formatClock(at)}
                </time>
              </p>
              <Content event={event} />
            </div>
          </li>
        ))}
      </ol>
      {agentId !== undefined && (
        <p className="mt-4">
          <a
            href={placeLink({ name: 'package', kind: 'agent', packageName: agentId, tab: 'memory' })}
            className="text-accent hover:underline"
          >
            All that the agent remembers now
          </a>
        </p>
      )}
    </ScrollRegion>
  );
}

const ICONS: Record<MemoryTouch['event']['type'], ReactNode> = {
  'memory.prompted': <Brain size={15} aria-hidden="true" />,
  'memory.recalled': <Search size={15} aria-hidden="true" />,
  'memory.added': <SquarePen size={15} aria-hidden="true" />,
  'pinned.set': <PinIcon size={15} aria-hidden="true" />,
};

function titleOf(event: MemoryTouch['event']): string {
  switch (event.type) {
    case 'memory.prompted':
      return `Found ${formatQuantity(event.pins.length, 'slot')} in its prompt, and ${formatQuantity(event.noteCount, 'note')} to search`;
    case 'memory.recalled': {
      const found = formatQuantity(event.notes.length, 'note');
      return event.query === undefined ? `Read the newest ${found}` : `Searched “${event.query}”: ${found}`;
    }
    case 'memory.added':
      return 'Noted';
    case 'pinned.set':
      return `Set the slot ${event.key}`;
  }
}

function Content({ event }: { event: MemoryTouch['event'] }) {
  switch (event.type) {
    case 'memory.prompted':
      return event.pins.map(({ key, content }) => (
        <JsonTree key={key} label={key} value={{ [key]: content }} />
      ));
    case 'memory.recalled':
      return (
        <ul className="list-disc pl-4 text-ink-soft">
          {event.notes.map(({ id, content }) => (
            <li key={id} className="wrap-anywhere whitespace-pre-wrap">
              {content}
            </li>
          ))}
        </ul>
      );
    case 'memory.added':
      return <p className="wrap-anywhere whitespace-pre-wrap text-ink-soft">{event.content}</p>;
    case 'pinned.set':
      return <JsonTree label={event.key} value={event.content} />;
  }
}
