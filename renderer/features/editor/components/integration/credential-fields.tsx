import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { isRecord, itemsOf } from '#shared/manifest/plain.ts';
import { useErrorsAt, useForm } from '../../hooks/form-context.ts';
import { at, removal } from '../../model/agent-value.ts';
import { renameMember } from '../../model/rename-field.ts';
import { FormGroup } from '../bound-controls.tsx';
import { KeptField, TextField } from '../form-fields.tsx';
import { KeptKeywords } from '../kept-keywords.tsx';
import { MemberRows } from '../member-rows.tsx';

const SHOWN = new Set(['type', 'title', 'description', 'format']);

/** What a person must give to connect. */
export function CredentialFields({ path }: { path: readonly string[] }) {
  const { manifest } = useForm();
  const schema = [...path, 'credentials', 'schema'];
  const errors = useErrorsAt(pointerOf([...path, 'credentials']));
  const value = at(manifest, schema);
  if (value !== undefined && !isRecord(value))
    return <KeptField path={schema} label="What the person gives" />;
  return (
    <FormGroup
      title="What the person gives"
      intro="The form for connecting is made of these fields. What is secret is never shown again."
    >
      {errors.map((error) => (
        <p key={error} className="text-sm text-danger">
          {error}
        </p>
      ))}
      <MemberRows
        path={[...schema, 'properties']}
        one="credential"
        empty="Nothing is asked."
        start={{ type: 'string' }}
        suggestions={['api_key', 'token', 'username', 'password']}
        refuseName={(name) =>
          /^\w+$/.test(name) ? undefined : 'Use letters, digits and "_": the delivery names it so.'
        }
        rename={(text, from, to) =>
          renameMember(text, [...schema, 'properties'], from, to, [[...schema, 'required']])
        }
        remove={(name) => [
          { pointer: pointerOf([...schema, 'properties', name]), remove: true },
          ...removalFromRequired(
            itemsOf(at(manifest, [...schema, 'required'])),
            [...schema, 'required'],
            name,
          ),
        ]}
        renderDetails={(place, name) => <Credential path={place} name={name} schema={schema} />}
      />
    </FormGroup>
  );
}

function removalFromRequired(required: readonly unknown[], path: readonly string[], name: string) {
  const index = required.indexOf(name);
  if (index === -1) return [];
  return [
    { pointer: required.length === 1 ? pointerOf(path) : pointerOf([...path, index]), remove: true as const },
  ];
}

function Credential({
  path,
  name,
  schema,
}: {
  path: readonly string[];
  name: string;
  schema: readonly string[];
}) {
  const { manifest, edit, isReadOnly } = useForm();
  const value = at(manifest, path);
  const requiredPath = [...schema, 'required'];
  const required = itemsOf(at(manifest, requiredPath));
  if (!isRecord(value)) return <KeptField path={path} label={name} />;
  const formatPointer = pointerOf([...path, 'format']);
  const kept = Object.keys(value).filter((keyword) => !SHOWN.has(keyword));
  return (
    <div className="space-y-3">
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField path={[...path, 'title']} label="Label" />
        <TextField path={[...path, 'description']} label="Help" />
      </div>
      <div className="flex flex-wrap gap-x-6 gap-y-1">
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            data-pointer={formatPointer}
            checked={value['format'] === 'password'}
            disabled={isReadOnly || (value['format'] !== undefined && value['format'] !== 'password')}
            onChange={(event) =>
              edit(
                event.target.checked
                  ? [{ pointer: formatPointer, value: 'password' }]
                  : removal(manifest, [...path, 'format']),
              )
            }
          />
          secret
        </label>
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            checked={required.includes(name)}
            disabled={isReadOnly}
            onChange={(event) => {
              if (!event.target.checked) edit(removalFromRequired(required, requiredPath, name));
              else if (Array.isArray(at(manifest, requiredPath)))
                edit([{ pointer: `${pointerOf(requiredPath)}/-`, value: name }]);
              else edit([{ pointer: pointerOf(requiredPath), value: [name] }]);
            }}
          />
          required
        </label>
      </div>
      {kept.length > 0 && <KeptKeywords keywords={kept} of="this field" pointer={pointerOf(path)} />}
    </div>
  );
}
