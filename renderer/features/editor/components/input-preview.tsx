import { useDeferredValue, useMemo, useState } from 'react';
import { Play } from 'lucide-react';
import { Button } from '#renderer/components/button.tsx';
import { FormPreview } from '#renderer/features/run-form/index.ts';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { isRecord, itemsOf, membersOf } from '#shared/manifest/plain.ts';
import { EXAMPLES_KEY } from '#shared/manifest/schemas/agent.ts';
import { useForm } from '../hooks/form-context.ts';
import { at, removal } from '../model/agent-value.ts';
import type { ManifestValue } from '../model/manifest-document.ts';
import { sampleValues } from '../model/sample-values.ts';

/** Fields of which the form is drawn without being asked for. */
const MOST_AT_ONCE = 60;

type Values = Readonly<Record<string, unknown>>;

/** The form a run asks for, as it is now, with values to try it by. */
export function InputPreview() {
  const { manifest: current, actions, edit, isReadOnly } = useForm();
  // Writing a schema does not wait for its form to be drawn.
  const manifest = useDeferredValue(current);
  const input = useMemo(() => inputOf(manifest), [manifest]);
  const kept = useMemo(() => keptValues(manifest), [manifest]);
  const [start, setStart] = useState<{ values: Values; round: number }>({ values: kept, round: 0 });
  const [typed, setTyped] = useState<Values>();
  const [isAsked, setAsked] = useState(false);
  const count = membersOf(input?.schema['properties']).length;
  if (input === undefined || count === 0) return null;
  if (count > MOST_AT_ONCE && !isAsked) {
    return (
      <Button className="justify-self-start" onClick={() => setAsked(true)}>
        Show the form of {count} fields
      </Button>
    );
  }
  const values = typed ?? start.values;
  const restart = (next: Values) => {
    setStart({ values: next, round: start.round + 1 });
    setTyped(next);
  };
  const path = ['_meta', EXAMPLES_KEY, 'input'];
  const isKept = JSON.stringify(kept) === JSON.stringify(values);
  const unavailable = isReadOnly ? 'Mend the JSON first.' : undefined;
  return (
    <section
      aria-label="The form of a run"
      className="space-y-4 rounded-lg border border-line bg-sunken/40 p-4"
    >
      <header className="space-y-2">
        <h3 className="font-semibold">What a run will ask</h3>
        <div className="flex flex-wrap gap-2">
          <Button size="small" onClick={() => restart(sampleValues(input.schema))}>
            Fill in samples
          </Button>
          <Button
            size="small"
            unavailable={isKept ? 'The package has these as its example already.' : unavailable}
            onClick={() =>
              edit(
                Object.keys(values).length === 0
                  ? removal(current, path)
                  : [{ pointer: pointerOf(path), value: values }],
              )
            }
          >
            Keep as the example
          </Button>
          {actions.tryIt && (
            <Button size="small" icon={<Play size={12} />} onClick={() => actions.tryIt?.(values)}>
              Try it with these
            </Button>
          )}
        </div>
        <p className="text-sm text-ink-faint">The example fills in the form of everybody’s first run.</p>
      </header>
      <FormPreview
        // Another schema is another form, which begins with what was typed.
        key={`${start.round} ${JSON.stringify(input)}`}
        input={input}
        values={values}
        onChange={setTyped}
      />
    </section>
  );
}

/** The input of a manifest that may have faults, as the form of a run takes it. */
function inputOf(manifest: ManifestValue) {
  const wrapper = at(manifest, ['input']);
  const schema = at(manifest, ['input', 'schema']);
  if (!isRecord(wrapper) || !isRecord(schema)) return undefined;
  const constraints = membersOf(wrapper['file_constraints']).map(([field, limits]) => {
    const { accept, max_size: maxSize } = isRecord(limits) ? limits : {};
    return [
      field,
      {
        ...(typeof accept === 'string' && { accept }),
        ...(typeof maxSize === 'number' && { maxSize }),
      },
    ] as const;
  });
  const hints = membersOf(wrapper['ui_hints']).map(([field, hint]) => {
    const placeholder = isRecord(hint) ? hint['placeholder'] : undefined;
    return [field, typeof placeholder === 'string' ? { placeholder } : {}] as const;
  });
  return {
    schema,
    fileConstraints: Object.fromEntries(constraints),
    hints: Object.fromEntries(hints),
    order: itemsOf(wrapper['property_order']).filter((name) => typeof name === 'string'),
  };
}

function keptValues(manifest: ManifestValue): Values {
  const values = at(manifest, ['_meta', EXAMPLES_KEY, 'input']);
  return isRecord(values) ? values : {};
}
