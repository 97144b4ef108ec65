import { CURRENT_SCHEMA_VERSION } from './dialect.ts';
import { isRecord, itemsOf, membersOf } from './plain.ts';
import { currentRuntimeTool, replacementOf } from './runtime-tools.ts';
import { API_KEY, AUTH_META_KEY, OAUTH_KEY } from './schemas/integration.ts';

type Json = Record<string, unknown>;

/** What became of a manifest of AFPS 1.x. */
export type Conversion =
  | {
      readonly kind: 'converted';
      readonly manifest: Readonly<Json>;
      /** What its author should look at, one sentence each. */
      readonly notes: readonly string[];
    }
  | { readonly kind: 'refused'; readonly reason: string };

/** Members that were only renamed. */
const RENAMED: ReadonlyMap<string, string> = new Map([
  ['displayName', 'display_name'],
  ['longDescription', 'long_description'],
  ['iconUrl', 'icon'],
  ['docsUrl', 'documentation'],
  ['categories', 'keywords'],
  ['fileConstraints', 'file_constraints'],
  ['maxSize', 'max_size'],
  ['uiHints', 'ui_hints'],
  ['propertyOrder', 'property_order'],
  ['authKey', 'auth_key'],
]);

const REPLACED = ['$schema', 'schemaVersion', 'schema_version', 'type', 'definition', 'setupGuide'];

/**
 * Turns a manifest of AFPS 1.x into one of today (reference: afps, section 18). What it does not know is
 * kept; what has no place any more is told in a note.
 */
export function convertLegacy(manifest: Readonly<Json>): Conversion {
  switch (manifest['type']) {
    case 'provider':
      return convertProvider(manifest);
    case 'agent':
      return convertAgent(manifest);
    case 'skill':
      return { kind: 'converted', manifest: withHead(manifest, 'skill', renamed(manifest)), notes: [] };
    case 'tool':
      return {
        kind: 'refused',
        reason:
          'Tool packages no longer exist: runtime tools, integrations and MCP servers took their place.',
      };
    default:
      return { kind: 'refused', reason: 'No version of today takes its place. Make a new package.' };
  }
}

/** Puts what every manifest begins with first, then the rest in its own order. */
function withHead(manifest: Readonly<Json>, type: string, rest: Json): Json {
  const { name, version } = manifest;
  const body = Object.entries(rest).filter(([key]) => !['name', 'version', ...REPLACED].includes(key));
  return { name, version, type, schema_version: CURRENT_SCHEMA_VERSION, ...Object.fromEntries(body) };
}

function renamed(record: Readonly<Json>): Json {
  const entries = Object.entries(record).map(([key, value]): [string, unknown] => [
    RENAMED.get(key) ?? key,
    value,
  ]);
  return Object.fromEntries(entries);
}

function convertAgent(manifest: Readonly<Json>): Conversion {
  const notes: string[] = [];
  const agent = renamed(manifest);
  for (const place of ['input', 'output', 'config']) {
    const wrapper = agent[place];
    if (isRecord(wrapper)) agent[place] = renamedWrapper(wrapper);
  }
  const { tools, providers, ...dependencies } = isRecord(manifest['dependencies'])
    ? manifest['dependencies']
    : {};
  const integrations = [...membersOf(dependencies['integrations']), ...membersOf(providers)];
  if (integrations.length > 0) dependencies['integrations'] = Object.fromEntries(integrations);
  if (Object.keys(dependencies).length > 0) agent['dependencies'] = dependencies;
  else delete agent['dependencies'];

  const configurations = membersOf(agent['providersConfiguration']).map(([id, value]): [string, unknown] => [
    id,
    isRecord(value) ? renamed(value) : value,
  ]);
  delete agent['providersConfiguration'];
  const kept = configurations.filter(([id]) => integrations.some(([name]) => name === id));
  if (kept.length > 0) agent['integrations_configuration'] = Object.fromEntries(kept);

  const chosen = new Set(itemsOf(agent['runtimeTools'] ?? agent['runtime_tools']).map(String));
  delete agent['runtimeTools'];
  for (const [id] of membersOf(tools)) chosen.add(id);
  const runtimeTools = new Set<string>();
  for (const id of chosen) {
    const replacement = currentRuntimeTool(id) ?? replacementOf(id).id;
    if (replacement !== undefined) runtimeTools.add(replacement);
    else notes.push(`The tool "${id}" has no place any more. ${replacementOf(id).advice}`);
  }
  if (runtimeTools.size > 0) agent['runtime_tools'] = [...runtimeTools];
  return { kind: 'converted', manifest: withHead(manifest, 'agent', agent), notes };
}

function renamedWrapper(wrapper: Readonly<Json>): Json {
  const result = renamed(wrapper);
  const constraints = membersOf(result['file_constraints']).map(([field, limits]): [string, unknown] => [
    field,
    isRecord(limits) ? renamed(limits) : limits,
  ]);
  if (constraints.length > 0) result['file_constraints'] = Object.fromEntries(constraints);
  return result;
}

function convertProvider(manifest: Readonly<Json>): Conversion {
  const definition = isRecord(manifest['definition']) ? manifest['definition'] : {};
  const mode =
    definition['authMode'] ?? (definition['authorizationUrl'] === undefined ? undefined : 'oauth2');
  if (mode !== 'oauth2' && mode !== 'api_key' && mode !== 'basic' && mode !== 'custom') {
    const reason =
      mode === 'oauth1'
        ? 'It signs in by OAuth 1, which no integration can. Ask its author for one that uses OAuth 2 or a key.'
        : 'It does not say how it signs in, so no integration can be made of it.';
    return { kind: 'refused', reason };
  }
  const notes: string[] = [];
  const { auth, hint } = authOf(definition, mode, manifest, notes);
  const protocols = itemsOf(definition['uploadProtocols']);
  const guide = isRecord(manifest['setupGuide']) ? manifest['setupGuide'] : {};
  const body = renamed(manifest);
  const extensions = Object.entries(body).filter(([key]) => key.startsWith('x-'));
  for (const [key] of extensions) delete body[key];
  const meta = isRecord(body['_meta']) ? body['_meta'] : {};
  delete body['_meta'];
  return {
    kind: 'converted',
    manifest: {
      ...withHead(manifest, 'integration', body),
      source: { kind: 'none' },
      default_tools: ['api_call'],
      ...(guide['steps'] === undefined ? {} : { setup_guide: { steps: guide['steps'] } }),
      auths: { primary: { ...auth, ...(hint === undefined ? {} : { callback_url_hint: hint }) } },
      _meta: {
        ...meta,
        ...Object.fromEntries(extensions.map(([key, value]) => [key, isRecord(value) ? value : { value }])),
        [API_KEY]: { auths: { primary: protocols.length > 0 ? { upload_protocols: protocols } : {} } },
      },
    },
    notes,
  };
}

function authOf(
  definition: Readonly<Json>,
  mode: 'oauth2' | 'api_key' | 'basic' | 'custom',
  manifest: Readonly<Json>,
  notes: string[],
): { auth: Json; hint: string | undefined } {
  // The oldest packages have the fields of OAuth directly in the definition.
  const oauth = isRecord(definition['oauth2']) ? definition['oauth2'] : definition;
  const guide = isRecord(manifest['setupGuide']) ? manifest['setupGuide'] : {};
  const hint = guide['callbackUrlHint'];
  const auth: Json = { type: mode };
  if (mode === 'oauth2') {
    put(auth, 'authorization_endpoint', oauth['authorizationUrl']);
    put(auth, 'token_endpoint', oauth['tokenUrl']);
    // The meaning of silence changed from one method to the other, so it is written out.
    auth['token_endpoint_auth_method'] = oauth['tokenAuthMethod'] ?? 'client_secret_post';
    put(auth, 'default_scopes', oauth['defaultScopes']);
    put(auth, 'authorization_params', oauth['authorizationParams']);
    if (oauth['pkceEnabled'] === true) auth['code_challenge_methods_supported'] = ['S256'];
    if (oauth['pkceEnabled'] === false) auth['code_challenge_methods_supported'] = [];
    put(auth, 'scope_catalog', scopeCatalogOf(definition['availableScopes'], oauth['defaultScopes'], notes));
    if (oauth['tokenContentType'] !== undefined) {
      notes.push('It asked for tokens in a format of its own, which is not kept. Try to connect.');
    }
  } else {
    const credentials = isRecord(definition['credentials']) ? definition['credentials'] : {};
    const schema = credentials['schema'] ?? definition['credentialSchema'];
    auth['credentials'] = { schema: isRecord(schema) ? schema : { type: 'object', properties: {} } };
  }
  auth['authorized_uris'] = itemsOf(definition['authorizedUris']).map(widened);
  put(auth, 'allow_all_uris', definition['allowAllUris']);
  auth['delivery'] = deliveryOf(definition, mode, auth, notes);
  auth['_meta'] = {
    [AUTH_META_KEY]: { required: true },
    ...(typeof oauth['scopeSeparator'] === 'string' && mode === 'oauth2'
      ? { [OAUTH_KEY]: { scope_separator: oauth['scopeSeparator'] } }
      : {}),
  };
  return {
    auth,
    hint: typeof hint === 'string' ? hint.replaceAll('{{callbackUrl}}', '{{callback_url}}') : undefined,
  };
}

function put(record: Json, key: string, value: unknown): void {
  if (value !== undefined) record[key] = value;
}

/** A single star at the end once stood for any path; today it stands for one step of it. */
function widened(uri: unknown): unknown {
  return typeof uri === 'string' && /[^*]\*$/.test(uri) ? `${uri}*` : uri;
}

/** The catalog became the list of all scopes, so those asked for by default must be in it. */
function scopeCatalogOf(available: unknown, defaults: unknown, notes: string[]): unknown {
  if (!Array.isArray(available) || available.length === 0) return undefined;
  const known = new Set(available.map((scope) => (isRecord(scope) ? scope['value'] : undefined)));
  const missing = itemsOf(defaults).filter((scope) => typeof scope === 'string' && !known.has(scope));
  if (missing.length > 0) notes.push(`Give these scopes a label: ${missing.map(String).join(', ')}.`);
  return [...available, ...missing.map((scope) => ({ value: scope, label: scope }))];
}

function deliveryOf(
  definition: Readonly<Json>,
  mode: 'oauth2' | 'api_key' | 'basic' | 'custom',
  auth: Readonly<Json>,
  notes: string[],
): Json {
  const {
    credentialHeaderName: header,
    credentialHeaderPrefix: prefix,
    credentialTransform: transform,
  } = definition;
  const credentials = isRecord(definition['credentials']) ? definition['credentials'] : {};
  const fields = fieldsOf(auth);
  const name = typeof header === 'string' ? header : 'Authorization';
  const http = (value: string, more: Json): Json => ({ http: { in: 'header', name, ...more, value } });
  const given = typeof prefix === 'string' && prefix !== '' ? { prefix } : {};

  if (isRecord(transform) && typeof transform['template'] === 'string') {
    const value = transform['template'].replaceAll(/\{\{\s*(\w+)\s*\}\}/g, '{$credential.$1}');
    const encoding = transform['encoding'] === 'base64' ? { encoding: 'base64' } : {};
    return http(value, { ...given, ...encoding });
  }
  if (mode === 'oauth2') return http('{$credential.access_token}', { prefix: prefix ?? 'Bearer' });
  if (mode === 'basic') {
    return http('{$credential.username}:{$credential.password}', {
      prefix: prefix ?? 'Basic',
      encoding: 'base64',
    });
  }
  const field = typeof credentials['fieldName'] === 'string' ? credentials['fieldName'] : fields[0];
  if (typeof header === 'string' && field !== undefined) return http(`{$credential.${field}}`, given);

  notes.push(
    'It named no header, so its credential is put into addresses as {{field}} or given to a local server.',
  );
  const variables = fields.map((key) => [
    key.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_'),
    { value: `{$credential.${key}}`, sensitive: true },
  ]);
  return { env: Object.fromEntries(variables) as Json };
}

function fieldsOf(auth: Readonly<Json>): string[] {
  const schema = isRecord(auth['credentials']) ? auth['credentials']['schema'] : undefined;
  return membersOf(isRecord(schema) ? schema['properties'] : undefined).map(([key]) => key);
}
