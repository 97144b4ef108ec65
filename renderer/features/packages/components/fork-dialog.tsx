import { useId, useState } from 'react';
import { ActionDialog } from '#renderer/components/action-dialog.tsx';
import { Field, Input } from '#renderer/components/field.tsx';
import { useServices } from '#renderer/state/app-context.tsx';
import { goTo } from '#renderer/state/place.ts';
import { useAction } from '#renderer/state/requests.ts';
import type { PackageSummary } from '#shared/ipc/library-routes.ts';
import type { Problem } from '#shared/problem.ts';
import { proposeName, refuseName, rememberScope } from '../model/package-names.ts';
import { placeOf } from '../model/package-places.ts';

/** Copies a package under another name, to be changed freely. */
export function ForkDialog({
  summary,
  version,
  names,
  onClose,
}: {
  summary: PackageSummary;
  version: string | undefined;
  /** Names that are taken. */
  names: readonly string[];
  onClose: () => void;
}) {
  const id = useId();
  const { notices } = useServices();
  const [newName, setNewName] = useState(() => proposeName(summary.name.split('/')[1] ?? '', names));
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const refusal = refuseName(newName, names);
  const fork = useAction('library.fork', {
    onProblem: setProblem,
    onDone: ({ name, dropped }) => {
      rememberScope(name);
      notices.say(
        dropped.length > 0 ? `Forked as ${name}, without ${dropped.join(', ')}` : `Forked as ${name}`,
      );
      onClose();
      goTo(placeOf({ name, type: summary.type }, 'edit'));
    },
  });
  return (
    <ActionDialog
      title={`Fork ${summary.displayName}`}
      description="A copy of your own, as a draft. The original stays as it is."
      action="Fork"
      busy={fork.isPending}
      unavailable={refusal}
      problem={problem}
      onClose={onClose}
      onSubmit={() => {
        setProblem(undefined);
        fork.mutate({ name: summary.name, newName, ...(version !== undefined && { version }) });
      }}
    >
      <Field
        id={`${id}-name`}
        label="Name"
        help="@scope/name. It cannot be changed later."
        errors={refusal && newName !== '' ? [refusal] : []}
        required
      >
        {(attributes) => (
          <Input
            {...attributes}
            className="font-mono"
            spellCheck={false}
            value={newName}
            onChange={(event) => setNewName(event.target.value.toLowerCase())}
          />
        )}
      </Field>
    </ActionDialog>
  );
}
