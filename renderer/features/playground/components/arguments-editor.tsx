import { useId, useState } from 'react';
import { Field, Textarea } from '#renderer/components/field.tsx';
import { Segmented } from '#renderer/components/segmented.tsx';
import { missingArguments, readArguments, type ArgumentField } from '../model/argument-fields.ts';
import { ArgumentForm } from './argument-form.tsx';

type Arguments = Readonly<Record<string, unknown>>;

/** Arguments while they are typed in. */
export interface TypedArguments {
  readonly fields: readonly ArgumentField[];
  readonly given: Arguments;
  readonly view: 'form' | 'json';
  /** Text of the JSON view, while it may not be JSON. */
  readonly text: string;
  /** Why the text is no arguments yet. */
  readonly fault: string | undefined;
  /** Why they cannot be sent. In JSON anything may be, so that one sees what mistakes are answered with. */
  readonly obstacle: string | undefined;
  readonly change: (given: Arguments) => void;
  readonly show: (view: 'form' | 'json') => void;
  readonly type: (text: string) => void;
}

/** @param onChange told of what is given, to keep it */
export function useTypedArguments(
  fields: readonly ArgumentField[],
  initial: () => Arguments,
  onChange: (given: Arguments) => void,
): TypedArguments {
  const [view, setView] = useState<'form' | 'json'>('form');
  const [given, setGiven] = useState(initial);
  const [text, setText] = useState('');
  const change = (next: Arguments) => {
    setGiven(next);
    onChange(next);
  };
  const read = view === 'json' ? readArguments(text) : given;
  const fault = typeof read === 'string' ? read : undefined;
  const missing = missingArguments(fields, given);
  return {
    fields,
    given,
    view,
    text,
    fault,
    obstacle:
      fault !== undefined
        ? 'The arguments are not JSON yet'
        : view === 'form' && missing.length > 0
          ? `Missing: ${missing.join(', ')}`
          : undefined,
    change,
    show: (next) => {
      if (next === 'json') setText(JSON.stringify(given, null, 2));
      setView(next);
    },
    type: (typed) => {
      setText(typed);
      const next = readArguments(typed);
      if (typeof next !== 'string') change(next);
    },
  };
}

/** Arguments in a form made of their schema, or as JSON. */
export function ArgumentsEditor({
  typed,
  files = [],
}: {
  typed: TypedArguments;
  /** Paths of files to choose from. */
  files?: readonly string[];
}) {
  const jsonId = useId();
  const { fields, given, view, text, fault } = typed;
  return (
    <>
      <div className="flex items-center gap-2">
        <h3 className="font-semibold">Arguments</h3>
        <span className="flex-1" />
        <Segmented
          label="Arguments as"
          value={view}
          options={[
            { value: 'form', label: 'Form' },
            { value: 'json', label: 'JSON' },
          ]}
          onChange={typed.show}
        />
      </div>
      {view === 'form' ? (
        <ArgumentForm fields={fields} given={given} files={files} onChange={typed.change} />
      ) : (
        <Field id={jsonId} label="Arguments as JSON" errors={fault === undefined ? [] : [fault]}>
          {(attributes) => (
            <Textarea
              {...attributes}
              value={text}
              rows={14}
              spellCheck={false}
              className="font-mono text-sm!"
              onChange={({ target }) => typed.type(target.value)}
            />
          )}
        </Field>
      )}
    </>
  );
}
