import { useId } from 'react';
import { Field, Input } from '#renderer/components/field.tsx';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { MCP_RUNTIME_KEY, WORKSPACE_KEY } from '#shared/manifest/schemas/mcp-server.ts';
import { useErrorsAt, useForm } from '../../hooks/form-context.ts';
import { at, removal } from '../../model/agent-value.ts';
import { FormGroup, LinesField, SelectField } from '../bound-controls.tsx';
import { FormSection, KeptField, TextField } from '../form-fields.tsx';
import { MemberRows } from '../member-rows.tsx';

const CONFIG = ['server', 'mcp_config'];

/** How a server is started, in a container of its own, and what it sees of a run. */
export function ProgramSection() {
  return (
    <FormSection
      title="Program"
      intro="The server runs in a container of its own, started by a command and spoken to over its standard streams."
    >
      <div className="max-w-170 space-y-7">
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            path={['server', 'type']}
            label="Kind"
            options={[
              ['node', 'Node'],
              ['python', 'Python'],
              ['uv', 'Python, with uv'],
              ['binary', 'Program of its own'],
            ]}
          />
          <SelectField
            path={['_meta', MCP_RUNTIME_KEY, 'runtime']}
            label="Runs on"
            none="what its kind says"
            options={['node', 'bun', 'python', 'uv', 'binary'].map((name) => [name, name] as const)}
          />
          <EntryPoint />
          <TextField
            path={['manifest_version']}
            label="Format of server manifests"
            required
            placeholder="0.3"
            help="0.3; for uv 0.4."
          />
        </div>
        <FormGroup title="Command">
          <TextField path={[...CONFIG, 'command']} label="Command" required placeholder="node" />
          <LinesField path={[...CONFIG, 'args']} label="Arguments" help="One on each line." />
        </FormGroup>
        <FormGroup
          title="Variables"
          intro="${user_config.name} stands for a setting. A credential does not belong here: it comes by the delivery of an integration."
        >
          <MemberRows
            path={[...CONFIG, 'env']}
            one="variable"
            empty="None."
            start=""
            renderDetails={(path, name) => <TextField path={path} label={`Value of ${name}`} required />}
          />
        </FormGroup>
        <Workspace />
      </div>
    </FormSection>
  );
}

/** The file that is started: one of the package, which can be typed before it is there. */
function EntryPoint() {
  const { manifest, paths, edit, isReadOnly } = useForm();
  const id = useId();
  const path = ['server', 'entry_point'];
  const pointer = pointerOf(path);
  const errors = useErrorsAt(pointer);
  const value = at(manifest, path);
  if (value !== undefined && typeof value !== 'string') return <KeptField path={path} label="Started file" />;
  return (
    <Field id={`field${pointer}`} label="Started file" required errors={errors} help="A file of the package.">
      {(attributes) => (
        <>
          <Input
            {...attributes}
            data-pointer={pointer}
            className="font-mono"
            list={id}
            placeholder="server/index.js"
            value={value ?? ''}
            readOnly={isReadOnly}
            onChange={(event) => edit([{ pointer, value: event.target.value }], pointer)}
          />
          <datalist id={id}>
            {paths.slice(0, 200).map((file) => (
              <option key={file}>{file}</option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

function Workspace() {
  const { manifest, edit, isReadOnly } = useForm();
  const path = ['_meta', WORKSPACE_KEY];
  const isSeen = at(manifest, path) !== undefined;
  return (
    <FormGroup title="Files of the run">
      <label className="flex items-center gap-2.5">
        <input
          type="checkbox"
          data-pointer={pointerOf(path)}
          checked={isSeen}
          disabled={isReadOnly}
          onChange={(event) =>
            edit(
              event.target.checked
                ? [{ pointer: pointerOf(path), value: { access: 'ro' } }]
                : removal(manifest, path),
            )
          }
        />
        The server sees the run’s workspace
      </label>
      {isSeen && (
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            path={[...path, 'access']}
            label="It may"
            none="read (usual)"
            options={[
              ['ro', 'read'],
              ['rw', 'read and write'],
            ]}
          />
          <TextField path={[...path, 'mount']} label="At" placeholder="/workspace" />
        </div>
      )}
    </FormGroup>
  );
}
