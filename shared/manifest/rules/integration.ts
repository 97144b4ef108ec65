import { apiToolToken } from '../api-tools.ts';
import { pointerOf, stepsOf, type JsonPath } from '../json-pointer.ts';
import { isRecord, itemsOf, membersOf } from '../plain.ts';
import {
  API_KEY,
  apiMetaSchema,
  AUTH_META_KEY,
  authMetaSchema,
  loginOutputSchema,
  OAUTH_KEY,
  oauthMetaSchema,
} from '../schemas/integration.ts';
import { checkStructure, shown } from '../structure.ts';
import { outsideReferencesOf } from '../subschemas.ts';
import type { RuleContext } from './common.ts';
import { credentialFieldsOf } from './credentials.ts';
import { checkDelivery } from './delivery.ts';

type Auth = Readonly<Record<string, unknown>>;

/** Rules of an integration's manifest: reference section 19, I4, I8, I11 to I15 and I18 to I35. */
export function checkIntegration(context: RuleContext): void {
  const { manifest, findings } = context;
  const auths = isRecord(manifest['auths']) ? manifest['auths'] : {};
  const source = isRecord(manifest['source']) ? manifest['source'] : {};

  const api = isRecord(source['api']) ? source['api'] : {};
  checkProtocols(context, ['source', 'api', 'upload_protocols'], api['upload_protocols']);
  for (const [key, auth] of membersOf(auths)) {
    if (isRecord(auth)) checkAuth(context, ['auths', key], auth, source['kind']);
  }
  checkPolicies(context, auths);
  checkApiMeta(context, auths);
  checkDefaults(context, auths, source['kind']);
  if (manifest['allow_undeclared_tools'] === true && !Object.values(auths).some(isUsableUnscoped)) {
    const message =
      'Undeclared tools need an authentication method that works without knowing their scopes: one that is not "oauth2", or one with "default_scopes".';
    findings.add('undeclared_tools_unusable', ['allow_undeclared_tools'], message);
  }
}

function isUsableUnscoped(auth: unknown): boolean {
  return isRecord(auth) && (auth['type'] !== 'oauth2' || itemsOf(auth['default_scopes']).length > 0);
}

function checkProtocols({ findings }: RuleContext, path: JsonPath, protocols: unknown): void {
  itemsOf(protocols).forEach((protocol, index, all) => {
    if (all.indexOf(protocol) === index) return;
    const place = [...path, index];
    findings.add('upload_protocol_repeated', place, `${shown(protocol)} is already given above.`, {
      fix: { title: 'Remove it', edits: [{ pointer: pointerOf(place), remove: true }] },
    });
  });
}

function checkAuth(context: RuleContext, path: JsonPath, auth: Auth, sourceKind: unknown): void {
  const { findings, dialect } = context;
  const { type } = auth;

  const hasEndpoints =
    auth['issuer'] !== undefined ||
    (auth['authorization_endpoint'] !== undefined && auth['token_endpoint'] !== undefined);
  const isDiscovered = dialect === '0.x' && sourceKind === 'remote';
  if (type === 'oauth2' && !hasEndpoints && !isDiscovered) {
    const message =
      'Give "issuer", or both "authorization_endpoint" and "token_endpoint": there is nowhere to sign in.';
    findings.add('oauth2_endpoints_missing', path, message, { at: 'key' });
  }
  checkCredentials(context, path, auth);
  checkConnect(context, path, auth);
  checkDelivery(context, path, auth);
  checkUris(context, path, auth);
  checkScopes(context, path, auth);
  const blocks = [
    [AUTH_META_KEY, authMetaSchema],
    [OAUTH_KEY, oauthMetaSchema],
  ] as const;
  for (const [key, schema] of blocks) {
    if (!isRecord(auth['_meta']) || !Object.hasOwn(auth['_meta'], key)) continue;
    checkStructure(schema, context.manifest, findings, [...path, '_meta', key]);
  }
}

function checkCredentials({ findings }: RuleContext, path: JsonPath, auth: Auth): void {
  const credentials = isRecord(auth['credentials']) ? auth['credentials'] : undefined;
  if (typeof auth['type'] === 'string' && auth['type'] !== 'oauth2' && credentials === undefined) {
    const place = [...path, 'credentials'];
    const references = JSON.stringify(auth['delivery'] ?? {}).matchAll(/\{\$credential\.(\w+)\}/g);
    const names = [...new Set([...references].map(([, name = '']) => name))];
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
    const schema = { type: 'object', properties, required: names };
    const message = 'Say in "credentials.schema" what a person must give to connect.';
    findings.add('credentials_missing', place, message, {
      fix: {
        title: 'Ask for what the delivery uses',
        edits: [{ pointer: pointerOf(place), value: { schema } }],
      },
    });
  }
  for (const pointer of outsideReferencesOf(credentials?.['schema'])) {
    const message =
      'A reference may only point inside the schema, such as "#/$defs/key": nothing is fetched.';
    findings.add('reference_outside', [...path, 'credentials', 'schema', ...stepsOf(pointer)], message);
  }
}

function checkConnect(context: RuleContext, path: JsonPath, auth: Auth): void {
  const { findings } = context;
  const { connect } = auth;
  if (!isRecord(connect)) return;
  const place = [...path, 'connect'];
  if (auth['type'] !== 'custom') {
    const message = 'Only a method of type "custom" may have "connect".';
    findings.add('connect_not_custom', place, message, {
      at: 'key',
      fix: { title: 'Remove it', edits: [{ pointer: pointerOf(place), remove: true }] },
    });
  }
  if ('login' in connect === 'tool' in connect) {
    findings.add('connect_ambiguous', place, 'Give exactly one of "login" and "tool".', { at: 'key' });
  }
  if (isRecord(connect['login'])) checkLogin(context, [...place, 'login'], connect['login'], auth);
}

function checkLogin(context: RuleContext, path: JsonPath, login: Record<string, unknown>, auth: Auth): void {
  const { manifest, findings } = context;
  const outputs = isRecord(login['outputs']) ? login['outputs'] : {};
  if (Object.keys(outputs).length === 0) {
    const message = 'Name in "outputs" what the login gives: only that is kept and may be delivered.';
    findings.add('login_outputs_missing', [...path, 'outputs'], message);
  }
  for (const [name, output] of membersOf(outputs)) {
    checkStructure(loginOutputSchema(output), manifest, findings, [...path, 'outputs', name]);
  }
  const references: [JsonPath, unknown][] = [
    [[...path, 'expires_in_output'], login['expires_in_output']],
    ...itemsOf(login['identity_outputs']).map((name, index): [JsonPath, unknown] => [
      [...path, 'identity_outputs', index],
      name,
    ]),
  ];
  for (const [place, name] of references) {
    if (typeof name !== 'string' || Object.hasOwn(outputs, name)) continue;
    findings.add('login_output_unknown', place, `There is no output "${name}" of this login.`);
  }
  itemsOf(login['success_criteria']).forEach((criterion, index) => {
    if (!isRecord(criterion)) return;
    const { type = 'simple', condition } = criterion;
    const isPlain = typeof condition === 'string' && /^[^=!<>&|]+==[^=!<>&|]+$/.test(condition);
    if (type !== 'xpath' && (type !== 'simple' || isPlain)) return;
    const message =
      type === 'xpath'
        ? 'Conditions in XPath are kept but cannot be checked: the login would fail. Use "jsonpath" or "regex".'
        : 'A simple condition is one comparison with ==; the login would fail on this one.';
    findings.add('login_criterion_unsupported', [...path, 'success_criteria', index], message);
  });
  const fields = credentialFieldsOf(auth);
  const request = isRecord(login['request']) ? login['request'] : {};
  for (const [, name = ''] of JSON.stringify(request).matchAll(/\{\{\s*(\w+)\s*\}\}/g)) {
    if (fields === undefined || fields.includes(name)) continue;
    const message = `Nobody is asked for "${name}" in "credentials.schema", so the login would fail.`;
    findings.add('login_placeholder_unknown', [...path, 'request'], message);
  }
}

function checkUris({ findings }: RuleContext, path: JsonPath, auth: Auth): void {
  const uris = itemsOf(auth['authorized_uris']);
  if (uris.length === 0 && auth['allow_all_uris'] !== true) {
    const place = [...path, 'authorized_uris'];
    const message =
      'Say in "authorized_uris" where the credential may be sent, such as "https://api.example.com/**".';
    findings.add('uris_missing', place, message);
  }
  const delivery = isRecord(auth['delivery']) ? auth['delivery'] : {};
  if (delivery['http'] === undefined) return;
  if (auth['allow_all_uris'] === true) {
    const message =
      'The credential is put on requests to any address. List the addresses in "authorized_uris".';
    findings.add('uris_unbounded', [...path, 'allow_all_uris'], message);
  }
  uris.forEach((uri, index) => {
    if (typeof uri !== 'string' || !/^(https?:\/\/)?\*+(\.\*+)*(:\*+)?(\/|$)/.test(uri)) return;
    const message = 'The credential is put on requests to any host. Name the hosts it is for.';
    findings.add('uris_unbounded', [...path, 'authorized_uris', index], message);
  });
}

/** Scopes of a method's catalog; undefined when it has none, so that nothing can be held against it. */
function catalogOf(auth: unknown): Set<unknown> | undefined {
  const catalog = isRecord(auth) ? itemsOf(auth['scope_catalog']) : [];
  if (catalog.length === 0) return undefined;
  return new Set(catalog.map((scope) => (isRecord(scope) ? scope['value'] : undefined)));
}

function checkScopes({ findings }: RuleContext, path: JsonPath, auth: Auth): void {
  const catalog = catalogOf(auth);
  if (catalog === undefined) return;
  itemsOf(auth['default_scopes']).forEach((scope, index) => {
    if (typeof scope !== 'string' || catalog.has(scope)) return;
    const message = `The scope "${scope}" is not in "scope_catalog". Add it there with a label.`;
    findings.add('scope_unknown', [...path, 'default_scopes', index], message, {
      fix: {
        title: 'Add it to the catalog',
        edits: [
          { pointer: pointerOf([...path, 'scope_catalog', '-']), value: { value: scope, label: scope } },
        ],
      },
    });
  });
  itemsOf(auth['scope_catalog']).forEach((entry, index) => {
    if (!isRecord(entry)) return;
    itemsOf(entry['implies']).forEach((scope, position) => {
      if (typeof scope !== 'string' || (catalog.has(scope) && scope !== entry['value'])) return;
      const place = [...path, 'scope_catalog', index, 'implies', position];
      const message =
        scope === entry['value']
          ? 'A scope cannot imply itself.'
          : `The scope "${scope}" is not in the catalog.`;
      findings.add('scope_implies_unknown', place, message, {
        fix: { title: 'Remove it', edits: [{ pointer: pointerOf(place), remove: true }] },
      });
    });
  });
}

function checkPolicies({ manifest, findings, dialect }: RuleContext, auths: Record<string, unknown>): void {
  for (const [tool, policy] of membersOf(manifest['tools_policy'])) {
    if (!isRecord(policy)) continue;
    const path = ['tools_policy', tool];
    if (dialect === '2.x') {
      const { required_auth_key: key } = policy;
      if (typeof key === 'string' && !Object.hasOwn(auths, key)) {
        findings.add(
          'auth_unknown',
          [...path, 'required_auth_key'],
          `There is no authentication method "${key}".`,
        );
      }
      const methods = typeof key === 'string' ? [auths[key]] : Object.values(auths);
      checkRequired([...path, 'required_scopes'], policy['required_scopes'], methods, findings);
      continue;
    }
    for (const [key, scopes] of membersOf(policy['required_scopes'])) {
      const place = [...path, 'required_scopes', key];
      if (Object.hasOwn(auths, key)) checkRequired(place, scopes, [auths[key]], findings);
      else findings.add('auth_unknown', place, `There is no authentication method "${key}".`, { at: 'key' });
    }
  }
}

/** A required scope must be in the catalog of one of the methods it may belong to. */
function checkRequired(
  path: JsonPath,
  scopes: unknown,
  methods: readonly unknown[],
  findings: RuleContext['findings'],
): void {
  const catalogs = methods.map(catalogOf);
  if (catalogs.length === 0 || catalogs.includes(undefined)) return;
  itemsOf(scopes).forEach((scope, index) => {
    if (typeof scope !== 'string' || catalogs.some((catalog) => catalog?.has(scope))) return;
    findings.add(
      'scope_unknown',
      [...path, index],
      `The scope "${scope}" is not in the method's "scope_catalog".`,
    );
  });
}

function checkApiMeta(context: RuleContext, auths: Record<string, unknown>): void {
  const { manifest, findings } = context;
  const meta = isRecord(manifest['_meta']) ? manifest['_meta'] : {};
  if (!Object.hasOwn(meta, API_KEY)) return;
  const path = ['_meta', API_KEY];
  checkStructure(apiMetaSchema, manifest, findings, path);
  const opted = isRecord(meta[API_KEY]) ? membersOf(meta[API_KEY]['auths']) : [];
  const tokens = new Map<string, string>();
  for (const [key, options] of opted) {
    const place = [...path, 'auths', key];
    if (!Object.hasOwn(auths, key)) {
      findings.add('auth_unknown', place, `There is no authentication method "${key}".`, { at: 'key' });
    }
    const token = apiToolToken(key);
    const earlier = tokens.get(token);
    if (earlier !== undefined) {
      const message = `The tools of "${key}" and "${earlier}" would have the same name. Rename one of the methods.`;
      findings.add('api_tool_repeated', place, message, { at: 'key' });
    }
    tokens.set(token, key);
    if (isRecord(options))
      checkProtocols(context, [...place, 'upload_protocols'], options['upload_protocols']);
  }
}

function checkDefaults(context: RuleContext, auths: Record<string, unknown>, sourceKind: unknown): void {
  const { manifest, findings } = context;
  const { default_tools: tools } = manifest;
  if (tools === '*' && manifest['allow_undeclared_tools'] !== true) {
    const message = '"*" needs "allow_undeclared_tools": true. Otherwise list the tools.';
    findings.add('default_tools_wildcard', ['default_tools'], message);
  }
  if (sourceKind !== 'none') return;
  const meta = isRecord(manifest['_meta']) ? manifest['_meta'][API_KEY] : undefined;
  const keys = (isRecord(meta) ? membersOf(meta['auths']) : [])
    .map(([key]) => key)
    .filter((key) => key in auths);
  const names = new Set(
    keys.flatMap((key) => {
      const suffix = keys.length === 1 ? '' : `__${apiToolToken(key)}`;
      return [`api_call${suffix}`, `api_upload${suffix}`];
    }),
  );
  const policies = isRecord(manifest['tools_policy']) ? manifest['tools_policy'] : {};
  itemsOf(tools).forEach((tool, index) => {
    if (typeof tool !== 'string' || names.has(tool) || Object.hasOwn(policies, tool)) return;
    const message = `There is no tool ${shown(tool)}. Tools of an integration without a server come from _meta["${API_KEY}"].`;
    findings.add('default_tool_unknown', ['default_tools', index], message);
  });
}
