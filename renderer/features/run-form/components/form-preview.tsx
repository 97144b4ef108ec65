import { useMemo, useState } from 'react';
import { formatBytes } from '#renderer/format/format.ts';
import type { AgentDetail } from '#shared/ipc/routes.ts';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { checkInput, mergeErrors } from '../model/check.ts';
import { collectForm, type FormErrors } from '../model/collect.ts';
import { startForm, type DraftOf } from '../model/draft.ts';
import { describeForm, type FileField } from '../model/fields.ts';
import { GroupControls } from './form-field.tsx';

/**
 * The form of an input that is being written, to be tried: everything works but choosing files, and nothing
 * is run. Another input or other values make another form; give it a key by them.
 */
export function FormPreview({
  input,
  values,
  onChange,
}: {
  input: NonNullable<AgentDetail['input']>;
  /** What it begins with. */
  values: Readonly<Record<string, unknown>>;
  /** Told of what the form stands for now. */
  onChange: (values: Record<string, unknown>) => void;
}) {
  const fields = useMemo(() => describeForm(input), [input]);
  const [form, setForm] = useState(() => startForm(fields, values));
  const [isTouched, setTouched] = useState(false);
  const errors = useMemo(() => errorsOf(input, fields, form), [input, fields, form]);
  return (
    <div className="space-y-5">
      {fields.map((field) =>
        field.kind === 'file' ? (
          <FilePlace key={field.key} field={field} />
        ) : (
          <GroupControls
            key={field.key}
            fields={[field]}
            drafts={form.fields}
            pointer=""
            errors={isTouched ? errors : NO_ERRORS}
            change={(update) => {
              const next = update(form) as DraftOf<'group'>;
              setTouched(true);
              setForm(next);
              onChange(collectForm(fields, next).input);
            }}
          />
        ),
      )}
    </div>
  );
}

const NO_ERRORS: FormErrors = new Map();

/** What is wrong with the values, files apart: none can be chosen here. */
function errorsOf(
  input: NonNullable<AgentDetail['input']>,
  fields: ReturnType<typeof describeForm>,
  form: DraftOf<'group'>,
): FormErrors {
  const collected = collectForm(fields, form);
  const files = new Set(fields.flatMap(({ kind, key }) => (kind === 'file' ? [pointerOf([key])] : [])));
  const all = mergeErrors(collected.errors, checkInput(input.schema, fields, collected));
  return new Map([...all].filter(([pointer]) => !files.has(pointer)));
}

function FilePlace({ field }: { field: FileField }) {
  const limits = [
    field.accept,
    field.maxSize !== undefined && `at most ${formatBytes(field.maxSize)}`,
    field.maxFiles > 1 && Number.isFinite(field.maxFiles) && `up to ${field.maxFiles} files`,
  ].filter(Boolean);
  return (
    <div>
      <p className="mb-1 font-medium">
        {field.label}
        {field.required && <span className="ml-1 font-normal text-ink-faint">required</span>}
      </p>
      <p className="flex min-h-12 items-center rounded-md border border-dashed border-line-strong/70 px-3 text-ink-faint">
        {field.maxFiles === 1 ? 'A file is' : 'Files are'} dropped here
        {limits.length > 0 && <span className="ml-auto text-xs">{limits.join(', ')}</span>}
      </p>
      {field.description && <p className="mt-1 text-sm text-ink-faint">{field.description}</p>}
    </div>
  );
}
