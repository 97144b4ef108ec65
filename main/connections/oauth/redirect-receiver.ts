import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CALLBACK_PATH, redirectUriOf, type RedirectChoice } from '#shared/connections/connection.ts';
import { ProblemError } from '#shared/problem.ts';
import {
  CALLBACK_HEADERS,
  MISMATCH_PAGE,
  NOT_HERE_PAGE,
  renderCallbackPage,
  USED_PAGE,
  type CallbackPage,
} from './callback-page.ts';

/** Milliseconds a listener stays after its last sign-in, to tell a tab that comes late. */
const LINGER_MS = 30_000;
/** States of ended sign-ins that are remembered, to tell a replay from a forgery. */
const MAX_USED = 200;

/** Takes the query of a callback; its page is shown once the exchange is over. */
export type CallbackHandler = (parameters: URLSearchParams) => Promise<CallbackPage>;

/** A place where one sign-in's callback can arrive. */
export interface RedirectBinding extends Disposable {
  /** Exactly what goes into the authorization URL. */
  readonly redirectUri: string;
  /** Waits for the one callback that carries this state. */
  expect(state: string, handler: CallbackHandler): void;
}

interface Pending {
  readonly redirectUri: string;
  readonly handler: CallbackHandler;
}

interface Listener {
  readonly servers: readonly Server[];
  readonly redirectUri: string;
  users: number;
  linger: NodeJS.Timeout | undefined;
}

/**
 * Receives what browsers bring back from authorization servers: on loopback ports (RFC 8252), by the app's
 * own scheme, or typed in. A callback counts once and only at the place its sign-in was begun for.
 */
export class RedirectReceiver implements AsyncDisposable {
  readonly #pending = new Map<string, Pending>();
  readonly #used = new Set<string>();
  readonly #listeners = new Map<string, Listener>();
  readonly #opening = new Map<string, Promise<Listener>>();
  readonly #lingerMs: number;

  constructor(lingerMs = LINGER_MS) {
    this.#lingerMs = lingerMs;
  }

  /**
   * Makes sure that the callback can arrive, before anybody is sent away.
   * @throws ProblemError `redirect_port_taken`, `redirect_port_unusable`.
   */
  async bind(redirect: RedirectChoice): Promise<RedirectBinding> {
    if (redirect.kind === 'scheme') return this.#binding(redirectUriOf(redirect), () => undefined);
    const listener = await this.#listenerFor(redirect);
    return this.#binding(listener.redirectUri, () => this.#release(listener));
  }

  /**
   * Takes a callback that came by the app's scheme or was typed in from the browser's address bar.
   * @throws ProblemError `redirect_unknown` when no sign-in waits for it.
   */
  async receive(address: string): Promise<CallbackPage> {
    const url = URL.parse(address.trim());
    const page = url && (await this.#take(url.searchParams, undefined));
    if (page && page !== MISMATCH_PAGE) return page;
    throw new ProblemError({
      code: 'redirect_unknown',
      title: 'No sign-in waits for this address',
      detail: 'The address does not belong to a sign-in that is under way.',
      action: 'Copy the whole address of the page that the service sent you to, or begin again.',
    });
  }

  /** Closes every port. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#pending.clear();
    await Promise.allSettled(this.#opening.values());
    await Promise.all([...this.#listeners.values()].map((listener) => this.#close(listener)));
  }

  #binding(redirectUri: string, release: () => void): RedirectBinding {
    const states: string[] = [];
    let isReleased = false;
    return {
      redirectUri,
      expect: (state, handler) => {
        states.push(state);
        this.#pending.set(state, { redirectUri, handler });
      },
      [Symbol.dispose]: () => {
        if (isReleased) return;
        isReleased = true;
        for (const state of states) if (this.#pending.delete(state)) this.#remember(state);
        release();
      },
    };
  }

  async #take(parameters: URLSearchParams, redirectUri: string | undefined): Promise<CallbackPage> {
    const states = parameters.getAll('state');
    const state = states.length === 1 ? states[0] : undefined;
    if (state === undefined) return MISMATCH_PAGE;
    const pending = this.#pending.get(state);
    if (pending && (redirectUri === undefined || pending.redirectUri === redirectUri)) {
      this.#pending.delete(state);
      this.#remember(state);
      return pending.handler(parameters);
    }
    return this.#used.has(state) ? USED_PAGE : MISMATCH_PAGE;
  }

  #remember(state: string): void {
    this.#used.add(state);
    const oldest = this.#used.values().next().value;
    if (this.#used.size > MAX_USED && oldest !== undefined) this.#used.delete(oldest);
  }

  async #listenerFor(redirect: RedirectChoice): Promise<Listener> {
    const key = `${redirect.host}:${redirect.port}`;
    const shared = redirect.port === 0 ? undefined : this.#listeners.get(key);
    if (shared) {
      clearTimeout(shared.linger);
      shared.users += 1;
      return shared;
    }
    const opening = redirect.port === 0 ? undefined : this.#opening.get(key);
    if (opening) {
      const listener = await opening;
      listener.users += 1;
      return listener;
    }
    const made = this.#open(redirect);
    if (redirect.port !== 0) this.#opening.set(key, made);
    try {
      const listener = await made;
      this.#listeners.set(redirect.port === 0 ? listener.redirectUri : key, listener);
      return listener;
    } finally {
      this.#opening.delete(key);
    }
  }

  async #open(redirect: RedirectChoice): Promise<Listener> {
    let redirectUri = '';
    const answer = (request: IncomingMessage, response: ServerResponse) =>
      void this.#answer(redirectUri, request, response);
    const first = createServer(answer);
    const servers = [first];
    try {
      const port = await listen(first, '127.0.0.1', redirect.port);
      redirectUri = redirectUriOf(redirect, port);
      if (redirect.host === 'localhost') {
        // A browser may take either address for this name, and must find no other program at one of them.
        const second = createServer(answer);
        servers.push(second);
        await listen(second, '::1', port).catch((error: unknown) => {
          if (!/^(EADDRNOTAVAIL|EAFNOSUPPORT)$/.test(codeOf(error))) throw error;
        });
      }
      return { servers, redirectUri, users: 1, linger: undefined };
    } catch (error) {
      await Promise.all(servers.map(close));
      throw portProblem(error, redirect);
    }
  }

  async #answer(redirectUri: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { port } = new URL(redirectUri);
    const isOurs = new RegExp(`^(127\\.0\\.0\\.1|localhost|\\[::1\\]):${port}$`).test(
      request.headers.host ?? '',
    );
    const url = URL.parse(request.url ?? '', redirectUri);
    let page = NOT_HERE_PAGE;
    let status = 404;
    if (isOurs && request.method === 'GET' && url?.pathname === CALLBACK_PATH) {
      page = await this.#take(url.searchParams, redirectUri);
      status = page.tone === 'success' ? 200 : 400;
    }
    response.writeHead(status, CALLBACK_HEADERS).end(renderCallbackPage(page));
  }

  #release(listener: Listener): void {
    listener.users -= 1;
    if (listener.users > 0) return;
    listener.linger = setTimeout(() => void this.#close(listener), this.#lingerMs).unref();
  }

  async #close(listener: Listener): Promise<void> {
    clearTimeout(listener.linger);
    for (const [key, known] of this.#listeners) if (known === listener) this.#listeners.delete(key);
    await Promise.all(listener.servers.map(close));
  }
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  server.headersTimeout = 10_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true, ipv6Only: host === '::1' }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function portProblem(error: unknown, { host, port }: RedirectChoice): unknown {
  const code = codeOf(error);
  if (code === 'EADDRINUSE') {
    return new ProblemError({
      code: 'redirect_port_taken',
      title: `Port ${port} is taken`,
      detail: `Another program listens at ${host}:${port}, where the service is to send you back. Signing in would end there.`,
      action: 'Close that program and try again, or choose another port and register it at the service.',
      pointer: '/redirect/port',
    });
  }
  if (code === 'EACCES') {
    return new ProblemError({
      code: 'redirect_port_unusable',
      title: `Port ${port} cannot be used`,
      detail: `This computer does not let Slipway listen at port ${port}.`,
      action: 'Choose a port above 1023.',
      pointer: '/redirect/port',
    });
  }
  return error;
}
