import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider, type Configuration } from 'oidc-provider';

/** A request as it reached the server, with its body. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: URLSearchParams;
}

export interface AuthorizationServerOptions {
  /** Scopes it knows besides those of OpenID Connect; it leaves out others that are asked for. */
  readonly scopes?: readonly string[];
  /** Seconds an access token counts. */
  readonly tokenSeconds?: number;
  /** Exact redirect URIs of the clients with a secret. */
  readonly redirectUris?: readonly string[];
}

/** A real authorization server on loopback, with a person who signs in at it. */
export interface AuthorizationServer extends AsyncDisposable {
  readonly issuer: string;
  /** Requests to the token endpoint. */
  readonly tokenRequests: readonly ReceivedRequest[];
  readonly provider: Provider;
  /** Answers a path in place of the server itself, until it is set to undefined. */
  answerAt(
    path: string,
    answer: ((request: ReceivedRequest, response: ServerResponse) => void) | undefined,
  ): void;
  /**
   * Plays the person with a browser of its own: signs in, allows or denies.
   * @returns the address the browser is sent back to, which is not gone to
   */
  visit(address: string, person: { readonly login: string; readonly denies?: boolean }): Promise<URL>;
  /** Types a code of a device in and allows it. */
  allowDevice(verificationUri: string, userCode: string, login: string): Promise<void>;
}

export const CLIENT_SECRET = 'client-secret-0f1e2d3c4b5a69788796a5b4c3d2e1f0';

/** Starts the server. Clients: `basic`, `post` with {@link CLIENT_SECRET}, `public` without a secret. */
export async function startAuthorizationServer(
  options: AuthorizationServerOptions = {},
): Promise<AuthorizationServer> {
  const tokenRequests: ReceivedRequest[] = [];
  const answers = new Map<string, (request: ReceivedRequest, response: ServerResponse) => void>();
  let handle: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
  const server = createServer((request, response) => void receive(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, configurationOf(options));
  // The library speaks of its defaults on standard output.
  const callback = provider.callback();
  handle = (request, response) => void callback(request, response);

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', issuer).pathname;
    const answer = answers.get(path);
    if (path !== '/token' && !answer) return handle(request, response);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const received = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: new URLSearchParams(text),
    };
    if (path === '/token') tokenRequests.push(received);
    if (answer) return answer(received, response);
    // The library takes a body that was parsed before.
    Object.assign(request, { body: Object.fromEntries(received.body) });
    handle(request, response);
  }

  return {
    issuer,
    tokenRequests,
    provider,
    answerAt: (path, answer) => void (answer ? answers.set(path, answer) : answers.delete(path)),
    visit: (address, person) => visit(issuer, address, person),
    async allowDevice(verificationUri, userCode, login) {
      const browser = new Visitor(issuer);
      const page = await browser.open(verificationUri);
      const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
      const confirm = await browser.submit(verificationUri, { xsrf, user_code: userCode });
      const form = Object.fromEntries(
        [...confirm.text.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
      ) as Record<string, string>;
      const last = await browser.submit(verificationUri, {
        ...form,
        xsrf,
        user_code: userCode,
        confirm: 'yes',
      });
      await browser.signIn(last, login);
    },
    [Symbol.asyncDispose]: () => closeServer(server),
  };
}

function configurationOf(options: AuthorizationServerOptions): Configuration {
  const common = {
    grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    response_types: ['code' as const],
    redirect_uris: [...(options.redirectUris ?? ['http://127.0.0.1/oauth/callback'])],
    application_type: 'native' as const,
  };
  const seconds = options.tokenSeconds ?? 3600;
  return {
    clients: [
      { ...common, client_id: 'basic', client_secret: CLIENT_SECRET },
      {
        ...common,
        client_id: 'post',
        client_secret: CLIENT_SECRET,
        token_endpoint_auth_method: 'client_secret_post',
      },
      { ...common, client_id: 'public', token_endpoint_auth_method: 'none' },
    ],
    scopes: ['openid', 'email', 'profile', 'offline_access', ...(options.scopes ?? [])],
    claims: { openid: ['sub'], email: ['email'], profile: ['name'] },
    conformIdTokenClaims: false,
    cookies: { keys: ['for-tests-only'] },
    features: {
      devInteractions: { enabled: true },
      deviceFlow: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({
          scope: (options.scopes ?? []).join(' '),
          accessTokenFormat: 'opaque',
        }),
      },
    },
    findAccount: (_context, id) => ({
      accountId: id,
      claims: () => ({ sub: id, email: `${id}@example.com`, name: `Name of ${id}` }),
    }),
    issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    ttl: {
      AccessToken: seconds,
      DeviceCode: 600,
      Grant: 86_400,
      Interaction: 600,
      Session: 86_400,
      IdToken: 3600,
    },
  };
}

async function visit(
  issuer: string,
  address: string,
  { login, denies = false }: { login: string; denies?: boolean },
): Promise<URL> {
  const browser = new Visitor(issuer);
  const end = await browser.signIn(await browser.open(address), login, denies);
  return new URL(end.url);
}

interface Page {
  readonly url: string;
  readonly text: string;
}

/** A browser without a window: it keeps cookies, follows redirects within the server and fills in forms. */
class Visitor {
  readonly #issuer: string;
  readonly #cookies = new Map<string, string>();

  constructor(issuer: string) {
    this.#issuer = issuer;
  }

  open(url: string): Promise<Page> {
    return this.#request(url, {});
  }

  submit(url: string, form: Readonly<Record<string, string>>): Promise<Page> {
    return this.#request(url, { method: 'POST', body: new URLSearchParams(form) });
  }

  /** Answers one question of the server after another, until it sends the browser elsewhere or asks no more. */
  async signIn(first: Page, login: string, denies = false): Promise<Page> {
    let page = first;
    for (let question = 0; question < 6 && page.url.includes('/interaction/'); question += 1) {
      const prompt = /name="prompt" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
      if (denies) page = await this.open(`${page.url}/abort`);
      else page = await this.submit(page.url, { prompt, login, password: 'x' });
    }
    return page;
  }

  async #request(start: string, first: RequestInit): Promise<Page> {
    let url = start;
    let init = first;
    for (let hop = 0; hop < 12; hop += 1) {
      const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } });
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value === '') this.#cookies.delete(name);
        else this.#cookies.set(name, value);
      }
      const location = response.headers.get('location');
      if (response.status < 300 || response.status >= 400 || location === null) {
        return { url, text: await response.text() };
      }
      await response.body?.cancel();
      url = new URL(location, url).href;
      if (!url.startsWith(this.#issuer)) return { url, text: '' };
      init = {};
    }
    throw new Error(`The server sends the browser in circles, last to ${url}`);
  }
}

async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
