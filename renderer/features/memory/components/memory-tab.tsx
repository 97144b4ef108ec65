import { Brain, Download, Ellipsis, Plus, Trash2 } from 'lucide-react';
import { useDeferredValue, useId, useState, type ReactNode } from 'react';
import { Button, IconButton } from '#renderer/components/button.tsx';
import { ConfirmDialog } from '#renderer/components/dialog.tsx';
import { downloadText } from '#renderer/components/download-text.ts';
import { EmptyState, Loading } from '#renderer/components/empty-state.tsx';
import { Menu } from '#renderer/components/menu.tsx';
import { SearchInput } from '#renderer/components/search-input.tsx';
import { formatQuantity } from '#renderer/format/format.ts';
import { useServices } from '#renderer/state/app-context.tsx';
import { useAction } from '#renderer/state/requests.ts';
import type { AgentMemoryState } from '#shared/ipc/memory-routes.ts';
import type { Note, Pin } from '#shared/memory/memory.ts';
import { toProblem } from '#shared/problem.ts';
import { useFoundNotes, useMemory } from '../hooks/use-memory.ts';
import { NoteDialog } from './note-dialog.tsx';
import { NoteRow } from './note-row.tsx';
import { PinDialog } from './pin-dialog.tsx';
import { PinRow } from './pin-row.tsx';

/** What is asked for: a slot or a note, a new one or one that is there. */
export type MemoryRequest =
  | { readonly kind: 'note'; readonly note?: Note }
  | { readonly kind: 'pin'; readonly pin?: Pin }
  | { readonly kind: 'pin-note'; readonly note: Note }
  | { readonly kind: 'clear' };

/** What an agent remembers from run to run: seen, searched, changed, taken along and forgotten. */
export function MemoryTab({ agentId }: { agentId: string }) {
  const memory = useMemory(agentId);
  const [asked, setAsked] = useState<MemoryRequest | undefined>(undefined);
  const close = () => setAsked(undefined);
  const { notices } = useServices();
  const clear = useAction('memory.clear', { onDone: () => notices.say('The memory is empty') });
  if (!memory) return <Loading label="Reading the memory" />;
  const isEmpty = memory.pins.length === 0 && memory.noteCount === 0;
  return (
    <div className="max-w-220">
      {isEmpty ? (
        <EmptyState
          icon={<Brain size={28} aria-hidden="true" />}
          title="Nothing is remembered yet"
          action={
            <div className="flex gap-2">
              <Button onClick={() => setAsked({ kind: 'note' })}>Add a note</Button>
              <Button onClick={() => setAsked({ kind: 'pin' })}>Add a slot</Button>
            </div>
          }
        >
          With the tools <code>note</code> and <code>pin</code> a run leaves something to the runs after it:
          notes that they search, and slots that they find in their prompt.
        </EmptyState>
      ) : (
        <>
          <Pins memory={memory} agentId={agentId} onAsk={setAsked} />
          <Notes memory={memory} agentId={agentId} onAsk={setAsked} />
        </>
      )}
      {asked?.kind === 'note' && <NoteDialog agentId={agentId} note={asked.note} onClose={close} />}
      {asked?.kind === 'pin' && <PinDialog agentId={agentId} pin={asked.pin} onClose={close} />}
      {asked?.kind === 'pin-note' && <PinDialog agentId={agentId} note={asked.note} onClose={close} />}
      <ConfirmDialog
        open={asked?.kind === 'clear'}
        onOpenChange={(open) => {
          if (!open) close();
        }}
        title="Forget everything?"
        confirm="Forget it"
        dangerous
        onConfirm={() => clear.mutate({ agentId })}
      >
        <p>
          {formatQuantity(memory.pins.length, 'slot')} and {formatQuantity(memory.noteCount, 'note')} of this
          agent are deleted for good. Runs keep what their own records say of them.
        </p>
      </ConfirmDialog>
    </div>
  );
}

function Part({
  title,
  help,
  actions,
  children,
}: {
  title: string;
  help: string;
  actions: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="mb-8">
      <header className="mb-2 flex items-end gap-3">
        <div className="min-w-0 flex-1">
          <h2 id={id} className="font-semibold">
            {title}
          </h2>
          <p className="text-ink-soft">{help}</p>
        </div>
        {actions}
      </header>
      {children}
    </section>
  );
}

function Pins({
  memory,
  agentId,
  onAsk,
}: {
  memory: AgentMemoryState;
  agentId: string;
  onAsk: (request: MemoryRequest) => void;
}) {
  return (
    <Part
      title="Slots"
      help="Each is in the prompt of every run."
      actions={
        <>
          <Button size="small" icon={<Plus size={13} />} onClick={() => onAsk({ kind: 'pin' })}>
            Add a slot
          </Button>
          <MoreMenu agentId={agentId} onAsk={onAsk} />
        </>
      }
    >
      {memory.pins.length === 0 ? (
        <p className="text-ink-faint">No slot is set.</p>
      ) : (
        <ul aria-label="Slots" className="divide-y divide-line rounded-md border border-line">
          {memory.pins.map((pin) => (
            <PinRow
              key={`${pin.scope} ${pin.key}`}
              agentId={agentId}
              pin={pin}
              onEdit={() => onAsk({ kind: 'pin', pin })}
            />
          ))}
        </ul>
      )}
    </Part>
  );
}

function Notes({
  memory,
  agentId,
  onAsk,
}: {
  memory: AgentMemoryState;
  agentId: string;
  onAsk: (request: MemoryRequest) => void;
}) {
  const [query, setQuery] = useState('');
  const found = useFoundNotes(agentId, memory, useDeferredValue(query.trim()));
  return (
    <Part
      title="Notes"
      help="Runs search them with recall_memory."
      actions={
        <Button size="small" icon={<Plus size={13} />} onClick={() => onAsk({ kind: 'note' })}>
          Add a note
        </Button>
      }
    >
      {memory.noteCount === 0 ? (
        <p className="text-ink-faint">There is no note.</p>
      ) : (
        <>
          <SearchInput
            className="mb-2 max-w-80"
            aria-label="Search the notes"
            placeholder="Words, in any order"
            value={query}
            onChange={({ target }) => setQuery(target.value)}
          />
          <p role="status" className="mb-1 text-sm text-ink-faint">
            {found.length === memory.noteCount
              ? formatQuantity(memory.noteCount, 'note')
              : `${found.length} of ${formatQuantity(memory.noteCount, 'note')}`}
          </p>
          {found.length > 0 && (
            <ul aria-label="Notes" className="divide-y divide-line rounded-md border border-line">
              {found.map((note) => (
                <NoteRow
                  key={note.id}
                  agentId={agentId}
                  note={note}
                  onEdit={() => onAsk({ kind: 'note', note })}
                  onPin={() => onAsk({ kind: 'pin-note', note })}
                />
              ))}
            </ul>
          )}
        </>
      )}
    </Part>
  );
}

function MoreMenu({ agentId, onAsk }: { agentId: string; onAsk: (request: MemoryRequest) => void }) {
  const { client, notices } = useServices();
  const takeAlong = async () => {
    try {
      const { fileName, text } = await client.request('memory.export', { agentId });
      downloadText(text, fileName);
    } catch (error) {
      notices.report(toProblem(error));
    }
  };
  return (
    <Menu
      label="More of the memory"
      groups={[
        [
          {
            label: 'Export as JSON lines',
            icon: <Download size={14} />,
            choose: () => void takeAlong(),
          },
        ],
        [
          {
            label: 'Forget everything…',
            icon: <Trash2 size={14} />,
            dangerous: true,
            takesFocus: true,
            choose: () => onAsk({ kind: 'clear' }),
          },
        ],
      ]}
    >
      <IconButton size="small" label="More of the memory" icon={<Ellipsis size={15} />} />
    </Menu>
  );
}
