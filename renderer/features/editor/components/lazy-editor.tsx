import { lazy, Suspense } from 'react';
import { Loading } from '#renderer/components/empty-state.tsx';
import { preloadCheckerWorker } from '../worker/checker-workers.ts';
import type { ManifestEditorProps } from './manifest-editor.tsx';

const loadEditor = () => import('./manifest-editor.tsx');
const Editor = lazy(loadEditor);

/**
 * Gets the editor ready while the page has nothing to do, for a screen from which it may soon be opened;
 * the returned function lets it be.
 */
export function preloadManifestEditor(): () => void {
  const handle = requestIdleCallback(() => {
    preloadCheckerWorker();
    // When it cannot be loaded, whoever opens the editor is told.
    void loadEditor().catch(() => undefined);
  });
  return () => cancelIdleCallback(handle);
}

/** The editor of a package's manifest. Its code is loaded when the first one is shown. */
export function ManifestEditor(props: ManifestEditorProps) {
  return (
    <Suspense fallback={<Loading label="Loading the editor" />}>
      <Editor {...props} />
    </Suspense>
  );
}
