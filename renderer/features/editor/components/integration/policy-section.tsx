import { Field, Select } from '#renderer/components/field.tsx';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { isRecord, itemsOf, membersOf } from '#shared/manifest/plain.ts';
import { useErrorsAt, useForm } from '../../hooks/form-context.ts';
import { at, dialectOf, textsAt } from '../../model/agent-value.ts';
import { removePolicyTool, setToolScopes, toolScopes } from '../../model/integration-value.ts';
import { renamePolicyTool } from '../../model/rename-field.ts';
import { packageOf } from '../../ports.ts';
import { CheckField, FormGroup, LinesField } from '../bound-controls.tsx';
import { FormSection, KeptField, WordsField } from '../form-fields.tsx';
import { KeptKeywords } from '../kept-keywords.tsx';
import { MemberRows } from '../member-rows.tsx';

/** Which tools there are, what an agent gets that chooses none, and the scopes each one needs. */
export function PolicySection() {
  const { manifest, library } = useForm();
  const names = toolNames();
  return (
    <FormSection
      title="Tools"
      intro="The tools the integration offers, and the scopes each of them needs. Agents choose among them."
    >
      <div className="max-w-200 space-y-7">
        <FormGroup title="For agents that choose none">
          <DefaultTools names={names} />
        </FormGroup>
        <FormGroup title="Tools and their scopes">
          <MemberRows
            path={['tools_policy']}
            one="tool"
            empty={
              at(manifest, ['source', 'kind']) === 'local'
                ? 'The tools are those of the server. Name one here when it needs scopes.'
                : 'No tool is named. Agents could only take all tools at once.'
            }
            start={{}}
            suggestions={names}
            rename={renamePolicyTool}
            remove={(tool) => removePolicyTool(manifest, tool)}
            renderDetails={(path, tool) => <ToolPolicy path={path} tool={tool} />}
          />
        </FormGroup>
        <FormGroup title="The rest of the server’s tools">
          <CheckField
            path={['allow_undeclared_tools']}
            label="Agents may take tools that are not named here"
            help="What such a tool needs of the account is not known, so only scopes that are always asked for count."
          />
          <LinesField
            path={['hidden_tools']}
            label="Never offered"
            help="Tools of the server that no agent gets. One on each line."
          />
        </FormGroup>
      </div>
    </FormSection>
  );

  /** Tools the source is known to have. */
  function toolNames(): string[] {
    const server = at(manifest, ['source', 'server', 'name']);
    const known = typeof server === 'string' ? packageOf(library, server, 'mcp-server')?.manifest : undefined;
    return known?.type === 'mcp-server' ? known.tools.map(({ name }) => name) : [];
  }
}

function DefaultTools({ names }: { names: readonly string[] }) {
  const { manifest, edit, isReadOnly } = useForm();
  const value = manifest['default_tools'];
  const errors = useErrorsAt('/default_tools');
  const mode = value === undefined ? 'none' : value === '*' ? 'all' : Array.isArray(value) ? 'list' : 'other';
  if (mode === 'other') return <KeptField path={['default_tools']} label="They get" />;
  return (
    <>
      <Field id="field/default_tools/mode" label="They get" errors={mode === 'list' ? [] : errors}>
        {(attributes) => (
          <Select
            {...attributes}
            data-pointer="/default_tools"
            value={mode}
            disabled={isReadOnly}
            onChange={(event) => {
              const next = event.target.value;
              if (next === 'none') edit([{ pointer: '/default_tools', remove: true }]);
              else if (next === 'all') edit([{ pointer: '/default_tools', value: '*' }]);
              else edit([{ pointer: '/default_tools', value: firstTools(manifest, names) }]);
            }}
          >
            <option value="none">no tool</option>
            <option value="list">the tools named below</option>
            <option value="all">every tool of the server</option>
          </Select>
        )}
      </Field>
      {mode === 'list' && <LinesField path={['default_tools']} label="Tools" help="One on each line." />}
    </>
  );
}

function firstTools(manifest: Readonly<Record<string, unknown>>, names: readonly string[]): string[] {
  if (at(manifest, ['source', 'kind']) === 'none') return ['api_call'];
  const named = membersOf(manifest['tools_policy']).map(([tool]) => tool);
  return (named.length > 0 ? named : names).slice(0, 1);
}

function ToolPolicy({ path, tool }: { path: readonly string[]; tool: string }) {
  const { manifest } = useForm();
  const policy = at(manifest, path);
  const errors = useErrorsAt(pointerOf(path), true);
  if (!isRecord(policy)) return <KeptField path={path} label={tool} />;
  const isNewest = dialectOf(manifest) === '2.x';
  const auths = membersOf(manifest['auths']).filter(
    ([, auth]) => isRecord(auth) && auth['type'] === 'oauth2',
  );
  const kept = Object.keys(policy).filter(
    (member) => member !== 'required_scopes' && !(isNewest && member === 'required_auth_key'),
  );
  return (
    <div data-pointer={pointerOf(path)} tabIndex={-1} className="space-y-2 focus:outline-none">
      {errors.map((error) => (
        <p key={error} className="text-sm text-danger">
          {error}
        </p>
      ))}
      {auths.length === 0 && <p className="text-sm text-ink-faint">No sign-in here has scopes.</p>}
      {isNewest && auths.length > 0 ? (
        <WordsField path={[...path, 'required_scopes']} label="Scopes" help="Separated by commas." />
      ) : (
        auths.map(([key]) => <ToolScopes key={key} tool={tool} authKey={key} />)
      )}
      {kept.length > 0 && <KeptKeywords keywords={kept} of="this tool" pointer={pointerOf(path)} />}
    </div>
  );
}

/** The scopes a tool needs of one sign-in: of its catalogue where it has one. */
function ToolScopes({ tool, authKey }: { tool: string; authKey: string }) {
  const { manifest, edit, isReadOnly } = useForm();
  const catalog = itemsOf(at(manifest, ['auths', authKey, 'scope_catalog'])).flatMap((entry) =>
    isRecord(entry) && typeof entry['value'] === 'string' ? [entry['value']] : [],
  );
  const place = ['tools_policy', tool, 'required_scopes', authKey];
  const needed = toolScopes(manifest, tool, authKey);
  const offered = [
    ...new Set([...catalog, ...needed, ...textsAt(manifest, ['auths', authKey, 'default_scopes'])]),
  ];
  if (offered.length === 0)
    return <WordsField path={place} label={`Scopes of ${authKey}`} help="Separated by commas." />;
  return (
    <fieldset data-pointer={pointerOf(place)} tabIndex={-1} className="focus:outline-none">
      <legend className="text-sm text-ink-faint">
        Needs of <span className="font-mono">{authKey}</span>
      </legend>
      <div className="flex flex-wrap gap-x-5 gap-y-1">
        {offered.map((scope) => (
          <label key={scope} className="flex items-center gap-2">
            <input
              type="checkbox"
              checked={needed.includes(scope)}
              disabled={isReadOnly}
              onChange={(event) =>
                edit(
                  setToolScopes(
                    manifest,
                    tool,
                    authKey,
                    event.target.checked ? [...needed, scope] : needed.filter((other) => other !== scope),
                  ),
                )
              }
            />
            <span className="font-mono text-sm wrap-anywhere">{scope}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
