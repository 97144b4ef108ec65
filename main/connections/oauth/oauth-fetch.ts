import { isLoopbackHost, type Outbound } from '#main/network/index.ts';
import { ProblemError } from '#shared/problem.ts';

/** Bytes of an answer of an authorization server. */
const MAX_ANSWER_BYTES = 1_000_000;

export interface OAuthRequest {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: URLSearchParams | string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * `fetch` as the OAuth client takes it, through the author's network and without redirects.
 * @param timeoutMs milliseconds until the answer is whole
 */
export function oauthFetch(outbound: Outbound, timeoutMs: number) {
  return async (address: string, request: OAuthRequest): Promise<Response> => {
    const url = secureUrl(address);
    const { status, headers, body } = await outbound.send({
      method: request.method,
      url,
      headers: request.headers,
      body: request.body?.toString(),
      timeoutMs,
      maxBytes: MAX_ANSWER_BYTES,
      signal: request.signal,
    });
    const isBodiless = status === 204 || status === 205 || status === 304;
    return new Response(isBodiless ? null : new Uint8Array(body), { status, headers });
  };
}

/**
 * An address of an authorization server. Anything but https would show codes and tokens to everyone on the
 * way; only a server on this very computer may do without, and none on the internet may name one there.
 * @param namedBy the server whose document has the address; absent for the manifest
 * @throws ProblemError `oauth_address_insecure`.
 */
export function secureUrl(address: string, namedBy?: URL): URL {
  const url = URL.parse(address);
  const isSecure =
    url !== null &&
    (namedBy === undefined || !isLoopbackHost(url.hostname) || isLoopbackHost(namedBy.hostname)) &&
    url.username === '' &&
    url.password === '' &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname)));
  if (isSecure) return url;
  throw new ProblemError({
    code: 'oauth_address_insecure',
    title: 'An address of the service is not safe',
    detail: `The integration names "${(url?.origin ?? address).slice(0, 200)}" for signing in. It has to begin with https and hold no password.`,
    action: 'Tell the author of the integration, or change its manifest.',
  });
}
