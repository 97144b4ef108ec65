import { Plus, Trash2 } from 'lucide-react';
import { useId, type ReactNode } from 'react';
import { Button, IconButton } from '#renderer/components/button.tsx';
import { Field, FieldErrors, Input, Select, Textarea } from '#renderer/components/field.tsx';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { Segmented } from '#renderer/components/segmented.tsx';
import type { FormErrors } from '../model/collect.ts';
import { newId, startDraft, type ChangeDraft, type Draft, type DraftOf } from '../model/draft.ts';
import type {
  FormField as FieldModel,
  ListField,
  NumberField,
  TextField,
  VariantField,
} from '../model/fields.ts';
import { FileDrop } from './file-drop.tsx';

interface Props<F extends FieldModel = FieldModel> {
  readonly field: F;
  readonly draft: Draft;
  readonly pointer: string;
  readonly errors: FormErrors;
  readonly change: ChangeDraft;
}

const inputTypes: Record<TextField['format'], string> = {
  plain: 'text',
  email: 'email',
  url: 'url',
  date: 'date',
  'date-time': 'datetime-local',
  time: 'time',
  password: 'password',
  color: 'color',
};

/** The control of one field, whatever its kind. */
function FormField(props: Props) {
  const id = useId();
  const { field, draft, pointer, errors, change } = props;
  const own = errors.get(pointer) ?? [];
  const common = { id, label: field.label || 'Value', help: field.description, required: field.required };

  switch (field.kind) {
    case 'text':
    case 'number':
      if (draft.kind !== 'text' && draft.kind !== 'number') return null;
      return (
        <Field {...common} errors={own}>
          {(attributes) => (
            <TextControl
              attributes={attributes}
              field={field}
              text={draft.text}
              onChange={(text) => change((known) => ({ ...known, text }) as Draft)}
            />
          )}
        </Field>
      );
    case 'boolean':
      if (draft.kind !== 'boolean') return null;
      return (
        <div>
          <label className="flex items-start gap-2.5" htmlFor={id}>
            <input
              id={id}
              type="checkbox"
              className="mt-[3px] size-3.5"
              checked={draft.value ?? false}
              aria-describedby={field.description ? `${id}-help` : undefined}
              onChange={(event) => change(() => ({ kind: 'boolean', value: event.target.checked }))}
            />
            <span className="font-medium">{common.label}</span>
          </label>
          <div className="pl-6">
            {field.description && (
              <p id={`${id}-help`} className="text-sm text-ink-faint">
                {field.description}
              </p>
            )}
            <FieldErrors id={`${id}-error`} errors={own} />
          </div>
        </div>
      );
    case 'choice':
      if (draft.kind !== 'choice') return null;
      return (
        <Field {...common} errors={own}>
          {(attributes) => (
            <Select
              {...attributes}
              value={draft.option ?? ''}
              onChange={(event) => {
                const { value } = event.target;
                change(() => ({ kind: 'choice', option: value === '' ? undefined : Number(value) }));
              }}
            >
              {(!field.required || draft.option === undefined) && (
                <option value="">{field.required ? 'Choose…' : 'Not set'}</option>
              )}
              {field.options.map((option, index) => (
                <option key={option.label} value={index}>
                  {option.label}
                </option>
              ))}
            </Select>
          )}
        </Field>
      );
    case 'choices':
      if (draft.kind !== 'choices') return null;
      return (
        <Group
          label={common.label}
          help={common.help}
          required={common.required}
          errors={within(errors, pointer)}
        >
          <div className="flex flex-wrap gap-x-5 gap-y-1.5">
            {field.options.map((option, index) => (
              <label key={option.label} className="flex items-center gap-2">
                <input
                  type="checkbox"
                  className="size-3.5"
                  checked={draft.options.includes(index)}
                  onChange={(event) => {
                    const { checked } = event.target;
                    change(() => ({
                      kind: 'choices',
                      options: checked
                        ? [...draft.options, index]
                        : draft.options.filter((chosen) => chosen !== index),
                    }));
                  }}
                />
                {option.label}
              </label>
            ))}
          </div>
        </Group>
      );
    case 'file':
      if (draft.kind !== 'file') return null;
      return (
        <Field {...common} errors={within(errors, pointer)}>
          {(attributes) => (
            <FileDrop
              attributes={attributes}
              label={field.label}
              files={draft.files}
              accept={field.accept}
              maxSize={field.maxSize}
              maxFiles={field.maxFiles}
              change={(update) =>
                change((known) => (known.kind === 'file' ? { ...known, files: update(known.files) } : known))
              }
            />
          )}
        </Field>
      );
    case 'json':
      if (draft.kind !== 'json') return null;
      return (
        <Field
          {...common}
          errors={within(errors, pointer)}
          help={[field.description, `Type it as JSON. ${field.reason}`].filter(Boolean).join(' ')}
        >
          {(attributes) => (
            <Textarea
              {...attributes}
              spellCheck={false}
              className="font-mono text-sm"
              placeholder={field.placeholder ?? '{ }'}
              value={draft.text}
              onChange={(event) => {
                const text = event.target.value;
                change(() => ({ kind: 'json', text }));
              }}
            />
          )}
        </Field>
      );
    case 'list':
      return draft.kind === 'list' ? <ListControl {...props} field={field} draft={draft} /> : null;
    case 'variant':
      return draft.kind === 'variant' ? <VariantControl {...props} field={field} draft={draft} /> : null;
    case 'group':
      if (draft.kind !== 'group') return null;
      return (
        <Group label={common.label} help={common.help} required={common.required} errors={own} boxed>
          <GroupControls
            fields={field.fields}
            drafts={draft.fields}
            pointer={pointer}
            errors={errors}
            change={change}
          />
        </Group>
      );
  }
}

/** The controls of a group's fields, without a frame. */
export function GroupControls({
  fields,
  drafts,
  pointer,
  errors,
  change,
}: {
  fields: readonly FieldModel[];
  drafts: Readonly<Record<string, Draft>>;
  pointer: string;
  errors: FormErrors;
  change: ChangeDraft;
}) {
  return fields.map((field) => {
    const draft = drafts[field.key];
    if (!draft) return null;
    return (
      <FormField
        key={field.key}
        field={field}
        draft={draft}
        pointer={pointer + pointerOf([field.key])}
        errors={errors}
        change={(update) =>
          change((known) => {
            const part = known.kind === 'group' ? known.fields[field.key] : undefined;
            if (known.kind !== 'group' || !part) return known;
            return { ...known, fields: { ...known.fields, [field.key]: update(part) } };
          })
        }
      />
    );
  });
}

function TextControl({
  attributes,
  field,
  text,
  onChange,
}: {
  attributes: { id: string };
  field: TextField | NumberField;
  text: string;
  onChange: (text: string) => void;
}) {
  const common = {
    ...attributes,
    value: text,
    placeholder: field.placeholder,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  };
  if (field.kind === 'text' && field.multiline) return <Textarea {...common} rows={4} />;
  if (field.kind === 'text') {
    const isSmall = field.format === 'date' || field.format === 'date-time' || field.format === 'time';
    return (
      <Input
        {...common}
        type={inputTypes[field.format]}
        autoComplete="off"
        className={isSmall ? 'max-w-60' : field.format === 'color' ? 'max-w-20 p-0.5' : undefined}
      />
    );
  }
  return (
    <Input
      {...common}
      type="number"
      // The browser's own stop at wrong steps would keep the reason from being shown.
      step={field.step ?? (field.integer ? 1 : 'any')}
      min={field.minimum}
      max={field.maximum}
      className="max-w-60"
    />
  );
}

function ListControl({
  field,
  draft,
  pointer,
  errors,
  change,
}: Props<ListField> & { draft: DraftOf<'list'> }) {
  const changeItems = (update: (items: DraftOf<'list'>['items']) => DraftOf<'list'>['items']) =>
    change((known) => (known.kind === 'list' ? { ...known, items: update(known.items) } : known));
  const item = { ...field.item, label: '' };
  const isFull = field.maxItems !== undefined && draft.items.length >= field.maxItems;
  return (
    <Group
      label={field.label}
      help={field.description}
      required={field.required}
      errors={errors.get(pointer) ?? []}
    >
      <ol className="space-y-2">
        {draft.items.map((entry, index) => (
          <li key={entry.id} className="flex items-start gap-2">
            <span className="w-5 shrink-0 pt-1.5 text-right text-sm text-ink-faint">{index + 1}</span>
            <div className="min-w-0 flex-1">
              <FormField
                field={{ ...item, label: `${field.label} ${index + 1}` }}
                draft={entry.draft}
                pointer={pointer + pointerOf([String(index)])}
                errors={errors}
                change={(update) =>
                  changeItems((items) =>
                    items.map((known) =>
                      known.id === entry.id ? { ...known, draft: update(known.draft) } : known,
                    ),
                  )
                }
              />
            </div>
            <IconButton
              label={`Remove ${field.label} ${index + 1}`}
              icon={<Trash2 size={14} />}
              onClick={() => changeItems((items) => items.filter(({ id }) => id !== entry.id))}
            />
          </li>
        ))}
      </ol>
      <Button
        size="small"
        className="mt-2"
        icon={<Plus size={13} />}
        unavailable={isFull ? `At most ${field.maxItems} entries are allowed.` : undefined}
        onClick={() => changeItems((items) => [...items, { id: newId(), draft: startDraft(field.item) }])}
      >
        Add an entry
      </Button>
    </Group>
  );
}

function VariantControl({
  field,
  draft,
  pointer,
  errors,
  change,
}: Props<VariantField> & { draft: DraftOf<'variant'> }) {
  const variant = field.variants[draft.selected];
  const inner = draft.drafts[draft.selected];
  const changeInner: ChangeDraft = (update) =>
    change((known) =>
      known.kind === 'variant'
        ? {
            ...known,
            drafts: known.drafts.map((part, index) => (index === known.selected ? update(part) : part)),
          }
        : known,
    );
  return (
    <Group
      label={field.label}
      help={field.description}
      required={field.required}
      errors={errors.get(pointer) ?? []}
      boxed
    >
      {field.variants.length <= 4 ? (
        <Segmented
          label={`Form of ${field.label}`}
          value={String(draft.selected)}
          onChange={(value) => change((known) => ({ ...known, selected: Number(value) }) as Draft)}
          options={field.variants.map(({ title }, index) => ({ value: String(index), label: title }))}
        />
      ) : (
        <Select
          aria-label={`Form of ${field.label}`}
          value={draft.selected}
          onChange={(event) => {
            const selected = Number(event.target.value);
            change((known) => ({ ...known, selected }) as Draft);
          }}
        >
          {field.variants.map(({ title }, index) => (
            <option key={title} value={index}>
              {title}
            </option>
          ))}
        </Select>
      )}
      {variant?.field.kind === 'group' && inner?.kind === 'group' ? (
        <GroupControls
          fields={variant.field.fields}
          drafts={inner.fields}
          pointer={pointer}
          errors={errors}
          change={changeInner}
        />
      ) : (
        variant &&
        inner && (
          <FormField
            field={{ ...variant.field, label: variant.title }}
            draft={inner}
            pointer={pointer}
            errors={errors}
            change={changeInner}
          />
        )
      )}
    </Group>
  );
}

function Group({
  label,
  help,
  required,
  errors,
  boxed = false,
  children,
}: {
  label: string;
  help: string | undefined;
  required: boolean;
  errors: readonly string[];
  boxed?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <fieldset
      aria-describedby={[help && `${id}-help`, errors.length > 0 && `${id}-error`].filter(Boolean).join(' ')}
    >
      <legend className="mb-1 font-medium">
        {label}
        {required && <span className="ml-1 font-normal text-ink-faint">required</span>}
      </legend>
      {help && (
        <p id={`${id}-help`} className="mb-1.5 text-sm text-ink-faint">
          {help}
        </p>
      )}
      <div className={boxed ? 'space-y-4 border-l-2 border-line pl-4' : undefined}>{children}</div>
      <FieldErrors id={`${id}-error`} errors={errors} />
    </fieldset>
  );
}

/** Errors of a field and of all it holds, for a control that shows its parts as one. */
function within(errors: FormErrors, pointer: string): readonly string[] {
  const found = [...errors].filter(([at]) => at === pointer || at.startsWith(`${pointer}/`));
  return found.flatMap(([at, list]) =>
    at === pointer ? list : list.map((error) => `${at.slice(pointer.length)}: ${error}`),
  );
}
