import { useState } from 'react';
import { ActionDialog } from '#renderer/components/action-dialog.tsx';
import { Button } from '#renderer/components/button.tsx';
import { useServices } from '#renderer/state/app-context.tsx';
import { goTo } from '#renderer/state/place.ts';
import { useAction } from '#renderer/state/requests.ts';
import type { PackageSummary } from '#shared/ipc/library-routes.ts';
import type { Problem } from '#shared/problem.ts';

/** Deletes a package or one version of it; says who needs it when that is in the way. */
export function DeleteDialog({
  summary,
  version,
  onClose,
}: {
  summary: PackageSummary;
  /** Only this version. */
  version?: string;
  onClose: () => void;
}) {
  const { notices } = useServices();
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const remove = useAction('library.delete', {
    onProblem: setProblem,
    onDone: () => {
      notices.say(`Deleted ${version ? `${summary.name} ${version}` : summary.displayName}`);
      onClose();
      if (!version) goTo({ name: 'library', kind: summary.type });
    },
  });
  const submit = (force: boolean) => {
    setProblem(undefined);
    remove.mutate({ name: summary.name, force, ...(version !== undefined && { version }) });
  };
  const isUsed = problem?.code === 'package_used';
  return (
    <ActionDialog
      title={version ? `Delete ${version}?` : `Delete ${summary.displayName}?`}
      description={
        version
          ? 'To keep others from finding it, yank it instead: that can be taken back.'
          : `${whatGoes(summary)} Runs that used it keep their records.`
      }
      action="Delete"
      dangerous
      busy={remove.isPending}
      unavailable={isUsed ? 'Others need it.' : undefined}
      problem={problem}
      onClose={onClose}
      onSubmit={() => submit(false)}
      more={
        isUsed && (
          <Button variant="ghost" onClick={() => submit(true)}>
            Delete it all the same
          </Button>
        )
      }
    />
  );
}

function whatGoes({ draftVersion, versionCount }: PackageSummary): string {
  const versions = versionCount === 1 ? 'its one version' : `all ${versionCount} versions`;
  if (versionCount === 0) return 'Its draft goes, and it was never published.';
  return draftVersion === undefined ? `It goes with ${versions}.` : `Its draft and ${versions} go.`;
}
