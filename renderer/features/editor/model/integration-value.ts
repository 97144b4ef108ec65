import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { isRecord, itemsOf, membersOf } from '#shared/manifest/plain.ts';
import { API_KEY } from '#shared/manifest/schemas/integration.ts';
import { at, dialectOf, removal } from './agent-value.ts';
import type { ManifestEdits, ManifestValue } from './manifest-document.ts';

/** Edits that make the source another kind. What was said of the former one is kept beside it. */
export function chooseSource(manifest: ManifestValue, kind: string): ManifestEdits {
  const start: Readonly<Record<string, [member: string, value: unknown]>> = {
    remote: ['remote', { url: 'https://', transport: 'streamable-http' }],
    local: ['server', { name: '', version: '*' }],
    api: ['api', {}],
  };
  if (!isRecord(manifest['source'])) {
    const [member, value] = start[kind] ?? [];
    return [{ pointer: '/source', value: { kind, ...(member !== undefined && { [member]: value }) } }];
  }
  const [member, value] = start[kind] ?? [];
  const isThere = member === undefined || at(manifest, ['source', member]) !== undefined;
  return [
    { pointer: '/source/kind', value: kind },
    ...(isThere ? [] : [{ pointer: pointerOf(['source', member]), value }]),
  ];
}

export const AUTH_TYPES = ['oauth2', 'api_key', 'basic', 'mtls', 'custom'] as const;
export type AuthType = (typeof AUTH_TYPES)[number];

/** Ways a credential usually reaches a service. */
export const DELIVERY_PRESETS = {
  bearer: { label: 'Bearer token', types: ['oauth2', 'api_key', 'custom'] },
  header: { label: 'Header of its own', types: ['api_key', 'custom'] },
  basic: { label: 'Basic, of name and password', types: ['basic', 'custom'] },
  environment: { label: 'Variable of a local server', types: ['oauth2', 'api_key', 'custom'] },
  files: { label: 'Files of a local server', types: ['mtls', 'custom'] },
} as const satisfies Record<string, { label: string; types: readonly AuthType[] }>;
export type DeliveryPreset = keyof typeof DELIVERY_PRESETS;

/** What each preset needs of the person who connects, where the manifest asks for nothing yet. */
const ASKED: Readonly<
  Record<DeliveryPreset, readonly (readonly [name: string, title: string, secret: boolean])[]>
> = {
  bearer: [['token', 'Token', true]],
  header: [['api_key', 'API key', true]],
  basic: [
    ['username', 'User name', false],
    ['password', 'Password', true],
  ],
  environment: [['token', 'Token', true]],
  files: [
    ['certificate', 'Certificate (PEM)', false],
    ['private_key', 'Private key (PEM)', true],
  ],
};

/**
 * Edits that deliver the credential as a preset does. For other than OAuth they also ask for what is
 * delivered, unless the method asks for something already; then that is what is delivered.
 */
export function presetDelivery(
  manifest: ManifestValue,
  authKey: string,
  preset: DeliveryPreset,
): ManifestEdits {
  const path = ['auths', authKey];
  const isOauth = at(manifest, [...path, 'type']) === 'oauth2';
  const properties = at(manifest, [...path, 'credentials', 'schema', 'properties']);
  const asked = isRecord(properties) ? Object.keys(properties) : [];
  const names = isOauth ? ['access_token'] : asked.length > 0 ? asked : ASKED[preset].map(([name]) => name);
  return [
    { pointer: pointerOf([...path, 'delivery']), value: deliveryOf(preset, names) },
    ...(isOauth || asked.length > 0
      ? []
      : [{ pointer: pointerOf([...path, 'credentials']), value: credentialsOf(preset) }]),
  ];
}

function credentialsOf(preset: DeliveryPreset): unknown {
  const properties = ASKED[preset].map(([name, title, isSecret]) => [
    name,
    { type: 'string', title, ...(isSecret && { format: 'password' }) },
  ]);
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(properties) as unknown,
      required: ASKED[preset].map(([name]) => name),
    },
  };
}

function deliveryOf(preset: DeliveryPreset, names: readonly string[]): unknown {
  const [first = 'token', second = first] = names;
  const field = (name: string) => `{$credential.${name}}`;
  const last = field(names.at(-1) ?? first);
  switch (preset) {
    case 'bearer':
      return { http: { in: 'header', name: 'Authorization', prefix: 'Bearer', value: last } };
    case 'header':
      return { http: { in: 'header', name: 'X-Api-Key', value: last } };
    case 'basic':
      return {
        http: {
          in: 'header',
          name: 'Authorization',
          prefix: 'Basic',
          value: `${field(first)}:${field(second)}`,
          encoding: 'base64',
        },
      };
    case 'environment':
      return { env: { TOKEN: { value: last, sensitive: true } } };
    case 'files':
      return {
        files: Object.fromEntries(
          names.map((name) => [`/run/credentials/${name}.pem`, { value: field(name), mode: '0400' }]),
        ),
      };
  }
}

const FIRST_PRESETS: Readonly<Record<AuthType, DeliveryPreset>> = {
  oauth2: 'bearer',
  api_key: 'bearer',
  basic: 'basic',
  mtls: 'files',
  custom: 'bearer',
};

/** What a new sign-in of a kind begins as. */
export function newAuth(type: AuthType): Readonly<Record<string, unknown>> {
  const preset = FIRST_PRESETS[type];
  if (type === 'oauth2') return { type, delivery: deliveryOf(preset, ['access_token']) };
  const names = ASKED[preset].map(([name]) => name);
  return { type, credentials: credentialsOf(preset), delivery: deliveryOf(preset, names) };
}

/** Members of a method that only mean something for OAuth. */
export const OAUTH_MEMBERS = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'device_authorization_endpoint',
  'userinfo_endpoint',
  'token_endpoint_auth_method',
  'code_challenge_methods_supported',
  'resource',
  'authorization_params',
  'default_scopes',
  'scope_catalog',
  'identity_claims',
  'required_identity_claims',
  'callback_url_hint',
] as const;

/** What a method says that its kind has no use for: kept, until the author removes it. */
export function idleMembers(auth: Readonly<Record<string, unknown>>): string[] {
  const { type } = auth;
  return Object.keys(auth).filter(
    (member) =>
      (type !== 'oauth2' && (OAUTH_MEMBERS as readonly string[]).includes(member)) ||
      (type === 'oauth2' && member === 'credentials') ||
      (type !== 'custom' && member === 'connect'),
  );
}

/** Edits that remove a method wherever the manifest names it. */
export function removeAuth(manifest: ManifestValue, key: string): ManifestEdits {
  const policies = membersOf(manifest['tools_policy']).flatMap(([tool, policy]): ManifestEdits => {
    if (!isRecord(policy)) return [];
    const { required_scopes: scopes, required_auth_key: only } = policy;
    const path = ['tools_policy', tool, 'required_scopes'];
    const isNamed = isRecord(scopes) && Object.hasOwn(scopes, key);
    const isLast = isNamed && Object.keys(scopes).length === 1;
    return [
      ...(isNamed ? [{ pointer: pointerOf(isLast ? path : [...path, key]), remove: true as const }] : []),
      ...(only === key
        ? [{ pointer: pointerOf(['tools_policy', tool, 'required_auth_key']), remove: true as const }]
        : []),
    ];
  });
  return [
    { pointer: pointerOf(['auths', key]), remove: true },
    ...removal(manifest, ['_meta', API_KEY, 'auths', key]),
    ...policies,
  ];
}

/** Edits that set the scopes a tool needs of a method, in the form of the manifest's dialect. */
export function setToolScopes(
  manifest: ManifestValue,
  tool: string,
  authKey: string,
  scopes: readonly string[],
): ManifestEdits {
  const base = ['tools_policy', tool, 'required_scopes'];
  const path = dialectOf(manifest) === '2.x' ? base : [...base, authKey];
  if (scopes.length > 0) return [{ pointer: pointerOf(path), value: [...scopes] }];
  if (at(manifest, path) === undefined) return [];
  const isLast = dialectOf(manifest) === '2.x' || membersOf(at(manifest, base)).length === 1;
  return [{ pointer: pointerOf(isLast ? base : path), remove: true }];
}

/** The scopes a tool needs of a method. */
export function toolScopes(manifest: ManifestValue, tool: string, authKey: string): string[] {
  const scopes = at(manifest, ['tools_policy', tool, 'required_scopes']);
  const list = Array.isArray(scopes)
    ? scopes
    : isRecord(scopes) && Object.hasOwn(scopes, authKey)
      ? scopes[authKey]
      : [];
  return itemsOf(list).filter((scope) => typeof scope === 'string');
}

/** Edits that remove a tool's policy, and the tool from the lists that name it. */
export function removePolicyTool(manifest: ManifestValue, tool: string): ManifestEdits {
  const lists = ['default_tools', 'hidden_tools'].flatMap((list): ManifestEdits => {
    const index = itemsOf(manifest[list]).indexOf(tool);
    return index === -1 ? [] : [{ pointer: pointerOf([list, index]), remove: true }];
  });
  return [...removal(manifest, ['tools_policy', tool]), ...lists];
}
