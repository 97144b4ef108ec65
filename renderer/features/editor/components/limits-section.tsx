import { isRecord } from '#shared/manifest/plain.ts';
import { MAX_TIMEOUT_SECONDS } from '#shared/runs/run.ts';
import { useForm } from '../hooks/form-context.ts';
import { at } from '../model/agent-value.ts';
import { RESOURCES_KEY } from '#shared/manifest/schemas/agent.ts';
import { FormSection, KeptField, NumberField } from './form-fields.tsx';

/** How long a run may take, and what its sandbox may use. */
export function LimitsSection() {
  const { manifest } = useForm();
  const resources = at(manifest, ['_meta', RESOURCES_KEY]);
  return (
    <FormSection title="Limits" intro="What one run may use. Whatever is left empty has the app’s own limit.">
      <div className="grid max-w-170 gap-4 sm:grid-cols-3">
        <NumberField
          path={['timeout']}
          label="Time"
          unit="seconds"
          placeholder="300"
          help={`At most ${MAX_TIMEOUT_SECONDS}.`}
        />
        {resources === undefined || isRecord(resources) ? (
          <>
            <NumberField
              path={['_meta', RESOURCES_KEY, 'memory_mb']}
              label="Memory"
              unit="MiB"
              help="Of the sandbox."
            />
            <NumberField path={['_meta', RESOURCES_KEY, 'cpu']} label="Processors" help="Whole ones." />
          </>
        ) : (
          <KeptField path={['_meta', RESOURCES_KEY]} label="Resources" />
        )}
      </div>
    </FormSection>
  );
}
