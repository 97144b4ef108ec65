import type { z } from 'zod';
import { loopbackRedirectSchema, type RedirectChoice } from '../../connections/connection.ts';
import type { Dialect } from '../dialect.ts';
import { perDialect } from '../per-dialect.ts';
import {
  API_KEY,
  apiMetaSchema,
  AUTH_META_KEY,
  authMetaSchema,
  integrationSchema,
  OAUTH_KEY,
  oauthMetaSchema,
} from '../schemas/integration.ts';
import { present, readIdentity, type PackageIdentity } from './identity.ts';

/** Slipway's own word in an authentication method: the port and spelling of the redirect URI. */
const REDIRECT_KEY = 'app.slipway/redirect';

const shapeFor = perDialect(integrationSchema);

export type IntegrationSource =
  | { readonly kind: 'local'; readonly server: { readonly name: string; readonly version: string } }
  | { readonly kind: 'remote'; readonly url: string; readonly transport: 'streamable-http' | 'sse' }
  | { readonly kind: 'none' };

export interface Scope {
  readonly value: string;
  readonly label: string;
  readonly description: string;
  readonly implies: readonly string[];
}

/** How an integration authenticates. Its delivery and login are read by the part that connects. */
export interface AuthMethod {
  readonly type: 'oauth2' | 'api_key' | 'basic' | 'mtls' | 'custom';
  readonly issuer?: string;
  readonly authorizationEndpoint?: string;
  readonly tokenEndpoint?: string;
  readonly userinfoEndpoint?: string;
  readonly deviceAuthorizationEndpoint?: string;
  readonly tokenEndpointAuthMethod: string;
  /** Absent when the author leaves it to discovery. */
  readonly codeChallengeMethods?: readonly string[];
  readonly resource?: string;
  readonly authorizationParameters: Readonly<Record<string, unknown>>;
  readonly scopeSeparator: string;
  readonly refreshTokenIssuance: 'default' | 'not_supported';
  readonly defaultScopes: readonly string[];
  readonly scopeCatalog: readonly Scope[];
  readonly identityClaims: Readonly<Record<string, string>>;
  /** Claims without which a connection is not kept. */
  readonly requiredIdentityClaims: readonly string[];
  readonly credentialsSchema?: Readonly<Record<string, unknown>>;
  readonly delivery: z.infer<ReturnType<typeof integrationSchema>>['auths'][string]['delivery'];
  readonly connect?: NonNullable<z.infer<ReturnType<typeof integrationSchema>>['auths'][string]['connect']>;
  readonly authorizedUris: readonly string[];
  readonly allowsAllUris: boolean;
  /** Whether a run needs a connection even when no tool is selected. */
  readonly required: boolean;
  readonly callbackUrlHint?: string;
  /** Where the service takes an app of this computer back to, when the package's author says. */
  readonly redirect?: RedirectChoice;
}

export interface IntegrationManifest extends PackageIdentity {
  readonly type: 'integration';
  readonly source: IntegrationSource;
  readonly auths: Readonly<Record<string, AuthMethod>>;
  /** Scopes each tool needs, by authentication method. */
  readonly toolScopes: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  readonly hiddenTools: readonly string[];
  readonly allowsUndeclaredTools: boolean;
  /** What an agent gets that does not choose; nothing when the integration says nothing. */
  readonly defaultTools: readonly string[] | '*';
  /** Authentication methods that `api_call` may use, with their upload protocols. */
  readonly apiAuths: Readonly<Record<string, readonly string[]>>;
  readonly setupSteps: readonly { readonly label: string; readonly url?: string }[];
}

type Parsed = z.infer<ReturnType<typeof integrationSchema>>;
type ParsedAuth = Parsed['auths'][string];

/** Reads an integration's manifest that has no error into the one model of all dialects. */
export function readIntegration(value: unknown, dialect: Dialect): IntegrationManifest {
  const manifest = shapeFor(dialect).parse(value);
  const { source, auths } = manifest;
  return {
    type: 'integration',
    ...readIdentity(manifest, dialect),
    source: sourceOf(source),
    auths: Object.fromEntries(
      Object.entries(auths).map(([key, auth]) => [
        key,
        authOf(auth, manifest.setup_guide?.callback_url_hint),
      ]),
    ),
    toolScopes: toolScopesOf(manifest),
    hiddenTools: manifest.hidden_tools ?? [],
    allowsUndeclaredTools: manifest.allow_undeclared_tools ?? false,
    defaultTools: manifest.default_tools ?? [],
    apiAuths: apiAuthsOf(manifest),
    setupSteps: (manifest.setup_guide?.steps ?? []).map(({ label, url }) => ({ label, ...present({ url }) })),
  };
}

function sourceOf(source: Parsed['source']): IntegrationSource {
  switch (source.kind) {
    case 'local':
      return { kind: 'local', server: { name: source.server.name, version: source.server.version } };
    case 'remote':
      return { kind: 'remote', url: source.remote.url, transport: source.remote.transport };
    case 'none':
    case 'api':
      return { kind: 'none' };
  }
}

function authOf(auth: ParsedAuth, sharedHint: string | undefined): AuthMethod {
  const oauth = oauthMetaSchema.safeParse(auth._meta?.[OAUTH_KEY]).data;
  return {
    type: auth.type,
    ...present({
      issuer: auth.issuer,
      authorizationEndpoint: auth.authorization_endpoint,
      tokenEndpoint: auth.token_endpoint,
      userinfoEndpoint: auth.userinfo_endpoint,
      deviceAuthorizationEndpoint: auth.device_authorization_endpoint,
      codeChallengeMethods: auth.code_challenge_methods_supported,
      resource: auth.resource,
      credentialsSchema: auth.credentials?.schema,
      connect: auth.connect,
      callbackUrlHint: auth.callback_url_hint ?? sharedHint,
      redirect: loopbackRedirectSchema.safeParse(auth._meta?.[REDIRECT_KEY]).data,
    }),
    tokenEndpointAuthMethod: auth.token_endpoint_auth_method ?? 'client_secret_basic',
    authorizationParameters: auth.authorization_params ?? {},
    scopeSeparator: oauth?.scope_separator ?? ' ',
    refreshTokenIssuance: oauth?.refresh_token_issuance ?? 'default',
    defaultScopes: auth.default_scopes ?? [],
    scopeCatalog: (auth.scope_catalog ?? []).map(({ value, label, description = '', implies = [] }) => ({
      value,
      label,
      description,
      implies,
    })),
    identityClaims: auth.identity_claims ?? {},
    requiredIdentityClaims: auth.required_identity_claims ?? [],
    delivery: auth.delivery,
    authorizedUris: auth.authorized_uris ?? [],
    allowsAllUris: auth.allow_all_uris ?? false,
    required: authMetaSchema.safeParse(auth._meta?.[AUTH_META_KEY]).data?.required ?? false,
  };
}

/** The 2.x form has one list for a tool: it counts for the method it names, else for every OAuth one. */
function toolScopesOf({ tools_policy: policies, auths }: Parsed): IntegrationManifest['toolScopes'] {
  const oauthKeys = Object.keys(auths).filter((key) => auths[key]?.type === 'oauth2');
  const entries = Object.entries(policies ?? {}).map(([tool, policy]) => {
    const { required_scopes: scopes = {}, required_auth_key: key } = policy as {
      required_scopes?: Record<string, string[]> | string[];
      required_auth_key?: string;
    };
    if (!Array.isArray(scopes)) return [tool, scopes] as const;
    const keys = key === undefined ? oauthKeys : [key];
    return [tool, Object.fromEntries(keys.map((name) => [name, scopes]))] as const;
  });
  return Object.fromEntries(entries);
}

/** In the 2.x form the source itself opens the API to every method. */
function apiAuthsOf({ source, auths, _meta: meta }: Parsed): IntegrationManifest['apiAuths'] {
  if (source.kind === 'api') {
    const protocols = source.api.upload_protocols ?? [];
    return Object.fromEntries(Object.keys(auths).map((key) => [key, protocols]));
  }
  const opted = apiMetaSchema.safeParse(meta?.[API_KEY]).data?.auths ?? {};
  return Object.fromEntries(
    Object.entries(opted).map(([key, { upload_protocols: protocols = [] }]) => [key, protocols]),
  );
}
