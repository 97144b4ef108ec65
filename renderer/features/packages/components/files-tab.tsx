import { FolderOpen } from 'lucide-react';
import { EmptyState } from '#renderer/components/empty-state.tsx';
import { ScrollRegion } from '#renderer/components/scroll-region.tsx';
import { goTo, type PackagePlace } from '#renderer/state/place.ts';
import type { PackageDetail } from '#shared/ipc/library-routes.ts';
import { FileTreeView } from './file-tree-view.tsx';
import { FileViewer } from './file-viewer.tsx';

/** All files of a package, and the one that is looked at. */
export function FilesTab({ detail, place }: { detail: PackageDetail; place: PackagePlace }) {
  const { files, content } = detail;
  const asked = place.file ?? content?.path ?? 'manifest.json';
  const shown = files.find(({ path }) => path === asked) ?? files[0];
  if (!shown) {
    return (
      <EmptyState icon={<FolderOpen size={28} aria-hidden="true" />} title="It has no files">
        A package has at least a manifest.json.
      </EmptyState>
    );
  }
  return (
    <div className="flex h-full min-h-0">
      <ScrollRegion label="Files of the package" className="w-70 shrink-0 border-r border-line px-2 py-2">
        <FileTreeView
          label="Files"
          files={files}
          current={shown.path}
          onShow={(file) => goTo({ ...place, file }, { replace: true })}
        />
      </ScrollRegion>
      <ScrollRegion label={`Content of ${shown.path}`} className="flex min-w-0 flex-1 flex-col px-6 py-4">
        <FileViewer
          key={shown.path}
          name={detail.summary.name}
          version={place.version}
          path={shown.path}
          digest={shown.digest}
        />
      </ScrollRegion>
    </div>
  );
}
