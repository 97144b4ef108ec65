import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { Input } from '#renderer/components/field.tsx';
import { useErrorsAt, useForm } from '../hooks/form-context.ts';
import { addField, nameFault, readFields, setOrder, type WrapperName } from '../model/field-list.ts';
import { FieldRow } from './field-row.tsx';
import { FormSection } from './form-fields.tsx';
import { KeptKeywords } from './kept-keywords.tsx';

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
  const { manifest, edit, isReadOnly, showInJson } = useForm();
  const list = useMemo(() => readFields(manifest, wrapper), [manifest, wrapper]);
  const errors = useErrorsAt(`/${wrapper}`);
  const schemaErrors = useErrorsAt(`/${wrapper}/schema`);
  const names = list.fields.map(({ name }) => name);
  const { title, intro, empty } = TEXTS[wrapper];
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
      <div className="max-w-200 space-y-3" data-pointer={`/${wrapper}`} tabIndex={-1}>
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
        {list.fields.length === 0 && list.obstacle === undefined && <p className="text-ink-faint">{empty}</p>}
        <ul className="space-y-2">
          {list.fields.map((field, index) => (
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
        {list.obstacle === undefined && (
          <AddField
            taken={names}
            isReadOnly={isReadOnly}
            onAdd={(name) => edit(addField(manifest, wrapper, name, 'text'))}
          />
        )}
      </div>
    </FormSection>
  );
}

function AddField({
  taken,
  isReadOnly,
  onAdd,
}: {
  taken: readonly string[];
  isReadOnly: boolean;
  onAdd: (name: string) => void;
}) {
  const [name, setName] = useState('');
  const [isTried, setTried] = useState(false);
  const fault = nameFault(name, taken);
  const add = () => {
    setTried(true);
    if (fault !== undefined || isReadOnly) return;
    onAdd(name);
    setName('');
    setTried(false);
  };
  return (
    <form
      className="flex items-start gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <div className="w-60">
        <Input
          aria-label="Name of the new field"
          placeholder="name of a new field"
          className="font-mono"
          value={name}
          readOnly={isReadOnly}
          aria-invalid={(isTried && fault !== undefined) || undefined}
          onChange={(event) => setName(event.target.value)}
        />
        {isTried && fault !== undefined && <p className="mt-1 text-sm text-danger">{fault}</p>}
      </div>
      <Button
        type="submit"
        icon={<Plus size={14} />}
        unavailable={isReadOnly ? 'Mend the JSON first.' : undefined}
      >
        Add field
      </Button>
    </form>
  );
}
