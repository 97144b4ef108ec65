import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HttpOutbound } from '#main/network/index.ts';
import type { AuthMethod } from '#shared/manifest/model/integration.ts';
import {
  CLIENT_SECRET,
  startAuthorizationServer,
  type AuthorizationServer,
} from '#test/peers/authorization-server.ts';
import { AuthorizationServers } from './authorization-server.ts';
import { redirectUriOf } from '#shared/connections/connection.ts';
import type { OAuthClient } from './oauth-client.ts';
import { secureUrl } from './oauth-fetch.ts';
import { RedirectReceiver } from './redirect-receiver.ts';
import { BROWSER_MS, SignIn, type SignedIn, type SignInRequest } from './sign-in.ts';

const code = (value: string) =>
  expect.objectContaining({ problem: expect.objectContaining({ code: value }) });

const anyPort = { kind: 'loopback', host: '127.0.0.1', port: 0 } as const;

let stack: AsyncDisposableStack;
let server: AuthorizationServer;
let receiver: RedirectReceiver;
let outbound: HttpOutbound;
let kept: SignedIn[];

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  server = stack.use(await startAuthorizationServer({ scopes: ['repo', 'mail'] }));
  receiver = stack.use(new RedirectReceiver());
  outbound = stack.use(
    new HttpOutbound({
      network: () => ({
        proxy: { mode: 'none', address: '', exceptions: '' },
        extraCertificates: '',
      }),
      environment: {},
    }),
  );
  kept = [];
});
afterEach(() => stack.disposeAsync());

function authOf(change: Partial<AuthMethod> = {}): AuthMethod {
  return {
    type: 'oauth2',
    issuer: server.issuer,
    tokenEndpointAuthMethod: 'client_secret_basic',
    authorizationParameters: {},
    scopeSeparator: ' ',
    refreshTokenIssuance: 'default',
    defaultScopes: [],
    scopeCatalog: [],
    identityClaims: { email: '$.email' },
    requiredIdentityClaims: [],
    delivery: {},
    authorizedUris: [],
    allowsAllUris: false,
    required: true,
    ...change,
  };
}

async function begin(
  auth: AuthMethod = authOf(),
  change: Partial<SignInRequest> & { readonly client?: OAuthClient; readonly browserMs?: number } = {},
): Promise<SignIn> {
  const { browserMs = 60_000, ...rest } = change;
  const signIn = await SignIn.start(
    `flow-${kept.length}`,
    {
      integrationId: '@test/service',
      authKey: 'oauth',
      service: 'Test Service',
      auth,
      server: await new AuthorizationServers(outbound).describe(auth),
      client: {
        clientId: 'basic',
        clientSecret: CLIENT_SECRET,
        redirect: anyPort,
        authMethod: auth.tokenEndpointAuthMethod,
      },
      scopes: ['openid', 'email', 'repo'],
      kind: 'browser',
      choosesAccount: false,
      connectionId: undefined,
      keep: async (result) => {
        kept.push(result);
        return { id: 'connection-1', label: result.identity.accountId };
      },
      ...rest,
    },
    { outbound, receiver, browserMs, onChange: () => undefined },
  );
  stack.use(signIn);
  return signIn;
}

/** The address the service sends the browser back to. */
async function callbackOf(signIn: SignIn, login = 'ada', denies = false): Promise<URL> {
  return server.visit(signIn.flow.authorizationUrl ?? '', { login, denies });
}

async function open(url: URL | string): Promise<{ status: number; html: string; headers: Headers }> {
  const response = await fetch(url);
  return { status: response.status, html: await response.text(), headers: response.headers };
}

describe('signing in with the browser', () => {
  it('connects the account the service names, with a proof that belongs to this sign-in only', async () => {
    const signIn = await begin(authOf({ resource: 'https://api.example.com/' }));
    const address = new URL(signIn.flow.authorizationUrl ?? '');
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      client_id: 'basic',
      response_type: 'code',
      code_challenge_method: 'S256',
      resource: 'https://api.example.com/',
      scope: 'openid email repo',
      redirect_uri: signIn.flow.redirectUri,
    });
    const { status, html, headers } = await open(await callbackOf(signIn));
    expect(status).toBe(200);
    expect(html).toContain('Test Service is connected');
    expect(html).toContain('ada@example.com');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(html).not.toMatch(/<script|src=|href=/);
    expect(signIn.flow).toMatchObject({
      state: 'connected',
      connectionId: 'connection-1',
      missingScopes: [],
    });
    expect(kept[0]).toMatchObject({
      identity: { accountId: 'ada@example.com' },
      tokens: { accessToken: expect.any(String), refreshToken: expect.any(String) },
      scopes: ['openid', 'email', 'repo'],
    });
    const [request] = server.tokenRequests;
    expect(request?.body.get('resource')).toBe('https://api.example.com/');
    expect(request?.body.get('code_verifier')).toMatch(/^[\w-]{43,}$/);
  });

  it.each([
    ['client_secret_post', 'post', CLIENT_SECRET],
    ['none', 'public', undefined],
  ])('proves the app by %s', async (method, clientId, clientSecret) => {
    const auth = authOf({ tokenEndpointAuthMethod: method });
    const client = { clientId, clientSecret, redirect: anyPort, authMethod: method };
    const signIn = await begin(auth, { client });
    expect((await open(await callbackOf(signIn))).status).toBe(200);
    expect(server.tokenRequests[0]?.headers['authorization']).toBeUndefined();
    expect(server.tokenRequests[0]?.body.get('client_secret')).toBe(clientSecret ?? null);
  });

  it('asks for nothing a service would refuse without a clear word', async () => {
    const client = { clientId: 'basic', redirect: anyPort };
    const wrong = [
      [{ ...client, authMethod: 'client_secret_basic', clientSecret: '' }, 'oauth_client_secret_missing'],
      [{ ...client, authMethod: 'none', clientSecret: 'x' }, 'oauth_client_secret_unexpected'],
      [{ ...client, authMethod: 'private_key_jwt' }, 'oauth_client_method_unsupported'],
    ] as const;
    for (const [given, expected] of wrong) {
      const signIn = await begin(authOf(), { client: given });
      await open(await callbackOf(signIn));
      expect(signIn.flow).toMatchObject({ state: 'failed', problem: { code: expected } });
    }
    expect(server.tokenRequests).toEqual([]);
  });

  it('separates scopes as the integration says, and lets it add parameters that protect nothing', async () => {
    const auth = authOf({
      scopeSeparator: ',',
      authorizationParameters: {
        access_type: 'offline',
        state: 'mine',
        redirect_uri: 'https://evil.example',
      },
    });
    const { flow } = await begin(auth);
    const query = new URL(flow.authorizationUrl ?? '').searchParams;
    expect(query.get('scope')).toBe('openid,email,repo');
    expect(query.get('access_type')).toBe('offline');
    expect(query.get('redirect_uri')).toBe(flow.redirectUri);
    expect(query.get('state')).not.toBe('mine');
  });

  it('shows a consent that came back smaller', async () => {
    const signIn = await begin(authOf(), { scopes: ['openid', 'repo', 'unknown:scope'] });
    const { html } = await open(await callbackOf(signIn));
    expect(signIn.flow).toMatchObject({ state: 'connected', missingScopes: ['unknown:scope'] });
    expect(html).toContain('unknown:scope');
  });

  it('tells a denial from a failure, and keeps nothing', async () => {
    const signIn = await begin();
    const { status, html } = await open(await callbackOf(signIn, 'ada', true));
    expect(status).toBe(400);
    expect(html).toContain('Access was not granted');
    expect(signIn.flow).toMatchObject({ state: 'failed', problem: { code: 'oauth_denied' } });
    expect(kept).toEqual([]);
  });

  it('is cancelled before its grant is being kept, and not after', async () => {
    const keeping = Promise.withResolvers<void>();
    const saved = Promise.withResolvers<void>();
    const signIn = await begin(authOf(), {
      keep: async () => {
        keeping.resolve();
        await saved.promise;
        return { id: 'connection-1', label: 'ada' };
      },
    });
    const page = open(await callbackOf(signIn));
    await keeping.promise;
    signIn.cancel();
    expect(signIn.flow.state).toBe('exchanging');
    saved.resolve();
    expect((await page).html).toContain('Test Service is connected');
    expect(signIn.flow).toMatchObject({ state: 'connected', connectionId: 'connection-1' });

    server.answerAt('/token', () => undefined);
    const early = await begin();
    const cancelled = open(await callbackOf(early));
    await vi.waitFor(() => expect(early.flow.state).toBe('exchanging'));
    early.cancel();
    expect((await cancelled).html).toContain('The sign-in was cancelled');
    expect(early.flow.state).toBe('cancelled');
    expect(kept).toEqual([]);
  });

  it('gives up after its time, and after it was cancelled, whatever comes then', async () => {
    const slow = await begin(authOf(), { browserMs: 1 });
    const late = await callbackOf(slow);
    await expect.poll(() => slow.flow.state).toBe('expired');
    expect((await open(late)).html).toContain('This sign-in is over');
    const cancelled = await begin();
    const callback = await callbackOf(cancelled);
    cancelled.cancel();
    expect((await open(callback)).html).toContain('This sign-in is over');
    expect(cancelled.flow.state).toBe('cancelled');
    expect(server.tokenRequests).toEqual([]);
    const retried = await begin();
    expect((await open(await callbackOf(retried))).status).toBe(200);
  });
});

it('gives the person five minutes in the browser, and then says so', async () => {
  expect(BROWSER_MS).toBe(300_000);
  const auth = authOf();
  const described = await new AuthorizationServers(outbound).describe(auth);
  // Only now: the server's own sockets need their timers.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  stack.defer(() => void vi.useRealTimers());
  const signIn = await begin(auth, { server: described, browserMs: BROWSER_MS });
  expect(signIn.flow.expiresAt).toBe(Date.now() + 300_000);
  await vi.advanceTimersByTimeAsync(299_000);
  expect(signIn.flow.state).toBe('waiting');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(signIn.flow).toMatchObject({ state: 'expired', problem: { code: 'sign_in_expired' } });
});

describe('a callback', () => {
  it('counts once: a replay and a second tab change nothing', async () => {
    const signIn = await begin();
    const callback = await callbackOf(signIn);
    const second = await callbackOf(signIn, 'bob');
    const answers = await Promise.all([open(callback), open(callback)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400]));
    expect((await open(callback)).html).toContain('This sign-in is over');
    expect((await open(second)).html).toContain('This sign-in is over');
    expect(kept).toHaveLength(1);
    expect(server.tokenRequests).toHaveLength(1);
  });

  it('that is forged does not end the sign-in it is aimed at', async () => {
    const signIn = await begin();
    const forged = new URL(signIn.flow.redirectUri ?? '');
    for (const query of ['', 'code=x', 'code=x&state=guess', 'error=access_denied&state=guess']) {
      forged.search = query;
      const { status, html } = await open(forged);
      expect(status).toBe(400);
      expect(html).toContain('not a sign-in that Slipway is waiting for');
    }
    const callback = await callbackOf(signIn);
    const twice = new URL(callback);
    twice.searchParams.append('state', 'guess');
    expect((await open(twice)).status).toBe(400);
    expect(signIn.flow.state).toBe('waiting');
    expect((await open(callback)).status).toBe(200);
  });

  it('for another sign-in is refused where it arrives', async () => {
    const first = await begin();
    const second = await begin();
    const stray = await callbackOf(first);
    const astray = new URL(stray);
    astray.port = new URL(second.flow.redirectUri ?? '').port;
    expect((await open(astray)).html).toContain('not a sign-in that Slipway is waiting for');
    expect([first.flow.state, second.flow.state]).toEqual(['waiting', 'waiting']);
    expect((await open(stray)).status).toBe(200);
  });

  it('of another server is refused, and so is one that hides whose it is (RFC 9207)', async () => {
    for (const issuer of ['https://evil.example', undefined]) {
      const signIn = await begin();
      const callback = await callbackOf(signIn);
      if (issuer === undefined) callback.searchParams.delete('iss');
      else callback.searchParams.set('iss', issuer);
      expect((await open(callback)).status).toBe(400);
      expect(signIn.flow).toMatchObject({ state: 'failed', problem: { code: 'oauth_response_invalid' } });
    }
    expect(server.tokenRequests).toEqual([]);
  });

  it('is taken at its path, from this computer’s names, by GET only', async () => {
    const signIn = await begin();
    const callback = await callbackOf(signIn);
    const elsewhere = new URL(callback);
    elsewhere.pathname = '/';
    expect((await open(elsewhere)).status).toBe(404);
    expect((await fetch(callback, { method: 'POST' })).status).toBe(404);
    const { request } = await import('undici');
    const rebound = await request(callback, { headers: { host: `evil.example:${callback.port}` } });
    expect(rebound.statusCode).toBe(404);
    expect(signIn.flow.state).toBe('waiting');
  });

  it('may be typed in where the browser runs on another computer', async () => {
    const signIn = await begin();
    const callback = await callbackOf(signIn);
    await expect(receiver.receive('https://example.com/?code=1&state=2')).rejects.toEqual(
      code('redirect_unknown'),
    );
    await expect(receiver.receive('no address')).rejects.toEqual(code('redirect_unknown'));
    expect((await receiver.receive(` ${callback.href}\n`)).tone).toBe('success');
    expect(signIn.flow.state).toBe('connected');
  });
});

describe('the redirect', () => {
  const fixed = async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => probe.once('listening', resolve));
    const { port } = probe.address() as AddressInfo;
    return { port, probe, free: () => new Promise((resolve) => probe.close(resolve)) };
  };
  const clientAt = (port: number, host: '127.0.0.1' | 'localhost' = '127.0.0.1'): OAuthClient => ({
    clientId: 'basic',
    clientSecret: CLIENT_SECRET,
    redirect: { kind: 'loopback', host, port },
    authMethod: 'client_secret_basic',
  });

  it('says that its port is taken before anyone is sent away, and works once it is free', async () => {
    const { port, free } = await fixed();
    await expect(begin(authOf(), { client: clientAt(port) })).rejects.toEqual(code('redirect_port_taken'));
    await free();
    const signIn = await begin(authOf(), { client: clientAt(port) });
    expect(signIn.flow.redirectUri).toBe(`http://127.0.0.1:${port}/oauth/callback`);
    expect((await open(await callbackOf(signIn))).status).toBe(200);
  });

  it('shares a fixed port between sign-ins, also when both begin at once', async () => {
    const { port, free } = await fixed();
    await free();
    const both = await Promise.all([
      begin(authOf(), { client: clientAt(port) }),
      begin(authOf(), { client: clientAt(port) }),
    ]);
    for (const signIn of both) expect((await open(await callbackOf(signIn))).status).toBe(200);
    expect(kept).toHaveLength(2);
  });

  it('is spelled as the service has it, and heard at either address of localhost', async () => {
    const own = stack.use(
      await startAuthorizationServer({ redirectUris: ['http://localhost/oauth/callback'] }),
    );
    const { port, free } = await fixed();
    await free();
    const auth = authOf({ issuer: own.issuer });
    const signIn = await begin(auth, { client: clientAt(port, 'localhost'), scopes: ['openid'] });
    const { authorizationUrl = '', redirectUri } = signIn.flow;
    expect(redirectUri).toBe(`http://localhost:${port}/oauth/callback`);
    const callback = await own.visit(authorizationUrl, { login: 'ada' });
    for (const host of ['[::1]', '127.0.0.1']) {
      const probe = new URL(callback);
      probe.search = '';
      probe.host = `${host}:${port}`;
      expect((await open(probe)).status).toBe(400);
    }
    expect((await open(callback)).status).toBe(200);
  });

  it('is shown to the author exactly as it will be used', () => {
    expect(redirectUriOf(anyPort)).toBe('http://127.0.0.1/oauth/callback');
    expect(redirectUriOf({ ...anyPort, port: 4711 })).toBe('http://127.0.0.1:4711/oauth/callback');
    expect(redirectUriOf({ ...anyPort, kind: 'scheme' })).toBe('slipway://oauth/callback');
  });
});

describe('a token endpoint that does not follow the standard', () => {
  const LEAK = 'gho_16C7e42F292c6912E7710c838347Ae178B4a';

  async function exchangeWith(status: number, type: string, body: string): Promise<SignIn> {
    const auth = authOf({
      tokenEndpoint: `${server.issuer}/odd-token`,
      authorizationEndpoint: `${server.issuer}/auth`,
    });
    server.answerAt('/odd-token', (_request, response) => {
      response.writeHead(status, { 'content-type': type }).end(body);
    });
    const signIn = await begin(auth);
    await open(await callbackOf(signIn));
    return signIn;
  }

  it.each([
    ['a form', 'application/x-www-form-urlencoded', 'access_token=tok_1&scope=repo%2Cmail&token_type=bearer'],
    [
      'a type of its own',
      'application/json',
      '{"ok":true,"access_token":"tok_1","token_type":"bot","scope":"repo,mail"}',
    ],
    ['no type at all', 'application/json', '{"access_token":"tok_1","scope":"repo mail"}'],
    [
      'a lifetime as text',
      'application/json',
      '{"access_token":"tok_1","expires_in":"60","scope":"repo mail"}',
    ],
  ])('is understood with %s', async (_name, type, body) => {
    const signIn = await exchangeWith(200, type, body);
    expect(signIn.flow.problem).toBeUndefined();
    expect(kept[0]).toMatchObject({ tokens: { accessToken: 'tok_1' }, scopes: ['repo', 'mail'] });
  });

  it.each([
    ['an error under status 200', 200, `{"error":"bad_verification_code","error_description":"${LEAK}"}`],
    ['a token in its error', 400, `{"error":"invalid_grant","error_description":"code ${LEAK} was used"}`],
    ['a token as its error', 400, `{"error":"${LEAK}"}`],
    ['a page', 502, `<html>${LEAK}</html>`],
    ['no token', 200, `{"refresh_token":"${LEAK}"}`],
    ['a token that is no text', 200, `{"access_token":{"value":"${LEAK}"}}`],
  ])('fails with %s and shows nothing of it', async (_name, status, body) => {
    const signIn = await exchangeWith(status, 'application/json', body);
    expect(signIn.flow.state).toBe('failed');
    expect(JSON.stringify(signIn.flow)).not.toContain(LEAK.slice(0, 12));
    expect(kept).toEqual([]);
  });

  it('that never answers fails the sign-in in time, and says so in the browser', async () => {
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    const hurried = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 100));
    stack.defer(() => hurried.mockRestore());
    server.answerAt('/token', () => undefined);
    const signIn = await begin();
    const { status, html } = await open(await callbackOf(signIn));
    expect({ status, html }).toMatchObject({
      status: 400,
      html: expect.stringContaining('Nothing was connected'),
    });
    expect(signIn.flow).toMatchObject({ state: 'failed', problem: { code: 'network_timeout' } });
    expect(kept).toEqual([]);
  });

  it('is not read without end', async () => {
    const signIn = await exchangeWith(200, 'application/json', `{"access_token":"${'x'.repeat(1_100_000)}"}`);
    expect(signIn.flow.problem?.code).toBe('response_too_large');
  });
});

describe('discovery', () => {
  const describeServer = (auth: AuthMethod) => new AuthorizationServers(outbound).describe(auth);

  it('takes a document only from the server it is about', async () => {
    server.answerAt('/.well-known/oauth-authorization-server', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ issuer: 'https://other.example', token_endpoint: 'https://other.example/t' }),
      );
    });
    server.answerAt('/.well-known/openid-configuration', (_request, response) => {
      response.writeHead(404).end();
    });
    await expect(describeServer(authOf())).rejects.toEqual(code('oauth_discovery_failed'));
    const manual = authOf({
      tokenEndpoint: `${server.issuer}/token`,
      authorizationEndpoint: `${server.issuer}/auth`,
    });
    expect((await describeServer(manual)).metadata.token_endpoint).toBe(`${server.issuer}/token`);
  });

  it('never guesses an address, and refuses those that everyone on the way can read', async () => {
    const { issuer: _issuer, ...nothing } = authOf();
    await expect(describeServer(nothing)).rejects.toEqual(code('oauth_endpoints_missing'));
    for (const address of ['http://service.example/token', 'https://user:pass@service.example/token']) {
      const auth = authOf({ tokenEndpoint: address, authorizationEndpoint: 'https://service.example/auth' });
      await expect(describeServer({ ...auth, issuer: server.issuer })).rejects.toEqual(
        code('oauth_address_insecure'),
      );
    }
  });
});

it('lets no server on the internet name an address on this computer', () => {
  const internet = new URL('https://service.example/');
  expect(() => secureUrl('http://127.0.0.1:1/token', internet)).toThrow(/begin with https/);
  expect(() => secureUrl('https://localhost/token', internet)).toThrow(/begin with https/);
  expect(secureUrl('https://tokens.example/', internet).href).toBe('https://tokens.example/');
  expect(secureUrl('http://127.0.0.1:1/token').port).toBe('1');
});

describe('signing in on another device', () => {
  it('connects once the code was typed in', async () => {
    const signIn = await begin(authOf(), { kind: 'device' });
    const { userCode = '', verificationUri = '' } = signIn.flow;
    expect(userCode).toMatch(/^[A-Z0-9-]{8,}$/);
    await server.allowDevice(verificationUri, userCode, 'ada');
    await expect.poll(() => signIn.flow.state, { timeout: 14_000 }).toBe('connected');
    expect(kept[0]?.identity.accountId).toBe('ada@example.com');
  });
});
