import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LibraryIntegrations } from '#main/app/manifest-sources.ts';
import { Connections } from '#main/connections/index.ts';
import { writeArchive } from '#main/library/archive/write-archive.ts';
import { createFileLogger, Redactor } from '#main/logging/index.ts';
import { HttpOutbound } from '#main/network/index.ts';
import { StoredValue } from '#main/settings/index.ts';
import { serverStateSchema, type ServerSession } from '#shared/ipc/server-routes.ts';
import { DEFAULT_SIDECAR_LIMITS } from '#shared/tools/sidecar-limits.ts';
import { startMcpPeer, type McpPeer } from '#test/peers/mcp-server.ts';
import { FakeEngineDirectory } from '#test/support/fake-application.ts';
import { openLibraries, type OpenLibraries } from '#test/support/open-libraries.ts';
import { root } from '#test/support/engine-harness.ts';
import { dropped, integrationFiles, keyAuth, serverFiles } from '#test/support/test-packages.ts';
import { ServerDesk, type ServerDeskOptions } from './server-desk.ts';
import { ServerTrials } from './server-trials.ts';

const KEY = `canary-${randomBytes(12).toString('hex')}`;
const NAME = '@you/notes';
const never = new AbortController().signal;

let stack: AsyncDisposableStack;
let peer: McpPeer;
let live: McpServer[];
let desk: ServerDesk;
let connections: Connections;
let libraries: OpenLibraries;
let makeDesk: (times?: ServerDeskOptions['times'], reach?: ServerDeskOptions['reach']) => Promise<ServerDesk>;

/** A server with two pages of tools, a prompt and resources, which repeats the credential it is shown. */
function createServer(): McpServer {
  const server = new McpServer(
    { name: 'notes', title: 'Notes\u202E', version: '2.1' },
    { instructions: 'Look \u200Bfirst.', capabilities: { tools: { listChanged: true } } },
  );
  server.registerTool(
    'echo',
    { description: 'Says it again.', inputSchema: { word: z.string() } },
    ({ word }, { requestInfo }) => ({
      content: [{ type: 'text', text: `${word} ${String(requestInfo?.headers['authorization'])}` }],
    }),
  );
  server.registerTool('wait', {}, async ({ signal }) => {
    await delay(20_000, undefined, { signal });
    return { content: [] };
  });
  server.registerPrompt('greet', { argsSchema: { who: z.string() } }, ({ who }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Greet ${who}.` } }],
  }));
  server.registerResource('first', 'note://first', {}, (uri) => ({
    contents: [{ uri: uri.href, text: 'The first note.' }],
  }));
  server.registerResource('any', new ResourceTemplate('note://{id}', { list: undefined }), {}, (uri) => ({
    contents: [{ uri: uri.href, text: 'Some note.' }],
  }));
  const pages = [['echo'], ['wait', 'hid\u200Bden']];
  server.server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const page = Number(params?.cursor ?? 0);
    return {
      tools: (pages[page] ?? []).map((name) => ({ name, inputSchema: { type: 'object' as const } })),
      ...(page === 0 && { nextCursor: '1' }),
    };
  });
  live.push(server);
  return server;
}

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  live = [];
  peer = stack.use(await startMcpPeer({ kind: 'sessions', create: () => createServer().server }));
  libraries = stack.use(await openLibraries({ samplesFolder: join(root, 'main/library/samples') }));
  const { packages, database, secrets, dataDirectory } = libraries;
  const logger = stack.use(createFileLogger(join(dataDirectory, 'logs'), new Redactor()));
  const outbound = stack.use(
    new HttpOutbound({
      network: () => ({ proxy: { mode: 'none', address: '', exceptions: '' }, extraCertificates: '' }),
      environment: {},
    }),
  );
  const integrations = stack.use(new LibraryIntegrations(packages));
  const network = () => ({ noProxy: [], certificateAuthorities: [] });
  makeDesk = async (times, reach) => {
    const trials = new ServerTrials({
      integrations,
      isTaken: async (name) => (await packages.state()).packages.some((known) => known.name === name),
      stored: new StoredValue(database, 'server-trials'),
    });
    connections = stack.use(
      new Connections({
        database,
        secrets,
        integrations: trials,
        outbound,
        logger,
        // The log's last net has no part in these tests: a credential must not get so far.
        protect: () => undefined,
        dataDirectory,
      }),
    );
    return stack.use(
      new ServerDesk({
        connections,
        engines: new FakeEngineDirectory(),
        packages,
        integrations,
        trials,
        limits: () => DEFAULT_SIDECAR_LIMITS,
        network,
        containerNetwork: network,
        internalHosts: () => [],
        serverSettings: () => Promise.resolve({}),
        onOutboundCall: () => undefined,
        logger,
        redact: (text) => text,
        ...(times && { times }),
        ...(reach && { reach }),
      }),
    );
  };
  desk = await makeDesk();
});
afterEach(() => stack.disposeAsync());

const url = () => `http://127.0.0.1:${peer.port}/mcp`;
const tryHere = () =>
  desk.tryAddress({
    integrationId: NAME,
    url: url(),
    transport: 'streamable-http',
    header: 'Authorization',
    prefix: 'Bearer ',
  });
const shown = (id: string) => desk.state().sessions.find((session) => session.id === id);

async function until(id: string, state: ServerSession['state']): Promise<ServerSession> {
  const { promise, resolve } = Promise.withResolvers<ServerSession>();
  const look = () => {
    const session = shown(id);
    if (session?.state === state) resolve(session);
  };
  const stop = desk.onState(look);
  look();
  return promise.finally(stop);
}

async function connected(connectionId?: string): Promise<string> {
  const id = await desk.open(NAME, connectionId);
  await until(id, 'connected');
  return id;
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing was thrown',
    (error: { problem?: { code: string } }) => error.problem?.code ?? error,
  );

describe('a server that is tried', () => {
  it('is greeted, and lists all pages of all it has, cleaned of what nobody sees', async () => {
    await tryHere();
    const id = await connected();
    expect(shown(id)?.server).toMatchObject({
      name: 'notes',
      title: 'Notes',
      version: '2.1',
      instructions: 'Look first.',
      protocolVersion: expect.stringMatching(/^20\d\d-/),
      capabilities: { tools: { listChanged: true }, prompts: {}, resources: {} },
    });
    const tools = await desk.list(id, 'tools', never);
    expect(tools.items.map(({ name }) => name)).toEqual(['echo', 'wait']);
    expect(tools.pages).toBe(2);
    expect(tools.refused).toHaveLength(1);
    expect((await desk.list(id, 'prompts', never)).items).toMatchObject([{ name: 'greet' }]);
    expect((await desk.list(id, 'resources', never)).items).toMatchObject([{ uri: 'note://first' }]);
    expect((await desk.list(id, 'templates', never)).items).toMatchObject([{ uriTemplate: 'note://{id}' }]);
    expect(serverStateSchema.parse(desk.state())).toEqual(desk.state());
  });

  it('is asked for tools, prompts and resources, and each message is in the log with its time', async () => {
    await tryHere();
    const id = await connected();
    const word = { kind: 'tool', name: 'echo', arguments: { word: 'Hello' } } as const;
    expect((await desk.request(id, word, never)).result).toMatchObject({
      content: [{ text: 'Hello undefined' }],
    });
    const prompt = { kind: 'prompt', name: 'greet', arguments: { who: 'Ada' } } as const;
    expect((await desk.request(id, prompt, never)).result).toMatchObject({
      messages: [{ content: { text: 'Greet Ada.' } }],
    });
    expect((await desk.request(id, { kind: 'resource', uri: 'note://7' }, never)).result).toMatchObject({
      contents: [{ text: 'Some note.' }],
    });
    const missing = { kind: 'tool', name: 'none', arguments: {} } as const;
    await codeOf(desk.request(id, missing, never));
    const entries = desk.log(id).after(0, 1_000);
    expect(entries.map(({ direction, kind, method }) => `${direction} ${kind} ${method}`)).toEqual(
      expect.arrayContaining([
        'sent request initialize',
        'received result initialize',
        'sent notification notifications/initialized',
        'sent request tools/call',
        'received result tools/call',
        'sent request prompts/get',
        'received result prompts/get',
        'received result resources/read',
      ]),
    );
    // A stream that ends after its answer is no error.
    await delay(400);
    const failed = desk
      .log(id)
      .after(0, 1_000)
      .filter(({ kind }) => kind === 'error');
    expect(failed.map(({ method }) => method)).not.toContain('');
    const answer = entries.find(({ kind, method }) => kind === 'result' && method === 'tools/call');
    expect(answer?.durationMs).toBeGreaterThan(0);
    expect(answer?.answers).toBe(entries.find(({ method }) => method === 'tools/call')?.sequence);
  });

  it('gets the key of the account, which neither an answer nor the log has', async () => {
    await tryHere();
    const { id: connectionId } = await connections.create({
      integrationId: NAME,
      authKey: 'key',
      fields: { api_key: KEY },
    });
    const id = await connected(connectionId);
    const request = { kind: 'tool', name: 'echo', arguments: { word: 'Hello' } } as const;
    const { result } = await desk.request(id, request, never);
    expect(peer.requests.at(-1)?.headers['authorization']).toBe(`Bearer ${KEY}`);
    expect(JSON.stringify(result)).toContain('Bearer {{api_key}}');
    expect(desk.exportLog(id).text).toContain('Bearer {{api_key}}');
    expect(JSON.stringify([result, desk.log(id).after(0, 1_000), desk.state()])).not.toContain(KEY);
    expect(desk.exportLog(id).text).not.toContain(KEY);
  });

  it('tells of a changed list, and cancels a call at the server', async () => {
    await tryHere();
    const id = await connected();
    const before = shown(id)?.listRevisions['tools'] ?? 0;
    const revision = () => {
      // Nobody hears it before the stream is open on which it is told.
      for (const server of live) server.sendToolListChanged();
      return shown(id)?.listRevisions['tools'];
    };
    await expect.poll(revision, { timeout: 5_000, interval: 100 }).toBeGreaterThan(before);
    const abort = new AbortController();
    const call = desk.request(id, { kind: 'tool', name: 'wait', arguments: {} }, abort.signal);
    call.catch(() => undefined);
    const methods = () =>
      desk
        .log(id)
        .after(0, 1_000)
        .map(({ method }) => method);
    await expect.poll(methods).toContain('tools/call');
    abort.abort();
    await expect(call).rejects.toThrow(/abort|cancel/i);
    await expect.poll(methods).toContain('notifications/cancelled');
  });

  it('is connected to anew when it has forgotten its client', async () => {
    await tryHere();
    const id = await connected();
    peer.forget();
    const request = { kind: 'resource', uri: 'note://first' } as const;
    expect((await desk.request(id, request, never)).result).toMatchObject({
      contents: [{ text: 'The first note.' }],
    });
    expect(shown(id)?.state).toBe('connected');
  });

  it('is told of as closed, with why, when it does not answer', async () => {
    await tryHere();
    await peer[Symbol.asyncDispose]();
    const id = await desk.open(NAME, undefined);
    expect(await until(id, 'closed')).toMatchObject({ problem: { code: 'mcp_server_unreachable' } });
    const call = desk.request(id, { kind: 'resource', uri: 'note://first' }, never);
    expect(await codeOf(call)).toBe('mcp_server_unreachable');
  });

  it('is saved as a draft without an error, whose account goes on to work', async () => {
    await tryHere();
    expect(await codeOf(desk.save(NAME, { displayName: 'My notes' }, never))).toBe('server_not_connected');
    const { id: connectionId } = await connections.create({
      integrationId: NAME,
      authKey: 'key',
      fields: { api_key: KEY },
    });
    await connected(connectionId);
    expect(await desk.save(NAME, { displayName: 'My notes', description: 'Notes.' }, never)).toEqual({
      name: NAME,
    });
    const { summary, findings } = await libraries.packages.detail(NAME);
    expect(summary).toMatchObject({ displayName: 'My notes', type: 'integration', state: 'draft' });
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    const { manifest } = await libraries.packages.take(NAME);
    if (manifest.type !== 'integration') throw new Error('It is no integration.');
    expect(Object.keys(manifest.auths)).toEqual(['key']);
    expect(Object.keys(manifest.toolScopes)).toEqual(['echo', 'wait']);
    expect(desk.state().trials).toEqual([]);
    expect((await connections.describe(NAME)).connections).toMatchObject([{ id: connectionId }]);
  });

  it('is kept over a restart, and leaves nothing when it is forgotten', async () => {
    await tryHere();
    await connections.create({ integrationId: NAME, authKey: 'key', fields: { api_key: KEY } });
    desk = await makeDesk();
    expect(desk.state().trials).toMatchObject([{ integrationId: NAME, source: { url: url() } }]);
    await desk.forget(NAME);
    expect(desk.state().trials).toEqual([]);
    expect(connections.state().connections).toEqual([]);
    desk = await makeDesk();
    expect(desk.state().trials).toEqual([]);
  });

  it('is one of a number, and of its name, also when many are tried at once', async () => {
    const names = Array.from({ length: 40 }, (_, index) => `@you/notes-${Math.floor(index / 2)}`);
    const tries = names.map((integrationId) =>
      codeOf(
        desk.tryAddress({ integrationId, url: url(), transport: 'sse', header: 'Authorization', prefix: '' }),
      ),
    );
    const more = codeOf(tryHere());
    const codes = await Promise.all([...tries, more]);
    // Which of them come first is nobody's promise.
    const refused = codes.filter((code) => code !== 'nothing was thrown');
    expect(refused).toHaveLength(21);
    expect(new Set(refused)).toEqual(new Set(['package_name_taken', 'too_many_trials']));
    const kept = desk.state().trials.map(({ integrationId }) => integrationId);
    expect(new Set(kept).size).toBe(20);
    expect(desk.state().trials).toHaveLength(20);
  });

  it('is refused under a name or at an address that cannot be', async () => {
    await tryHere();
    expect(await codeOf(tryHere())).toBe('package_name_taken');
    const other = { transport: 'sse', header: 'X', prefix: '' } as const;
    const at = (integrationId: string, address: string) =>
      codeOf(desk.tryAddress({ ...other, integrationId, url: address }));
    expect(await at('notes', url())).toBe('package_name_invalid');
    expect(await at('@you/other', 'ftp://x.example')).toBe('server_address_invalid');
    expect(await at('@you/other', 'https://me:pass@x.example')).toBe('server_address_invalid');
  });
});

describe('a hostile server', () => {
  let answer: (message: { id?: number; method: string }, response: ServerResponse) => void;
  let hostile: HttpServer;
  let asked: IncomingMessage[];
  beforeEach(async () => {
    asked = [];
    hostile = createHttpServer((request, response) => {
      asked.push(request);
      void text(request).then((body) => {
        if (request.method !== 'POST') response.writeHead(405).end();
        else answer(JSON.parse(body) as { id?: number; method: string }, response);
      });
    }).listen(0, '127.0.0.1');
    await once(hostile, 'listening');
    stack.defer(() => {
      hostile.closeAllConnections();
      hostile.close();
    });
  });
  const json = (response: ServerResponse, value: object) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  const greet = (id: number | undefined, response: ServerResponse, capabilities: object) => {
    const serverInfo = { name: 'hostile', version: '1' };
    json(response, {
      jsonrpc: '2.0',
      id,
      result: { protocolVersion: '2025-06-18', capabilities, serverInfo },
    });
  };
  const tryHostile = () =>
    desk.tryAddress({
      integrationId: NAME,
      url: `http://127.0.0.1:${(hostile.address() as AddressInfo).port}/mcp`,
      transport: 'streamable-http',
      header: 'Authorization',
      prefix: 'Bearer ',
    });

  it.each(['http://169.254.169.254/latest/meta-data/', 'http://10.0.0.1/', 'file:///etc/passwd'])(
    'leads nobody to %s',
    async (location) => {
      answer = (_, response) => response.writeHead(307, { location }).end();
      await tryHostile();
      const { id: connectionId } = await connections.create({
        integrationId: NAME,
        authKey: 'key',
        fields: { api_key: KEY },
      });
      const id = await desk.open(NAME, connectionId);
      const { problem } = await until(id, 'closed');
      expect(asked[0]?.headers['authorization']).toBe(`Bearer ${KEY}`);
      expect(problem?.code).toBe('mcp_server_refused');
      expect(JSON.stringify([desk.state(), desk.log(id).after(0, 1000)])).not.toContain(KEY);
    },
  );

  it('that never greets is given up', async () => {
    desk = await makeDesk({ greetMs: 200 });
    answer = () => undefined;
    await tryHostile();
    const id = await desk.open(NAME, undefined);
    expect((await until(id, 'closed')).problem?.code).toBe('mcp_server_timeout');
  });

  it('makes no state large by what it says it can', async () => {
    answer = ({ id, method }, response) => {
      const experimental = { bomb: { text: 'x'.repeat(5_000_000) } };
      if (method === 'initialize') greet(id, response, { tools: {}, experimental });
      else response.writeHead(202).end();
    };
    await tryHostile();
    const id = await connected();
    expect(JSON.stringify(desk.state()).length).toBeLessThan(10_000);
    expect(shown(id)?.server?.capabilities).toEqual({ tools: {}, experimental: {} });
    expect(serverStateSchema.safeParse(desk.state()).success).toBe(true);
  });

  it('that answers without an end is not read to the end', async () => {
    answer = ({ id, method }, response) => {
      if (method === 'initialize') greet(id, response, { tools: {} });
      else if (id === undefined) response.writeHead(202).end();
      else {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.write(`{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`);
        const piece = 'x'.repeat(1024 * 1024);
        const push = () => {
          while (!response.destroyed && response.write(piece));
          response.once('drain', push);
        };
        push();
      }
    };
    await tryHostile();
    const id = await connected();
    const call = desk.request(id, { kind: 'tool', name: 'any', arguments: {} }, never);
    expect(await codeOf(call)).toMatch(/^mcp_/);
    expect(shown(id)?.state).toBe('connected');
  });
});

describe('a session', () => {
  it('is closed when nobody asks for anything, and when no page shows it', async () => {
    desk = await makeDesk({ idleMs: 150 });
    await tryHere();
    const idle = await connected();
    expect(await until(idle, 'closed')).toMatchObject({ problem: { code: 'server_session_idle' } });
    await desk.forget(NAME);
    desk = await makeDesk({ lingerMs: 150 });
    await tryHere();
    const left = await connected();
    const page = desk.log(left).watch();
    await delay(300);
    expect(shown(left)?.state).toBe('connected');
    page[Symbol.dispose]();
    expect(await until(left, 'closed')).toMatchObject({ problem: { code: 'server_session_left' } });
  });

  it('that is closed while it opens ends what was opened for it', async () => {
    const opened = Promise.withResolvers<void>();
    let isOpen = false;
    desk = await makeDesk({}, async () => {
      await opened.promise;
      isOpen = true;
      return {
        openTransport: () => Promise.reject(new Error('It must not be asked.')),
        [Symbol.asyncDispose]: async () => void (isOpen = false),
      };
    });
    await tryHere();
    const id = await desk.open(NAME, undefined);
    const closed = desk.close(id);
    opened.resolve();
    await closed;
    expect(isOpen).toBe(false);
    expect(shown(id)?.state).toBe('closed');
    expect(shown(id)?.problem).toBeUndefined();
  });

  it('is one of few, however many are opened at once and whenever the app ends', async () => {
    let open = 0;
    let most = 0;
    desk = await makeDesk({}, async (_, __, ___, signal) => {
      open += 1;
      most = Math.max(most, open);
      await delay(20);
      return {
        openTransport: () => new Promise((_resolve, reject) => signal.addEventListener('abort', reject)),
        [Symbol.asyncDispose]: async () => void (open -= 1),
      };
    });
    await tryHere();
    const others = Array.from({ length: 7 }, (_, index) => `@you/notes-${index}`);
    for (const integrationId of others) {
      await desk.tryAddress({
        integrationId,
        url: url(),
        transport: 'streamable-http',
        header: 'Authorization',
        prefix: 'Bearer ',
      });
    }
    await Promise.all([NAME, NAME, NAME, ...others].map((name) => desk.open(name, undefined)));
    await delay(100);
    expect(desk.state().sessions.filter(({ subject }) => subject === NAME)).toHaveLength(1);
    expect(desk.state().sessions.filter(({ state }) => state !== 'closed')).toHaveLength(4);
    expect(most).toBeLessThanOrEqual(4);
    const late = desk.open(NAME, undefined);
    await desk[Symbol.asyncDispose]();
    expect(await codeOf(late)).toBe('app_closing');
    expect(open).toBe(0);
  });

  it('gives way to another of the same server, whose log begins anew', async () => {
    await tryHere();
    const first = await connected();
    const second = await connected();
    expect(desk.state().sessions.map(({ id }) => id)).toEqual([second]);
    expect(() => desk.log(first)).toThrow('Another connection');
  });

  it('does not go to this computer for an integration that somebody else wrote', async () => {
    const files = integrationFiles('@they/notes', {
      source: { kind: 'remote', remote: { url: url(), transport: 'streamable-http' } },
      auths: { main: keyAuth('http://127.0.0.1/**') },
      default_tools: [],
      _meta: {},
    });
    const given = dropped({ 'notes.afps': await writeArchive(files) });
    const { token, items } = await libraries.packages.previewImport(given, never);
    const decisions = items.map((item) => ({ id: item.id, as: 'version' as const }));
    expect((await libraries.packages.commitImport(token, decisions)).problems).toEqual([]);
    const id = await desk.open('@they/notes', undefined);
    expect(await until(id, 'closed')).toMatchObject({ problem: { code: 'mcp_address_refused' } });
    expect(peer.requests).toEqual([]);
  });

  it('of a bundle needs an engine, and says so', async () => {
    const bytes = await writeArchive(serverFiles('@you/files'));
    const trial = await desk.tryBundle(
      { originalName: 'files.afps', size: bytes.length, open: async () => Readable.from([bytes]) },
      [],
      never,
    );
    expect(trial).toMatchObject({
      integrationId: '@you/files-tools',
      source: { kind: 'bundle', server: '@you/files', version: '1.0.0' },
    });
    const id = await desk.open(trial.integrationId, undefined);
    expect((await until(id, 'closed')).problem?.code).toBeDefined();
    const agent = { originalName: 'x.txt', size: 3, open: async () => Readable.from([Buffer.from('abc')]) };
    expect(await codeOf(desk.tryBundle(agent, [], never))).not.toBe('nothing was thrown');
  });
});
