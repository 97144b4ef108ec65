import { Plus, X } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import { Button, IconButton } from '#renderer/components/button.tsx';
import { Field, Input, Select, Textarea, type FieldAttributes } from '#renderer/components/field.tsx';
import { isRecord } from '#shared/manifest/plain.ts';
import { currentForm, withArgument, type ArgumentField } from '../model/argument-fields.ts';

interface FieldProps<K extends ArgumentField['kind']> {
  readonly field: Extract<ArgumentField, { kind: K }>;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** Paths of files to choose from. */
  readonly files: readonly string[];
}

/** The arguments of a tool, one control for each. */
export function ArgumentForm({
  fields,
  given,
  files,
  onChange,
}: {
  fields: readonly ArgumentField[];
  given: Readonly<Record<string, unknown>>;
  files: readonly string[];
  onChange: (given: Record<string, unknown>) => void;
}) {
  return (
    <div className="space-y-4">
      {fields.map((field) => (
        <Argument
          key={field.name}
          field={field}
          value={given[field.name]}
          files={files}
          onChange={(value) => onChange(withArgument(given, field.name, value))}
        />
      ))}
    </div>
  );
}

function Argument(props: FieldProps<ArgumentField['kind']>) {
  const { field } = props;
  switch (field.kind) {
    case 'group':
      return <GroupField {...props} field={field} />;
    case 'pairs':
      return <PairsField {...props} field={field} />;
    case 'forms':
      return <FormsField {...props} field={field} />;
    case 'boolean':
      return <BooleanField {...props} field={field} />;
    default:
      return (
        <Labelled field={field}>
          {(attributes) => <Control {...props} field={field} attributes={attributes} />}
        </Labelled>
      );
  }
}

function Labelled({
  field,
  children,
}: {
  field: ArgumentField;
  children: (attributes: FieldAttributes) => ReactNode;
}) {
  return (
    <Field id={useId()} label={field.name} help={field.description} required={field.isRequired}>
      {children}
    </Field>
  );
}

/** The control of a field that is one control. */
function Control({
  field,
  value,
  files,
  onChange,
  attributes,
}: FieldProps<'text' | 'file' | 'number' | 'choice' | 'json'> & {
  attributes: FieldAttributes | { 'aria-label': string };
}) {
  const listId = useId();
  const text = typeof value === 'string' ? value : '';
  switch (field.kind) {
    case 'text':
      return (
        <Textarea
          {...attributes}
          value={text}
          rows={1}
          spellCheck={false}
          className="min-h-8! resize-y font-mono text-sm! [field-sizing:content]"
          onChange={({ target }) =>
            onChange(target.value === '' && !field.isRequired ? undefined : target.value)
          }
        />
      );
    case 'file':
      return (
        <>
          <Input
            {...attributes}
            value={text}
            list={listId}
            spellCheck={false}
            placeholder="Path of a file below"
            className="font-mono text-sm!"
            onChange={({ target }) => onChange(target.value)}
          />
          <datalist id={listId}>
            {files.map((path) => (
              <option key={path} value={path}>
                {path}
              </option>
            ))}
          </datalist>
        </>
      );
    case 'number':
      return (
        <Input
          {...attributes}
          type="number"
          value={typeof value === 'number' ? value : ''}
          onChange={({ target }) => onChange(target.value === '' ? undefined : Number(target.value))}
        />
      );
    case 'choice':
      return (
        <Select
          {...attributes}
          value={text === '' ? (field.fallback ?? '') : text}
          onChange={({ target }) =>
            onChange(target.value === '' || target.value === field.fallback ? undefined : target.value)
          }
        >
          {field.fallback === undefined && <option value="">Choose…</option>}
          {field.options.map((option) => (
            <option key={option} value={option}>
              {option}
            </option>
          ))}
        </Select>
      );
    case 'json':
      return <JsonControl attributes={attributes} value={value} onChange={onChange} />;
  }
}

/** A value typed in as JSON. What is no JSON yet stays in the control and is not taken. */
function JsonControl({
  attributes,
  value,
  onChange,
}: {
  attributes: FieldAttributes | { 'aria-label': string };
  value: unknown;
  onChange: (value: unknown) => void;
}) {
  const errorId = useId();
  const [draft, setDraft] = useState<{ readonly text: string; readonly value: unknown } | undefined>(
    undefined,
  );
  const [error, setError] = useState<string | undefined>(undefined);
  // Another value came from elsewhere: what is typed here is of the past.
  const isOwn = draft !== undefined && draft.value === value;
  const text = isOwn ? draft.text : value === undefined ? '' : JSON.stringify(value, null, 2);
  const take = (typed: string) => {
    if (typed.trim() === '') {
      setDraft(undefined);
      setError(undefined);
      onChange(undefined);
      return;
    }
    try {
      const read: unknown = JSON.parse(typed);
      setDraft({ text: typed, value: read });
      setError(undefined);
      onChange(read);
    } catch {
      setDraft({ text: typed, value });
      setError('This is not JSON yet; the last that was is sent.');
    }
  };
  return (
    <>
      <Textarea
        {...attributes}
        {...(isOwn && error !== undefined && { 'aria-invalid': true, 'aria-describedby': errorId })}
        value={text}
        rows={4}
        spellCheck={false}
        className="font-mono text-sm!"
        onChange={({ target }) => take(target.value)}
      />
      {isOwn && error !== undefined && (
        <p id={errorId} className="mt-1 text-sm text-danger">
          {error}
        </p>
      )}
    </>
  );
}

function BooleanField({ field, value, onChange }: FieldProps<'boolean'>) {
  const id = useId();
  return (
    <div className="flex items-baseline gap-2">
      <input
        id={id}
        type="checkbox"
        checked={value === true}
        aria-describedby={`${id}-help`}
        onChange={({ target }) => onChange(target.checked ? true : undefined)}
        className="size-3.5 translate-y-0.5 accent-accent"
      />
      <div>
        <label htmlFor={id} className="font-medium">
          {field.name}
        </label>
        <p id={`${id}-help`} className="text-sm text-ink-faint">
          {field.description}
        </p>
      </div>
    </div>
  );
}

function GroupField({ field, value, files, onChange }: FieldProps<'group'>) {
  const given = isRecord(value) ? value : {};
  return (
    <fieldset className="border-l-2 border-line pl-3">
      <legend className="float-left mb-2 font-medium">{field.name}</legend>
      <div className="clear-both">
        <ArgumentForm
          fields={field.fields}
          given={given}
          files={files}
          onChange={(next) => onChange(Object.keys(next).length === 0 ? undefined : next)}
        />
      </div>
    </fieldset>
  );
}

/** Rows of a name and a text. A row without a name is kept here until it has one. */
function PairsField({ field, value, onChange }: FieldProps<'pairs'>) {
  const known = isRecord(value)
    ? Object.entries(value).map(([name, text]) => [name, String(text)] as const)
    : [];
  const [rows, setRows] = useState(known);
  const same = JSON.stringify(Object.fromEntries(rows.filter(([name]) => name !== '')));
  // Another value came from elsewhere, such as the JSON view.
  const shown = same === JSON.stringify(Object.fromEntries(known)) ? rows : known;
  const change = (next: readonly (readonly [string, string])[]) => {
    setRows([...next]);
    const named = next.filter(([name]) => name !== '');
    onChange(named.length === 0 ? undefined : Object.fromEntries(named));
  };
  return (
    <div role="group" aria-label={field.name}>
      <div className="mb-1 flex items-center gap-2">
        <span className="font-medium">{field.name}</span>
        <Button
          size="small"
          variant="ghost"
          icon={<Plus size={13} />}
          className="ml-auto"
          onClick={() => setRows([...shown, ['', '']])}
        >
          Add
        </Button>
      </div>
      {shown.map(([name, text], index) => {
        const put = (row: readonly [string, string]) =>
          change(shown.map((other, place) => (place === index ? row : other)));
        return (
          // Rows have no other identity than their place: a name changes while it is typed.
          // oxlint-disable-next-line react/no-array-index-key
          <div key={index} className="mb-1 flex gap-1.5">
            <Input
              aria-label={`Name ${index + 1} of ${field.name}`}
              value={name}
              placeholder="Name"
              spellCheck={false}
              className="w-2/5! font-mono text-sm!"
              onChange={({ target }) => put([target.value, text])}
            />
            <Input
              aria-label={`Value ${index + 1} of ${field.name}`}
              value={text}
              placeholder="Value"
              spellCheck={false}
              className="font-mono text-sm!"
              onChange={({ target }) => put([name, target.value])}
            />
            <IconButton
              label={`Remove ${name || `row ${index + 1}`}`}
              icon={<X size={14} />}
              onClick={() => change(shown.filter((_, place) => place !== index))}
            />
          </div>
        );
      })}
      <p className="text-sm text-ink-faint">{field.description}</p>
    </div>
  );
}

/** A value of one of several forms: which, and the value in it. */
function FormsField({ field, value, files, onChange }: FieldProps<'forms'>) {
  const form = currentForm(field.forms, value);
  return (
    <div className="space-y-2">
      <Labelled field={field}>
        {(attributes) => (
          <Select
            {...attributes}
            value={form?.label ?? ''}
            onChange={({ target }) =>
              onChange(field.forms.find(({ label }) => label === target.value)?.initial)
            }
          >
            {!field.isRequired && <option value="">none</option>}
            {field.forms.map(({ label }) => (
              <option key={label} value={label}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Labelled>
      {form && (
        <div className="border-l-2 border-line pl-3">
          <FormControl key={form.label} form={form.field} value={value} files={files} onChange={onChange} />
        </div>
      )}
    </div>
  );
}

function FormControl({
  form,
  value,
  files,
  onChange,
}: {
  form: ArgumentField;
  value: unknown;
  files: readonly string[];
  onChange: (value: unknown) => void;
}) {
  if (form.kind === 'group') {
    return (
      <ArgumentForm
        fields={form.fields}
        given={isRecord(value) ? value : {}}
        files={files}
        onChange={onChange}
      />
    );
  }
  const name = `${form.name} as ${form.kind === 'json' ? 'JSON' : 'text'}`;
  return form.kind === 'text' || form.kind === 'json' || form.kind === 'pairs' ? (
    <Control
      field={form.kind === 'pairs' ? { ...form, kind: 'json' } : form}
      value={value}
      files={files}
      attributes={{ 'aria-label': name }}
      // An empty JSON is still of this form.
      onChange={(next) => onChange(next ?? (form.kind === 'text' ? '' : value))}
    />
  ) : null;
}
