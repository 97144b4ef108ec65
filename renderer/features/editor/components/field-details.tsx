import { useId, useState, type ReactNode } from 'react';
import { Field, Input, Select, Textarea } from '#renderer/components/field.tsx';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { useForm } from '../hooks/form-context.ts';
import { at } from '../model/agent-value.ts';
import type { ManifestEdits } from '../model/manifest-document.ts';
import {
  fieldPath,
  isPlainItems,
  setBeside,
  setKeyword,
  type SchemaField,
  type WrapperName,
} from '../model/field-list.ts';
import { readJson } from './bound-controls.tsx';
import { NumberInput } from './form-fields.tsx';

interface DetailProps {
  readonly wrapper: WrapperName;
  readonly field: SchemaField;
}

/** What a field's schema says beside its name and kind, as far as there are controls for it. */
export function FieldDetails({ wrapper, field }: DetailProps) {
  if (field.schema === undefined) {
    return <p className="text-ink-faint">Its schema is no object, so there is nothing to fill in.</p>;
  }
  const props = { wrapper, field };
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <Keyword {...props} keyword="title" label="Label" help="Above the field. Its name when empty." />
        <Keyword {...props} keyword="description" label="Help" help="Below the field, and for the model." />
        <DefaultField {...props} />
        {wrapper === 'input' &&
          field.kind !== 'file' &&
          field.kind !== 'files' &&
          field.kind !== 'boolean' && (
            <Beside {...props} map="ui_hints" member="placeholder" label="Placeholder" />
          )}
      </div>
      <KindDetails {...props} />
    </>
  );
}

function KindDetails({ wrapper, field }: DetailProps) {
  const props = { wrapper, field };
  switch (field.kind) {
    case 'text':
      return (
        <Row>
          <FormatSelect {...props} />
          <NumberKeyword {...props} keyword="minLength" label="Shortest" />
          <NumberKeyword {...props} keyword="maxLength" label="Longest" />
          <Keyword {...props} keyword="pattern" label="Pattern" help="A regular expression." />
        </Row>
      );
    case 'number':
    case 'integer':
      return (
        <Row>
          <NumberKeyword {...props} keyword="minimum" label="Least" />
          <NumberKeyword {...props} keyword="maximum" label="Most" />
          <NumberKeyword {...props} keyword="multipleOf" label="Step" />
        </Row>
      );
    case 'choice':
      return <ChoicesField {...props} />;
    case 'file':
      return (
        <Row>
          <Keyword {...props} keyword="contentMediaType" label="Media type" />
          <Beside {...props} map="file_constraints" member="accept" label="Accepts" help=".csv,text/csv" />
          <MaxSize {...props} />
        </Row>
      );
    case 'files':
      return (
        <Row>
          <NumberKeyword {...props} keyword="minItems" label="Fewest files" />
          <NumberKeyword {...props} keyword="maxItems" label="Most files" />
          <Beside {...props} map="file_constraints" member="accept" label="Accepts" help=".csv,text/csv" />
          <MaxSize {...props} />
        </Row>
      );
    case 'list':
      return (
        <Row>
          <ItemKind {...props} />
          <NumberKeyword {...props} keyword="minItems" label="Fewest entries" />
          <NumberKeyword {...props} keyword="maxItems" label="Most entries" />
        </Row>
      );
    case 'boolean':
    case 'object':
    case 'other':
      return null;
  }
}

function Row({ children }: { children: ReactNode }) {
  return <div className="grid gap-3 sm:grid-cols-4">{children}</div>;
}

/** A keyword whose value is text. */
function Keyword({
  wrapper,
  field,
  keyword,
  label,
  help,
}: DetailProps & { keyword: string; label: string; help?: string }) {
  const { manifest } = useForm();
  return (
    <TextValue
      path={fieldPath(wrapper, field.name, keyword)}
      label={label}
      help={help}
      setting={(text) => setKeyword(manifest, wrapper, field.name, keyword, text)}
    />
  );
}

/** A text beside the schema. */
function Beside({
  wrapper,
  field,
  map,
  member,
  label,
  help,
}: DetailProps & { map: 'file_constraints' | 'ui_hints'; member: string; label: string; help?: string }) {
  const { manifest } = useForm();
  return (
    <TextValue
      path={[wrapper, map, field.name, member]}
      label={label}
      help={help}
      setting={(text) => setBeside(manifest, wrapper, [map, field.name, member], text)}
    />
  );
}

/** A text of the manifest that is gone once it is empty. A value of another kind is shown and left alone. */
function TextValue({
  path,
  label,
  help,
  setting,
}: {
  path: readonly string[];
  label: string;
  help: string | undefined;
  setting: (text: string | undefined) => ManifestEdits;
}) {
  const { manifest, edit, isReadOnly } = useForm();
  const value = at(manifest, path);
  const pointer = pointerOf(path);
  const isText = value === undefined || typeof value === 'string';
  return (
    <Field id={`field${pointer}`} label={label} help={isText ? help : KEPT_HELP}>
      {(attributes) => (
        <Input
          {...attributes}
          data-pointer={pointer}
          value={isText ? (value ?? '') : JSON.stringify(value)}
          readOnly={isReadOnly || !isText}
          onChange={(event) => edit(setting(event.target.value), pointer)}
          onBlur={() => {
            // Only now, so that a text that is written anew keeps its place among the others.
            if (value === '') edit(setting(undefined));
          }}
        />
      )}
    </Field>
  );
}

const KEPT_HELP = 'The form cannot show this value, so it keeps it as it is.';

function NumberKeyword({ wrapper, field, keyword, label }: DetailProps & { keyword: string; label: string }) {
  const { manifest, edit } = useForm();
  const value = field.schema?.[keyword];
  const pointer = pointerOf(fieldPath(wrapper, field.name, keyword));
  if (value !== undefined && typeof value !== 'number') {
    return <Keyword wrapper={wrapper} field={field} keyword={keyword} label={label} />;
  }
  return (
    <NumberInput
      label={label}
      pointer={pointer}
      value={value}
      onChange={(next) => edit(setKeyword(manifest, wrapper, field.name, keyword, next), pointer)}
    />
  );
}

const FORMATS = ['email', 'uri', 'date', 'date-time', 'time', 'color', 'password'];

function FormatSelect({ wrapper, field }: DetailProps) {
  const { manifest, edit, isReadOnly } = useForm();
  const id = useId();
  const value = field.schema?.['format'];
  const format = typeof value === 'string' ? value : '';
  const formats = format === '' || FORMATS.includes(format) ? FORMATS : [format, ...FORMATS];
  return (
    <Field id={id} label="Format">
      {(attributes) => (
        <Select
          {...attributes}
          value={format}
          disabled={isReadOnly}
          onChange={(event) =>
            edit(setKeyword(manifest, wrapper, field.name, 'format', event.target.value || undefined))
          }
        >
          <option value="">any text</option>
          {formats.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** The value a form begins with: as the kind writes it, else as JSON. */
function DefaultField({ wrapper, field }: DetailProps) {
  const { manifest, edit, isReadOnly } = useForm();
  const [typed, setTyped] = useState<string>();
  const id = useId();
  const pointer = pointerOf(fieldPath(wrapper, field.name, 'default'));
  if (field.kind === 'file' || field.kind === 'files') return null;
  const value = field.schema?.['default'];
  const isPlainText = field.kind === 'text' || field.kind === 'choice';
  const isWritten = isPlainText && (value === undefined || typeof value === 'string');
  const shown = typed ?? (value === undefined ? '' : isWritten ? value : JSON.stringify(value));
  const read = isWritten ? { value: shown } : readJson(shown);
  const change = (text: string) => {
    setTyped(text);
    const next = text === '' ? { value: undefined } : isWritten ? { value: text } : readJson(text);
    if (next !== undefined) edit(setKeyword(manifest, wrapper, field.name, 'default', next.value), pointer);
  };
  return (
    <Field
      id={id}
      label="Default"
      help={isWritten ? undefined : 'As JSON.'}
      errors={typed !== undefined && typed !== '' && read === undefined ? ['This is not JSON yet.'] : []}
    >
      {(attributes) =>
        field.kind === 'boolean' && (value === undefined || typeof value === 'boolean') ? (
          <Select
            {...attributes}
            data-pointer={pointer}
            value={value === undefined ? '' : String(value)}
            disabled={isReadOnly}
            onChange={(event) => {
              const next = event.target.value === '' ? undefined : event.target.value === 'true';
              edit(setKeyword(manifest, wrapper, field.name, 'default', next));
            }}
          >
            <option value="">none</option>
            <option value="true">yes</option>
            <option value="false">no</option>
          </Select>
        ) : (
          <Input
            {...attributes}
            data-pointer={pointer}
            value={shown}
            readOnly={isReadOnly}
            onChange={(event) => change(event.target.value)}
            onBlur={() => setTyped(undefined)}
          />
        )
      }
    </Field>
  );
}

/** The values there are to choose from, one on each line. */
function ChoicesField({ wrapper, field }: DetailProps) {
  const { manifest, edit, isReadOnly } = useForm();
  const [typed, setTyped] = useState<string>();
  const id = useId();
  const pointer = pointerOf(fieldPath(wrapper, field.name, 'enum'));
  const value = field.schema?.['enum'];
  const choices = Array.isArray(value) ? value.map(String) : [];
  return (
    <Field id={id} label="Choices" help="One on each line.">
      {(attributes) => (
        <Textarea
          {...attributes}
          data-pointer={pointer}
          rows={Math.min(8, choices.length + 1)}
          value={typed ?? choices.join('\n')}
          readOnly={isReadOnly}
          onChange={(event) => {
            setTyped(event.target.value);
            const next = [...new Set(event.target.value.split('\n').filter((line) => line !== ''))];
            if (next.length > 0) edit(setKeyword(manifest, wrapper, field.name, 'enum', next), pointer);
          }}
          onBlur={() => setTyped(undefined)}
        />
      )}
    </Field>
  );
}

/** What the entries of a list are. A schema of its own is kept. */
function ItemKind({ wrapper, field }: DetailProps) {
  const { manifest, edit, isReadOnly } = useForm();
  const id = useId();
  const items = field.schema?.['items'];
  const isOwn = items !== undefined && !isPlainItems(items);
  return (
    <Field id={id} label="Entries are" help={isOwn ? KEPT_HELP : undefined}>
      {(attributes) => (
        <Select
          {...attributes}
          value={isOwn ? 'own' : isPlainItems(items) ? items.type : ''}
          disabled={isReadOnly || isOwn}
          onChange={(event) => {
            const next = event.target.value === '' ? undefined : { type: event.target.value };
            edit(setKeyword(manifest, wrapper, field.name, 'items', next));
          }}
        >
          {isOwn && <option value="own">of their own schema</option>}
          <option value="">anything</option>
          <option value="string">texts</option>
          <option value="number">numbers</option>
          <option value="integer">whole numbers</option>
          <option value="boolean">yes or no</option>
        </Select>
      )}
    </Field>
  );
}

const MEBIBYTE = 1024 * 1024;

function MaxSize({ wrapper, field }: DetailProps) {
  const { manifest, edit } = useForm();
  const path = [wrapper, 'file_constraints', field.name, 'max_size'];
  const value = at(manifest, path);
  return (
    <NumberInput
      label="Largest"
      unit="MiB"
      pointer={pointerOf(path)}
      value={typeof value === 'number' ? Number((value / MEBIBYTE).toFixed(3)) : undefined}
      onChange={(next) =>
        edit(
          setBeside(
            manifest,
            wrapper,
            ['file_constraints', field.name, 'max_size'],
            next === undefined ? undefined : Math.round(next * MEBIBYTE),
          ),
          pointerOf(path),
        )
      }
    />
  );
}
