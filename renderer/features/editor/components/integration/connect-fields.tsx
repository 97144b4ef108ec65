import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import { Button } from '#renderer/components/button.tsx';
import { useErrorsAt, useForm } from '../../hooks/form-context.ts';
import { at, removal } from '../../model/agent-value.ts';
import { FormGroup, JsonField, SelectField } from '../bound-controls.tsx';
import { KeptField, NumberField, TextField, WordsField } from '../form-fields.tsx';
import { KeptKeywords } from '../kept-keywords.tsx';
import { MemberRows } from '../member-rows.tsx';

const NEW_LOGIN = {
  login: {
    request: {
      method: 'POST',
      url: 'https://',
      body: { username: '{{username}}', password: '{{password}}' },
    },
    outputs: { token: '$response.body#/token' },
  },
};

const SHOWN = new Set(['request', 'outputs', 'expires_in_output', 'identity_outputs', 'success_criteria']);

/** The login of a service of its own kind: one request whose answer gives what is delivered. */
export function ConnectFields({ path }: { path: readonly string[] }) {
  const { manifest, edit, isReadOnly } = useForm();
  const place = [...path, 'connect'];
  const errors = useErrorsAt(pointerOf(place));
  const connect = at(manifest, place);
  if (connect !== undefined && !isRecord(connect)) return <KeptField path={place} label="Login" />;
  const login = at(manifest, [...place, 'login']);
  return (
    <FormGroup
      title="Login"
      intro="Without one, what the person gives is delivered as it is. With one, only what the login’s answer gives is kept and delivered."
    >
      {errors.map((error) => (
        <p key={error} className="text-sm text-danger">
          {error}
        </p>
      ))}
      {connect === undefined && (
        <Button
          unavailable={isReadOnly ? 'Mend the JSON first.' : undefined}
          onClick={() => edit([{ pointer: pointerOf(place), value: NEW_LOGIN }])}
        >
          Log in by a request
        </Button>
      )}
      {isRecord(login) && <LoginFields path={[...place, 'login']} />}
      {login !== undefined && !isRecord(login) && <KeptField path={[...place, 'login']} label="Login" />}
      {at(manifest, [...place, 'tool']) !== undefined && (
        <TextField
          path={[...place, 'tool', 'name']}
          label="Tool of the server that logs in"
          help="It is hidden from agents."
        />
      )}
      {connect !== undefined && (
        <>
          <div className="grid gap-4 sm:grid-cols-2">
            <NumberField path={[...place, 'limits', 'request_timeout_ms']} label="Longest wait" unit="ms" />
            <NumberField
              path={[...place, 'limits', 'max_response_bytes']}
              label="Largest answer"
              unit="bytes"
            />
          </div>
          <Button
            size="small"
            unavailable={isReadOnly ? 'Mend the JSON first.' : undefined}
            onClick={() => edit(removal(manifest, place))}
          >
            Remove the login
          </Button>
        </>
      )}
    </FormGroup>
  );
}

function LoginFields({ path }: { path: readonly string[] }) {
  const { manifest } = useForm();
  const login = at(manifest, path);
  const kept = isRecord(login) ? Object.keys(login).filter((member) => !SHOWN.has(member)) : [];
  const request = [...path, 'request'];
  return (
    <div className="space-y-4">
      <div className="grid gap-4 sm:grid-cols-[8rem_1fr]">
        <SelectField
          path={[...request, 'method']}
          label="Method"
          options={['POST', 'GET', 'PUT'].map((method) => [method, method] as const)}
        />
        <TextField path={[...request, 'url']} label="Login address" required placeholder="https://" />
      </div>
      <TextField path={[...request, 'content_type']} label="Media type" placeholder="application/json" />
      <JsonField
        path={[...request, 'body']}
        label="Body"
        help="As JSON. {{name}} stands for what the person gives."
      />
      <div>
        <p className="mb-1 font-medium">Headers</p>
        <MemberRows
          path={[...request, 'headers']}
          one="header"
          empty="None."
          start=""
          renderDetails={(place, name) => <TextField path={place} label={`Value of ${name}`} required />}
        />
      </div>
      <div>
        <p className="mb-1 font-medium">What the answer gives</p>
        <MemberRows
          path={[...path, 'outputs']}
          one="output"
          empty="Nothing yet, so nothing could be delivered."
          start="$response.body#/token"
          renderDetails={(place, name) => <OutputField path={place} name={name} />}
        />
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          path={[...path, 'expires_in_output']}
          label="Output with its lifetime"
          help="In seconds."
        />
        <WordsField path={[...path, 'identity_outputs']} label="Outputs that tell whose account it is" />
      </div>
      <JsonField
        path={[...path, 'success_criteria']}
        label="It has worked when"
        help="As JSON; a status from 200 to 299 when nothing is given."
      />
      {kept.length > 0 && <KeptKeywords keywords={kept} of="the login" pointer={pointerOf(path)} />}
    </div>
  );
}

function OutputField({ path, name }: { path: readonly string[]; name: string }) {
  const { manifest } = useForm();
  return typeof at(manifest, path) === 'string' ? (
    <TextField path={path} label={`Place of ${name}`} required help="Such as $response.body#/token." />
  ) : (
    <JsonField path={path} label={`Place of ${name}`} />
  );
}
