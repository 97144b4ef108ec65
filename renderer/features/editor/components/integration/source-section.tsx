import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { isRecord, membersOf } from '#shared/manifest/plain.ts';
import { API_KEY } from '#shared/manifest/schemas/integration.ts';
import { UPLOAD_PROTOCOLS } from '#shared/tools/upload-protocols.ts';
import { Field, Select } from '#renderer/components/field.tsx';
import { useErrorsAt, useForm } from '../../hooks/form-context.ts';
import { at, dialectOf, removal, textsAt } from '../../model/agent-value.ts';
import { chooseSource } from '../../model/integration-value.ts';
import { packageOf } from '../../ports.ts';
import { FormGroup, SelectField } from '../bound-controls.tsx';
import { FormSection, KeptField, RangeSelect, TextField } from '../form-fields.tsx';

const KIND_WORDS: Readonly<Record<string, string>> = {
  remote: 'A hosted MCP server',
  local: 'An MCP server run here, in a container of its own',
  none: 'Only the service’s HTTP API',
  api: 'Only the service’s HTTP API',
};

/** Where the tools of an integration come from, and which sign-ins may call the API itself. */
export function SourceSection() {
  const { manifest, edit, isReadOnly } = useForm();
  const source = at(manifest, ['source']);
  const kind = at(manifest, ['source', 'kind']);
  const errors = useErrorsAt('/source');
  const kindErrors = useErrorsAt('/source/kind');
  const isNewest = dialectOf(manifest) === '2.x';
  if (source !== undefined && !isRecord(source)) {
    return (
      <FormSection title="Source">
        <KeptField path={['source']} label="Source" />
      </FormSection>
    );
  }
  const kinds = ['remote', 'local', isNewest ? 'api' : 'none'];
  const shown = typeof kind === 'string' ? kind : '';
  const others = ['remote', 'server', 'api'].filter(
    (member) => member !== memberOf(shown) && at(manifest, ['source', member]) !== undefined,
  );
  return (
    <FormSection title="Source" intro="Where the tools of the integration come from.">
      <div className="max-w-170 space-y-6">
        <Field id="field/source/kind" label="The tools are those of" errors={[...errors, ...kindErrors]}>
          {(attributes) => (
            <Select
              {...attributes}
              data-pointer="/source/kind"
              value={shown}
              disabled={isReadOnly}
              onChange={(event) => edit(chooseSource(manifest, event.target.value))}
            >
              {!kinds.includes(shown) && <option value={shown}>{shown === '' ? 'Choose…' : shown}</option>}
              {kinds.map((option) => (
                <option key={option} value={option}>
                  {KIND_WORDS[option]}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {shown === 'remote' && (
          <div className="grid gap-4 sm:grid-cols-[1fr_15rem]">
            <TextField
              path={['source', 'remote', 'url']}
              label="Address"
              required
              placeholder="https://mcp.example.com/mcp"
            />
            <SelectField
              path={['source', 'remote', 'transport']}
              label="Transport"
              options={[
                ['streamable-http', 'Streamable HTTP'],
                ['sse', 'SSE (older servers)'],
              ]}
            />
          </div>
        )}
        {shown === 'local' && <LocalServer />}
        {others.length > 0 && (
          <p className="text-sm text-ink-faint">
            Kept from another kind of source: <span className="font-mono">{others.join(', ')}</span>.
          </p>
        )}
        {isNewest ? (
          shown === 'api' && <UploadProtocols path={['source', 'api', 'upload_protocols']} />
        ) : (
          <ApiAccess />
        )}
      </div>
    </FormSection>
  );
}

function memberOf(kind: string): string {
  return kind === 'local' ? 'server' : kind;
}

/** The MCP server package whose tools an integration offers. */
function LocalServer() {
  const { manifest, library, edit, isReadOnly } = useForm();
  const path = ['source', 'server', 'name'];
  const pointer = pointerOf(path);
  const errors = useErrorsAt('/source/server', true);
  const name = at(manifest, path);
  const range = at(manifest, ['source', 'server', 'version']);
  const servers = library.packages.filter(({ type }) => type === 'mcp-server');
  const shown = typeof name === 'string' ? name : '';
  const known = packageOf(library, shown, 'mcp-server');
  return (
    <Field
      id={`field${pointer}`}
      label="Server"
      errors={errors}
      help={
        servers.length === 0 ? 'Your library has no MCP server yet. Import or write one first.' : undefined
      }
    >
      {(attributes) => (
        <span className="flex gap-2">
          <Select
            {...attributes}
            data-pointer={pointer}
            value={shown}
            disabled={isReadOnly}
            onChange={(event) => {
              const chosen = packageOf(library, event.target.value, 'mcp-server');
              const newest = chosen?.versions[0];
              edit([
                { pointer, value: event.target.value },
                { pointer: '/source/server/version', value: newest === undefined ? '*' : `^${newest}` },
              ]);
            }}
          >
            {known === undefined && (
              <option value={shown}>{shown === '' ? 'Choose…' : `${shown} (not here)`}</option>
            )}
            {servers.map(({ name: option, displayName }) => (
              <option key={option} value={option}>
                {displayName} ({option})
              </option>
            ))}
          </Select>
          {typeof range === 'string' && (
            <RangeSelect
              id="field/source/server/version"
              name={shown}
              versions={known?.versions ?? []}
              range={range}
              onChange={(next) => edit([{ pointer: '/source/server/version', value: next }])}
            />
          )}
        </span>
      )}
    </Field>
  );
}

/** Which sign-ins give the agent `api_call`, and with which uploads. */
function ApiAccess() {
  const { manifest, edit, isReadOnly } = useForm();
  const path = ['_meta', API_KEY, 'auths'];
  const errors = useErrorsAt(pointerOf(['_meta', API_KEY]), true);
  const keys = membersOf(manifest['auths']).map(([key]) => key);
  return (
    <FormGroup
      title="Calls to the API"
      intro="Lets an agent send requests of its own with the credential, by the tool api_call. They go only to the addresses of the sign-in."
    >
      {keys.length === 0 && <p className="text-sm text-ink-faint">Add a sign-in first.</p>}
      <div data-pointer={pointerOf(['_meta', API_KEY])} tabIndex={-1} className="space-y-3">
        {errors.map((error) => (
          <p key={error} className="text-sm text-danger">
            {error}
          </p>
        ))}
        {keys.map((key) => {
          const isOn = at(manifest, [...path, key]) !== undefined;
          return (
            <div key={key}>
              <label className="flex items-center gap-2.5">
                <input
                  type="checkbox"
                  checked={isOn}
                  disabled={isReadOnly}
                  onChange={(event) =>
                    edit(
                      event.target.checked
                        ? [{ pointer: pointerOf([...path, key]), value: {} }]
                        : removal(manifest, [...path, key]),
                    )
                  }
                />
                <span>
                  with <span className="font-mono">{key}</span>
                </span>
              </label>
              {isOn && (
                <div className="mt-1 pl-6">
                  <UploadProtocols path={[...path, key, 'upload_protocols']} />
                </div>
              )}
            </div>
          );
        })}
      </div>
    </FormGroup>
  );
}

/** Ways to upload large files in parts; a protocol of the author's own is shown and kept. */
function UploadProtocols({ path }: { path: readonly string[] }) {
  const { manifest, edit, isReadOnly } = useForm();
  const value = at(manifest, path);
  const chosen = textsAt(manifest, path);
  const pointer = pointerOf(path);
  if (value !== undefined && !Array.isArray(value)) return <KeptField path={path} label="Uploads" />;
  const toggle = (protocol: string, isChosen: boolean) => {
    if (isChosen)
      edit(
        value === undefined
          ? [{ pointer, value: [protocol] }]
          : [{ pointer: `${pointer}/-`, value: protocol }],
      );
    else if (chosen.length === 1) edit([{ pointer, remove: true }]);
    else edit([{ pointer: `${pointer}/${chosen.indexOf(protocol)}`, remove: true }]);
  };
  return (
    <fieldset data-pointer={pointer} tabIndex={-1} className="flex flex-wrap gap-x-5 gap-y-1">
      <legend className="mb-0.5 text-sm text-ink-faint">Uploads of large files, in parts</legend>
      {[...new Set([...UPLOAD_PROTOCOLS, ...chosen])].map((protocol) => (
        <label key={protocol} className="flex items-center gap-2">
          <input
            type="checkbox"
            checked={chosen.includes(protocol)}
            disabled={isReadOnly}
            onChange={(event) => toggle(protocol, event.target.checked)}
          />
          <span className="font-mono text-sm">{protocol}</span>
        </label>
      ))}
    </fieldset>
  );
}
