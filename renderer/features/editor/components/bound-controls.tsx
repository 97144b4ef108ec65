import { useId, useState, type ReactNode } from 'react';
import { Field, FieldErrors, Select, Textarea } from '#renderer/components/field.tsx';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { useErrorsAt, useForm } from '../hooks/form-context.ts';
import { at, removal } from '../model/agent-value.ts';
import { KeptField, type BoundFieldProps } from './form-fields.tsx';

/** One of a few texts of the manifest. A text of the author's own is offered beside them. */
export function SelectField({
  path,
  label,
  help,
  options,
  none,
}: BoundFieldProps & {
  options: readonly (readonly [value: string, label: string])[];
  /** What it means that nothing is given; without it something must be. */
  none?: string;
}) {
  const { manifest, edit, isReadOnly } = useForm();
  const pointer = pointerOf(path);
  const errors = useErrorsAt(pointer);
  const value = at(manifest, path);
  if (value !== undefined && typeof value !== 'string') return <KeptField path={path} label={label} />;
  const isOwn = value !== undefined && !options.some(([known]) => known === value);
  return (
    <Field id={`field${pointer}`} label={label} help={help} errors={errors}>
      {(attributes) => (
        <Select
          {...attributes}
          data-pointer={pointer}
          value={value ?? ''}
          disabled={isReadOnly}
          onChange={(event) => {
            const next = event.target.value;
            edit(next === '' ? removal(manifest, path) : [{ pointer, value: next }]);
          }}
        >
          {(none !== undefined || value === undefined) && <option value="">{none ?? 'Choose…'}</option>}
          {isOwn && <option value={value}>{value}</option>}
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** A yes or no of the manifest. No is the same as saying nothing, and is written so. */
export function CheckField({ path, label, help }: BoundFieldProps) {
  const { manifest, edit, isReadOnly } = useForm();
  const id = useId();
  const pointer = pointerOf(path);
  const errors = useErrorsAt(pointer);
  const value = at(manifest, path);
  if (value !== undefined && typeof value !== 'boolean') return <KeptField path={path} label={label} />;
  return (
    <div>
      <label htmlFor={id} className="flex items-start gap-2.5">
        <input
          id={id}
          type="checkbox"
          className="mt-[3px] size-3.5"
          data-pointer={pointer}
          aria-describedby={help ? `${id}-help` : undefined}
          checked={value ?? false}
          disabled={isReadOnly}
          onChange={(event) =>
            edit(event.target.checked ? [{ pointer, value: true }] : removal(manifest, path))
          }
        />
        <span className="font-medium">{label}</span>
      </label>
      <div className="pl-6">
        {help && (
          <p id={`${id}-help`} className="text-sm text-ink-faint">
            {help}
          </p>
        )}
        <FieldErrors id={undefined} errors={errors} />
      </div>
    </div>
  );
}

/** A list of texts of the manifest, one on each line. */
export function LinesField({
  path,
  label,
  help,
  placeholder,
  isMono = true,
}: BoundFieldProps & { isMono?: boolean }) {
  const { manifest, edit, isReadOnly } = useForm();
  const pointer = pointerOf(path);
  const errors = useErrorsAt(pointer, true);
  const value = at(manifest, path);
  const [typed, setTyped] = useState<string>();
  const isLines =
    Array.isArray(value) && value.every((line) => typeof line === 'string' && !line.includes('\n'));
  if (value !== undefined && !isLines) return <KeptField path={path} label={label} />;
  const lines: readonly string[] = isLines ? (value as string[]) : [];
  return (
    <Field id={`field${pointer}`} label={label} help={help} errors={errors}>
      {(attributes) => (
        <Textarea
          {...attributes}
          data-pointer={pointer}
          rows={Math.min(8, Math.max(2, lines.length + 1))}
          spellCheck={false}
          className={isMono ? 'font-mono text-sm' : undefined}
          placeholder={placeholder}
          value={typed ?? lines.join('\n')}
          readOnly={isReadOnly}
          onChange={(event) => {
            const text = event.target.value;
            setTyped(text);
            const next = text
              .split('\n')
              .map((line) => line.trim())
              .filter((line) => line !== '');
            edit(next.length === 0 ? removal(manifest, path) : [{ pointer, value: next }], pointer);
          }}
          onBlur={() => setTyped(undefined)}
        />
      )}
    </Field>
  );
}

/** A value of any kind, typed as JSON. What is typed and is no JSON yet stays in the field. */
export function JsonField({ path, label, help }: BoundFieldProps) {
  const { manifest, edit, isReadOnly } = useForm();
  const pointer = pointerOf(path);
  const errors = useErrorsAt(pointer, true);
  const value = at(manifest, path);
  const [typed, setTyped] = useState<string>();
  const shown = typed ?? (value === undefined ? '' : JSON.stringify(value));
  const isNoJson = typed !== undefined && typed.trim() !== '' && readJson(typed) === undefined;
  return (
    <Field
      id={`field${pointer}`}
      label={label}
      help={help ?? 'As JSON.'}
      errors={isNoJson ? ['This is not JSON yet.'] : errors}
    >
      {(attributes) => (
        <Textarea
          {...attributes}
          data-pointer={pointer}
          rows={2}
          spellCheck={false}
          className="min-h-14 font-mono text-sm"
          value={shown}
          readOnly={isReadOnly}
          onChange={(event) => {
            const text = event.target.value;
            setTyped(text);
            const read = readJson(text);
            if (text.trim() === '') edit(removal(manifest, path), pointer);
            else if (read) edit([{ pointer, value: read.value }], pointer);
          }}
          onBlur={() => setTyped(undefined)}
        />
      )}
    </Field>
  );
}

/** The value a text is as JSON; undefined while it is none. */
export function readJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** A titled group of controls inside of a part of the form. */
export function FormGroup({
  title,
  intro,
  children,
}: {
  title: string;
  intro?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="space-y-3">
      <div>
        <h4 id={id} className="font-semibold">
          {title}
        </h4>
        {intro && <p className="max-w-150 text-sm text-ink-soft">{intro}</p>}
      </div>
      {children}
    </section>
  );
}
