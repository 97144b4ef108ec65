import { useId, useState } from 'react';
import { ActionDialog } from '#renderer/components/action-dialog.tsx';
import { Field, Input } from '#renderer/components/field.tsx';
import { placeOf } from '#renderer/features/packages/index.ts';
import { useServices } from '#renderer/state/app-context.tsx';
import { goTo } from '#renderer/state/place.ts';
import { useAction } from '#renderer/state/requests.ts';
import type { ServerIdentity, ServerTrial } from '#shared/ipc/server-routes.ts';
import type { Problem } from '#shared/problem.ts';

/** Keeps a trial as a draft of an integration. */
export function SaveDialog({
  trial,
  server,
  onClose,
}: {
  trial: ServerTrial;
  server: ServerIdentity | undefined;
  onClose: () => void;
}) {
  const id = useId();
  const { notices } = useServices();
  const [displayName, setDisplayName] = useState(server?.title || server?.name || trial.displayName);
  const [description, setDescription] = useState('');
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const save = useAction('servers.save', {
    onProblem: setProblem,
    onDone: ({ name }) => {
      onClose();
      notices.say(`${displayName} is in your library as a draft`);
      goTo(placeOf({ name, type: 'integration' }, 'overview'));
    },
  });
  return (
    <ActionDialog
      title="Save as integration"
      description="A draft with the server’s address, the ways to sign in that you used, and its tools to choose from."
      action="Save"
      busy={save.isPending}
      unavailable={displayName.trim() === '' ? 'It needs a name' : undefined}
      problem={problem}
      onClose={onClose}
      onSubmit={() => {
        setProblem(undefined);
        save.mutate({
          integrationId: trial.integrationId,
          displayName: displayName.trim(),
          ...(description.trim() && { description: description.trim() }),
        });
      }}
    >
      <Field id={`${id}-title`} label="What people call it" required>
        {(attributes) => (
          <Input
            {...attributes}
            maxLength={200}
            value={displayName}
            onChange={({ target }) => setDisplayName(target.value)}
          />
        )}
      </Field>
      <Field id={`${id}-description`} label="What it does" help="One sentence. It can be found by it.">
        {(attributes) => (
          <Input
            {...attributes}
            maxLength={2000}
            value={description}
            onChange={({ target }) => setDescription(target.value)}
          />
        )}
      </Field>
      <p className="text-sm text-ink-soft">
        It is called <code className="font-mono">{trial.integrationId}</code>
        {trial.source.kind === 'bundle' && (
          <>
            {' '}
            and runs <code className="font-mono">{trial.source.server}</code>, which is kept too
          </>
        )}
        . Accounts that you connected stay connected.
      </p>
    </ActionDialog>
  );
}
