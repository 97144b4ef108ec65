import { Play, Plus } from 'lucide-react';
import { useId, useMemo, useRef, useState, type FormEvent } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { Field } from '#renderer/components/field.tsx';
import { Kbd } from '#renderer/components/kbd.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { useShortcut } from '#renderer/components/use-shortcut.ts';
import { RunAccounts } from '#renderer/features/connections/index.ts';
import type { StartedRun } from '#renderer/state/started-runs.ts';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import type { AgentDetail } from '#shared/ipc/routes.ts';
import type { ModelReference, ProviderState } from '#shared/models/model.ts';
import type { Problem } from '#shared/problem.ts';
import { checkInput, mergeErrors, placeCauses } from '../model/check.ts';
import { collectForm, type FormErrors } from '../model/collect.ts';
import { newId, startForm, type ChangeDraft, type ChosenFile, type DraftOf } from '../model/draft.ts';
import { describeForm, type FormField } from '../model/fields.ts';
import { useStartRun } from '../hooks/use-start-run.ts';
import { FileDrop } from './file-drop.tsx';
import { GroupControls } from './form-field.tsx';
import { ModelPicker } from './model-picker.tsx';

const NO_ERRORS: FormErrors = new Map();

/** What the form begins with. */
export interface StartValues {
  readonly input: Readonly<Record<string, unknown>>;
  /** Files that main can read again. */
  readonly files: readonly StartedRun['files'][number][];
  readonly model: ModelReference | undefined;
}

/**
 * The form of an agent's input, with the model and the button that runs it. Errors are shown from the first
 * attempt on, and then at every change.
 */
export function RunForm({
  agent,
  providers,
  defaultModel,
  start,
  blocker,
  prepare,
  onStarted,
}: {
  agent: AgentDetail;
  providers: readonly ProviderState[];
  defaultModel: ModelReference;
  start: StartValues;
  /** Why nothing can be run now. */
  blocker: string | undefined;
  /** Done before the run is asked for, such as saving what it is of. Gives why there is no run after all. */
  prepare?: () => Promise<Problem | undefined>;
  /** Takes the run that was started; it is shown when nobody does. */
  onStarted?: (runId: string) => void;
}) {
  const id = useId();
  const element = useRef<HTMLFormElement>(null);
  const fields = useMemo(() => describeForm(agent.input), [agent.input]);
  const [form, setForm] = useState(() => startWithFiles(fields, start));
  const [extraFiles, setExtraFiles] = useState<readonly ChosenFile[]>(() =>
    start.files.filter(({ field }) => field === undefined).map(chosenOf),
  );
  const [showsExtra, setShowsExtra] = useState(extraFiles.length > 0);
  const [model, setModel] = useState<ModelReference>(start.model ?? defaultModel);
  const [attempted, setAttempted] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  const { start: startRun, isStarting } = useStartRun(setProblem, onStarted);
  const [isPreparing, setPreparing] = useState(false);

  const collected = useMemo(() => collectForm(fields, form), [fields, form]);
  const checked = useMemo(
    () =>
      mergeErrors(
        collected.errors,
        agent.input ? checkInput(agent.input.schema, fields, collected) : NO_ERRORS,
      ),
    [agent.input, fields, collected],
  );
  const refused = useMemo(() => {
    const names = fields.map((field) => pointerOf([field.key]));
    const isField = (pointer: string) =>
      names.some((name) => pointer === name || pointer.startsWith(`${name}/`));
    return problem ? placeCauses(problem, isField) : undefined;
  }, [problem, fields]);
  const errors = mergeErrors(attempted ? checked : NO_ERRORS, refused?.errors ?? NO_ERRORS);

  const isHandingOver = [...allFiles(form), ...extraFiles].some(({ source, error }) => !source && !error);
  const modelIsReady = providers.some(({ id, ready }) => ready && id === model.providerId);
  const unavailable =
    blocker ??
    (agent.summary.errorCount > 0 ? 'The package has errors. See its findings.' : undefined) ??
    (modelIsReady ? undefined : 'The model is not ready: it needs a key, or its server does not answer.') ??
    (isHandingOver ? 'Files are still being read.' : undefined);

  const change: ChangeDraft = (update) => {
    setProblem(undefined);
    setForm((known) => update(known) as DraftOf<'group'>);
  };
  const submit = () => {
    if (unavailable || isStarting || isPreparing) return;
    setAttempted(true);
    if (checked.size > 0) {
      // After the errors are in the page, so that the field is announced with them.
      requestAnimationFrame(() =>
        element.current?.querySelector<HTMLElement>('[aria-invalid="true"], [data-invalid]')?.focus(),
      );
      return;
    }
    const beside = extraFiles.flatMap(({ name, size, source, error }) =>
      source && !error ? [{ field: undefined, name, size, source }] : [],
    );
    setProblem(undefined);
    const run = {
      agentId: agent.summary.id,
      input: collected.input,
      files: [...collected.files, ...beside],
      model,
    };
    if (prepare === undefined) return startRun(run);
    setPreparing(true);
    void prepare().then((obstacle) => {
      setPreparing(false);
      if (obstacle) setProblem(obstacle);
      else startRun(run);
    });
  };
  useShortcut('mod+Enter', submit);

  return (
    <form
      ref={element}
      aria-label={`Run ${agent.summary.displayName}`}
      noValidate
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        submit();
      }}
      className="max-w-160 space-y-5"
    >
      {fields.length === 0 && <p className="text-ink-soft">This agent takes no input.</p>}
      <GroupControls fields={fields} drafts={form.fields} pointer="" errors={errors} change={change} />

      {showsExtra ? (
        <Field
          id={`${id}-extra`}
          label="Additional files"
          help="They are put beside the others, in the folder “documents” of the workspace."
        >
          {(attributes) => (
            <FileDrop
              attributes={attributes}
              label="Additional files"
              files={extraFiles}
              change={setExtraFiles}
              accept={undefined}
              maxSize={undefined}
              maxFiles={Number.POSITIVE_INFINITY}
            />
          )}
        </Field>
      ) : (
        <Button variant="ghost" size="small" icon={<Plus size={13} />} onClick={() => setShowsExtra(true)}>
          Additional files
        </Button>
      )}

      <hr />
      <RunAccounts agentId={agent.summary.id} />
      <ModelPicker id={`${id}-model`} keyLink providers={providers} value={model} onChange={setModel} />

      {problem && <ProblemCard problem={{ ...problem, causes: refused?.rest }} />}
      {attempted && checked.size > 0 && (
        <p role="alert" className="text-danger">
          {checked.size === 1 ? 'One field needs' : `${checked.size} fields need`} another look.
        </p>
      )}
      <div className="flex items-center gap-3">
        <Button
          type="submit"
          variant="primary"
          icon={<Play size={14} />}
          busy={isStarting || isPreparing}
          unavailable={unavailable}
        >
          Run
        </Button>
        <Kbd keys="mod+enter" />
        {unavailable && <p className="text-sm text-ink-faint">{unavailable}</p>}
      </div>
    </form>
  );
}

function startWithFiles(fields: readonly FormField[], start: StartValues): DraftOf<'group'> {
  const form = startForm(fields, start.input);
  const withFiles = fields.flatMap((field) => {
    if (field.kind !== 'file') return [];
    const files = start.files.filter((file) => file.field === field.key).slice(0, field.maxFiles);
    return [[field.key, { kind: 'file', files: files.map(chosenOf) }] as const];
  });
  return { ...form, fields: { ...form.fields, ...Object.fromEntries(withFiles) } };
}

function chosenOf({ name, size, source }: StartValues['files'][number]): ChosenFile {
  return { id: newId(), name, size, source, progress: undefined, error: undefined };
}

function allFiles(form: DraftOf<'group'>): ChosenFile[] {
  return Object.values(form.fields).flatMap((draft) => (draft.kind === 'file' ? draft.files : []));
}
