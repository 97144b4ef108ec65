import { setTimeout as delay } from 'node:timers/promises';
import { generateRandomCodeVerifier, generateRandomState } from 'oauth4webapi';
import type { Outbound } from '#main/network/index.ts';
import type { ConnectFlow } from '#shared/connections/connection.ts';
import type { AuthMethod } from '#shared/manifest/model/integration.ts';
import { ProblemError, toProblem, type Problem } from '#shared/problem.ts';
import { missingScopes } from '#shared/tools/scopes.ts';
import type { KnownServer } from './authorization-server.ts';
import { authorizationUrl, challengeMethod } from './authorization-url.ts';
import type { CallbackPage } from './callback-page.ts';
import { identityOf, readUserinfo, type Identity } from './identity.ts';
import type { OAuthClient } from './oauth-client.ts';
import type { RedirectBinding, RedirectReceiver } from './redirect-receiver.ts';
import { TokenEndpoint } from './token-endpoint.ts';
import { grantedScopes, type TokenSet } from './token-response.ts';

/** Milliseconds the person has in the browser. */
export const BROWSER_MS = 5 * 60_000;
/** Milliseconds a code for another device counts at most, whatever the service says. */
const DEVICE_MS = 15 * 60_000;
/** Milliseconds between two questions whether the code was typed in, when the service names no time. */
const DEVICE_INTERVAL_MS = 5_000;

/** What a sign-in came to, before it is kept. */
export interface SignedIn {
  readonly tokens: TokenSet;
  readonly identity: Identity;
  readonly scopes: readonly string[];
}

export interface SignInRequest {
  readonly integrationId: string;
  readonly authKey: string;
  /** Name of the service for people. */
  readonly service: string;
  readonly auth: AuthMethod;
  readonly server: KnownServer;
  readonly client: OAuthClient;
  readonly scopes: readonly string[];
  readonly kind: 'browser' | 'device';
  readonly choosesAccount: boolean;
  /** The connection that is renewed; undefined for a new one. */
  readonly connectionId: string | undefined;
  /** Keeps what was granted. @returns the connection's id */
  readonly keep: (result: SignedIn) => Promise<{ id: string; label: string }>;
}

export interface SignInServices {
  readonly outbound: Outbound;
  readonly receiver: RedirectReceiver;
  readonly browserMs: number;
  readonly onChange: () => void;
}

/** One sign-in, from the address or code for the person to the kept connection. */
export class SignIn implements Disposable {
  readonly #request: SignInRequest;
  readonly #services: SignInServices;
  readonly #endpoint: TokenEndpoint;
  readonly #abort = new AbortController();
  #binding: RedirectBinding | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isKeeping = false;
  #flow: ConnectFlow;

  private constructor(id: string, request: SignInRequest, services: SignInServices) {
    this.#request = request;
    this.#services = services;
    this.#endpoint = new TokenEndpoint({
      outbound: services.outbound,
      server: request.server,
      client: request.client,
      service: request.service,
      resource: request.auth.resource,
    });
    this.#flow = {
      id,
      integrationId: request.integrationId,
      authKey: request.authKey,
      kind: request.kind,
      state: 'waiting',
      expiresAt: Date.now() + services.browserMs,
      requestedScopes: [...request.scopes],
      ...(request.connectionId !== undefined && { connectionId: request.connectionId }),
    };
  }

  /**
   * Begins: the listener stands before the address is known to anyone.
   * @throws ProblemError `redirect_port_taken`, `oauth_…`, `network_…`.
   */
  static async start(id: string, request: SignInRequest, services: SignInServices): Promise<SignIn> {
    const signIn = new SignIn(id, request, services);
    try {
      await (request.kind === 'device' ? signIn.#startDevice() : signIn.#startBrowser());
      return signIn;
    } catch (error) {
      signIn[Symbol.dispose]();
      throw error;
    }
  }

  get flow(): ConnectFlow {
    return this.#flow;
  }

  get isOver(): boolean {
    return this.#flow.state !== 'waiting' && this.#flow.state !== 'exchanging';
  }

  /**
   * Gives up; what comes back later counts no more. Too late once the grant is being kept: the service has
   * given it by then, and for a renewed connection what it replaces counts no more.
   */
  cancel(): void {
    if (!this.#isKeeping) this.#end({ state: 'cancelled' });
  }

  [Symbol.dispose](): void {
    this.#abort.abort();
    clearTimeout(this.#timer);
    this.#binding?.[Symbol.dispose]();
  }

  async #startBrowser(): Promise<void> {
    const { auth, server, client, scopes, choosesAccount } = this.#request;
    const binding = await this.#services.receiver.bind(client.redirect);
    this.#binding = binding;
    const state = generateRandomState();
    const codeVerifier = challengeMethod(auth, server) ? generateRandomCodeVerifier() : undefined;
    const address = await authorizationUrl({
      auth,
      server,
      clientId: client.clientId,
      redirectUri: binding.redirectUri,
      state,
      codeVerifier,
      scopes,
      choosesAccount,
    });
    binding.expect(state, (parameters) =>
      this.#finish((signal) =>
        this.#endpoint.redeem(parameters, state, binding.redirectUri, codeVerifier, signal),
      ),
    );
    this.#flow = { ...this.#flow, authorizationUrl: address, redirectUri: binding.redirectUri };
    this.#expireIn(this.#services.browserMs);
  }

  async #startDevice(): Promise<void> {
    const { auth, scopes } = this.#request;
    const started = await this.#endpoint.startDevice(scopes.join(auth.scopeSeparator), this.#abort.signal);
    const lifetime = Math.min(started.expires_in * 1000, DEVICE_MS);
    this.#flow = {
      ...this.#flow,
      userCode: started.user_code,
      verificationUri: started.verification_uri,
      expiresAt: Date.now() + lifetime,
      ...(started.verification_uri_complete !== undefined && {
        authorizationUrl: started.verification_uri_complete,
      }),
    };
    this.#expireIn(lifetime);
    const interval = started.interval === undefined ? DEVICE_INTERVAL_MS : started.interval * 1000;
    void this.#poll(started.device_code, interval);
  }

  async #poll(deviceCode: string, interval: number): Promise<void> {
    let wait = interval;
    const { signal } = this.#abort;
    while (!signal.aborted) {
      try {
        await delay(wait, undefined, { signal, ref: false });
        const tokens = await this.#endpoint.redeemDevice(deviceCode, signal);
        await this.#finish(() => Promise.resolve(tokens));
        return;
      } catch (error) {
        if (signal.aborted) return;
        const { code } = toProblem(error);
        if (code === 'oauth_slow_down') wait += DEVICE_INTERVAL_MS;
        // A network that is away for a moment is no reason to give up (RFC 8628, section 3.5).
        else if (code.startsWith('network_')) wait *= 2;
        else if (code !== 'oauth_authorization_pending') {
          this.#end({ state: 'failed', problem: toProblem(error) });
          return;
        }
      }
    }
  }

  /** Exchanges, keeps, and says so. Never rejects: the person's browser waits for the page. */
  async #finish(exchange: (signal: AbortSignal) => Promise<TokenSet>): Promise<CallbackPage> {
    const { auth, server, service, keep } = this.#request;
    const { signal } = this.#abort;
    clearTimeout(this.#timer);
    this.#change({ state: 'exchanging' });
    try {
      const tokens = await exchange(signal);
      const { claims, accessToken } = tokens;
      const userinfo = await readUserinfo(
        this.#services.outbound,
        server.metadata.userinfo_endpoint,
        accessToken,
        signal,
      );
      const identity = identityOf(auth, [claims, userinfo]);
      const scopes = grantedScopes(tokens, this.#flow.requestedScopes);
      signal.throwIfAborted();
      this.#isKeeping = true;
      const kept = await keep({ tokens, identity, scopes });
      const missing = missingScopes(auth, this.#flow.requestedScopes, scopes);
      this.#end({
        state: 'connected',
        connectionId: kept.id,
        grantedScopes: [...scopes],
        missingScopes: missing,
      });
      return connectedPage(service, kept.label, missing);
    } catch (error) {
      const problem = toProblem(error);
      if (signal.aborted) return failedPage(cancelledProblem(service));
      this.#end({ state: 'failed', problem });
      return failedPage(problem);
    }
  }

  #expireIn(milliseconds: number): void {
    this.#timer = setTimeout(() => {
      this.#end({
        state: 'expired',
        problem: {
          code: 'sign_in_expired',
          title: 'The sign-in took too long',
          detail: `Nothing came back from ${this.#request.service} in time.`,
          action: 'Begin again.',
        },
      });
    }, milliseconds).unref();
  }

  #end(change: Partial<ConnectFlow>): void {
    if (this.isOver) return;
    this.#change(change);
    this[Symbol.dispose]();
  }

  #change(change: Partial<ConnectFlow>): void {
    this.#flow = { ...this.#flow, ...change };
    this.#services.onChange();
  }
}

function connectedPage(service: string, label: string, missing: readonly string[]): CallbackPage {
  if (missing.length === 0) {
    return {
      tone: 'success',
      title: `${service} is connected`,
      text: [`Slipway can use the account ${label}.`, 'This tab can be closed.'],
    };
  }
  return {
    tone: 'success',
    title: `${service} is connected, with less than was asked for`,
    text: [
      `Slipway can use the account ${label}, but was not granted: ${missing.join(', ')}.`,
      'Slipway shows which tools need it. This tab can be closed.',
    ],
  };
}

function failedPage(problem: Problem): CallbackPage {
  const isDenied = problem.code === 'oauth_denied';
  return {
    tone: isDenied ? 'caution' : 'danger',
    title: problem.title,
    text: [problem.detail, ...(problem.action ? [problem.action] : []), 'Nothing was connected.'],
  };
}

function cancelledProblem(service: string): Problem {
  return new ProblemError({
    code: 'cancelled',
    title: 'The sign-in was cancelled',
    detail: `The sign-in to ${service} was cancelled in Slipway.`,
    action: 'Begin again in Slipway.',
  }).problem;
}
