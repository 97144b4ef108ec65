import { useState, type ReactNode } from 'react';
import { Field, Input, Select, Textarea } from '#renderer/components/field.tsx';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { useErrorsAt, useForm } from '../hooks/form-context.ts';
import { at, removal } from '../model/agent-value.ts';

export interface BoundFieldProps {
  /** Path of members to the value. */
  readonly path: readonly string[];
  readonly label: string;
  readonly help?: ReactNode;
  readonly required?: boolean;
  readonly placeholder?: string;
}

/** A text of the manifest. Emptied, an optional one is removed when the field is left. */
export function TextField({
  path,
  label,
  help,
  required = false,
  placeholder,
  lines,
  isFixed = false,
}: BoundFieldProps & { lines?: number; isFixed?: boolean }) {
  const { manifest, edit, isReadOnly } = useForm();
  const pointer = pointerOf(path);
  const errors = useErrorsAt(pointer);
  const value = at(manifest, path);
  if (value !== undefined && typeof value !== 'string') {
    return <KeptField path={path} label={label} />;
  }
  const shared = {
    value: value ?? '',
    placeholder,
    readOnly: isReadOnly || isFixed,
    'data-pointer': pointer,
    onBlur: () => {
      if (!required && value === '') edit(removal(manifest, path));
    },
  };
  const change = (text: string) => edit([{ pointer, value: text }], pointer);
  return (
    <Field id={`field${pointer}`} label={label} help={help} errors={errors} required={required}>
      {(attributes) =>
        lines === undefined ? (
          <Input {...attributes} {...shared} onChange={(event) => change(event.target.value)} />
        ) : (
          <Textarea
            {...attributes}
            {...shared}
            rows={lines}
            onChange={(event) => change(event.target.value)}
          />
        )
      }
    </Field>
  );
}

/** A number of the manifest. What is typed and is no number yet stays in the field. */
export function NumberField({ path, label, help, placeholder, unit }: BoundFieldProps & { unit?: string }) {
  const { manifest, edit } = useForm();
  const pointer = pointerOf(path);
  const value = at(manifest, path);
  if (value !== undefined && typeof value !== 'number') return <KeptField path={path} label={label} />;
  return (
    <NumberInput
      label={label}
      help={help}
      placeholder={placeholder}
      unit={unit}
      pointer={pointer}
      value={value}
      onChange={(next) =>
        edit(next === undefined ? removal(manifest, path) : [{ pointer, value: next }], pointer)
      }
    />
  );
}

/** A number or nothing, with a label. */
export function NumberInput({
  label,
  help,
  placeholder,
  unit,
  pointer,
  value,
  onChange,
}: {
  label: string;
  help?: ReactNode;
  placeholder?: string | undefined;
  unit?: string | undefined;
  pointer: string;
  value: number | undefined;
  onChange: (value: number | undefined) => void;
}) {
  const { isReadOnly } = useForm();
  const errors = useErrorsAt(pointer);
  const [typed, setTyped] = useState<string>();
  const shown = typed ?? (value === undefined ? '' : String(value));
  const isNoNumber = typed !== undefined && typed.trim() !== '' && !Number.isFinite(Number(typed));
  return (
    <Field
      id={`field${pointer}`}
      label={unit ? `${label} (${unit})` : label}
      help={help}
      errors={isNoNumber ? ['This is not a number.'] : errors}
    >
      {(attributes) => (
        <Input
          {...attributes}
          inputMode="decimal"
          value={shown}
          placeholder={placeholder}
          readOnly={isReadOnly}
          data-pointer={pointer}
          onChange={(event) => {
            const text = event.target.value;
            setTyped(text);
            if (text.trim() === '') onChange(undefined);
            else if (Number.isFinite(Number(text))) onChange(Number(text));
          }}
          onBlur={() => setTyped(undefined)}
        />
      )}
    </Field>
  );
}

/** A list of words of the manifest, one after another with commas. */
export function WordsField({ path, label, help, placeholder }: BoundFieldProps) {
  const { manifest, edit, isReadOnly } = useForm();
  const pointer = pointerOf(path);
  const errors = useErrorsAt(pointer, true);
  const value = at(manifest, path);
  const [typed, setTyped] = useState<string>();
  const isWords = Array.isArray(value) && value.every((word) => typeof word === 'string');
  if (value !== undefined && !isWords) return <KeptField path={path} label={label} />;
  const words: readonly string[] = isWords ? value : [];
  return (
    <Field id={`field${pointer}`} label={label} help={help} errors={errors}>
      {(attributes) => (
        <Input
          {...attributes}
          value={typed ?? words.join(', ')}
          placeholder={placeholder}
          readOnly={isReadOnly}
          data-pointer={pointer}
          onChange={(event) => {
            const text = event.target.value;
            setTyped(text);
            const next = text
              .split(',')
              .map((word) => word.trim())
              .filter((word) => word !== '');
            edit(next.length === 0 ? removal(manifest, path) : [{ pointer, value: next }], pointer);
          }}
          onBlur={() => setTyped(undefined)}
        />
      )}
    </Field>
  );
}

/** A range of versions. One the list does not offer stays as the author wrote it. */
export function RangeSelect({
  id,
  name,
  versions,
  range,
  onChange,
}: {
  id: string;
  name: string;
  versions: readonly string[];
  range: string;
  onChange: (range: string) => void;
}) {
  const { isReadOnly } = useForm();
  const offered = [...versions.map((version) => `^${version}`), '*'];
  const options = offered.includes(range) ? offered : [range, ...offered];
  return (
    <span className="w-36 shrink-0">
      <Select
        id={id}
        aria-label={`Versions of ${name}`}
        className="font-mono"
        value={range}
        disabled={isReadOnly}
        onChange={(event) => onChange(event.target.value)}
      >
        {options.map((option) => (
          <option key={option} value={option}>
            {option === '*' ? '* (any)' : option}
          </option>
        ))}
      </Select>
    </span>
  );
}

/** A value of a kind the form has no control for. It is shown and left alone. */
export function KeptField({ path, label }: { path: readonly string[]; label: string }) {
  const { manifest, showInJson } = useForm();
  const pointer = pointerOf(path);
  const text = JSON.stringify(at(manifest, path)) ?? '';
  return (
    <div>
      <p className="mb-1 font-medium">{label}</p>
      <p className="flex items-baseline gap-3 rounded-md bg-sunken px-2.5 py-1.5 text-sm">
        <span className="min-w-0 flex-1 truncate font-mono text-ink-soft">{text}</span>
        <button
          type="button"
          data-pointer={pointer}
          className="shrink-0 text-accent underline underline-offset-2"
          onClick={() => showInJson(pointer)}
        >
          Edit as JSON
        </button>
      </p>
      <p className="mt-1 text-sm text-ink-faint">The form cannot show this value, so it keeps it as it is.</p>
    </div>
  );
}

/** Title, explanation and content of a part of the form. */
export function FormSection({
  title,
  intro,
  extra,
  children,
}: {
  title: string;
  intro?: ReactNode;
  extra?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section aria-label={title} className="space-y-4">
      <header className="flex items-start gap-4">
        <div className="min-w-0 flex-1">
          <h2 className="text-lg font-semibold">{title}</h2>
          {intro && <p className="max-w-150 text-ink-soft">{intro}</p>}
        </div>
        {extra}
      </header>
      {children}
    </section>
  );
}
