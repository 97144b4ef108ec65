import type { AuthorizationServer } from 'oauth4webapi';
import { z } from 'zod';
import type { Outbound } from '#main/network/index.ts';
import type { AuthMethod, IntegrationSource } from '#shared/manifest/model/integration.ts';
import { present } from '#shared/manifest/model/identity.ts';
import { ProblemError } from '#shared/problem.ts';
import { oauthFetch, secureUrl } from './oauth-fetch.ts';

/** Milliseconds for one document of a server. */
const DISCOVERY_MS = 10_000;

const address = z.string().regex(/^https?:/);
const metadataSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: address.optional(),
  token_endpoint: address.optional(),
  userinfo_endpoint: address.optional(),
  device_authorization_endpoint: address.optional(),
  registration_endpoint: address.optional(),
  grant_types_supported: z.array(z.string()).optional(),
  code_challenge_methods_supported: z.array(z.string()).optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
});
const resourceSchema = z.object({ resource: z.string(), authorization_servers: z.array(z.string()) });

export type ServerMetadata = z.infer<typeof metadataSchema>;

/** An authorization server as the manifest and the server's own document describe it. */
export interface KnownServer {
  readonly metadata: AuthorizationServer & { readonly token_endpoint: string };
  /** False where only addresses are known: then the server's name for itself cannot be held against it. */
  readonly isIssuerKnown: boolean;
}

/** Finds out where to sign in and where tokens are had (RFC 8414). Documents are kept until the app ends. */
export class AuthorizationServers {
  readonly #outbound: Outbound;
  readonly #documents = new Map<string, Promise<ServerMetadata>>();

  constructor(outbound: Outbound) {
    this.#outbound = outbound;
  }

  /**
   * Addresses in the manifest win over discovered ones. There is no guessing: a server that hides its
   * document gets no request.
   * @throws ProblemError `oauth_discovery_failed`, `oauth_endpoints_missing`, `oauth_address_insecure`.
   */
  async describe(auth: AuthMethod): Promise<KnownServer> {
    const hasEndpoints = auth.authorizationEndpoint !== undefined && auth.tokenEndpoint !== undefined;
    let document: ServerMetadata | undefined;
    if (auth.issuer !== undefined) {
      try {
        document = await this.discover(auth.issuer);
      } catch (error) {
        if (!hasEndpoints) throw error;
      }
    }
    const tokenEndpoint = auth.tokenEndpoint ?? document?.token_endpoint;
    if (tokenEndpoint === undefined) throw endpointsMissing();
    const metadata = {
      // The client needs a name for the server; this one is never compared with anything.
      issuer: auth.issuer ?? new URL(tokenEndpoint).origin,
      ...present({ ...document }),
      ...present({
        authorization_endpoint: auth.authorizationEndpoint,
        userinfo_endpoint: auth.userinfoEndpoint,
        device_authorization_endpoint: auth.deviceAuthorizationEndpoint,
        code_challenge_methods_supported: auth.codeChallengeMethods && [...auth.codeChallengeMethods],
      }),
      token_endpoint: tokenEndpoint,
    };
    for (const address of endpointsOf(metadata)) secureUrl(address);
    const issuer = document && auth.issuer !== undefined ? new URL(auth.issuer) : undefined;
    for (const address of document ? endpointsOf(document) : []) secureUrl(address, issuer);
    return { metadata, isIssuerKnown: auth.issuer !== undefined };
  }

  /**
   * The method with its server filled in: a remote MCP server says itself who gives out its tokens
   * (RFC 9728), in a document that has to be about this very server.
   * @throws ProblemError `oauth_endpoints_missing`, `network_…`.
   */
  async locate(auth: AuthMethod, source: IntegrationSource): Promise<AuthMethod> {
    if (source.kind !== 'remote' || auth.issuer !== undefined || auth.tokenEndpoint !== undefined)
      return auth;
    const url = secureUrl(source.url);
    const fetch = oauthFetch(this.#outbound, DISCOVERY_MS);
    const path = withoutSlash(url.pathname);
    const known = `${url.origin}/.well-known/oauth-protected-resource`;
    const places = [...new Set([`${known}${path}`, known])];
    const challenge = await fetch(url.href, { method: 'GET', headers: { accept: 'application/json' } });
    const said = challenge.headers.get('www-authenticate') ?? '';
    const named = /resource_metadata="([^"]+)"/.exec(said)?.[1];
    if (named !== undefined) places.unshift(secureUrl(named, url).href);
    for (const place of places) {
      const response = await fetch(place, { method: 'GET', headers: { accept: 'application/json' } });
      const parsed = resourceSchema.safeParse(await response.json().catch(() => undefined));
      if (response.status !== 200 || !parsed.success) continue;
      const { resource, authorization_servers: servers } = parsed.data;
      const [issuer] = servers;
      if (issuer === undefined || URL.parse(resource)?.origin !== url.origin) continue;
      secureUrl(issuer, url);
      // What the author declares counts; a server that is asked for nothing says itself what it needs.
      const defaultScopes = auth.defaultScopes.length > 0 ? auth.defaultScopes : scopesIn(said);
      return { ...auth, issuer, resource: auth.resource ?? resource, defaultScopes };
    }
    throw endpointsMissing();
  }

  /**
   * The document of a server, whose name in it has to be the one asked for.
   * @throws ProblemError `oauth_discovery_failed`, `network_…`.
   */
  discover(issuer: string): Promise<ServerMetadata> {
    const known = this.#documents.get(issuer);
    if (known) return known;
    const reading = this.#read(issuer);
    this.#documents.set(issuer, reading);
    // Only what was found is kept: a server that is down now may be up later.
    reading.catch(() => this.#documents.delete(issuer));
    return reading;
  }

  async #read(issuer: string): Promise<ServerMetadata> {
    const fetch = oauthFetch(this.#outbound, DISCOVERY_MS);
    let reason = 'it has no such document';
    for (const place of documentsOf(secureUrl(issuer))) {
      const response = await fetch(place, { method: 'GET', headers: { accept: 'application/json' } });
      if (response.status !== 200) {
        reason = `it answered ${response.status}`;
        continue;
      }
      const parsed = metadataSchema.safeParse(await response.json().catch(() => undefined));
      if (!parsed.success) {
        reason = 'its document is not what the standard asks for';
        continue;
      }
      if (withoutSlash(parsed.data.issuer) === withoutSlash(issuer)) return parsed.data;
      reason = `its document is for "${parsed.data.issuer.slice(0, 200)}"`;
    }
    throw new ProblemError({
      code: 'oauth_discovery_failed',
      title: 'The service does not say how to sign in',
      detail: `${issuer} was asked for its sign-in addresses, but ${reason}.`,
      action: 'Try again later, or name the addresses in the integration.',
    });
  }
}

/** The scopes that a challenge asks for (RFC 6750, section 3). */
function scopesIn(challenge: string): string[] {
  return (/\bscope="([^"]{1,2000})"/i.exec(challenge)?.[1] ?? '')
    .split(' ')
    .filter((scope) => /^[\u0021\u0023-\u005B\u005D-\u007E]+$/.test(scope));
}

function endpointsOf(metadata: Partial<ServerMetadata>): string[] {
  const { authorization_endpoint, token_endpoint, userinfo_endpoint } = metadata;
  const { device_authorization_endpoint, registration_endpoint } = metadata;
  return [
    authorization_endpoint,
    token_endpoint,
    userinfo_endpoint,
    device_authorization_endpoint,
    registration_endpoint,
  ].filter((address) => address !== undefined);
}

/** RFC 8414, OpenID Connect with the path inserted, and OpenID Connect with it in front. */
function documentsOf(issuer: URL): string[] {
  const path = withoutSlash(issuer.pathname);
  const wellKnown = `${issuer.origin}/.well-known`;
  return [
    ...new Set([
      `${wellKnown}/oauth-authorization-server${path}`,
      `${wellKnown}/openid-configuration${path}`,
      `${issuer.origin}${path}/.well-known/openid-configuration`,
    ]),
  ];
}

function withoutSlash(text: string): string {
  return text.replace(/\/+$/, '');
}

function endpointsMissing(): ProblemError {
  return new ProblemError({
    code: 'oauth_endpoints_missing',
    title: 'The integration does not say where to sign in',
    detail: 'Neither the integration nor the service names the address that gives out tokens.',
    action: 'Add "issuer", or "authorization_endpoint" and "token_endpoint", to the integration.',
  });
}
