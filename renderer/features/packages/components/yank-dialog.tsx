import { useId, useState } from 'react';
import { ActionDialog } from '#renderer/components/action-dialog.tsx';
import { Field, Input } from '#renderer/components/field.tsx';
import { useServices } from '#renderer/state/app-context.tsx';
import { useAction } from '#renderer/state/requests.ts';
import type { PackageDetail } from '#shared/ipc/library-routes.ts';
import type { Problem } from '#shared/problem.ts';

/** Withdraws a version. */
export function YankDialog({
  name,
  version,
  onClose,
}: {
  name: string;
  version: PackageDetail['versions'][number];
  onClose: () => void;
}) {
  const id = useId();
  const { notices } = useServices();
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const yank = useAction('library.yank', {
    onProblem: setProblem,
    onDone: () => {
      notices.say(`Yanked ${version.version}`);
      onClose();
    },
  });
  return (
    <ActionDialog
      title={`Yank ${version.version}?`}
      description="It stays here, and what names exactly this version still gets it. No range and no tag leads to it any more. You can take this back."
      action="Yank"
      busy={yank.isPending}
      problem={problem}
      onClose={onClose}
      onSubmit={() =>
        yank.mutate({ name, version: version.version, ...(reason.trim() && { reason: reason.trim() }) })
      }
    >
      <Field id={`${id}-reason`} label="Why" help="Shown beside the version, for whoever wonders.">
        {(attributes) => (
          <Input
            {...attributes}
            maxLength={500}
            placeholder="Sends the report twice"
            value={reason}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </Field>
    </ActionDialog>
  );
}
