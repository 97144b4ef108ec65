import type { TokenEndpointResponse } from 'oauth4webapi';
import { z } from 'zod';
import { isRecord } from '#shared/manifest/plain.ts';
import { splitScopes } from '#shared/tools/scopes.ts';

/** What a token endpoint gave, in the form the app keeps. */
export interface TokenSet {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  /** Time in milliseconds; undefined when the service names none. */
  readonly expiresAt: number | undefined;
  /** Scopes as the service lists them; undefined when it says nothing, which means those asked for. */
  readonly scopes: readonly string[] | undefined;
  /** Whether an ID token for this client came with it. */
  readonly hasIdToken: boolean;
  /** All members of the answer but the tokens, and the claims of an ID token: where claims are looked up. */
  readonly claims: Readonly<Record<string, unknown>>;
}

const errorSchema = z.object({ error: z.string() });

/**
 * A token endpoint's answer as the standard wants it, of what services really send: errors under status
 * 200, answers of a form in place of JSON, types such as `bot`, missing types, numbers as text. The ID token
 * is taken out: it names the account, and comes straight from the service, so that it needs no signature.
 * @returns the answer, and the claims of the ID token where there is one
 */
export async function normaliseTokenResponse(
  response: Response,
): Promise<{ response: Response; idToken: string | undefined }> {
  const text = await response.text();
  const body = readBody(text, response.headers.get('content-type') ?? '');
  if (body === undefined) return { response: rebuilt(response.status, {}), idToken: undefined };
  const failure = errorSchema.safeParse(body);
  if (failure.success) {
    const status = response.status >= 400 ? response.status : 400;
    return { response: rebuilt(status, body), idToken: undefined };
  }
  const { id_token: idToken, token_type: type, expires_in: lifetime, scope, ...rest } = body;
  const seconds = Number(lifetime);
  const normal = {
    ...rest,
    token_type: typeof type === 'string' && /^dpop$/i.test(type) ? type : 'bearer',
    ...(lifetime !== undefined && lifetime !== null && seconds > 0 && { expires_in: seconds }),
    ...(Array.isArray(scope) ? { scope: scope.join(' ') } : typeof scope === 'string' ? { scope } : {}),
    ...(rest['refresh_token'] === null || rest['refresh_token'] === '' ? { refresh_token: undefined } : {}),
  };
  return {
    response: rebuilt(response.status === 201 ? 200 : response.status, normal),
    idToken: typeof idToken === 'string' ? idToken : undefined,
  };
}

/** The kept form of a checked answer. @param now time in milliseconds at which it came */
export function tokenSetOf(
  answer: TokenEndpointResponse,
  idTokenClaims: Readonly<Record<string, unknown>>,
  now: number,
): TokenSet {
  const { access_token: accessToken, refresh_token: refreshToken, ...rest } = answer;
  return {
    accessToken,
    refreshToken,
    expiresAt: answer.expires_in === undefined ? undefined : now + answer.expires_in * 1000,
    scopes: answer.scope === undefined ? undefined : splitScopes(answer.scope),
    hasIdToken: Object.keys(idTokenClaims).length > 0,
    claims: { ...idTokenClaims, ...rest },
  };
}

/**
 * What a token allows: what the service says, else what was asked for. Services leave the scopes of OpenID
 * Connect out of the list although they grant them; then the ID or refresh token itself tells.
 */
export function grantedScopes(tokens: TokenSet, requested: readonly string[]): string[] {
  if (tokens.scopes === undefined) return [...requested];
  const implied = requested.filter(
    (scope) =>
      (tokens.hasIdToken && /^(openid|profile|email)$/.test(scope)) ||
      (tokens.refreshToken !== undefined && scope === 'offline_access'),
  );
  return [...new Set([...implied, ...tokens.scopes])];
}

/**
 * The claims of an ID token that is for this client and of this issuer; none of any other.
 * @param issuer undefined where the server's name is not known
 */
export function idTokenClaims(
  token: string | undefined,
  clientId: string,
  issuer: string | undefined,
): Record<string, unknown> {
  const payload = token?.split('.')[1];
  if (payload === undefined) return {};
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
    if (!isRecord(claims)) return {};
    const audience = [claims['aud']].flat();
    const isOurs = audience.includes(clientId) && (issuer === undefined || claims['iss'] === issuer);
    return isOurs ? claims : {};
  } catch {
    return {};
  }
}

function readBody(text: string, type: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    const isForm = /x-www-form-urlencoded|text\/plain/i.test(type) && /^[\w.~%+-]+=/.test(text);
    return isForm ? Object.fromEntries(new URLSearchParams(text)) : undefined;
  }
}

function rebuilt(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}
