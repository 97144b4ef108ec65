import { loader } from '@monaco-editor/react';
import * as monaco from 'monaco-editor/editor';
import 'monaco-editor/features/register.all';
import { jsonDefaults } from 'monaco-editor/languages/features/json/register';
import 'monaco-editor/languages/definitions/markdown/register';
import 'monaco-editor/languages/definitions/python/register';
import 'monaco-editor/languages/definitions/typescript/register';
import 'monaco-editor/languages/definitions/yaml/register';
// The suffix is the bundler's: it makes a file of the module and gives the class that starts it.
// oxlint-disable-next-line import/default
import EditorWorker from 'monaco-editor/editor/editor.worker?worker';
// oxlint-disable-next-line import/default
import JsonWorker from 'monaco-editor/languages/features/json/json.worker?worker';
import { followJsonSchemas, type JsonSchemaBinding } from './json-schemas.ts';
import { readTokenColors } from './token-colors.ts';

/** The editor with what the app uses of it. Only modules that are themselves loaded late import this one. */
self.MonacoEnvironment = {
  getWorker: (_id, label) => (label === 'json' ? new JsonWorker() : new EditorWorker()),
};
// Without this the loader would fetch the editor from a server.
loader.config({ monaco });

// These mean something to the app, also while the editor has the focus.
monaco.editor.addKeybindingRules([
  { keybinding: monaco.KeyMod.CtrlCmd | monaco.KeyCode.Enter, command: null },
  { keybinding: monaco.KeyMod.CtrlCmd | monaco.KeyCode.Period, command: null },
]);
for (const scheme of ['light', 'dark'] as const) defineTheme(scheme);
followJsonSchemas(applySchemas);

export { monaco };

/** Marks come from the app's own validator, which knows more than a schema says. */
function applySchemas(bindings: readonly JsonSchemaBinding[]): void {
  jsonDefaults.setDiagnosticsOptions({
    validate: false,
    enableSchemaRequest: false,
    schemas: bindings.flatMap(({ modelUri, schema, declaredUri }) => [
      { uri: `${modelUri}.schema`, fileMatch: [modelUri], schema },
      ...(declaredUri === undefined ? [] : [{ uri: declaredUri, schema }]),
    ]),
  });
}

function defineTheme(scheme: 'light' | 'dark'): void {
  const color = readTokenColors(scheme);
  monaco.editor.defineTheme(`slipway-${scheme}`, {
    base: scheme === 'light' ? 'vs' : 'vs-dark',
    inherit: true,
    rules: [
      { token: '', foreground: color('ink') },
      { token: 'string.key.json', foreground: color('accent') },
      { token: 'string.value.json', foreground: color('success') },
      { token: 'string', foreground: color('success') },
      { token: 'number', foreground: color('caution') },
      { token: 'keyword', foreground: color('accent') },
      { token: 'keyword.json', foreground: color('caution') },
      { token: 'delimiter', foreground: color('ink-soft') },
      { token: 'comment', foreground: color('ink-faint') },
      { token: 'keyword.md', foreground: color('accent'), fontStyle: 'bold' },
      { token: 'variable.md', foreground: color('caution') },
      { token: 'string.link.md', foreground: color('accent') },
    ],
    colors: {
      'editor.background': color('surface'),
      'editor.foreground': color('ink'),
      'editorLineNumber.foreground': color('ink-faint'),
      'editorLineNumber.activeForeground': color('ink'),
      'editor.lineHighlightBackground': color('canvas'),
      'editor.lineHighlightBorder': '#00000000',
      'editorCursor.foreground': color('accent'),
      'editorIndentGuide.background1': color('line'),
      'editorIndentGuide.activeBackground1': color('line-strong'),
      ...bracketColors(color('ink-soft')),
      'editorBracketMatch.border': color('accent'),
      'editorBracketMatch.background': color('accent-soft'),
      'editorWidget.background': color('raised'),
      'editorWidget.foreground': color('ink'),
      'editorWidget.border': color('line'),
      'editorHoverWidget.background': color('raised'),
      'editorHoverWidget.border': color('line'),
      'editorSuggestWidget.background': color('raised'),
      'editorSuggestWidget.border': color('line'),
      'editorSuggestWidget.foreground': color('ink'),
      'editorSuggestWidget.selectedBackground': color('selected'),
      'editorSuggestWidget.selectedForeground': color('ink'),
      'editorSuggestWidget.highlightForeground': color('accent'),
      'editorSuggestWidget.focusHighlightForeground': color('accent'),
      'editorError.foreground': color('danger'),
      'editorWarning.foreground': color('caution'),
      'editorInfo.foreground': color('accent'),
      'editorGutter.background': color('surface'),
      'editorOverviewRuler.border': color('line'),
      'scrollbar.shadow': '#00000000',
      'diffEditor.insertedTextBackground': `${color('success')}2a`,
      'diffEditor.removedTextBackground': `${color('danger')}30`,
      'diffEditor.insertedLineBackground': `${color('success')}18`,
      'diffEditor.removedLineBackground': `${color('danger')}18`,
      'diffEditor.border': color('line'),
      focusBorder: color('accent'),
      'input.background': color('surface'),
      'input.border': color('line-strong'),
      'list.hoverBackground': color('hover'),
      'list.focusBackground': color('selected'),
      'quickInput.background': color('raised'),
    },
  });
}

/** Brackets of every depth look alike: colours mean something else here. */
function bracketColors(color: string): Record<string, string> {
  const depths = [1, 2, 3, 4, 5, 6].map((depth) => [`editorBracketHighlight.foreground${depth}`, color]);
  return Object.fromEntries(depths) as Record<string, string>;
}
