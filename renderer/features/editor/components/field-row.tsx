import { ArrowDown, ArrowUp, ChevronRight, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '#renderer/components/button.tsx';
import { classes } from '#renderer/components/classes.ts';
import { Select } from '#renderer/components/field.tsx';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { useErrorsAt, useForm } from '../hooks/form-context.ts';
import {
  FIELD_KINDS,
  fieldPath,
  nameFault,
  removeField,
  setKind,
  setRequired,
  type FieldKind,
  type SchemaField,
  type WrapperName,
} from '../model/field-list.ts';
import { renameField } from '../model/rename-field.ts';
import { FieldDetails } from './field-details.tsx';
import { KeptKeywords } from './kept-keywords.tsx';
import { NameInput } from './name-inputs.tsx';

const KIND_WORDS: Readonly<Record<FieldKind, string>> = {
  text: 'Text',
  number: 'Number',
  integer: 'Whole number',
  boolean: 'Yes or no',
  choice: 'One of a few',
  file: 'File',
  files: 'Files',
  list: 'List',
  object: 'Object',
  other: 'Own schema',
};

/** One field: its name, kind and whether it must be given, and the rest when it is opened. */
export function FieldRow({
  wrapper,
  field,
  taken,
  onMove,
  position,
}: {
  wrapper: WrapperName;
  field: SchemaField;
  taken: readonly string[];
  onMove: ((step: number) => void) | undefined;
  position: { isFirst: boolean; isLast: boolean };
}) {
  const { manifest, document, edit, tell, isReadOnly } = useForm();
  const [isOpen, setOpen] = useState(false);
  const { name, kind } = field;
  const pointer = pointerOf(fieldPath(wrapper, name));
  const errors = useErrorsAt(pointer, true);
  const kinds = FIELD_KINDS.filter(
    (candidate) =>
      (candidate !== 'other' || kind === 'other') &&
      (wrapper === 'input' || (candidate !== 'file' && candidate !== 'files') || kind === candidate),
  );
  return (
    <li
      data-pointer={pointer}
      tabIndex={-1}
      className="rounded-lg border border-line bg-surface focus:outline-none"
    >
      <div className="flex flex-wrap items-center gap-2 px-2 py-1.5">
        <IconButton
          size="small"
          label={`${isOpen ? 'Close' : 'Open'} ${name}`}
          aria-expanded={isOpen}
          icon={<ChevronRight size={14} className={classes('transition-transform', isOpen && 'rotate-90')} />}
          onClick={() => setOpen(!isOpen)}
        />
        <NameInput
          label={`Name of ${name}`}
          name={name}
          refuse={(typed) => nameFault(typed, taken)}
          isReadOnly={isReadOnly}
          onRename={(to) => tell(document.rewrite((text) => renameField(text, wrapper, name, to)))}
        />
        <span className="w-36">
          <Select
            aria-label={`Kind of ${name}`}
            value={kind}
            disabled={isReadOnly}
            onChange={(event) => {
              const next = FIELD_KINDS.find((candidate) => candidate === event.target.value);
              if (next) edit(setKind(manifest, wrapper, field, next));
            }}
          >
            {kinds.map((candidate) => (
              <option key={candidate} value={candidate}>
                {KIND_WORDS[candidate]}
              </option>
            ))}
          </Select>
        </span>
        <label className="flex items-center gap-1.5 px-2">
          <input
            type="checkbox"
            checked={field.isRequired}
            disabled={isReadOnly}
            onChange={(event) => edit(setRequired(manifest, wrapper, name, event.target.checked))}
          />
          required
        </label>
        <span className="ml-auto flex">
          {onMove && (
            <>
              <IconButton
                size="small"
                label={`Move ${name} up`}
                icon={<ArrowUp size={14} />}
                disabled={isReadOnly || position.isFirst}
                onClick={() => onMove(-1)}
              />
              <IconButton
                size="small"
                label={`Move ${name} down`}
                icon={<ArrowDown size={14} />}
                disabled={isReadOnly || position.isLast}
                onClick={() => onMove(1)}
              />
            </>
          )}
          <IconButton
            size="small"
            label={`Remove ${name}`}
            icon={<Trash2 size={14} />}
            disabled={isReadOnly}
            onClick={() => edit(removeField(manifest, wrapper, name))}
          />
        </span>
      </div>
      {errors.map((error) => (
        <p key={error} className="px-10 pb-1.5 text-sm text-danger">
          {error}
        </p>
      ))}
      {isOpen && (
        <div className="space-y-3 border-t border-line px-10 py-3">
          <FieldDetails wrapper={wrapper} field={field} />
        </div>
      )}
      {field.kept.length > 0 && (
        <div className="px-10 pb-2">
          <KeptKeywords keywords={field.kept} of="this field" pointer={pointer} />
        </div>
      )}
    </li>
  );
}
