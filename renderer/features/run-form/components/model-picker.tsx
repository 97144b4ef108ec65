import { Field, Select } from '#renderer/components/field.tsx';
import { placeLink } from '#renderer/state/place.ts';
import type { ModelDescription, ModelReference, ProviderState } from '#shared/models/model.ts';

/** Chooses the model of a run among those that are ready. */
export function ModelPicker({
  id,
  label = 'Model',
  keyLink = false,
  providers,
  value,
  onChange,
}: {
  id: string;
  label?: string;
  /** Whether to show the way to where keys are added. */
  keyLink?: boolean;
  providers: readonly ProviderState[];
  value: ModelReference;
  onChange: (model: ModelReference) => void;
}) {
  const ready = providers.filter((provider) => provider.ready && provider.models.length > 0);
  const chosen = referenceText(value);
  const isKnown = ready.some((provider) => provider.models.some((model) => referenceText(model) === chosen));
  const model = findModel(providers, value);
  return (
    <Field
      id={id}
      label={label}
      help={
        model?.scripted
          ? 'A script plays the model: the loop, the sandbox and the tools are real, and no key is needed.'
          : undefined
      }
      extra={
        keyLink && (
          <a
            href={placeLink({ name: 'settings', section: 'models' })}
            className="text-sm text-accent underline underline-offset-2"
          >
            Add a key
          </a>
        )
      }
    >
      {(attributes) => (
        <Select
          {...attributes}
          value={chosen}
          onChange={(event) => {
            const picked = ready
              .flatMap((provider) => provider.models)
              .find((candidate) => referenceText(candidate) === event.target.value);
            if (picked) onChange({ providerId: picked.providerId, modelId: picked.modelId });
          }}
        >
          {!isKnown && <option value={chosen}>{value.modelId} (not ready)</option>}
          {ready.map((provider) => (
            <optgroup key={provider.id} label={provider.displayName}>
              {provider.models.map((candidate) => (
                <option key={candidate.modelId} value={referenceText(candidate)}>
                  {modelLabel(candidate)}
                </option>
              ))}
            </optgroup>
          ))}
        </Select>
      )}
    </Field>
  );
}

/** A model's name, with a word when it is no language model. */
function modelLabel(model: ModelDescription): string {
  if (!model.scripted) return model.displayName;
  return /scripted/i.test(model.displayName) ? model.displayName : `${model.displayName} (scripted)`;
}

function findModel(
  providers: readonly ProviderState[],
  { providerId, modelId }: ModelReference,
): ModelDescription | undefined {
  return providers
    .find((provider) => provider.id === providerId)
    ?.models.find((model) => model.modelId === modelId);
}

function referenceText({ providerId, modelId }: ModelReference): string {
  return `${providerId}/${modelId}`;
}
