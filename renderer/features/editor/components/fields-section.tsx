import { useMemo, useState } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { useErrorsAt, useForm } from '../hooks/form-context.ts';
import {
  addField,
  fieldPath,
  nameFault,
  readFields,
  setOrder,
  type WrapperName,
} from '../model/field-list.ts';
import { FieldRow } from './field-row.tsx';
import { FormSection } from './form-fields.tsx';
import { InputPreview } from './input-preview.tsx';
import { KeptKeywords } from './kept-keywords.tsx';
import { AddByName } from './name-inputs.tsx';
import { OutputPreview } from './output-preview.tsx';

/** Fields shown at once; the rest come on demand. */
const PAGE = 50;

const TEXTS: Readonly<Record<WrapperName, { title: string; intro: string; empty: string }>> = {
  input: {
    title: 'Input',
    intro: 'What a run asks for. The form people fill in is made of these fields.',
    empty: 'A run asks for nothing.',
  },
  output: {
    title: 'Output',
    intro: 'The result every run gives with the tool "output", checked against these fields.',
    empty: 'The result is free: the agent answers with text and files of its own choice.',
  },
};

/** The fields of `input` or `output`. */
export function FieldsSection({ wrapper }: { wrapper: WrapperName }) {
  const { manifest, edit, isReadOnly, showInJson, sought } = useForm();
  const [shown, setShown] = useState(PAGE);
  const list = useMemo(() => readFields(manifest, wrapper), [manifest, wrapper]);
  const errors = useErrorsAt(`/${wrapper}`);
  const schemaErrors = useErrorsAt(`/${wrapper}/schema`);
  const names = list.fields.map(({ name }) => name);
  const { title, intro, empty } = TEXTS[wrapper];
  const soughtIndex = names.findIndex((name) => isIn(sought, pointerOf(fieldPath(wrapper, name))));
  const visible = list.fields.slice(0, Math.max(shown, soughtIndex + 1));
  const move = (index: number, step: number) => {
    const other = index + step;
    const order = [...names];
    const [moved] = order.splice(index, 1);
    if (moved === undefined || other < 0 || other >= names.length) return;
    order.splice(other, 0, moved);
    edit(setOrder(wrapper, order));
  };
  return (
    <FormSection title={title} intro={intro}>
      <div className="@container">
        <div className="grid items-start gap-x-8 gap-y-6 @3xl:grid-cols-[minmax(0,1fr)_20rem]">
          <div className="max-w-200 min-w-0 space-y-3" data-pointer={`/${wrapper}`} tabIndex={-1}>
            {[...errors, ...schemaErrors].map((error) => (
              <p key={error} className="text-sm text-danger">
                {error}
              </p>
            ))}
            {list.obstacle !== undefined && (
              <p className="border-l-2 border-caution pl-3">
                {list.obstacle} The form leaves it alone.{' '}
                <button
                  type="button"
                  className="text-accent underline underline-offset-2"
                  onClick={() => showInJson(`/${wrapper}`)}
                >
                  Edit as JSON
                </button>
              </p>
            )}
            {list.kept.length > 0 && (
              <KeptKeywords keywords={list.kept} of="the whole schema" pointer={`/${wrapper}/schema`} />
            )}
            {list.fields.length === 0 && list.obstacle === undefined && (
              <p className="text-ink-faint">{empty}</p>
            )}
            <ul className="space-y-2">
              {visible.map((field, index) => (
                <FieldRow
                  key={field.name}
                  wrapper={wrapper}
                  field={field}
                  taken={names}
                  onMove={names.length > 1 ? (step) => move(index, step) : undefined}
                  position={{ isFirst: index === 0, isLast: index === names.length - 1 }}
                />
              ))}
            </ul>
            {visible.length < list.fields.length && (
              <Button onClick={() => setShown(visible.length + PAGE)}>
                Show more of {list.fields.length - visible.length} fields
              </Button>
            )}
            {list.obstacle === undefined && (
              <AddByName
                label="Name of the new field"
                placeholder="new_field"
                action="Add field"
                refuse={(name) => nameFault(name, names)}
                isReadOnly={isReadOnly}
                onAdd={(name) => {
                  edit(addField(manifest, wrapper, name, 'text'));
                  setShown(Math.max(shown, names.length + 1));
                }}
              />
            )}
          </div>
          {wrapper === 'input' ? <InputPreview /> : <OutputPreview />}
        </div>
      </div>
    </FormSection>
  );
}

function isIn(pointer: string | undefined, container: string): boolean {
  return pointer === container || pointer?.startsWith(`${container}/`) === true;
}
