import { FilePlus, FolderOpen } from 'lucide-react';
import { useState } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { ConfirmDialog } from '#renderer/components/dialog.tsx';
import { EmptyState } from '#renderer/components/empty-state.tsx';
import { ScrollRegion } from '#renderer/components/scroll-region.tsx';
import { useServices } from '#renderer/state/app-context.tsx';
import { goTo, type PackagePlace } from '#renderer/state/place.ts';
import { useAction } from '#renderer/state/requests.ts';
import type { PackageDetail } from '#shared/ipc/library-routes.ts';
import { MANIFEST_FILE } from '#shared/manifest/validate.ts';
import { AddFileDialog } from './add-file-dialog.tsx';
import { FileEditor } from './file-editor.tsx';
import { FileTreeView } from './file-tree-view.tsx';
import { FileViewer } from './file-viewer.tsx';

/** All files of a package, and the one that is looked at; those of a draft can be changed. */
export function FilesTab({ detail, place }: { detail: PackageDetail; place: PackagePlace }) {
  const { files, content, summary } = detail;
  const { notices } = useServices();
  const [editing, setEditing] = useState<{ path: string; text: string } | undefined>(undefined);
  const [isAdding, setIsAdding] = useState(false);
  const [removing, setRemoving] = useState<string | undefined>(undefined);
  const save = useAction('library.saveDraft', { onDone: () => notices.say('File removed') });
  const asked = place.file ?? content?.path ?? MANIFEST_FILE;
  const shown = files.find(({ path }) => path === asked) ?? files[0];
  const canChange =
    place.version === undefined && summary.state !== 'sample' && summary.watchedFolder === undefined;
  if (!shown) {
    return (
      <EmptyState icon={<FolderOpen size={28} aria-hidden="true" />} title="It has no files">
        A package has at least a manifest.json.
      </EmptyState>
    );
  }
  const show = (file: string) => {
    setEditing(undefined);
    goTo({ ...place, file }, { replace: true });
  };
  const isInEditor = shown.path === MANIFEST_FILE || shown.path === content?.path;
  const edit = (text: string) => {
    if (isInEditor) goTo({ ...place, tab: 'edit', file: undefined });
    else setEditing({ path: shown.path, text });
  };
  return (
    <div className="flex h-full min-h-0">
      <div className="flex w-70 shrink-0 flex-col border-r border-line">
        {canChange && (
          <div className="px-3 pt-3 pb-1">
            <Button size="small" icon={<FilePlus size={13} />} onClick={() => setIsAdding(true)}>
              Add files…
            </Button>
          </div>
        )}
        <ScrollRegion label="Files of the package" className="min-h-0 flex-1 px-2 py-2">
          <FileTreeView label="Files" files={files} current={shown.path} onShow={show} />
        </ScrollRegion>
      </div>
      <ScrollRegion label={`Content of ${shown.path}`} className="flex min-w-0 flex-1 flex-col px-6 py-4">
        {editing?.path === shown.path && canChange ? (
          <FileEditor
            key={shown.path}
            name={summary.name}
            path={shown.path}
            text={editing.text}
            basedOn={detail.draftId}
            onDone={() => setEditing(undefined)}
          />
        ) : (
          <FileViewer
            key={shown.path}
            name={summary.name}
            version={place.version}
            path={shown.path}
            digest={shown.digest}
            onEdit={canChange ? edit : undefined}
            onRemove={canChange && shown.path !== MANIFEST_FILE ? () => setRemoving(shown.path) : undefined}
          />
        )}
      </ScrollRegion>
      {isAdding && (
        <AddFileDialog
          name={summary.name}
          basedOn={detail.draftId}
          folder={shown.path.includes('/') ? shown.path.slice(0, shown.path.lastIndexOf('/')) : ''}
          existing={files.map(({ path }) => path)}
          onClose={() => setIsAdding(false)}
          onAdded={(path) => {
            setIsAdding(false);
            show(path);
          }}
        />
      )}
      <ConfirmDialog
        open={removing !== undefined}
        onOpenChange={(open) => {
          if (!open) setRemoving(undefined);
        }}
        title={`Remove ${removing ?? ''}?`}
        confirm="Remove"
        dangerous
        onConfirm={() => {
          if (removing === undefined) return;
          save.mutate({
            name: summary.name,
            edits: [{ path: removing, remove: true }],
            basedOn: detail.draftId,
          });
        }}
      >
        <p>It goes from the draft. Versions that have it keep it.</p>
      </ConfirmDialog>
    </div>
  );
}
