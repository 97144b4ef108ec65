import { useId, useState } from 'react';
import { ActionDialog } from '#renderer/components/action-dialog.tsx';
import { Field, Textarea } from '#renderer/components/field.tsx';
import { useAction } from '#renderer/state/requests.ts';
import { MAX_NOTE_CHARACTERS, type Note } from '#shared/memory/memory.ts';
import type { Problem } from '#shared/problem.ts';

/** Writes a note, or changes one. */
export function NoteDialog({
  agentId,
  note,
  onClose,
}: {
  agentId: string;
  note: Note | undefined;
  onClose: () => void;
}) {
  const id = useId();
  const [content, setContent] = useState(note?.content ?? '');
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const outcome = { onDone: onClose, onProblem: setProblem };
  const add = useAction('memory.addNote', outcome);
  const change = useAction('memory.changeNote', outcome);
  const left = MAX_NOTE_CHARACTERS - Array.from(content).length;
  return (
    <ActionDialog
      title={note ? 'Edit the note' : 'Add a note'}
      description="Later runs of the agent find it when they search for its words."
      action={note ? 'Save' : 'Add'}
      busy={add.isPending || change.isPending}
      unavailable={content.trim() === '' ? 'Write something first' : undefined}
      problem={problem}
      onClose={onClose}
      onSubmit={() => {
        setProblem(undefined);
        if (note) change.mutate({ agentId, noteId: note.id, content });
        else add.mutate({ agentId, content, scope: 'actor' });
      }}
    >
      <Field
        id={`${id}-content`}
        label="Note"
        help={left < 0 ? undefined : `${left} characters are left.`}
        errors={left < 0 ? [`It is ${-left} characters too long.`] : []}
        required
      >
        {(attributes) => (
          <Textarea
            {...attributes}
            className="min-h-32"
            value={content}
            onChange={({ target }) => setContent(target.value)}
          />
        )}
      </Field>
    </ActionDialog>
  );
}
