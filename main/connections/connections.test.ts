import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFileLogger, Redactor } from '#main/logging/index.ts';
import { HttpOutbound } from '#main/network/index.ts';
import { createSecretStore, type SessionSecretStore } from '#main/secrets/index.ts';
import { openDatabase, type Database } from '#main/store/index.ts';
import type { Connection, RedirectChoice } from '#shared/connections/connection.ts';
import { readIntegration, type IntegrationManifest } from '#shared/manifest/model/integration.ts';
import {
  CLIENT_SECRET,
  startAuthorizationServer,
  type AuthorizationServer,
} from '#test/peers/authorization-server.ts';
import { Connections } from './connections.ts';
import { DEFAULT_REDIRECT } from './oauth/oauth-client.ts';

const code = (value: string) =>
  expect.objectContaining({ problem: expect.objectContaining({ code: value }) });

const OAUTH = { integrationId: '@test/mail', authKey: 'oauth' };
const KEY = { integrationId: '@test/keys', authKey: 'key' };
const anyPort = { kind: 'loopback', host: '127.0.0.1', port: 0 } as const;

let stack: AsyncDisposableStack;
let directory: string;
let server: AuthorizationServer;
let database: Database;
let secrets: SessionSecretStore;
let redactor: Redactor;
let connections: Connections;
let manifests: Map<string, IntegrationManifest>;
let now: number;
let redirect: RedirectChoice;
let api: string;
let answer: (url: string, headers: NodeJS.Dict<string | string[]>, response: ServerResponse) => void;

const deliver = (name: string, field: string) => ({
  http: { in: 'header', name, value: `{$credential.${field}}` },
});

function integration(name: string, auths: Record<string, unknown>, rest: Record<string, unknown> = {}) {
  return readIntegration(
    {
      schema_version: '0.2',
      type: 'integration',
      name,
      version: '1.0.0',
      display_name: `Service ${name.slice(6)}`,
      source: { kind: 'none' },
      auths,
      ...rest,
    },
    '0.x',
  );
}

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  directory = mkdtempSync(join(tmpdir(), 'slipway-connections-'));
  stack.defer(() => rmSync(directory, { recursive: true, force: true }));
  server = stack.use(await startAuthorizationServer({ scopes: ['repo', 'mail', 'calendar'] }));
  answer = (_url, _headers, response) => response.writeHead(200).end('{}');
  const service = createServer((request, response) => answer(request.url ?? '', request.headers, response));
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  stack.defer(() => {
    service.closeAllConnections();
    service.close();
  });
  api = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  redactor = new Redactor();
  database = stack.use(openDatabase(directory));
  secrets = createSecretStore({ directory, scryptCost: { N: 2 ** 10, r: 8, p: 1 } });
  await secrets.unlock('passphrase');
  now = Date.now();
  redirect = DEFAULT_REDIRECT;
  const fields = (properties: Record<string, unknown>, required = Object.keys(properties)) => ({
    schema: { type: 'object', properties, required, additionalProperties: false },
  });
  manifests = new Map(
    [
      integration(
        '@test/mail',
        {
          oauth: {
            type: 'oauth2',
            issuer: server.issuer,
            default_scopes: ['openid', 'email'],
            scope_catalog: [
              { value: 'openid', label: 'Who' },
              { value: 'email', label: 'Address' },
              { value: 'repo', label: 'Code', implies: ['calendar'] },
              { value: 'mail', label: 'Mail' },
              { value: 'calendar', label: 'Calendar' },
            ],
            delivery: {
              http: {
                in: 'header',
                name: 'Authorization',
                prefix: 'Bearer',
                value: '{$credential.access_token}',
              },
            },
            authorized_uris: [`${api}/**`],
            callback_url_hint: 'Enter {{callback_url}} there',
          },
        },
        {
          tools_policy: {
            send: { required_scopes: { oauth: ['mail'] } },
            plan: { required_scopes: { oauth: ['calendar'] } },
          },
          default_tools: ['send'],
        },
      ),
      integration('@test/keys', {
        key: {
          type: 'api_key',
          credentials: fields({ api_key: { type: 'string', minLength: 4 } }),
          delivery: deliver('X-Api-Key', 'api_key'),
          authorized_uris: [`${api}/**`],
        },
        basic: {
          type: 'basic',
          credentials: fields({ username: { type: 'string' }, password: { type: 'string' } }),
          delivery: {
            http: {
              in: 'header',
              name: 'Authorization',
              prefix: 'Basic',
              value: '{$credential.username}:{$credential.password}',
              encoding: 'base64',
            },
          },
          authorized_uris: [`${api}/**`],
        },
        login: {
          type: 'custom',
          credentials: fields({ user: { type: 'string' }, password: { type: 'string' } }),
          connect: {
            login: {
              request: { method: 'POST', url: `${api}/login`, body: { p: '{{password}}' } },
              outputs: {
                session: '$response.body#/session',
                life: '$response.body#/life',
                who: '$response.body#/who',
              },
              expires_in_output: 'life',
              identity_outputs: ['who'],
            },
          },
          delivery: deliver('X-Session', 'session'),
          authorized_uris: [`${api}/**`],
        },
      }),
    ].map((manifest) => [manifest.name, manifest]),
  );
  connections = make();
});
afterEach(() => stack.disposeAsync());

function make(): Connections {
  const logger = stack.use(createFileLogger(join(directory, 'logs'), redactor, 'debug'));
  const outbound = stack.use(
    new HttpOutbound({
      network: () => ({ proxy: { mode: 'none', address: '', exceptions: '' }, extraCertificates: '' }),
      environment: {},
    }),
  );
  return stack.use(
    new Connections({
      database,
      secrets,
      integrations: { get: async (id) => manifests.get(id) },
      outbound,
      logger,
      protect: (secret) => redactor.protect(secret),
      dataDirectory: directory,
      now: () => now,
      defaultRedirect: redirect,
    }),
  );
}

async function setUpClient(clientId = 'basic'): Promise<void> {
  await connections.saveClient({
    ...OAUTH,
    clientId,
    clientSecret: CLIENT_SECRET,
    isPublic: false,
    redirect: anyPort,
  });
}

async function signIn(
  login = 'ada',
  change: { scopes?: string[]; connectionId?: string } = {},
): Promise<Connection> {
  const flow = await connections.connect({ ...OAUTH, ...change });
  await fetch(await server.visit(flow.authorizationUrl ?? '', { login }));
  const ended = connections.state().flows.find(({ id }) => id === flow.id);
  if (ended?.state !== 'connected') throw new Error(`The sign-in ended as ${JSON.stringify(ended)}`);
  return found(ended.connectionId);
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

function found(id: string | undefined): Connection {
  const connection = connections.state().connections.find((one) => one.id === id);
  if (!connection) throw new Error(`There is no connection ${id}`);
  return connection;
}

/** Has every time limit of requests end a hundred times sooner. */
function hurry(): void {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 100));
  stack.defer(() => spy.mockRestore());
}

function refreshesWith(body: Record<string, unknown>, status = 200): void {
  server.answerAt('/token', (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
}

describe('a client of an integration', () => {
  it('keeps its secret in the vault, and shows the exact redirect to register', async () => {
    const before = await connections.describe(OAUTH.integrationId);
    expect(before.auths[0]).toMatchObject({
      way: 'sign_in',
      client: { isManual: true, hasSecret: false, redirectUri: 'http://127.0.0.1:47823/oauth/callback' },
    });
    expect(before.auths[0]?.client?.hint).toBe('Enter http://127.0.0.1:47823/oauth/callback there');
    await expect(connections.connect(OAUTH)).rejects.toEqual(code('oauth_client_missing'));
    await setUpClient();
    const { auths } = await connections.describe(OAUTH.integrationId);
    expect(auths[0]?.client).toMatchObject({ clientId: 'basic', hasSecret: true });
    expect(JSON.stringify(auths)).not.toContain(CLIENT_SECRET);
  });

  it('keeps a secret that is not typed in again, but not for another app or another server', async () => {
    await setUpClient();
    await connections.saveClient({ ...OAUTH, clientId: 'basic', isPublic: false });
    expect((await signIn()).state).toBe('connected');
    await expect(connections.saveClient({ ...OAUTH, clientId: 'post', isPublic: false })).rejects.toEqual(
      code('oauth_client_secret_missing'),
    );
    const auth = manifests.get('@test/mail')?.auths['oauth'];
    Object.assign(auth ?? {}, {
      issuer: 'https://evil.example',
      tokenEndpoint: `${server.issuer}/elsewhere`,
    });
    await expect(connections.saveClient({ ...OAUTH, clientId: 'basic', isPublic: false })).rejects.toEqual(
      code('oauth_client_secret_missing'),
    );
  });
});

describe('an integration that names its redirect', () => {
  const withRedirect = (redirectOf: unknown) =>
    manifests.set(
      'named',
      integration('@test/named', {
        oauth: {
          type: 'oauth2',
          issuer: server.issuer,
          authorization_endpoint: `${server.issuer}/auth`,
          token_endpoint: `${server.issuer}/token`,
          authorized_uris: [`${api}/**`],
          delivery: deliver('Authorization', 'access_token'),
          _meta: { 'app.slipway/redirect': redirectOf },
        },
      }),
    );
  const clientOf = async () => (await connections.describe('named')).auths[0]?.client;

  it('shows and uses that port and spelling, until the author chooses another', async () => {
    const port = await freePort();
    withRedirect({ kind: 'loopback', host: 'localhost', port });
    expect((await clientOf())?.redirectUri).toBe(`http://localhost:${port}/oauth/callback`);
    const named = { integrationId: 'named', authKey: 'oauth' };
    const app = { clientId: 'basic', clientSecret: CLIENT_SECRET, isPublic: false };
    await connections.saveClient({ ...named, ...app });
    const flow = await connections.connect(named);
    expect(flow.redirectUri).toBe(`http://localhost:${port}/oauth/callback`);
    connections.cancel(flow.id);
    await connections.saveClient({ ...named, ...app, redirect: anyPort });
    expect((await connections.connect(named)).redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\//);
  });

  it.each([
    { kind: 'scheme', host: 'localhost', port: 0 },
    { kind: 'loopback', host: 'evil.example', port: 4711 },
    { kind: 'loopback', host: '127.0.0.1', port: 80 },
  ])('is not followed to %j', async (redirectOf) => {
    withRedirect(redirectOf);
    expect((await clientOf())?.redirect).toEqual(DEFAULT_REDIRECT);
  });
});

describe('scopes', () => {
  it('grow with what is needed, and a new consent takes none away', async () => {
    await setUpClient();
    const { id } = await signIn('ada', { scopes: ['mail'] });
    expect(found(id).scopes).toEqual(['openid', 'email', 'mail']);
    const flow = await connections.connect({ ...OAUTH, scopes: ['repo'], connectionId: id });
    expect(flow.requestedScopes).toEqual(['openid', 'email', 'repo', 'mail']);
    await fetch(await server.visit(flow.authorizationUrl ?? '', { login: 'ada' }));
    expect(found(id).scopes).toEqual(['openid', 'email', 'repo', 'mail']);
    expect(connections.state().connections).toHaveLength(1);
  });

  it('that a refresh takes away mark the connection, until they are granted again', async () => {
    await setUpClient();
    const { id } = await signIn('ada', { scopes: ['mail', 'repo'] });
    refreshesWith({
      access_token: 'at-new-1234567890',
      token_type: 'bearer',
      expires_in: 3600,
      scope: 'openid email repo',
    });
    await connections.credentials(id, 'refresh');
    expect(found(id)).toMatchObject({
      state: 'connected',
      lostScopes: ['mail'],
      problem: { code: 'scopes_shrunk' },
    });
    const agent = agentOf({ tools: ['send'] });
    expect((await connections.requirements('a', agent)).integrations[0]).toMatchObject({
      status: 'insufficient_scopes',
      candidates: [{ missingScopes: ['mail'] }],
      auths: [{ requestedScopes: ['openid', 'email', 'mail', 'repo'] }],
    });
    server.answerAt('/token', undefined);
    await signIn('ada', { scopes: ['mail'], connectionId: id });
    expect(found(id)).toMatchObject({ lostScopes: [] });
    expect(found(id).problem).toBeUndefined();
  });
});

describe('renewing', () => {
  const refreshes = () =>
    server.tokenRequests.filter(({ body }) => body.get('grant_type') === 'refresh_token').length;

  it('happens once for all who ask, and is kept before it is used', async () => {
    await setUpClient();
    const { id } = await signIn();
    const first = await connections.credentials(id, 'initial');
    const answers = await Promise.all([1, 2, 3, 4].map(() => connections.credentials(id, 'refresh')));
    expect(refreshes()).toBe(1);
    expect(new Set(answers.map(({ fields }) => fields['access_token'])).size).toBe(1);
    expect(answers[0]?.fields['access_token']).not.toBe(first.fields['access_token']);
    expect(Object.keys(answers[0]?.fields ?? {})).toEqual(['access_token']);
    // Within moments the same answer counts; later there is another.
    await connections.credentials(id, 'refresh');
    expect(refreshes()).toBe(1);
    now += 5_001;
    await connections.credentials(id, 'refresh');
    expect(refreshes()).toBe(2);
    // What another start reads from the vault is the last refresh token: the server counts a used one as theft.
    now += 5_001;
    await make().credentials(id, 'refresh');
    expect(refreshes()).toBe(3);
  });

  it('goes through two processes one after the other, each with the newest token', async () => {
    await setUpClient();
    const { id } = await signIn();
    now += 1000;
    const other = make();
    const [own, others] = await Promise.all([
      connections.credentials(id, 'refresh'),
      other.credentials(id, 'refresh'),
    ]);
    expect(refreshes()).toBe(1);
    expect(own.fields).toEqual(others.fields);
    expect(found(id).state).toBe('connected');
  });

  it('is left to the process that did it: another takes what the vault has by then', async () => {
    await setUpClient();
    const { id } = await signIn();
    const other = make();
    await connections.credentials(id, 'initial');
    await other.credentials(id, 'initial');
    now += 1000;
    const renewed = await connections.credentials(id, 'refresh');
    now += 6000;
    expect((await other.credentials(id, 'refresh')).fields).toEqual(renewed.fields);
    expect(refreshes()).toBe(1);
    now += 6000;
    expect((await other.credentials(id, 'refresh')).fields).not.toEqual(renewed.fields);
  });

  it('asks a service that took its grant back once, also for two processes at the same time', async () => {
    await setUpClient();
    const { id } = await signIn();
    refreshesWith({ error: 'invalid_grant' }, 400);
    const asked = refreshes();
    const outcomes = await Promise.allSettled([
      connections.credentials(id, 'refresh'),
      make().credentials(id, 'refresh'),
    ]);
    expect(refreshes()).toBe(asked + 1);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(found(id)).toMatchObject({ state: 'needs_sign_in', problem: { code: 'oauth_invalid_grant' } });
  });

  it('waits for another process as long as its renewal may take', async () => {
    await setUpClient();
    const { id } = await signIn();
    const lock = join(directory, `.connection-${id}.lock`);
    writeFileSync(lock, JSON.stringify({ processId: process.ppid, host: hostname(), token: 'other' }));
    vi.useFakeTimers({ toFake: ['Date'] });
    stack.defer(() => void vi.useRealTimers());
    const renewed = connections.credentials(id, 'refresh');
    await delay(50);
    vi.setSystemTime(Date.now() + 15_000);
    await delay(100);
    rmSync(lock);
    expect((await renewed).fields['access_token']).toBeTruthy();
  });

  it('says that another process renews, and not that the vault is in use, when it takes too long', async () => {
    await setUpClient();
    const { id } = await signIn();
    const asked = refreshes();
    const lock = join(directory, `.connection-${id}.lock`);
    writeFileSync(lock, JSON.stringify({ processId: process.ppid, host: hostname(), token: 'other' }));
    vi.useFakeTimers({ toFake: ['Date'] });
    stack.defer(() => void vi.useRealTimers());
    const renewed = connections.credentials(id, 'refresh');
    renewed.catch(() => undefined);
    await delay(50);
    vi.setSystemTime(Date.now() + 26_000);
    await expect(renewed).rejects.toEqual(code('renewal_busy'));
    expect(refreshes()).toBe(asked);
    expect(found(id).state).toBe('connected');
  });

  it.each([
    [
      'a page',
      'oauth_response_invalid',
      (response: ServerResponse) => response.writeHead(200).end('<html>sign in</html>'),
    ],
    [
      'status 500',
      'oauth_unavailable',
      (response: ServerResponse) => response.writeHead(500).end('{"error":"invalid_grant"}'),
    ],
    ['nothing', 'network_unreachable', (response: ServerResponse) => response.destroy()],
    ['silence', 'network_timeout', () => undefined],
  ])('is tried again later where the service answers with %s', async (_name, problem, respond) => {
    await setUpClient();
    const { id } = await signIn();
    hurry();
    server.answerAt('/token', (_request, response) => respond(response));
    const asked = refreshes();
    for (let time = 0; time < 3; time += 1) {
      await expect(connections.credentials(id, 'refresh')).rejects.toEqual(code(problem));
    }
    // One within the cool-down, and the grant still counts.
    expect(refreshes()).toBe(asked + 1);
    expect(found(id)).toMatchObject({ state: 'connected', problem: { code: problem } });
    server.answerAt('/token', undefined);
    now += 5_001;
    expect((await connections.credentials(id, 'refresh')).fields['access_token']).toBeTruthy();
  });

  it('comes before the access ends, and a service that is away harms no access that still counts', async () => {
    await setUpClient();
    const { id } = await signIn();
    await connections.credentials(id, 'initial');
    expect(refreshes()).toBe(0);
    now += 56 * 60_000;
    refreshesWith({ error: 'temporarily_unavailable' }, 503);
    const kept = await connections.credentials(id, 'initial');
    expect(kept.fields['access_token']).toBeTruthy();
    expect(kept.expiresAt).toBeGreaterThan(now);
    expect(found(id)).toMatchObject({ state: 'connected', problem: { code: 'oauth_unavailable' } });
    now += 5 * 60_000;
    await expect(connections.credentials(id, 'initial')).rejects.toEqual(code('oauth_unavailable'));
    now += 5_001;
    server.answerAt('/token', undefined);
    await connections.credentials(id, 'initial');
    expect(found(id).problem).toBeUndefined();
  });

  it('ends with a mark when the service took its grant back: one request, no loop, and no browser', async () => {
    await setUpClient();
    const { id } = await signIn();
    refreshesWith({ error: 'invalid_grant', error_description: 'gone' }, 400);
    await expect(connections.credentials(id, 'refresh')).rejects.toEqual(code('oauth_invalid_grant'));
    const asked = refreshes();
    for (let time = 0; time < 3; time += 1) {
      now += 10_000;
      await expect(connections.credentials(id, 'refresh')).rejects.toEqual(code('connection_needs_sign_in'));
    }
    expect(refreshes()).toBe(asked);
    expect(connections.state().flows).toHaveLength(1);
    expect(found(id)).toMatchObject({ state: 'needs_sign_in', problem: { code: 'oauth_invalid_grant' } });
    server.answerAt('/token', undefined);
    await signIn('ada', { connectionId: id });
    expect(found(id).state).toBe('connected');
    expect((await connections.credentials(id, 'initial')).fields['access_token']).toBeTruthy();
  });

  it('counts an answer without a token as failed, and keeps what there was', async () => {
    await setUpClient();
    const { id } = await signIn();
    refreshesWith({ token_type: 'bearer' });
    await expect(connections.credentials(id, 'refresh')).rejects.toEqual(code('oauth_response_invalid'));
    expect(found(id).state).toBe('connected');
    server.answerAt('/token', undefined);
    now += 5_001;
    expect((await connections.credentials(id, 'refresh')).fields['access_token']).toBeTruthy();
  });

  it('sends nothing to an address that is not the one it was granted at', async () => {
    await setUpClient();
    const { id } = await signIn();
    const stolen: string[] = [];
    answer = (url, _headers, response) => {
      stolen.push(url);
      response.writeHead(200).end();
    };
    Object.assign(manifests.get('@test/mail')?.auths['oauth'] ?? {}, { tokenEndpoint: `${api}/token` });
    await expect(connections.credentials(id, 'refresh')).rejects.toEqual(code('oauth_endpoint_moved'));
    expect(stolen).toEqual([]);
    expect(found(id).state).toBe('needs_sign_in');
  });

  it('says so when the vault is locked, and marks nothing', async () => {
    await setUpClient();
    const { id } = await signIn();
    await secrets.lock();
    await expect(connections.credentials(id, 'refresh')).rejects.toEqual(code('vault_locked'));
    await expect(connections.connect(OAUTH)).rejects.toEqual(code('vault_locked'));
    expect(found(id).state).toBe('connected');
  });
});

describe('a sign-in', () => {
  it('for a connection takes its own account only, and leaves it as it is otherwise', async () => {
    await setUpClient();
    const { id } = await signIn('ada');
    await expect(signIn('bob', { connectionId: id })).rejects.toThrow('identity_mismatch');
    expect(found(id).accountId).toBe('ada@example.com');
    const bob = await signIn('bob');
    expect(bob.id).not.toBe(id);
    const again = await signIn('ada');
    expect(again.label).toBe('ada@example.com (2)');
  });

  it('keeps the refresh token of before where the service gives none again', async () => {
    await setUpClient();
    const { id } = await signIn();
    refreshesWith({ access_token: 'at-second-1234567890', token_type: 'bearer', expires_in: 60 });
    await signIn('ada', { connectionId: id }).catch(() => undefined);
    expect(found(id).renewable).toBe(true);
    await expect(signIn('bob')).rejects.toThrow('refresh_token_missing');
    expect(connections.state().connections).toHaveLength(1);
  });

  it('that is begun again ends the one before', async () => {
    await setUpClient();
    const first = await connections.connect(OAUTH);
    const second = await connections.connect(OAUTH);
    expect(connections.state().flows.map(({ state }) => state)).toEqual(['cancelled', 'waiting']);
    connections.cancel(second.id);
    expect(connections.state().flows.find(({ id }) => id === second.id)?.state).toBe('cancelled');
    expect(first.id).not.toBe(second.id);
  });
});

describe('an integration that asks for nothing', () => {
  const OPEN = '@test/open';
  const agent = {
    dependencies: { integrations: { [OPEN]: '*' }, skills: {}, mcpServers: {} },
    integrationChoices: { [OPEN]: { tools: '*' as const } },
  };
  const open = () => ({
    type: 'custom',
    credentials: { schema: { type: 'object', properties: {} } },
    delivery: { env: {} },
    authorized_uris: [`${api}/**`],
  });

  it('is used without an account, also while the vault is locked', async () => {
    manifests.set(OPEN, integration(OPEN, { open: open() }));
    await secrets.lock();
    const [bound] = await connections.bind('agent', agent);
    expect(bound).toMatchObject({ integrationId: OPEN, authKey: 'open', canRefresh: false });
    expect(await connections.credentials(bound?.id ?? '', 'initial')).toEqual({
      fields: {},
      publicFields: [],
    });
    expect(connections.state().connections).toEqual([]);
    connections.choose('agent', OPEN, [bound?.id ?? '']);
    expect(connections.state().uses).toEqual({});
  });

  it('takes an account that somebody made, and is no such one where any method asks for something', async () => {
    manifests.set(OPEN, integration(OPEN, { open: open() }));
    const made = await connections.create({ integrationId: OPEN, authKey: 'open', fields: {} });
    expect((await connections.bind('agent', agent)).map(({ id }) => id)).toEqual([made.id]);
    await connections.remove(made.id);
    const key = {
      ...open(),
      credentials: { schema: { type: 'object', properties: { api_key: { type: 'string' } } } },
    };
    manifests.set(OPEN, integration(OPEN, { open: open(), key }));
    expect((await connections.requirements('agent', agent)).integrations[0]?.status).toBe('not_connected');
  });
});

describe('a remote server of tools', () => {
  const REMOTE = { integrationId: '@test/remote', authKey: 'oauth' };
  function serve(document: Record<string, unknown>): void {
    answer = (url, _headers, response) => {
      if (url !== '/.well-known/oauth-protected-resource/mcp') return void response.writeHead(401).end();
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
    };
    const manifest = integration(
      REMOTE.integrationId,
      {
        oauth: {
          type: 'oauth2',
          token_endpoint_auth_method: 'none',
          default_scopes: ['repo'],
          delivery: {
            http: {
              in: 'header',
              name: 'Authorization',
              prefix: 'Bearer',
              value: '{$credential.access_token}',
            },
          },
          authorized_uris: [`${api}/**`],
        },
      },
      { source: { kind: 'remote', remote: { url: `${api}/mcp`, transport: 'streamable-http' } } },
    );
    manifests.set(REMOTE.integrationId, manifest);
  }

  it('says itself who signs people in, and takes Slipway as an app without more', async () => {
    redirect = { kind: 'loopback', host: '127.0.0.1', port: await freePort() };
    connections = make();
    serve({ resource: `${api}/mcp`, authorization_servers: [server.issuer] });
    expect((await connections.describe(REMOTE.integrationId)).auths[0]?.client?.isManual).toBe(false);
    const flow = await connections.connect(REMOTE);
    expect(new URL(flow.authorizationUrl ?? '').searchParams.get('resource')).toBe(`${api}/mcp`);
    await fetch(await server.visit(flow.authorizationUrl ?? '', { login: 'ada' }));
    const [connection] = connections.state().connections;
    expect(connection).toMatchObject({ integrationId: REMOTE.integrationId, renewable: true });
    await connections.credentials(connection?.id ?? '', 'refresh');
    expect(server.tokenRequests.at(-1)?.body.get('resource')).toBe(`${api}/mcp`);
    // The next sign-in uses the app that was registered, at the port that was registered.
    const again = await connections.connect(REMOTE);
    const clientOf = (address = '') => new URL(address).searchParams.get('client_id');
    expect(clientOf(again.authorizationUrl)).toBe(clientOf(flow.authorizationUrl));
    expect(again.redirectUri).toBe(flow.redirectUri);
  });

  it('is not believed about another server’s tokens', async () => {
    serve({ resource: 'https://other.example/mcp', authorization_servers: [server.issuer] });
    await expect(connections.connect(REMOTE)).rejects.toEqual(code('oauth_endpoints_missing'));
  });
});

describe('connections with fields', () => {
  it('are held against the schema, and no message quotes what was typed in', async () => {
    const create = (fields: Record<string, string>) => connections.create({ ...KEY, fields });
    const failure = await create({ api_key: 'abc' }).catch((error: unknown) => error);
    expect(failure).toEqual(code('credentials_invalid'));
    expect(JSON.stringify(failure)).not.toContain('abc');
    await expect(create({ Api_Key: 'long-enough' })).rejects.toEqual(code('credentials_invalid'));
    await expect(create({ api_key: '' })).rejects.toEqual(code('credentials_invalid'));
    await expect(connections.create({ ...OAUTH, fields: {} })).rejects.toEqual(code('auth_wrong_way'));
    await expect(connections.connect(KEY)).rejects.toEqual(code('auth_wrong_way'));
    expect(connections.state().connections).toEqual([]);
  });

  it('are told apart by a label each, and give out exactly what was typed in', async () => {
    const secret = '  sk-live-ä"quoted"-4242 ';
    const one = await connections.create({ ...KEY, fields: { api_key: secret } });
    const two = await connections.create({ ...KEY, fields: { api_key: secret } });
    expect([one.label, two.label]).toEqual(['sk****4242', 'sk****4242 (2)']);
    expect(await connections.credentials(one.id, 'initial')).toEqual({
      fields: { api_key: secret },
      publicFields: [],
    });
    const basic = await connections.create({
      ...KEY,
      authKey: 'basic',
      fields: { username: 'ada', password: 'pass-word-1' },
    });
    expect(basic.label).toBe('ada');
    expect((await connections.credentials(basic.id, 'initial')).publicFields).toEqual(['username']);
    expect(connections.rename(one.id, ' Live ').label).toBe('Live');
    expect(connections.rename(two.id, 'Live').label).toBe('Live (2)');
    expect(() => connections.rename(one.id, ' \n')).toThrow(/1 to 80/);
  });

  it('that a service refuses stay usable but say so, until a test passes', async () => {
    const { id } = await connections.create({ ...KEY, fields: { api_key: 'sk-live-12345678' } });
    await expect(connections.credentials(id, 'refresh')).rejects.toEqual(code('credential_not_renewable'));
    expect(found(id)).toMatchObject({ state: 'connected', problem: { code: 'credential_not_renewable' } });
    answer = (_url, headers, response) =>
      response.writeHead(headers['x-api-key'] === 'sk-live-12345678' ? 200 : 401).end('{}');
    expect(await connections.test({ connectionId: id }, undefined)).toMatchObject({ outcome: 'works' });
    expect(found(id).problem).toBeUndefined();
    const wrong = { ...KEY, fields: { api_key: 'sk-other-1234' } };
    expect(await connections.test(wrong, `${api}/me`)).toMatchObject({ outcome: 'refused', status: 401 });
    // The beginning of a pattern may be no address that the integration may call.
    for (const uris of [[`${api}/v1/*/me`], [`${api}/v1/*/me`, `${api}/**`]]) {
      Object.assign(manifests.get('@test/keys')?.auths['key'] ?? {}, { authorizedUris: uris });
      expect(await connections.test({ connectionId: id }, undefined)).toMatchObject({
        outcome: uris.length === 1 ? 'untested' : 'works',
      });
    }
    await expect(connections.test(wrong, 'https://evil.example/')).rejects.toEqual(
      code('test_address_refused'),
    );
  });

  it('by a login give out only what the login gave, and log in again by themselves', async () => {
    let logins = 0;
    answer = (_url, _headers, response) => {
      logins += 1;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ session: `session-${logins}-abcdef`, life: 100, who: 'ada' }));
    };
    const reference = { ...KEY, authKey: 'login' };
    const { id, label } = await connections.create({
      ...reference,
      fields: { user: 'ada', password: 'top-secret-1' },
    });
    expect(label).toBe('ada');
    const first = await connections.credentials(id, 'initial');
    expect(first.fields['session']).toBe('session-1-abcdef');
    expect(JSON.stringify(first)).not.toContain('top-secret-1');
    now += 80_000;
    expect((await connections.credentials(id, 'initial')).fields['session']).toBe('session-2-abcdef');
    answer = (_url, _headers, response) => response.writeHead(503).end();
    now += 200_000;
    await expect(connections.credentials(id, 'refresh')).rejects.toEqual(code('login_unavailable'));
    expect(found(id).state).toBe('connected');
    answer = (_url, _headers, response) => response.writeHead(401).end();
    now += 200_000;
    await expect(connections.credentials(id, 'refresh')).rejects.toEqual(code('login_bad_status'));
    expect(found(id).state).toBe('needs_sign_in');
  });

  it('of one account are not entered anew with those of another', async () => {
    answer = (_url, _headers, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ session: 'session-abcdef', life: 100, who: account }));
    };
    let account = 'ada';
    const reference = { ...KEY, authKey: 'login', fields: { user: 'x', password: 'top-secret-1' } };
    const { id } = await connections.create(reference);
    account = 'bob';
    await expect(connections.create({ ...reference, connectionId: id })).rejects.toEqual(
      code('identity_mismatch'),
    );
    expect(found(id).accountId).toBe('ada');
    account = 'ada';
    expect((await connections.create({ ...reference, connectionId: id })).id).toBe(id);
  });

  it('have a label that the model can choose by, or none is kept', async () => {
    const fields = { api_key: 'sk-live-12345678' };
    for (const label of ['two\nlines', 'x'.repeat(81)])
      await expect(connections.create({ ...KEY, fields, label })).rejects.toEqual(code('label_invalid'));
    expect(connections.state().connections).toEqual([]);
    expect((await connections.create({ ...KEY, fields, label: ' Work ' })).label).toBe('Work');
  });

  it('are gone from the vault once they are removed', async () => {
    const { id } = await connections.create({ ...KEY, fields: { api_key: 'sk-live-12345678' } });
    const changes: string[] = [];
    connections.onCredentialChange((changed) => changes.push(changed));
    await connections.remove(id);
    expect(changes).toEqual([id]);
    expect(await secrets.names()).toEqual([]);
    await expect(connections.credentials(id, 'initial')).rejects.toEqual(code('connection_unknown'));
  });
});

function agentOf(choice: { tools?: string[] | '*'; scopes?: string[]; authKey?: string }, id = '@test/mail') {
  return {
    dependencies: { skills: {}, mcpServers: {}, integrations: { [id]: '^1.0.0' } },
    integrationChoices: { [id]: choice },
  };
}

describe('what a run needs', () => {
  const statusOf = async (agent: ReturnType<typeof agentOf>, chosenNow?: Record<string, string[]>) =>
    (await connections.requirements('agent', agent, chosenNow)).integrations[0]?.status;

  it('is told before it starts, with the scopes to ask for', async () => {
    const agent = agentOf({ tools: ['send', 'plan'] });
    expect((await connections.requirements('agent', agent)).integrations[0]).toMatchObject({
      status: 'not_connected',
      tools: ['send', 'plan'],
      auths: [
        {
          authorizedUris: [`${api}/**`],
          neededScopes: ['mail', 'calendar'],
          requestedScopes: ['openid', 'email', 'mail', 'calendar'],
          reasons: {
            openid: [{ kind: 'default' }],
            mail: [{ kind: 'tool', tool: 'send' }],
            calendar: [{ kind: 'tool', tool: 'plan' }],
          },
          needsClient: true,
        },
      ],
    });
    expect(await statusOf(agentOf({}, '@test/nowhere'))).toBe('integration_not_found');
    expect(await statusOf(agentOf({ tools: [] }, '@test/keys'))).toBe('inert');
    expect(await statusOf(agentOf({ tools: ['send'], authKey: 'gone' }))).toBe('auth_key_mismatch');
    await setUpClient();
    await signIn('ada', { scopes: ['mail', 'repo'] });
    // One scope implies the other, so nothing is missing.
    expect(await statusOf(agent)).toBe('ready');
  });

  it('is chosen by this start, else as before, else the only one that works', async () => {
    await setUpClient();
    const agent = agentOf({ tools: ['send'] });
    const ada = await signIn('ada', { scopes: ['mail'] });
    expect(await connections.bind('agent', agent)).toMatchObject([{ id: ada.id, label: 'ada@example.com' }]);
    await secrets.lock();
    await expect(connections.bind('agent', agent)).rejects.toEqual(code('vault_locked'));
    await secrets.unlock('passphrase');
    const bob = await signIn('bob', { scopes: ['mail'] });
    expect(await statusOf(agent)).toBe('must_choose_connection');
    await expect(connections.bind('agent', agent)).rejects.toEqual(code('missing_integration_connection'));
    connections.choose('agent', '@test/mail', [bob.id, ada.id]);
    expect((await connections.bind('agent', agent)).map(({ id }) => id)).toEqual([bob.id, ada.id]);
    expect(await statusOf(agent, { '@test/mail': [ada.id] })).toBe('ready');
    const chosenNow = { '@test/mail': [ada.id] };
    expect((await connections.bind('agent', agent, chosenNow)).map(({ id }) => id)).toEqual([ada.id]);
    await connections.remove(bob.id);
    await connections.remove(ada.id);
    expect(await statusOf(agent)).toBe('not_connected');
  });

  it('is at most twenty of one integration, and none of another', async () => {
    const ids: string[] = [];
    for (let number = 0; number < 21; number += 1) {
      ids.push((await connections.create({ ...KEY, fields: { api_key: `key-number-${number}` } })).id);
    }
    expect(() => connections.choose('agent', KEY.integrationId, ids)).toThrow(/a run takes 20/);
    expect(() => connections.choose('agent', '@test/mail', ids.slice(0, 1))).toThrow(/no such connection/);
    connections.choose('agent', KEY.integrationId, ids.slice(0, 20));
    const agent = agentOf({ tools: ['api_call'] }, KEY.integrationId);
    expect(await connections.bind('agent', agent)).toHaveLength(20);
    expect(await statusOf(agent, { [KEY.integrationId]: ids })).toBe('too_many_connections');
  });

  it('sees that an access has ended which nobody can renew', async () => {
    await setUpClient();
    Object.assign(manifests.get('@test/mail')?.auths['oauth'] ?? {}, {
      refreshTokenIssuance: 'not_supported',
    });
    refreshesWith({
      access_token: 'at-short-1234567890',
      token_type: 'bearer',
      expires_in: 60,
      scope: 'openid email mail',
    });
    const { id } = await signIn('ada', { scopes: ['mail'] });
    const agent = agentOf({ tools: ['send'] });
    expect(await statusOf(agent)).toBe('ready');
    now += 61_000;
    expect(await statusOf(agent)).toBe('needs_reconnection');
    await expect(connections.bind('agent', agent)).rejects.toEqual(code('missing_integration_connection'));
    // It is no refusal of the service, so it is marked nowhere else.
    expect(found(id).state).toBe('connected');
  });

  it('sees that a vault was kept in memory, or set aside', async () => {
    await connections.create({ ...KEY, fields: { api_key: 'sk-live-12345678' } });
    const agent = agentOf({ tools: ['api_call'] }, KEY.integrationId);
    expect(await statusOf(agent)).toBe('ready');
    await secrets.keepInMemory();
    expect(await statusOf(agent)).toBe('needs_reconnection');
  });
});

it('leaves no secret in anything the app writes, whatever happens to it', async () => {
  const canaries = {
    key: 'canary-key-"4f1d9c7a2b60e853',
    password: 'canary-password-77aa88bb99cc',
    access: 'canary-access-0011223344556677',
    refresh: 'canary-refresh-8899aabbccddeeff',
    // Of another user: nobody has told the log what it looks like.
    foreign: 'gho_16C7e42F292c6912E7710c838347Ae178B4a',
  };
  await setUpClient();
  const { id } = await signIn('ada');
  refreshesWith({
    access_token: canaries.access,
    refresh_token: canaries.refresh,
    token_type: 'bearer',
    expires_in: 60,
  });
  await connections.credentials(id, 'refresh');
  refreshesWith({ error: 'invalid_grant', error_description: `token ${canaries.refresh} revoked` }, 400);
  now += 6_000;
  await connections.credentials(id, 'refresh').catch(() => undefined);
  refreshesWith({ error: canaries.foreign, error_description: `not ${canaries.foreign}` }, 400);
  await signIn('ada', { connectionId: id }).catch(() => undefined);
  const key = await connections.create({ ...KEY, fields: { api_key: canaries.key } });
  answer = (_url, _headers, response) => response.writeHead(401).end(`wrong password ${canaries.password}`);
  await connections
    .create({ ...KEY, authKey: 'login', fields: { user: 'ada', password: canaries.password } })
    .catch(() => undefined);
  await connections.test({ connectionId: key.id }, undefined);
  const shown = JSON.stringify([connections.state(), await connections.describe(KEY.integrationId)]);
  await connections[Symbol.asyncDispose]();
  database.execute('PRAGMA wal_checkpoint(FULL)');
  const values = [...Object.values(canaries), CLIENT_SECRET];
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = readFileSync(join(entry.parentPath, entry.name));
    const leaked = values.filter((value) => bytes.includes(value.slice(0, 20)));
    expect([entry.name, leaked]).toEqual([entry.name, []]);
  }
  expect(values.filter((value) => shown.includes(value))).toEqual([]);
  expect(readFileSync(join(directory, 'logs', 'slipway.log'), 'utf8')).toContain('could not be renewed');
});
