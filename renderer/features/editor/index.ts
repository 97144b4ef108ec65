export { ManifestEditor, preloadManifestEditor } from './components/lazy-editor.tsx';
export type { ManifestEditorProps } from './components/manifest-editor.tsx';
export { ScopePreview } from './components/scope-preview.tsx';
export { EditedText } from './model/edited-text.ts';
export { ManifestDocument } from './model/manifest-document.ts';
export { planScopes, type ScopePlan } from './model/scope-plan.ts';
export { planTools, type ToolPlan } from './model/tool-plan.ts';
export { CONTENT_FILES } from './model/sections.ts';
export type { EditorActions, EditorLibrary, GrantedConnection, LibraryPackage, LiveTool } from './ports.ts';
