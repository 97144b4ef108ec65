import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createResourceHandler } from '#main/app/resources.ts';
import { createRouter } from '#main/app/router.ts';
import { silentLogger } from '#main/logging/logger.ts';
import { welcomeSchema, type Hello, type Welcome } from '#shared/ipc/browser-session.ts';
import { uploadPath } from '#shared/ipc/resource-address.ts';
import { FakeApplication } from '#test/support/fake-application.ts';
import { BrowserServer, type BrowserServerOptions } from './browser-server.ts';
import { Sessions } from './sessions.ts';
import { Uploads } from './uploads.ts';

let folder: string;
let clock = 0;
let application: FakeApplication;
let uploads: Uploads;
let server: BrowserServer;
let authority: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-browser-'));
  await mkdir(join(folder, 'renderer'));
  writeFileSync(join(folder, 'renderer', 'index.html'), '<!doctype html>page');
  application = new FakeApplication();
  uploads = new Uploads(join(folder, 'uploads'));
  server = await BrowserServer.start(makeOptions(0));
  authority = `127.0.0.1:${server.port}`;
});

afterEach(async () => {
  await server[Symbol.asyncDispose]();
  uploads[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

function makeOptions(port: number): BrowserServerOptions {
  return {
    router: createRouter({
      application,
      shell: {
        kind: 'browser',
        canReveal: false,
        openExternal: async () => undefined,
        saveFile: async () => undefined,
        revealFolder: async () => undefined,
      },
      logger: silentLogger,
      checkOutputs: true,
    }),
    resources: createResourceHandler({ rendererFolder: join(folder, 'renderer'), runs: application.runs }),
    uploads,
    logger: silentLogger,
    port,
    sessions: new Sessions(() => clock),
  };
}

const takeToken = () => new URL(server.issueUrl()).hash.replace('#token=', '');

function connect(headers: Record<string, string> = {}, path = '/connect'): WebSocket {
  return new WebSocket(`ws://127.0.0.1:${server.port}${path}`, {
    headers: { host: authority, origin: `http://${authority}`, ...headers },
  });
}

/** What the server says to a hello: a welcome, or the code it closes with. */
async function sayHello(hello: Hello): Promise<{ socket: WebSocket; answer: Welcome | number }> {
  const socket = connect();
  await once(socket, 'open');
  socket.send(JSON.stringify(hello));
  const answer = await Promise.race([
    once(socket, 'message').then(([data]) => welcomeSchema.parse(JSON.parse(String(data)))),
    once(socket, 'close').then(([code]) => Number(code)),
  ]);
  return { socket, answer };
}

async function openSession(): Promise<{ socket: WebSocket; welcome: Welcome }> {
  const { socket, answer } = await sayHello({ kind: 'hello', token: takeToken() });
  if (typeof answer === 'number') throw new Error(`refused with ${answer}`);
  return { socket, welcome: answer };
}

async function send(options: {
  path: string;
  method?: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
}): Promise<IncomingMessage> {
  const request = httpRequest({
    host: '127.0.0.1',
    port: server.port,
    path: options.path,
    method: options.method ?? 'GET',
    headers: { host: authority, ...options.headers },
    agent: false,
  });
  request.on('error', () => undefined);
  const response = once(request, 'response') as Promise<[IncomingMessage]>;
  request.end(options.body);
  return (await response)[0];
}

describe('who is served', () => {
  test('a page whose name was rebound to this computer is refused on every path', async () => {
    for (const host of [
      'evil.example',
      `evil.example:${server.port}`,
      '127.0.0.1',
      `localhost:${server.port}`,
    ]) {
      expect((await send({ path: '/', headers: { host } })).statusCode).toBe(403);
      const socket = connect({ host });
      const [response] = (await once(socket, 'unexpected-response').then(([, r]) => [r])) as [
        IncomingMessage,
      ];
      expect(response.statusCode).toBe(403);
    }
  });

  test("another site's page gets no WebSocket and no upload, whatever it knows", async () => {
    const { welcome } = await openSession();
    for (const origin of [
      'http://evil.example',
      'null',
      `http://localhost:${server.port}`,
      `https://${authority}`,
      `http://${authority}.evil.example`,
      '',
    ]) {
      const socket = connect({ origin });
      const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
      expect(response.statusCode).toBe(403);
      const upload = await send({
        path: uploadPath(welcome.capability, 'a.csv'),
        method: 'POST',
        headers: { origin },
        body: 'x',
      });
      expect(upload.statusCode).toBe(403);
    }
    const socket = new WebSocket(`ws://${authority}/connect`);
    const [, response] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage];
    expect(response.statusCode).toBe(403);
    expect((await send({ path: '/', headers: { origin: 'http://evil.example' } })).statusCode).toBe(403);
  });

  test('sets no cookie, since those are shared by all ports', async () => {
    const page = await send({ path: '/' });
    expect(page.headers['set-cookie']).toBeUndefined();
    expect(await text(page)).toBe('<!doctype html>page');
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
  });
});

describe('tokens and sessions', () => {
  test('a token opens one session', async () => {
    const token = takeToken();
    const first = await sayHello({ kind: 'hello', token });
    expect(first.answer).toMatchObject({ kind: 'welcome' });
    const second = await sayHello({ kind: 'hello', token });
    expect(second.answer).toBe(4401);
  });

  test('a token older than two minutes opens nothing', async () => {
    const token = takeToken();
    clock += 2 * 60_000;
    expect((await sayHello({ kind: 'hello', token })).answer).toBe(4401);
  });

  test('a session goes on in another connection, with its files', async () => {
    const { socket, welcome } = await openSession();
    const response = await send({
      path: uploadPath(welcome.capability, 'a.csv'),
      method: 'POST',
      headers: { origin: server.origin },
      body: 'a\n1',
    });
    const { data } = JSON.parse(await text(response)) as { data: { handle: string } };
    socket.close();
    const again = await sayHello({ kind: 'hello', session: welcome.session });
    expect(again.answer).toEqual(welcome);
    const input = {
      agentId: '@fake/agent',
      input: {},
      files: [{ source: { kind: 'registered', handle: data.handle } }],
    };
    again.socket.send(JSON.stringify({ kind: 'request', id: 1, route: 'runs.start', input }));
    const [answer] = (await once(again.socket, 'message')) as [Buffer];
    expect(JSON.parse(String(answer))).toMatchObject({ result: { ok: true } });
    expect((await buffer(await application.runs.started[0]!.files[0]!.open())).toString()).toBe('a\n1');
  });

  test('nothing is answered before the hello, and a wrong one ends the connection', async () => {
    for (const message of [
      '{',
      '{"kind":"request","id":1,"route":"settings.get","input":{}}',
      '{"kind":"hello"}',
    ]) {
      const socket = connect();
      await once(socket, 'open');
      const messages: unknown[] = [];
      socket.on('message', (data) => messages.push(data));
      socket.send(message);
      const [code] = (await once(socket, 'close')) as [number];
      expect(code).toBe(4401);
      expect(messages).toEqual([]);
    }
  });

  test("one session's handles are nothing to another", async () => {
    const one = await openSession();
    const two = await openSession();
    const response = await send({
      path: uploadPath(one.welcome.capability, 'a.csv'),
      method: 'POST',
      headers: { origin: server.origin },
      body: 'x',
    });
    const { data } = JSON.parse(await text(response)) as { data: { handle: string } };
    const input = {
      agentId: '@fake/agent',
      input: {},
      files: [{ source: { kind: 'registered', handle: data.handle } }],
    };
    two.socket.send(JSON.stringify({ kind: 'request', id: 1, route: 'runs.start', input }));
    const [answer] = (await once(two.socket, 'message')) as [Buffer];
    expect(JSON.parse(String(answer))).toMatchObject({
      result: { ok: false, error: { code: 'file_handle_unknown' } },
    });
  });
});

describe('outputs', () => {
  test('are served under a capability of a session and nowhere else', async () => {
    const { id } = application.runs.create();
    application.runs.addFile(id, 'dir/ré port.txt', Buffer.from('hello'), 'text/plain');
    const { welcome } = await openSession();
    const path = `/output/${id}/dir/${encodeURIComponent('ré port.txt')}`;
    expect(await text(await send({ path: `/s/${welcome.capability}${path}` }))).toBe('hello');
    for (const other of [
      path,
      `/s/wrong${path}`,
      `/s/${path}`,
      `/x/..${path}`,
      `/s/wrong/..${path}`,
      `//${path}`,
    ]) {
      const response = await send({ path: other });
      expect(response.statusCode).toBeGreaterThanOrEqual(400);
    }
    const crossSite = { 'sec-fetch-site': 'cross-site' };
    expect((await send({ path: `/s/${welcome.capability}${path}`, headers: crossSite })).statusCode).toBe(
      403,
    );
  });
});

describe('uploads', () => {
  const post = (capability: string, name: string, body: string | Buffer, headers: OutgoingHttpHeaders = {}) =>
    send({
      path: uploadPath(capability, name),
      method: 'POST',
      headers: { origin: server.origin, ...headers },
      body,
    });

  test('keep any name and every byte', async () => {
    const { welcome } = await openSession();
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
    for (const name of [
      'a b.csv',
      '"quoted" \'too\'.csv',
      '🦊 emoji.csv',
      '../../etc/passwd',
      'a\nb',
      '%2e%2e',
    ]) {
      const response = await post(welcome.capability, name, bytes);
      expect(JSON.parse(await text(response))).toMatchObject({
        ok: true,
        data: { name, size: bytes.length },
      });
    }
    expect(readdirSync(join(folder, 'uploads'))).toHaveLength(6);
    expect(readdirSync(folder).sort()).toEqual(['renderer', 'uploads']);
  });

  test('of two gigabytes are refused before a byte is read', async () => {
    const { welcome } = await openSession();
    const request = httpRequest({
      host: '127.0.0.1',
      port: server.port,
      path: uploadPath(welcome.capability, 'big.csv'),
      method: 'POST',
      headers: { host: authority, origin: server.origin, 'content-length': 2 * 1024 ** 3 },
    });
    request.flushHeaders();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(413);
    const answer = JSON.parse(await text(response)) as { error: { code: string; detail: string } };
    expect(answer.error.code).toBe('file_too_large');
    expect(answer.error.detail).toContain('"big.csv" has 2,048 MB');
    request.destroy();
  });

  test('without a size are refused', async () => {
    const { welcome } = await openSession();
    const response = await post(welcome.capability, 'a.csv', 'x', { 'transfer-encoding': 'chunked' });
    expect(response.statusCode).toBe(411);
  });

  test('that break off leave nothing', async () => {
    const { welcome } = await openSession();
    const request = httpRequest({
      host: '127.0.0.1',
      port: server.port,
      path: uploadPath(welcome.capability, 'half.csv'),
      method: 'POST',
      headers: { host: authority, origin: server.origin, 'content-length': 1000 },
    });
    request.on('error', () => undefined);
    request.write('half');
    const uploadFolder = join(folder, 'uploads');
    while (readdirSync(uploadFolder).length === 0) await delay(5);
    request.destroy();
    for (let tries = 0; tries < 400 && readdirSync(uploadFolder).length > 0; tries += 1) await delay(5);
    expect(readdirSync(uploadFolder)).toEqual([]);
  });

  test('of an unknown session are refused, and all are gone at the end', async () => {
    const { welcome } = await openSession();
    expect((await post('wrong', 'a.csv', 'x')).statusCode).toBe(403);
    await post(welcome.capability, 'a.csv', 'x');
    uploads[Symbol.dispose]();
    expect(existsSync(join(folder, 'uploads'))).toBe(false);
  });
});

describe('BrowserServer', () => {
  test('says that a port is taken and what to do', async () => {
    await expect(BrowserServer.start(makeOptions(server.port))).rejects.toMatchObject({
      problem: { code: 'port_taken' },
    });
  });

  test('says goodbye to its pages when it ends', async () => {
    const { socket } = await openSession();
    const closed = once(socket, 'close');
    await server[Symbol.asyncDispose]();
    expect((await closed)[0]).toBe(1001);
    server = await BrowserServer.start(makeOptions(0));
  });
});
