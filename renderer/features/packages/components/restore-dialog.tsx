import { useState } from 'react';
import { ActionDialog } from '#renderer/components/action-dialog.tsx';
import { useServices } from '#renderer/state/app-context.tsx';
import { goTo } from '#renderer/state/place.ts';
import { useAction } from '#renderer/state/requests.ts';
import type { PackageSummary } from '#shared/ipc/library-routes.ts';
import type { Problem } from '#shared/problem.ts';
import { placeOf } from '../model/package-places.ts';

/** Copies a version into the draft. */
export function RestoreDialog({
  summary,
  version,
  onClose,
}: {
  summary: PackageSummary;
  version: string;
  onClose: () => void;
}) {
  const { notices } = useServices();
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const restore = useAction('library.restore', {
    onProblem: setProblem,
    onDone: ({ dropped }) => {
      notices.say(
        dropped.length > 0
          ? `${version} is the draft now, without ${dropped.join(', ')}, which was withdrawn since`
          : `${version} is the draft now`,
      );
      onClose();
      goTo(placeOf(summary, 'edit'));
    },
  });
  const replaces = summary.state === 'modified' || summary.state === 'draft';
  return (
    <ActionDialog
      title={`Restore ${version} as the draft?`}
      description="The version itself stays as it is."
      action="Restore"
      dangerous={replaces}
      busy={restore.isPending}
      problem={problem}
      onClose={onClose}
      onSubmit={() => restore.mutate({ name: summary.name, version })}
    >
      {replaces && (
        <p className="border-l-2 border-caution pl-3">
          The draft there is now has changes that were never published. They are lost.
        </p>
      )}
    </ActionDialog>
  );
}
