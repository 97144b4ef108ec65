import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { playgroundResultSchema, type PlaygroundResult } from '#shared/ipc/playground-routes.ts';
import { startTus } from '#test/peers/upload-services.ts';
import { Playground } from './playground.ts';
import { connectServices, INTEGRATION, type ConnectedServices } from './test-support/connected-services.ts';

const KEY = `canary-${randomBytes(18).toString('hex')}`;
const CALL = 'test_keys__api_call';
const UPLOAD = 'test_keys__api_upload';

let stack: AsyncDisposableStack;
let services: ConnectedServices;
let playground: Playground;
let connectionId: string;
let answer: Parameters<typeof connectServices>[0];

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  answer = ({ method, url }, response) => {
    response.setHeader('content-type', 'text/plain');
    response.end(`${method} ${url}`);
  };
  services = stack.use(await connectServices((request, response) => answer(request, response)));
  connectionId = await services.connect(KEY, 'Work');
  const { limits, network, options } = services;
  playground = stack.use(new Playground({ ...options, limits: () => limits, network: () => network }));
});
afterEach(() => stack.disposeAsync());

const start = (args: Record<string, unknown>, tool = CALL) =>
  playground.start({ integrationId: INTEGRATION, connectionId, tool, arguments: args });

/** The result of a call once it has ended and its audit is there. */
async function ended(callId: string): Promise<PlaygroundResult> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => {
    if (playground.result(callId).call.state !== 'running') resolve();
  };
  const stop = playground.onState(look);
  look();
  await promise.finally(stop);
  return playgroundResultSchema.parse(playground.result(callId));
}
const call = async (args: Record<string, unknown>, tool?: string) => ended(await start(args, tool));
const texts = ({ content }: PlaygroundResult) =>
  content.map((block) => (block.type === 'text' ? block.text : `<${block.type}>`));

describe('a call by hand', () => {
  it('offers the tools that a run would have, with their schemas', async () => {
    const { tools, files } = await playground.describe(INTEGRATION, connectionId);
    expect(tools.map(({ name }) => name)).toEqual([CALL, UPLOAD]);
    expect(tools[0]?.inputSchema).toMatchObject({ required: ['target'] });
    // One connection is bound, so no model would be asked to choose.
    expect(tools[0]?.inputSchema).not.toHaveProperty('properties.connection');
    expect(files).toEqual([]);
  });

  it('gives what a model would be given, and what stands behind it', async () => {
    const result = await call({ target: `${services.api}/open/a?b=1` });
    expect(texts(result)).toEqual(['[api_call status=200]', 'GET /open/a?b=1']);
    expect(result.call).toMatchObject({ state: 'done', status: 200, connection: 'Work', tool: CALL });
    expect(result.call.durationMs).toBeGreaterThan(0);
    expect(result.result?.['_meta']).toMatchObject({
      'dev.appstrate/upstream': { status: 200, finalUrl: `${services.api}/open/a?b=1` },
      'dev.appstrate/token-budget': { decision: 'inline' },
    });
    expect(result.outbound).toMatchObject([
      { method: 'GET', url: `${services.api}/open/a`, status: 200, rule: `${services.api}/open/**` },
    ]);
    expect(services.outbound).toHaveLength(1);
    expect(services.service.received[0]?.headers['x-api-key']).toBe(KEY);
  });

  it('tells a refusal with its code, and that nothing was sent', async () => {
    const result = await call({ target: `${services.api}/closed` });
    expect(result.call).toMatchObject({ state: 'failed', status: 0, code: 'unauthorized_target' });
    expect(texts(result)[0]).toBe('[api_call status=0 code=unauthorized_target]');
    expect(result.outbound).toMatchObject([{ status: 0, code: 'unauthorized_target' }]);
    expect(services.service.received).toEqual([]);
  });

  it('shows a large answer as the pointer that a model gets, and the file it leads to', async () => {
    answer = (_request, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(`["${'x'.repeat(40_000)}"]`);
    const result = await call({ target: `${services.api}/open/large` });
    const [{ path, size } = { path: '', size: 0 }] = result.files;
    expect(size).toBe(40_004);
    expect(texts(result)[1]).toContain(`it is in the file ${path}`);
    const file = await playground.openFile(INTEGRATION, path);
    expect(await text(file.stream(0, 3))).toBe('["xx');
  });

  it('reads a file that was added and writes one, with the bytes as they are', async () => {
    const bytes = randomBytes(5000);
    const added = await playground.addFile(INTEGRATION, {
      originalName: '../data.bin',
      size: bytes.length,
      open: async () => Readable.from([bytes]),
    });
    expect(added).toEqual({ path: 'data.bin', size: 5000 });
    answer = ({ body }, response) =>
      void response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(body);
    const result = await call({
      target: `${services.api}/open/echo`,
      method: 'POST',
      body: { fromFile: 'data.bin' },
      responseMode: { toFile: 'back/data.bin' },
    });
    expect(JSON.parse(texts(result)[0] ?? '')).toMatchObject({
      kind: 'file',
      path: 'back/data.bin',
      size: 5000,
    });
    expect(result.files).toEqual([{ path: 'back/data.bin', size: 5000 }]);
    const file = await playground.openFile(INTEGRATION, 'back/data.bin');
    expect((await buffer(file.stream(0, file.size))).equals(bytes)).toBe(true);
  });

  it('uploads in parts as the sandbox does', async () => {
    const tus = stack.use(await startTus());
    services.edit({ auths: { key: { ...KEY_AUTH, authorized_uris: [`http://127.0.0.1:${tus.port}/**`] } } });
    const bytes = randomBytes(700_000);
    await playground.addFile(INTEGRATION, {
      originalName: 'film.bin',
      size: bytes.length,
      open: async () => Readable.from([bytes]),
    });
    const result = await call(
      {
        target: `http://127.0.0.1:${tus.port}/files`,
        fromFile: 'film.bin',
        uploadProtocol: 'tus',
        partSizeBytes: 300_000,
      },
      UPLOAD,
    );
    expect(JSON.parse(texts(result)[0] ?? '')).toMatchObject({ ok: true, size: 700_000, chunks: 3 });
    expect(result.call).toMatchObject({ state: 'done', status: 204 });
    expect(result.outbound.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'PATCH', 'PATCH']);
  });

  it('is ended when it is cancelled, also at the service', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    answer = (_request, response) => {
      response.on('close', resolve);
      reach();
    };
    const id = await start({ target: `${services.api}/open/hang` });
    await reached;
    await expect(start({ target: `${services.api}/open/b` })).rejects.toMatchObject({
      problem: { code: 'call_running' },
    });
    playground.cancel(id);
    await closed;
    const result = await ended(id);
    expect(result.call.state).toBe('cancelled');
    expect(result.content).toEqual([]);
  });

  it('of no tool of the integration is refused, and one with another’s connection', async () => {
    await expect(start({}, 'other__api_call')).rejects.toMatchObject({ problem: { code: 'tool_unknown' } });
    await expect(playground.describe('@test/other', connectionId)).rejects.toMatchObject({
      problem: { code: 'connection_unknown' },
    });
  });
});

const KEY_AUTH = {
  type: 'api_key',
  credentials: { schema: { type: 'object', properties: { api_key: { type: 'string' } } } },
  delivery: { http: { in: 'header', name: 'X-Api-Key', value: '{$credential.api_key}' } },
};

it('keeps cookies from call to call, until it is cleared', async () => {
  answer = ({ headers }, response) =>
    void response
      .writeHead(200, { 'content-type': 'text/plain', 'set-cookie': 'a=1' })
      .end(headers.cookie ?? 'none');
  const target = `${services.api}/open/a`;
  expect(texts(await call({ target }))[1]).toBe('none');
  expect(texts(await call({ target }))[1]).toBe('a=1');
  await playground.clear(INTEGRATION);
  expect(playground.state().calls).toEqual([]);
  expect(texts(await call({ target }))[1]).toBe('none');
});

it('follows the manifest as its author changes it', async () => {
  const target = `${services.api}/closed`;
  expect((await call({ target })).call.code).toBe('unauthorized_target');
  services.edit({ auths: { key: { ...KEY_AUTH, authorized_uris: [target] } } });
  expect((await call({ target })).call.status).toBe(200);
});

it('forgets the oldest calls, and never one that is under way', async () => {
  for (let made = 0; made < 101; made += 1) await call({ target: `${services.api}/closed` });
  expect(playground.state().calls).toHaveLength(100);
});

it('gives no credential away, and leaves no folder behind', async () => {
  const folders = () => readdirSync(tmpdir()).filter((name) => /^slipway-(playground|calls)-/.test(name));
  const before = new Set(folders());
  answer = ({ headers }, response) =>
    void response
      .writeHead(200, { 'content-type': 'text/plain' })
      .end(`you sent ${String(headers['x-api-key'])}`);
  const result = await call({ target: `${services.api}/open/{{api_key}}` });
  expect(texts(result)[1]).toBe('you sent {{api_key}}');
  const said = JSON.stringify([result, playground.state(), services.outbound]);
  expect(said).not.toContain(KEY);
  expect(services.written()).not.toContain(KEY);
  const made = folders().filter((name) => !before.has(name));
  expect(made.length).toBeGreaterThan(0);
  await playground[Symbol.asyncDispose]();
  for (const name of made) expect(existsSync(`${tmpdir()}/${name}`)).toBe(false);
});
