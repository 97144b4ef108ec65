import {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  customFetch,
  deviceAuthorizationRequest,
  deviceCodeGrantRequest,
  nopkce,
  processAuthorizationCodeResponse,
  processDeviceAuthorizationResponse,
  processDeviceCodeResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  validateAuthResponse,
  type Client,
  type DeviceAuthorizationResponse,
} from 'oauth4webapi';
import type { Outbound } from '#main/network/index.ts';
import { ProblemError } from '#shared/problem.ts';
import type { KnownServer } from './authorization-server.ts';
import { clientAuthentication, type OAuthClient } from './oauth-client.ts';
import { oauthFetch } from './oauth-fetch.ts';
import { oauthProblem } from './oauth-problem.ts';
import { idTokenClaims, normaliseTokenResponse, tokenSetOf, type TokenSet } from './token-response.ts';

/** Milliseconds for an exchange of tokens. */
const EXCHANGE_MS = 30_000;

/** One service with one client of the author: all requests to it that carry a secret. */
export class TokenEndpoint {
  readonly #outbound: Outbound;
  readonly #server: KnownServer;
  readonly #client: OAuthClient;
  readonly #service: string;
  readonly #resource: string | undefined;

  /** @param service name for people, such as the integration's */
  constructor(options: {
    readonly outbound: Outbound;
    readonly server: KnownServer;
    readonly client: OAuthClient;
    readonly service: string;
    readonly resource: string | undefined;
  }) {
    this.#outbound = options.outbound;
    this.#server = options.server;
    this.#client = options.client;
    this.#service = options.service;
    this.#resource = options.resource;
  }

  /**
   * Exchanges the code of a callback for tokens.
   * @param parameters query of the callback
   * @param state what the callback has to carry
   * @param codeVerifier of PKCE; undefined where the integration turns it off
   * @throws ProblemError `oauth_denied`, `oauth_invalid_client`, `oauth_invalid_grant`, `oauth_refused`,
   * `oauth_response_invalid`, `network_…`.
   */
  redeem(
    parameters: URLSearchParams,
    state: string,
    redirectUri: string,
    codeVerifier: string | undefined,
    signal: AbortSignal,
  ): Promise<TokenSet> {
    return this.#exchange(async ({ metadata, client, authentication, options }) => {
      const answer = new URLSearchParams(parameters);
      // Where the server's own name is unknown, there is nothing to hold its `iss` against (RFC 9207).
      if (!this.#server.isIssuerKnown) answer.delete('iss');
      const checked = validateAuthResponse(metadata, client, answer, state);
      const response = await authorizationCodeGrantRequest(
        metadata,
        client,
        authentication,
        checked,
        redirectUri,
        codeVerifier ?? nopkce,
        { ...options, additionalParameters: this.#additional(), signal },
      );
      return this.#read(response, (normal) => processAuthorizationCodeResponse(metadata, client, normal));
    });
  }

  /**
   * Fetches a new access token. The answer's refresh token is undefined when the old one stays.
   * @throws ProblemError `oauth_invalid_grant` when only a new sign-in helps, and those of {@link redeem}.
   */
  refresh(refreshToken: string, signal: AbortSignal): Promise<TokenSet> {
    return this.#exchange(async ({ metadata, client, authentication, options }) => {
      const response = await refreshTokenGrantRequest(metadata, client, authentication, refreshToken, {
        ...options,
        additionalParameters: this.#additional(),
        signal,
      });
      return this.#read(response, (normal) => processRefreshTokenResponse(metadata, client, normal));
    });
  }

  /** Asks for a code that the person types in on another device (RFC 8628). @throws as {@link redeem}. */
  startDevice(scope: string, signal: AbortSignal): Promise<DeviceAuthorizationResponse> {
    return this.#exchange(async ({ metadata, client, authentication, options }) => {
      const parameters = new URLSearchParams(this.#additional());
      if (scope !== '') parameters.set('scope', scope);
      const response = await deviceAuthorizationRequest(metadata, client, authentication, parameters, {
        ...options,
        signal,
      });
      return processDeviceAuthorizationResponse(metadata, client, response);
    });
  }

  /** Asks once whether the person has allowed a device code. @throws as {@link redeem}; `oauth_refused` too. */
  redeemDevice(deviceCode: string, signal: AbortSignal): Promise<TokenSet> {
    return this.#exchange(async ({ metadata, client, authentication, options }) => {
      const response = await deviceCodeGrantRequest(metadata, client, authentication, deviceCode, {
        ...options,
        additionalParameters: this.#additional(),
        signal,
      });
      return this.#read(response, (normal) => processDeviceCodeResponse(metadata, client, normal));
    });
  }

  async #exchange<T>(
    work: (parts: {
      metadata: KnownServer['metadata'];
      client: Client;
      authentication: ReturnType<typeof clientAuthentication>;
      options: { [customFetch]: ReturnType<typeof oauthFetch>; [allowInsecureRequests]: boolean };
    }) => Promise<T>,
  ): Promise<T> {
    try {
      return await work({
        metadata: this.#server.metadata,
        client: { client_id: this.#client.clientId },
        authentication: clientAuthentication(this.#client),
        // Which addresses may do without https is for the fetch to say.
        options: { [customFetch]: oauthFetch(this.#outbound, EXCHANGE_MS), [allowInsecureRequests]: true },
      });
    } catch (error) {
      throw oauthProblem(error, this.#service);
    }
  }

  async #read(
    response: Response,
    check: (normal: Response) => Promise<Parameters<typeof tokenSetOf>[0]>,
  ): Promise<TokenSet> {
    if (response.status >= 500 || response.status === 429) throw this.#unavailable(response.status);
    const normal = await normaliseTokenResponse(response);
    const { metadata, isIssuerKnown } = this.#server;
    const issuer = isIssuerKnown ? metadata.issuer : undefined;
    const claims = idTokenClaims(normal.idToken, this.#client.clientId, issuer);
    return tokenSetOf(await check(normal.response), claims, Date.now());
  }

  #unavailable(status: number): ProblemError {
    return new ProblemError({
      code: 'oauth_unavailable',
      title: `${this.#service} cannot answer now`,
      detail: `${this.#service} answered with status ${status}. What it granted still counts.`,
      action: 'Try again later.',
    });
  }

  #additional(): Record<string, string> {
    return this.#resource === undefined ? {} : { resource: this.#resource };
  }
}
