export { ImportSheet } from './components/import-sheet.tsx';
export { WindowDrop } from './components/window-drop.tsx';
export { ImportProvider, useImport } from './hooks/import-context.tsx';
