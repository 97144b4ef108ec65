import { useId, useState } from 'react';
import { ActionDialog } from '#renderer/components/action-dialog.tsx';
import { Loading } from '#renderer/components/empty-state.tsx';
import { Field, Select } from '#renderer/components/field.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { formatBytes, formatDateTime } from '#renderer/format/format.ts';
import { useApp } from '#renderer/state/app-context.tsx';
import { newestFirst } from '#renderer/state/app-store.ts';
import { useRequest } from '#renderer/state/requests.ts';
import type { StartedFile } from '#renderer/state/started-runs.ts';
import { isFinalStatus, type RunDetail } from '#shared/runs/run.ts';

/** Runs that are offered; older ones are opened by their page. */
const OFFERED_RUNS = 50;

/** A file that a run keeps, to be given to another run. */
export type KeptRunFile = Omit<StartedFile, 'field'>;

/** Chooses among the files that earlier runs delivered or were given. */
export function RunFilePicker({
  single,
  onChoose,
  onClose,
}: {
  /** Whether one file is all that is wanted. */
  single: boolean;
  onChoose: (files: readonly KeptRunFile[]) => void;
  onClose: () => void;
}) {
  const id = useId();
  const known = useApp(({ runs }) => runs);
  const runs = newestFirst(known?.values() ?? [])
    .filter(({ fileCount, status }) => fileCount > 0 && isFinalStatus(status))
    .slice(0, OFFERED_RUNS);
  const [runId, setRunId] = useState(runs[0]?.id ?? '');
  const detail = useRequest('runs.get', { runId }, { enabled: runId !== '' });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const files = detail.data ? filesOf(runId, detail.data) : [];
  const wanted = files.filter((file) => chosen.has(keyOf(file)));
  return (
    <ActionDialog
      title="Files of an earlier run"
      description="The run gets a copy of each, as it is kept."
      action={single ? 'Use it' : 'Use them'}
      busy={false}
      unavailable={wanted.length === 0 ? 'Choose a file first' : undefined}
      onClose={onClose}
      onSubmit={() => {
        onChoose(wanted);
        onClose();
      }}
    >
      {runs.length === 0 ? (
        <p className="text-ink-soft">No run has left a file yet.</p>
      ) : (
        <Field id={`${id}-run`} label="Run">
          {(attributes) => (
            <Select
              {...attributes}
              value={runId}
              onChange={({ target }) => {
                setRunId(target.value);
                setChosen(new Set());
              }}
            >
              {runs.map((run) => (
                <option key={run.id} value={run.id}>
                  {run.agentName}, {formatDateTime(run.createdAt)}
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
      {detail.isError && <ProblemCard problem={detail.error.problem} />}
      {runId !== '' && detail.isPending && <Loading label="Reading the files" />}
      {files.length > 0 && (
        <fieldset>
          <legend className="mb-1 font-medium">{single ? 'File' : 'Files'}</legend>
          <ul className="divide-y divide-line rounded-md border border-line">
            {files.map((file) => {
              const key = keyOf(file);
              return (
                <li key={key}>
                  <label className="flex items-center gap-2.5 px-3 py-1.5 hover:bg-hover">
                    <input
                      type={single ? 'radio' : 'checkbox'}
                      name={`${id}-file`}
                      checked={chosen.has(key)}
                      onChange={({ target }) => setChosen(changed(chosen, key, target.checked, single))}
                    />
                    <span className="min-w-0 flex-1 wrap-anywhere">{file.name}</span>
                    <span className="shrink-0 text-sm text-ink-faint">
                      {file.source.kind === 'run' && file.source.folder === 'documents' && 'given to it, '}
                      {formatBytes(file.size)}
                    </span>
                  </label>
                </li>
              );
            })}
          </ul>
        </fieldset>
      )}
    </ActionDialog>
  );
}

function changed(
  chosen: ReadonlySet<string>,
  key: string,
  isChosen: boolean,
  single: boolean,
): ReadonlySet<string> {
  if (single) return new Set([key]);
  const next = new Set(chosen);
  if (isChosen) next.add(key);
  else next.delete(key);
  return next;
}

/** What it delivered, and then what it was given. */
function filesOf(runId: string, { outputFiles, inputFiles }: RunDetail): KeptRunFile[] {
  return [
    ...outputFiles
      .filter(({ kept }) => kept)
      .map(({ path, size }) => ({
        name: path.slice(path.lastIndexOf('/') + 1),
        size,
        source: { kind: 'run' as const, runId, folder: 'outputs' as const, path },
      })),
    ...inputFiles
      .filter(({ kept }) => kept === true)
      .map(({ name, originalName, size }) => ({
        name: originalName,
        size,
        source: { kind: 'run' as const, runId, folder: 'documents' as const, path: name },
      })),
  ];
}

function keyOf({ source }: KeptRunFile): string {
  return JSON.stringify(source);
}
