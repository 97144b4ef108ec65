export { CodeEditor, CodeView, DiffView, preloadCodeEditor } from './code-editor.tsx';
export { bindJsonSchema } from './json-schemas.ts';
export {
  languageOf,
  type CodeLanguage,
  type CodeMarker,
  type CodePlace,
  type TextReplacement,
  type TextSource,
} from './text-source.ts';
