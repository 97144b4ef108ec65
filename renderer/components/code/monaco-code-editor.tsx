import { Editor } from '@monaco-editor/react';
import type { editor, IDisposable } from 'monaco-editor';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { isApple } from '../kbd.tsx';
import { bindText } from './bind-text.ts';
import { EDITOR_OPTIONS } from './editor-options.ts';
import { monaco } from './monaco.ts';
import type { CodeLanguage, CodeMarker, CodePlace, TextSource } from './text-source.ts';
import { useColorScheme } from './use-color-scheme.ts';

export interface CodeEditorProps {
  readonly source: TextSource;
  /** What the text is, for assistive technology. */
  readonly label: string;
  readonly language: CodeLanguage;
  /** Identity of the text: cursor and scroll position are kept by it, and JSON Schemas bound to it. */
  readonly modelUri: string;
  readonly markers?: readonly CodeMarker[];
  readonly place?: CodePlace | undefined;
  readonly readOnly?: boolean;
  readonly wrap?: boolean;
  /** Takes the focus when shown. */
  readonly autoFocus?: boolean;
  readonly onCursor?: (offset: number) => void;
}

/** Where the person was in each text, for when they come back to it. */
const viewStates = new WeakMap<TextSource, editor.ICodeEditorViewState | null>();

/** Default export, because it is loaded lazily. Another `modelUri` needs another `key`. */
export default function MonacoCodeEditor({
  source,
  label,
  language,
  modelUri,
  markers,
  place,
  readOnly = false,
  wrap = false,
  autoFocus = false,
  onCursor,
}: CodeEditorProps) {
  const scheme = useColorScheme();
  const [mounted, setMounted] = useState<editor.IStandaloneCodeEditor>();
  const tabLeaves = useRef(false);

  useEffect(() => {
    const model = mounted?.getModel();
    if (!mounted || !model) return;
    if (model.getValue() !== source.text) model.setValue(source.text);
    const binding = bindText(mounted, model, source);
    const state = viewStates.get(source);
    if (state) mounted.restoreViewState(state);
    return () => {
      viewStates.set(source, mounted.saveViewState());
      binding.dispose();
    };
  }, [mounted, source]);

  useEffect(() => {
    const model = mounted?.getModel();
    if (!model) return;
    monaco.editor.setModelMarkers(
      model,
      'slipway',
      (markers ?? []).map((marker) => markerData(model, marker)),
    );
  }, [mounted, markers]);

  useEffect(() => {
    if (!mounted || !place) return;
    mounted.setPosition({ lineNumber: place.line, column: place.column });
    mounted.revealLineInCenter(place.line);
    mounted.focus();
  }, [mounted, place]);

  useEffect(() => {
    if (!mounted || !onCursor) return;
    const listener: IDisposable = mounted.onDidChangeCursorPosition(({ position }) => {
      const offset = mounted.getModel()?.getOffsetAt(position);
      if (offset !== undefined) onCursor(offset);
    });
    return () => listener.dispose();
  }, [mounted, onCursor]);

  const letTabLeave = (leaves: boolean) => {
    if (tabLeaves.current === leaves) return;
    tabLeaves.current = leaves;
    mounted?.updateOptions({ tabFocusMode: leaves });
  };

  /** Undo and redo belong to the shared text; Esc lets the next Tab leave the editor. */
  const onKeyDownCapture = (event: KeyboardEvent) => {
    const isCommand = isApple ? event.metaKey : event.ctrlKey;
    const key = event.key.toLowerCase();
    const isRedo = (key === 'z' && event.shiftKey) || (key === 'y' && !isApple);
    if (isCommand && !event.altKey && (key === 'z' || isRedo) && isInText(event.target)) {
      event.preventDefault();
      event.stopPropagation();
      if (readOnly) return;
      if (isRedo) source.redo();
      else source.undo();
      return;
    }
    if (event.key === 'Escape') letTabLeave(!hasOpenWidget(mounted));
    else if (event.key !== 'Tab' && event.key !== 'Shift') letTabLeave(false);
  };

  return (
    <div
      className="group/code relative flex min-h-0 flex-1 flex-col"
      onKeyDownCapture={onKeyDownCapture}
      onBlur={() => letTabLeave(false)}
      role="presentation"
    >
      <div className="min-h-0 flex-1">
        <Editor
          path={modelUri}
          language={language}
          defaultValue={source.text}
          theme={`slipway-${scheme}`}
          loading={null}
          keepCurrentModel={false}
          onMount={(codeEditor) => {
            setMounted(codeEditor);
            if (autoFocus) codeEditor.focus();
          }}
          options={{
            ...EDITOR_OPTIONS,
            ariaLabel: `${label}. Press Escape, then Tab, to leave the editor.`,
            readOnly,
            domReadOnly: readOnly,
            wordWrap: wrap ? 'on' : 'off',
            tabSize: 2,
            quickSuggestions: { strings: language === 'json', other: language === 'json', comments: false },
            lineNumbersMinChars: 4,
            folding: language !== 'markdown',
          }}
        />
      </div>
      <p
        className="pointer-events-none absolute right-4 bottom-1 rounded-sm bg-surface/90 px-1 text-xs text-ink-faint opacity-0 group-focus-within/code:opacity-100"
        aria-hidden="true"
      >
        Esc, then Tab, leaves the editor
      </p>
    </div>
  );
}

/** The fields of the editor's own find widget keep their own undo. */
function isInText(target: EventTarget): boolean {
  return !(target instanceof Element) || target.closest('.find-widget, .quick-input-widget') === null;
}

/** Whether Esc closes something of the editor before it means anything else. */
function hasOpenWidget(codeEditor: editor.IStandaloneCodeEditor | undefined): boolean {
  const element = codeEditor?.getDomNode();
  const isOpen = (selector: string) =>
    [...document.querySelectorAll(selector)].some((widget) => widget.checkVisibility());
  return element !== undefined && element !== null
    ? isOpen('.suggest-widget.visible, .find-widget.visible, .monaco-hover:not(.hidden), .rename-box')
    : false;
}

function markerData(model: editor.ITextModel, marker: CodeMarker): editor.IMarkerData {
  const line = Math.min(marker.line, model.getLineCount());
  const end = endOf(model, line, marker);
  return {
    severity: SEVERITIES[marker.severity],
    message: marker.message,
    startLineNumber: line,
    startColumn: marker.column,
    endLineNumber: end.line,
    endColumn: end.column,
    ...(marker.code === undefined ? {} : { code: marker.code }),
  };
}

/** A mark without an end covers the JSON text, number or word it begins at. */
function endOf(model: editor.ITextModel, line: number, marker: CodeMarker): CodePlace {
  if (marker.endLine !== undefined && marker.endColumn !== undefined) {
    return { line: marker.endLine, column: marker.endColumn };
  }
  const rest = model.getLineContent(line).slice(marker.column - 1);
  const token = /^(?:"(?:[^"\\]|\\.)*"|[^\s,:{}[\]]+|\S)/.exec(rest)?.[0] ?? ' ';
  return { line, column: marker.column + token.length };
}

const SEVERITIES = {
  error: monaco.MarkerSeverity.Error,
  warning: monaco.MarkerSeverity.Warning,
  information: monaco.MarkerSeverity.Info,
} as const;
