import { useId, useState } from 'react';
import { ActionDialog } from '#renderer/components/action-dialog.tsx';
import { Field, Input, Textarea } from '#renderer/components/field.tsx';
import { useAction } from '#renderer/state/requests.ts';
import { CHECKPOINT_KEY, pinKeySchema, type Note, type Pin } from '#shared/memory/memory.ts';
import type { Problem } from '#shared/problem.ts';

/** Sets a slot: a new one, one that is there, or one made of a note. */
export function PinDialog({
  agentId,
  pin,
  note,
  onClose,
}: {
  agentId: string;
  pin?: Pin | undefined;
  /** Becomes the slot and is then no note any more. */
  note?: Note;
  onClose: () => void;
}) {
  const id = useId();
  const [key, setKey] = useState(pin?.key ?? '');
  const [text, setText] = useState(() => (pin ? textOf(pin.content) : (note?.content ?? '')));
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const outcome = { onDone: onClose, onProblem: setProblem };
  const set = useAction('memory.setPin', outcome);
  const pinNote = useAction('memory.pinNote', outcome);
  const keyError = key === '' || pinKeySchema.safeParse(key).success ? undefined : KEY_RULE;
  return (
    <ActionDialog
      title={pin ? `Edit ${pin.key}` : note ? 'Make a slot of the note' : 'Add a slot'}
      description="What it holds is in the prompt of every run of the agent."
      action={pin ? 'Save' : note ? 'Make it a slot' : 'Add'}
      busy={set.isPending || pinNote.isPending}
      unavailable={keyError ?? (key === '' ? 'Give the slot a name first' : undefined)}
      problem={problem}
      onClose={onClose}
      onSubmit={() => {
        setProblem(undefined);
        if (note) pinNote.mutate({ agentId, noteId: note.id, key });
        else set.mutate({ agentId, key, content: contentOf(text), scope: pin?.scope ?? 'actor' });
      }}
    >
      {!pin && (
        <Field
          id={`${id}-key`}
          label="Name"
          help={`“${CHECKPOINT_KEY}” is the one for where a run stopped. A name that is there is replaced.`}
          errors={keyError ? [keyError] : []}
          required
        >
          {(attributes) => (
            <Input
              {...attributes}
              className="font-mono"
              spellCheck={false}
              value={key}
              onChange={({ target }) => setKey(target.value)}
            />
          )}
        </Field>
      )}
      <Field
        id={`${id}-content`}
        label="Content"
        help={note ? undefined : 'JSON, or plain text: what is no JSON is kept as a text.'}
      >
        {(attributes) => (
          <Textarea
            {...attributes}
            className="min-h-32 font-mono"
            spellCheck={false}
            readOnly={note !== undefined}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
      </Field>
    </ActionDialog>
  );
}

const KEY_RULE = 'Use 1 to 64 of a to z, 0 to 9 and _';

/** A text that would be read as JSON is shown as JSON, so that it stays a text. */
function textOf(content: unknown): string {
  if (typeof content === 'string' && contentOf(content) === content) return content;
  return JSON.stringify(content, undefined, 2);
}

function contentOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
