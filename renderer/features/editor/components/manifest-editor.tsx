import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import {
  bindJsonSchema,
  CodeEditor,
  preloadCodeEditor,
  type CodePlace,
} from '#renderer/components/code/index.ts';
import { Segmented } from '#renderer/components/segmented.tsx';
import { Split } from '#renderer/components/split.tsx';
import { useMediaQuery } from '#renderer/components/use-media-query.ts';
import { useShortcut } from '#renderer/components/use-shortcut.ts';
import type { PackageType } from '#shared/manifest/dialect.ts';
import type { Finding } from '#shared/manifest/finding.ts';
import { JsonDocument } from '#shared/manifest/json-document.ts';
import { MANIFEST_FILE } from '#shared/manifest/validate.ts';
import { FormContext, type FormContextValue } from '../hooks/form-context.ts';
import { useReading } from '../hooks/use-document.ts';
import { useEditorCommands } from '../hooks/use-editor-commands.ts';
import { useFindings } from '../hooks/use-findings.ts';
import { dialectOf } from '../model/agent-value.ts';
import type { EditedText } from '../model/edited-text.ts';
import { editorSchema } from '../model/editor-schema.ts';
import type { ManifestDocument, ManifestEdits } from '../model/manifest-document.ts';
import { sectionOf, sectionsOf, type SectionKey } from '../model/sections.ts';
import type { EditorActions, EditorLibrary } from '../ports.ts';
import { BrokenNotice } from './broken-notice.tsx';
import { EditorForm } from './editor-form.tsx';
import { focusPart, focusPlace } from './focus-place.ts';
import { handleHistoryKeys, HistoryButtons } from './history-buttons.tsx';
import { ProblemsPanel } from './problems-panel.tsx';

export type EditorView = 'form' | 'both' | 'json';

export interface ManifestEditorProps {
  /** Identity of what is edited, such as the package's name: another one is another editor. */
  readonly identity: string;
  readonly type: PackageType;
  readonly document: ManifestDocument;
  /** The package's Markdown, for types that have one. */
  readonly content?: { readonly path: string; readonly text: EditedText } | undefined;
  /** The package's other files. */
  readonly paths: readonly string[];
  readonly library: EditorLibrary;
  readonly actions?: EditorActions;
  /** A package that was saved before keeps its name. */
  readonly isNameFixed: boolean;
  /** Stands at the end of the tool bar: the state of the draft, publishing, a run. */
  readonly toolbar?: ReactNode;
  /** Told of all there is to say after each check. */
  readonly onFindings?: ((findings: readonly Finding[]) => void) | undefined;
}

const NO_ACTIONS: EditorActions = {};
const VIEW_KEY = 'slipway.editor.view';
const VIEWS: readonly EditorView[] = ['form', 'both', 'json'];

/**
 * The editor of a package's manifest: a form and the JSON, two views of one text with one history. Default
 * export, because it is loaded lazily.
 */
export default function ManifestEditor(props: ManifestEditorProps) {
  return <Editor key={props.identity} {...props} />;
}

function Editor({
  identity,
  type,
  document,
  content,
  paths,
  library,
  actions = NO_ACTIONS,
  isNameFixed,
  toolbar,
  onFindings,
}: ManifestEditorProps) {
  const isWide = useMediaQuery('(min-width: 1200px)');
  const [chosenView, setView] = useState<EditorView>(rememberedView);
  const view = chosenView === 'both' && !isWide ? 'form' : chosenView;
  const [section, setSection] = useState<SectionKey>('identity');
  const [jsonPlace, setJsonPlace] = useState<CodePlace>();
  const [contentPlace, setContentPlace] = useState<CodePlace>();
  const [sought, setSought] = useState<{ pointer: string }>();
  const [refusal, setRefusal] = useState<string>();
  const [isPanelOpen, setPanelOpen] = useState(true);
  const [current, setCurrent] = useState<Finding>();
  const root = useRef<HTMLDivElement>(null);
  const reading = useReading(document, view !== 'json');
  const { packages } = library;
  const findings = useFindings({ manifest: document.text, content, paths }, packages);

  useEffect(preloadCodeEditor, []);
  useEffect(() => {
    if (findings) onFindings?.(findings);
  }, [findings, onFindings]);

  const base = `slipway://package/${addressOf(identity)}`;
  const manifestUri = `${base}/${MANIFEST_FILE}`;
  const value = reading.state === 'read' ? reading.value : reading.last;
  const dialect = dialectOf(value ?? {});
  const declared = value?.['$schema'];
  const declaredUri = typeof declared === 'string' ? declared : undefined;
  const schemaLibrary = useDeferredValue(library);
  useEffect(
    () =>
      bindJsonSchema({
        modelUri: manifestUri,
        schema: editorSchema(type, dialect, schemaLibrary),
        declaredUri,
      }),
    [manifestUri, type, dialect, schemaLibrary, declaredUri],
  );

  const changeView = (next: EditorView) => {
    setView(next);
    localStorage.setItem(VIEW_KEY, next);
  };
  const showInJson = useCallback(
    (pointer: string) => {
      const read = JsonDocument.read(document.text.text);
      setJsonPlace(read instanceof JsonDocument ? { ...read.position(pointer) } : { line: 1, column: 1 });
      if (view === 'form') setView(isWide ? 'both' : 'json');
    },
    [document, view, isWide],
  );
  const edit = useCallback(
    (edits: ManifestEdits, key?: string) => {
      if (edits.length > 0) setRefusal(document.edit(edits, key === undefined ? {} : { key }));
    },
    [document],
  );

  const go = (finding: Finding) => {
    setCurrent(finding);
    const place = { line: finding.line, column: finding.column };
    if (finding.file === content?.path) {
      if (view === 'json') changeView('form');
      setSection('content');
      setContentPlace(place);
      return;
    }
    if (view !== 'form' || reading.state === 'broken') {
      if (view === 'form') changeView('json');
      setJsonPlace(place);
      return;
    }
    setSection(sectionOf(type, finding));
    setSought({ pointer: finding.pointer });
  };
  const goBy = (step: number) => {
    if (findings === undefined || findings.length === 0) return;
    const index = current === undefined ? -1 : findings.indexOf(current);
    const from = index === -1 && step < 0 ? 0 : index;
    const next = findings.at((from + step + findings.length) % findings.length);
    if (next) go(next);
  };

  // The place is in the page only once its part of the form is.
  useEffect(() => {
    if (sought && root.current) focusPlace(root.current, sought.pointer);
  }, [sought]);

  useShortcut('mod+e', () => changeView(view === 'json' ? 'form' : 'json'));
  useShortcut('mod+s', () => actions.save?.());
  useShortcut('mod+.', () => goBy(1));
  useShortcut('mod+>', () => goBy(-1));
  useShortcut('mod+Enter', () => actions.tryIt?.(), actions.tryIt !== undefined && !actions.isTrying);

  useEditorCommands(
    type,
    {
      showForm: (key) => {
        changeView('form');
        if (key !== undefined) setSection(key);
        // The palette gives the focus back when it has closed.
        setTimeout(() => focusPart(root.current));
      },
      showJson: () => changeView('json'),
      goBy,
      undo: () => document.undo(),
      redo: () => document.redo(),
    },
    actions,
  );

  // Who comes by a link or the palette has no place on the page yet.
  useEffect(() => {
    if (globalThis.document.activeElement === globalThis.document.body) focusPart(root.current);
  }, []);

  const manifestFindings = useMemo(
    () => (findings ?? []).filter(({ file }) => file === MANIFEST_FILE),
    [findings],
  );
  const contentFindings = useMemo(
    () => (findings ?? []).filter(({ file }) => file === content?.path),
    [findings, content?.path],
  );
  const form = useMemo(
    (): FormContextValue => ({
      document,
      manifest: value ?? {},
      library,
      paths,
      actions,
      findings: findings ?? [],
      isReadOnly: reading.state === 'broken',
      isNameFixed,
      sought: sought?.pointer,
      edit,
      tell: setRefusal,
      showInJson,
    }),
    [
      document,
      value,
      library,
      paths,
      actions,
      findings,
      reading.state,
      isNameFixed,
      sought,
      edit,
      showInJson,
    ],
  );

  // Text that never was JSON has nothing to fill a form with.
  const isEmpty = reading.state === 'broken' && reading.last === undefined;
  const formView = (
    <FormContext value={form}>
      <div
        className="flex min-h-0 flex-1 flex-col"
        onKeyDown={(event) => handleHistoryKeys(event, document)}
        // What is chosen here must be about what the text says now, not before the last letters.
        onPointerDownCapture={() => document.read()}
        onFocusCapture={() => document.read()}
        role="presentation"
      >
        {reading.state === 'broken' && (
          <BrokenNotice
            reading={reading}
            onShow={() => {
              changeView(isWide ? 'both' : 'json');
              const [fault] = reading.faults;
              if (fault) setJsonPlace({ line: fault.line, column: fault.column });
            }}
          />
        )}
        {refusal !== undefined && (
          <p role="alert" className="mx-6 mt-3 border-l-2 border-caution pl-3">
            {refusal}
          </p>
        )}
        <EditorForm
          type={type}
          section={isEmpty ? 'content' : section}
          onSection={setSection}
          sections={sectionsOf(type)
            .filter(({ key }) => !isEmpty || key === 'content')
            .map((item) => ({
              ...item,
              errors: (findings ?? []).filter(
                (finding) => finding.severity === 'error' && sectionOf(type, finding) === item.key,
              ).length,
            }))}
          content={
            content && {
              ...content,
              modelUri: `${base}/${content.path}`,
              markers: contentFindings,
              place: contentPlace,
            }
          }
        />
      </div>
    </FormContext>
  );
  const jsonView = (
    <CodeEditor
      source={document.text}
      label="Manifest"
      // The editor's own reader of JSON goes as deep as the text does, and falls.
      language={reading.state === 'broken' && reading.isBeyondLimits ? 'plaintext' : 'json'}
      modelUri={manifestUri}
      markers={manifestFindings}
      place={jsonPlace}
    />
  );

  return (
    <div ref={root} className="flex min-h-0 flex-1 flex-col">
      <div className="flex shrink-0 items-center gap-3 border-b border-line px-6 pb-3">
        <Segmented
          label="View"
          value={view}
          onChange={changeView}
          options={[
            { value: 'form', label: 'Form' },
            ...(isWide ? [{ value: 'both' as const, label: 'Both' }] : []),
            { value: 'json', label: 'JSON' },
          ]}
        />
        <HistoryButtons document={document} />
        <div className="ml-auto flex items-center gap-2">{toolbar}</div>
      </div>
      {view === 'both' ? (
        <Split
          label="Width of the JSON"
          storageKey="slipway.editor.json-width"
          initial={520}
          min={320}
          max={1000}
          first={formView}
          second={jsonView}
        />
      ) : view === 'form' ? (
        formView
      ) : (
        jsonView
      )}
      <ProblemsPanel
        findings={findings}
        isOpen={isPanelOpen}
        onToggle={() => setPanelOpen(!isPanelOpen)}
        current={current}
        canFix={reading.state === 'read'}
        onGo={go}
        onFix={(finding) => edit(finding.fix?.edits ?? [])}
      />
    </div>
  );
}

/** A name as a part of an address that needs no escapes, which editors write in different ways. */
function addressOf(identity: string): string {
  return identity.replaceAll(/[^a-zA-Z0-9-]/g, (character) => `.${character.codePointAt(0) ?? 0}.`);
}

function rememberedView(): EditorView {
  const remembered = localStorage.getItem(VIEW_KEY);
  return VIEWS.find((view) => view === remembered) ?? 'form';
}
