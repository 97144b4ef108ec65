import { Button } from '#renderer/components/button.tsx';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import { useErrorsAt, useForm } from '../../hooks/form-context.ts';
import { at } from '../../model/agent-value.ts';
import {
  AUTH_TYPES,
  DELIVERY_PRESETS,
  presetDelivery,
  type AuthType,
  type DeliveryPreset,
} from '../../model/integration-value.ts';
import { CheckField, FormGroup, SelectField } from '../bound-controls.tsx';
import { KeptField, TextField } from '../form-fields.tsx';
import { MemberRows } from '../member-rows.tsx';

/** How the credential reaches the service, or the server that runs here. */
export function DeliveryFields({ path, authKey }: { path: readonly string[]; authKey: string }) {
  const { manifest, edit, isReadOnly } = useForm();
  const place = [...path, 'delivery'];
  const errors = useErrorsAt(pointerOf(place));
  const delivery = at(manifest, place);
  const type = AUTH_TYPES.find((known) => known === at(manifest, [...path, 'type']));
  const presets = Object.entries(DELIVERY_PRESETS).filter(
    ([, { types }]) => type === undefined || (types as readonly AuthType[]).includes(type),
  ) as [DeliveryPreset, { label: string }][];
  const members = isRecord(delivery) ? delivery : {};
  return (
    <FormGroup
      title="Delivery"
      intro="{$credential.name} stands for what the person gave, and {$credential.access_token} for the token of an OAuth sign-in."
    >
      <div className="flex flex-wrap items-center gap-2" data-pointer={pointerOf(place)} tabIndex={-1}>
        <span className="text-sm text-ink-faint">Begin with</span>
        {presets.map(([preset, { label }]) => (
          <Button
            key={preset}
            size="small"
            unavailable={isReadOnly ? 'Mend the JSON first.' : undefined}
            onClick={() => edit(presetDelivery(manifest, authKey, preset))}
          >
            {label}
          </Button>
        ))}
      </div>
      {errors.map((error) => (
        <p key={error} className="text-sm text-danger">
          {error}
        </p>
      ))}
      {delivery !== undefined && !isRecord(delivery) && <KeptField path={place} label="Delivery" />}
      {members['http'] !== undefined && <HttpDelivery path={[...place, 'http']} />}
      {members['env'] !== undefined && (
        <MemberRows
          path={[...place, 'env']}
          one="variable"
          empty="No variable."
          start={{ value: '{$credential.token}' }}
          renderDetails={(entry) => (
            <div className="space-y-2">
              <div className="grid gap-3 sm:grid-cols-2">
                <TextField path={[...entry, 'value']} label="Value" required />
                <TextField
                  path={[...entry, 'user_config_key']}
                  label="Setting of the server"
                  placeholder="the variable’s name"
                />
              </div>
              <CheckField path={[...entry, 'sensitive']} label="Secret" />
            </div>
          )}
        />
      )}
      {members['files'] !== undefined && (
        <MemberRows
          path={[...place, 'files']}
          one="file"
          empty="No file."
          start={{ value: '{$credential.token}' }}
          refuseName={(name) =>
            name.startsWith('/') && !name.split('/').includes('..')
              ? undefined
              : 'Give an absolute path without "..".'
          }
          renderDetails={(entry) => (
            <div className="grid gap-3 sm:grid-cols-[1fr_8rem]">
              <TextField path={[...entry, 'value']} label="Content" required />
              <TextField path={[...entry, 'mode']} label="Mode" placeholder="0400" />
            </div>
          )}
        />
      )}
    </FormGroup>
  );
}

function HttpDelivery({ path }: { path: readonly string[] }) {
  return (
    <div className="space-y-3">
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          path={[...path, 'in']}
          label="Goes into"
          options={[
            ['header', 'a header'],
            ['query', 'the address (not supported)'],
            ['cookie', 'a cookie (not supported)'],
          ]}
        />
        <TextField path={[...path, 'name']} label="Header" required placeholder="Authorization" />
        <TextField path={[...path, 'prefix']} label="Before the value" placeholder="Bearer" />
        <TextField path={[...path, 'value']} label="Value" required />
        <SelectField
          path={[...path, 'encoding']}
          label="Written"
          none="as it is"
          options={[['base64', 'in Base64']]}
        />
      </div>
      <CheckField
        path={[...path, 'allow_server_override']}
        label="A header of the same name in the call wins"
        help="Otherwise what the agent writes there is dropped."
      />
    </div>
  );
}
