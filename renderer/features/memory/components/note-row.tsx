import { Pencil, Pin as PinIcon, Trash2 } from 'lucide-react';
import { IconButton } from '#renderer/components/button.tsx';
import { CopyButton } from '#renderer/components/copy-button.tsx';
import { useAction } from '#renderer/state/requests.ts';
import type { Note } from '#shared/memory/memory.ts';
import { MemoryOrigin } from './memory-origin.tsx';

/** One note with what can be done about it. */
export function NoteRow({
  agentId,
  note,
  onEdit,
  onPin,
}: {
  agentId: string;
  note: Note;
  onEdit: () => void;
  onPin: () => void;
}) {
  const remove = useAction('memory.removeNote');
  const name = nameOf(note.content);
  return (
    <li className="flex items-start gap-2 px-3 py-2">
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere whitespace-pre-wrap">{note.content}</p>
        <MemoryOrigin
          at={note.createdAt}
          runId={note.runId}
          scope={note.scope}
          changed={note.changedAt !== undefined}
        />
      </div>
      <CopyButton text={note.content} label={`Copy ${name}`} />
      <IconButton
        size="small"
        label={`Make a slot of ${name}`}
        icon={<PinIcon size={14} />}
        onClick={onPin}
      />
      <IconButton size="small" label={`Edit ${name}`} icon={<Pencil size={14} />} onClick={onEdit} />
      <IconButton
        size="small"
        label={`Delete ${name}`}
        icon={<Trash2 size={14} />}
        onClick={() => remove.mutate({ agentId, noteId: note.id })}
      />
    </li>
  );
}

/** Enough of a note to know it by. */
function nameOf(content: string): string {
  const [line = ''] = content.split('\n');
  return line.length > 40 ? `“${line.slice(0, 40)}…”` : `“${line}”`;
}
