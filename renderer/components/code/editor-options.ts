import type { editor } from 'monaco-editor';

/** What every editor of the app has in common. */
export const EDITOR_OPTIONS: editor.IEditorOptions & editor.IGlobalEditorOptions = {
  automaticLayout: true,
  fontFamily: 'var(--font-mono)',
  fontSize: 12.5,
  lineHeight: 20,
  minimap: { enabled: false },
  scrollBeyondLastLine: false,
  renderLineHighlight: 'line',
  smoothScrolling: false,
  stickyScroll: { enabled: false },
  padding: { top: 8, bottom: 8 },
  overviewRulerBorder: false,
  hideCursorInOverviewRuler: true,
  scrollbar: { verticalScrollbarSize: 10, horizontalScrollbarSize: 10, useShadows: false },
  fixedOverflowWidgets: true,
  unusualLineTerminators: 'off',
  // Prompts are written in every script; only invisible characters deceive.
  unicodeHighlight: { ambiguousCharacters: false },
  wordBasedSuggestions: 'off',
  links: false,
};
