import { useMemo } from 'react';
import { CodeBlock } from '#renderer/components/code-block.tsx';
import { isRecord } from '#shared/manifest/plain.ts';
import { useForm } from '../hooks/form-context.ts';
import { at } from '../model/agent-value.ts';
import { sampleValues } from '../model/sample-values.ts';

/** A result as it may come, made of the schema. */
export function OutputPreview() {
  const { manifest } = useForm();
  const schema = at(manifest, ['output', 'schema']);
  const text = useMemo(
    () => (isRecord(schema) ? JSON.stringify(sampleValues(schema), null, 2) : '{}'),
    [schema],
  );
  if (text === '{}') return null;
  return (
    <section aria-label="A result" className="space-y-2 rounded-lg border border-line bg-sunken/40 p-4">
      <h3 className="font-semibold">What a run will give</h3>
      <p className="text-sm text-ink-faint">With values made up from the fields.</p>
      <CodeBlock text={text} label="A result" language="json" />
    </section>
  );
}
