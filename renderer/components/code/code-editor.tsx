import { lazy, Suspense } from 'react';
import { Loading } from '../empty-state.tsx';
import type { CodeEditorProps } from './monaco-code-editor.tsx';
import type { CodeViewProps } from './monaco-code-view.tsx';
import type { DiffViewProps } from './monaco-diff-view.tsx';

const Editor = lazy(() => import('./monaco-code-editor.tsx'));
const View = lazy(() => import('./monaco-code-view.tsx'));
const Diff = lazy(() => import('./monaco-diff-view.tsx'));

/** Edits a shared text as code. The editor's own code is loaded when the first one is shown. */
export function CodeEditor(props: CodeEditorProps) {
  return (
    <Suspense fallback={<Loading label="Loading the editor" />}>
      <Editor key={props.modelUri} {...props} />
    </Suspense>
  );
}

/** Shows a text as code that cannot be changed. */
export function CodeView(props: CodeViewProps) {
  return (
    <Suspense fallback={<Loading label="Loading the text" />}>
      <View key={props.modelUri} {...props} />
    </Suspense>
  );
}

/** Shows two texts with what differs between them, side by side or one in the other. */
export function DiffView(props: DiffViewProps) {
  return (
    <Suspense fallback={<Loading label="Comparing" />}>
      <Diff {...props} />
    </Suspense>
  );
}

/** Loads the editor ahead of its first use, for a screen that will soon show one. */
export function preloadCodeEditor(): void {
  void import('./monaco-code-editor.tsx');
}
