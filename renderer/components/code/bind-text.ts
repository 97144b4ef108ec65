import type { editor, IDisposable } from 'monaco-editor';
import { replacementBetween } from './replacement.ts';
import type { TextSource } from './text-source.ts';

/**
 * Keeps an editor's model and a shared text the same. What is typed goes to the text; what changes there by
 * another view, undo or redo comes back as the smallest edit, and the cursor follows it.
 */
export function bindText(
  codeEditor: editor.IStandaloneCodeEditor,
  model: editor.ITextModel,
  source: TextSource,
): IDisposable {
  let isApplying = false;
  const typed = model.onDidChangeContent(({ changes }) => {
    if (isApplying) return;
    // A model has one kind of line end, so a text with several is another one in it.
    const isSame = source.text.length + growth(changes) === model.getValueLength();
    isApplying = true;
    const whole = isSame ? undefined : replacementBetween(source.text, model.getValue());
    source.type(
      isSame
        ? changes.map(({ rangeOffset: offset, rangeLength: length, text }) => ({ offset, length, text }))
        : whole === undefined
          ? []
          : [whole],
    );
    isApplying = false;
  });
  const unsubscribe = source.subscribe(({ offset, length, text }) => {
    if (isApplying) return;
    isApplying = true;
    const start = model.getPositionAt(offset);
    const end = model.getPositionAt(offset + length);
    const range = {
      startLineNumber: start.lineNumber,
      startColumn: start.column,
      endLineNumber: end.lineNumber,
      endColumn: end.column,
    };
    model.applyEdits([{ range, text }]);
    if (model.getValue() !== source.text) model.setValue(source.text);
    isApplying = false;
    if (!codeEditor.hasTextFocus()) return;
    const place = model.getPositionAt(offset + text.length);
    codeEditor.setPosition(place);
    codeEditor.revealPositionInCenterIfOutsideViewport(place);
  });
  return {
    dispose() {
      typed.dispose();
      unsubscribe();
    },
  };
}

function growth(changes: readonly { readonly rangeLength: number; readonly text: string }[]): number {
  return changes.reduce((sum, { rangeLength, text }) => sum + text.length - rangeLength, 0);
}
