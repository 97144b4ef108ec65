import { ConfirmDialog } from '#renderer/components/dialog.tsx';
import { useApp, useServices } from '#renderer/state/app-context.tsx';
import type { PackagePlace } from '#renderer/state/place.ts';
import { useAction } from '#renderer/state/requests.ts';
import type { PackageDetail } from '#shared/ipc/library-routes.ts';
import { openDrafts } from '../model/open-drafts.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { ForkDialog } from './fork-dialog.tsx';
import { PublishDialog } from './publish-dialog.tsx';

/** What asks before it is done. */
export type PackageAction = 'publish' | 'fork' | 'export' | 'delete' | 'discard';

/** The dialog of what was asked for. */
export function PackageDialog({
  asked,
  detail,
  place,
  onClose,
}: {
  asked: PackageAction | undefined;
  detail: PackageDetail;
  place: PackagePlace;
  onClose: () => void;
}) {
  const { summary } = detail;
  const { notices } = useServices();
  const packages = useApp(({ library }) => library?.packages);
  const discard = useAction('library.discardDraft', {
    onDone: () => notices.say(`${summary.latestVersion ?? 'The last version'} is what is left`),
  });
  if (asked === 'publish') return <PublishDialog detail={detail} onClose={onClose} />;
  if (asked === 'export') return <ExportDialog detail={detail} onClose={onClose} />;
  if (asked === 'delete') return <DeleteDialog summary={summary} onClose={onClose} />;
  if (asked === 'fork') {
    const names = (packages ?? []).map(({ name }) => name);
    return <ForkDialog summary={summary} version={place.version} names={names} onClose={onClose} />;
  }
  return (
    <ConfirmDialog
      open={asked === 'discard'}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title="Discard the draft?"
      confirm="Discard"
      dangerous
      onConfirm={() => {
        openDrafts.forget(summary.name);
        discard.mutate({ name: summary.name });
      }}
    >
      <p>What was changed since {summary.latestVersion} is lost. The versions stay.</p>
    </ConfirmDialog>
  );
}
