import { calculatePKCECodeChallenge } from 'oauth4webapi';
import type { AuthMethod } from '#shared/manifest/model/integration.ts';
import type { KnownServer } from './authorization-server.ts';
import { secureUrl } from './oauth-fetch.ts';
import { ProblemError } from '#shared/problem.ts';

/** What ties a callback to its sign-in, and what no integration may set. */
const PROTECTED = new Set([
  'client_id',
  'code_challenge',
  'code_challenge_method',
  'redirect_uri',
  'response_mode',
  'response_type',
  'state',
]);

export interface AuthorizationRequest {
  readonly auth: AuthMethod;
  readonly server: KnownServer;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string;
  readonly codeVerifier: string | undefined;
  readonly scopes: readonly string[];
  /** Has the service ask which account to use. */
  readonly choosesAccount: boolean;
}

/**
 * The address to send the person to. Parameters of the integration come last and win over scope, resource
 * and prompt, but never over what protects the sign-in.
 * @throws ProblemError `oauth_endpoints_missing`, `oauth_address_insecure`.
 */
export async function authorizationUrl(request: AuthorizationRequest): Promise<string> {
  const { auth, server, scopes, codeVerifier } = request;
  const endpoint = server.metadata.authorization_endpoint;
  if (endpoint === undefined) {
    throw new ProblemError({
      code: 'oauth_endpoints_missing',
      title: 'The integration does not say where to sign in',
      detail: 'Neither the integration nor the service names the page to sign in at.',
      action: 'Add "authorization_endpoint" to the integration.',
    });
  }
  const url = secureUrl(endpoint);
  const query = url.searchParams;
  query.set('client_id', request.clientId);
  query.set('redirect_uri', request.redirectUri);
  query.set('response_type', 'code');
  query.set('state', request.state);
  const method = challengeMethod(auth, server);
  if (codeVerifier !== undefined && method !== undefined) {
    const isHashed = method === 'S256';
    query.set('code_challenge', isHashed ? await calculatePKCECodeChallenge(codeVerifier) : codeVerifier);
    query.set('code_challenge_method', method);
  }
  if (scopes.length > 0) query.set('scope', scopes.join(auth.scopeSeparator));
  if (auth.resource !== undefined) query.set('resource', auth.resource);
  if (request.choosesAccount) query.set('prompt', 'select_account');
  for (const [name, value] of Object.entries(auth.authorizationParameters)) {
    if (PROTECTED.has(name) || !['string', 'number', 'boolean'].includes(typeof value)) continue;
    query.set(name, String(value));
  }
  return url.href;
}

/** How PKCE hides the verifier; undefined where the integration says that the service takes none. */
export function challengeMethod(auth: AuthMethod, server: KnownServer): 'S256' | 'plain' | undefined {
  if (auth.codeChallengeMethods?.length === 0) return undefined;
  const supported = server.metadata.code_challenge_methods_supported ?? [];
  return supported.includes('plain') && !supported.includes('S256') ? 'plain' : 'S256';
}
