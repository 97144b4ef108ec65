import { lazy, Suspense } from 'react';
import { Loading } from '#renderer/components/empty-state.tsx';
import type { ManifestEditorProps } from './manifest-editor.tsx';

const Editor = lazy(() => import('./manifest-editor.tsx'));

/** The editor of a package's manifest. Its code is loaded when the first one is shown. */
export function ManifestEditor(props: ManifestEditorProps) {
  return (
    <Suspense fallback={<Loading label="Loading the editor" />}>
      <Editor {...props} />
    </Suspense>
  );
}
