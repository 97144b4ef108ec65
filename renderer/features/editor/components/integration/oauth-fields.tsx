import { Field, Select } from '#renderer/components/field.tsx';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { isRecord, itemsOf } from '#shared/manifest/plain.ts';
import { OAUTH_KEY } from '#shared/manifest/schemas/integration.ts';
import { useErrorsAt, useForm } from '../../hooks/form-context.ts';
import { at } from '../../model/agent-value.ts';
import { FormGroup, JsonField, LinesField, SelectField } from '../bound-controls.tsx';
import { KeptField, TextField, WordsField } from '../form-fields.tsx';
import { EntryRows, MemberRows } from '../member-rows.tsx';

/** Where an OAuth sign-in happens, what it asks for, and what it tells of the account. */
export function OauthFields({ path }: { path: readonly string[] }) {
  const field = (...rest: string[]) => [...path, ...rest];
  return (
    <>
      <FormGroup
        title="Where it signs in"
        intro="An issuer that publishes its addresses is enough. Addresses given here win over those it publishes."
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField path={field('issuer')} label="Issuer" placeholder="https://accounts.example.com" />
          <TextField
            path={field('authorization_endpoint')}
            label="Authorization address"
            placeholder="https://"
          />
          <TextField path={field('token_endpoint')} label="Token address" placeholder="https://" />
          <TextField
            path={field('userinfo_endpoint')}
            label="Account address"
            placeholder="https://"
            help="Tells whose account it is."
          />
          <TextField
            path={field('device_authorization_endpoint')}
            label="Device address"
            placeholder="https://"
          />
          <TextField
            path={field('resource')}
            label="Resource"
            help="Where the service wants one (RFC 8707)."
          />
          <SelectField
            path={field('token_endpoint_auth_method')}
            label="The app proves itself"
            none="by secret in a header (usual)"
            options={[
              ['client_secret_basic', 'by secret in a header'],
              ['client_secret_post', 'by secret in the body'],
              ['none', 'not at all: a public app'],
              ['client_secret_jwt', 'by a JWT of the secret'],
              ['private_key_jwt', 'by a JWT of its key'],
              ['tls_client_auth', 'by a client certificate'],
              ['self_signed_tls_client_auth', 'by a certificate of its own'],
            ]}
          />
          <PkceSelect path={field('code_challenge_methods_supported')} />
          <TextField
            path={field('_meta', OAUTH_KEY, 'scope_separator')}
            label="Between two scopes"
            placeholder="a blank"
          />
          <SelectField
            path={field('_meta', OAUTH_KEY, 'refresh_token_issuance')}
            label="Refresh tokens"
            none="are given (usual)"
            options={[
              ['default', 'are given'],
              ['not_supported', 'are never given'],
            ]}
          />
        </div>
        <TextField
          path={field('callback_url_hint')}
          label="Hint on the callback"
          lines={2}
          help="What a person does with the callback address at the service; {{callback_url}} stands for it."
        />
      </FormGroup>
      <FormGroup title="Further parameters" intro="Sent with the person to the service, such as access_type.">
        <MemberRows
          path={field('authorization_params')}
          one="parameter"
          empty="None."
          start=""
          renderDetails={(place, name) => <AnyText path={place} label={`Value of ${name}`} />}
        />
      </FormGroup>
      <FormGroup
        title="Scopes"
        intro="What signing in asks for: always, and as far as the tools an agent takes need it."
      >
        <LinesField path={field('default_scopes')} label="Always asked for" help="One on each line." />
        <ScopeCatalog path={field('scope_catalog')} />
      </FormGroup>
      <FormGroup
        title="Whose account it is"
        intro="Names of what to keep, and where it stands in the service’s answer: email, or $.user.email."
      >
        <MemberRows
          path={field('identity_claims')}
          one="claim"
          empty="Nothing beyond what the service’s own token says."
          start="$."
          suggestions={['accountId', 'email', 'name', 'sub']}
          renderDetails={(place, name) => <AnyText path={place} label={`Place of ${name}`} />}
        />
        <WordsField
          path={field('required_identity_claims')}
          label="Without these no connection is kept"
          help="Separated by commas."
        />
      </FormGroup>
    </>
  );
}

/** A text, or JSON where the author gave something else. */
function AnyText({ path, label }: { path: readonly string[]; label: string }) {
  const { manifest } = useForm();
  const value = at(manifest, path);
  return typeof value === 'string' ? (
    <TextField path={path} label={label} required />
  ) : (
    <JsonField path={path} label={label} />
  );
}

/** Whether the sign-in is protected by PKCE: absent and an empty list mean different things. */
function PkceSelect({ path }: { path: readonly string[] }) {
  const { manifest, edit, isReadOnly } = useForm();
  const pointer = pointerOf(path);
  const errors = useErrorsAt(pointer, true);
  const value = at(manifest, path);
  const chosen = value === undefined ? '' : JSON.stringify(value);
  const options: [string, string][] = [
    ['', 'as the service says, else S256'],
    ['["S256"]', 'S256'],
    ['[]', 'without'],
  ];
  if (!options.some(([known]) => known === chosen)) options.push([chosen, chosen]);
  return (
    <Field id={`field${pointer}`} label="PKCE" errors={errors}>
      {(attributes) => (
        <Select
          {...attributes}
          data-pointer={pointer}
          value={chosen}
          disabled={isReadOnly}
          onChange={(event) => {
            const next = event.target.value;
            if (next === '') edit([{ pointer, remove: true }]);
            else edit([{ pointer, value: JSON.parse(next) as unknown }]);
          }}
        >
          {options.map(([option, text]) => (
            <option key={option} value={option}>
              {text}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

function ScopeCatalog({ path }: { path: readonly string[] }) {
  const { manifest } = useForm();
  const errors = useErrorsAt(pointerOf(path));
  if (
    itemsOf(at(manifest, path)).length === 0 &&
    at(manifest, path) !== undefined &&
    !Array.isArray(at(manifest, path))
  )
    return <KeptField path={path} label="Catalogue of scopes" />;
  return (
    <div>
      <p className="mb-1 font-medium">Catalogue of scopes</p>
      {errors.map((error) => (
        <p key={error} className="text-sm text-danger">
          {error}
        </p>
      ))}
      <EntryRows
        path={path}
        one="scope"
        empty="No scope has a name people understand yet."
        start={{ value: '', label: '' }}
        describe={(entry, index) =>
          isRecord(entry) && typeof entry['value'] === 'string' && entry['value'] !== ''
            ? `the scope ${entry['value']}`
            : `scope ${index + 1}`
        }
        renderDetails={(entry) => (
          <div className="grid gap-3 sm:grid-cols-2">
            <TextField path={[...entry, 'value']} label="Scope" required />
            <TextField path={[...entry, 'label']} label="In words" required />
            <TextField path={[...entry, 'description']} label="Description" />
            <WordsField
              path={[...entry, 'implies']}
              label="Brings with it"
              help="Other scopes, with commas."
            />
          </div>
        )}
      />
    </div>
  );
}
