import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OutboundCall } from '#shared/protocol/integrations.ts';
import { compileAuthorizedUris } from '#shared/tools/authorized-uris.ts';
import { dialDirectly } from '../network/connector.ts';
import { openEgressProxy, type EgressWay } from './egress-proxy.ts';

/** Where the names of these tests seem to be; what is dialled is this computer. */
const PUBLIC_ADDRESS = '93.184.216.34';
const TOKEN = 'token-of-one';
const OTHER = 'token-of-other';

let stack: AsyncDisposableStack;
let socketPath: string;
let calls: OutboundCall[];
let addresses: string[];
let dialled: string[];

function way(token: string, authorizedUris: string[], allowsAllUris = false): EgressWay {
  return {
    integrationId: '@acme/service',
    connectionId: token,
    token,
    policy: { authorizedUris: compileAuthorizedUris(authorizedUris), allowsAllUris },
  };
}

async function open(...ways: EgressWay[]): Promise<void> {
  stack.use(
    await openEgressProxy({
      socketPath,
      ways,
      connector: {
        resolve: () => Promise.resolve(addresses),
        dial: (address, port, signal, host) => {
          dialled.push(`${address}:${port}`);
          return dialDirectly('127.0.0.1', port, signal, host);
        },
        certificateAuthorities: [],
      },
      onOutboundCall: (call) => calls.push(call),
    }),
  );
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** The head of the proxy's answer to CONNECT, and the tunnel. */
async function tunnel(target: string, token: string | undefined) {
  const socket = connect({ path: socketPath });
  stack.defer(() => void socket.destroy());
  const login = Buffer.from(`slipway:${token}`).toString('base64');
  const authorization = token === undefined ? '' : `Proxy-Authorization: Basic ${login}\r\n`;
  socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization}\r\n`);
  const [head] = (await once(socket, 'data')) as [Buffer];
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(String(head))?.[1]), head: String(head), socket };
}

async function get(url: string, token: string, headers: Record<string, string> = {}) {
  const login = Buffer.from(`slipway:${token}`).toString('base64');
  const request = httpRequest({
    socketPath,
    path: url,
    headers: { host: 'ignored.example', 'proxy-authorization': `Basic ${login}`, ...headers },
  }).end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response) };
}

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'slipway-egress-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  socketPath = join(folder, 'proxy.sock');
  calls = [];
  dialled = [];
  addresses = [PUBLIC_ADDRESS];
});
afterEach(() => stack.disposeAsync());

describe('a tunnel', () => {
  it('leads to a host that the author allows, by the address that was checked', async () => {
    const port = await listen(createServer((socket) => socket.pipe(socket)));
    await open(way(TOKEN, [`https://api.example.com:${port}/v1/**`]));
    const { status, socket } = await tunnel(`api.example.com:${port}`, TOKEN);
    expect(status).toBe(200);
    socket.write('hello');
    expect(String((await once(socket, 'data'))[0])).toBe('hello');
    socket.end();
    await once(socket, 'close');
    expect(dialled).toEqual([`${PUBLIC_ADDRESS}:${port}`]);
    await expect
      .poll(() => calls)
      .toMatchObject([
        {
          method: 'CONNECT',
          url: `https://api.example.com:${port}/`,
          status: 200,
          bytesSent: 5,
          bytesReceived: 5,
        },
      ]);
  });

  it.each([
    'evil.example:443',
    'api.example.com:80',
    'api.example.com.evil.example:443',
    'user@api.example.com:443',
    'api.example.com:443/x',
    '169.254.169.254:443',
    'localhost:443',
    '[::1]:443',
    '',
  ])('does not lead to %j', async (target) => {
    await open(way(TOKEN, ['https://api.example.com/**']));
    const { status } = await tunnel(target, TOKEN);
    expect(status).not.toBe(200);
    expect(dialled).toEqual([]);
  });

  it('needs a token, and each token opens its own list', async () => {
    await open(way(TOKEN, ['https://one.example/**']), way(OTHER, ['https://other.example/**']));
    expect((await tunnel('one.example:443', undefined)).status).toBe(407);
    expect((await tunnel('one.example:443', 'guess')).status).toBe(407);
    expect((await tunnel('one.example:443', OTHER)).status).toBe(403);
    expect(calls).toMatchObject([{ connectionId: OTHER, status: 0, code: 'unauthorized_target' }]);
  });

  it('to any host leads to no private network, also not by a name', async () => {
    await open(way(TOKEN, [], true));
    expect((await tunnel('10.0.0.1:443', TOKEN)).status).toBe(403);
    addresses = [PUBLIC_ADDRESS, '192.168.1.1'];
    expect((await tunnel('rebound.example:443', TOKEN)).status).toBe(502);
    expect(dialled).toEqual([]);
    expect(calls.map(({ code }) => code)).toEqual(['blocked_target', 'blocked_target']);
  });
});

describe('a plain request', () => {
  it('goes where the author allows, without what is for the proxy alone', async () => {
    const heard: unknown[] = [];
    const service = createHttpServer((request, response) => {
      heard.push([request.url, request.headers]);
      response.writeHead(201).end('made');
    });
    const port = await listen(service);
    await open(way(TOKEN, [`http://api.example.com:${port}/v1/**`]));
    const answer = await get(`http://api.example.com:${port}/v1/a?b=c`, TOKEN, {
      'x-own': 'kept',
      te: 'trailers',
    });
    expect(answer).toEqual({ status: 201, body: 'made' });
    expect(heard).toEqual([
      ['/v1/a?b=c', { host: `api.example.com:${port}`, 'x-own': 'kept', connection: 'close' }],
    ]);
    // The query may hold what the server keeps secret.
    await expect.poll(() => calls.map(({ url }) => url)).toEqual([`http://api.example.com:${port}/`]);
  });

  it('goes nowhere else, and not to https without a tunnel', async () => {
    await open(way(TOKEN, ['http://api.example.com/v1/**', 'https://api.example.com/**']));
    expect((await get('http://api.example.com/v2/', TOKEN)).status).toBe(403);
    expect((await get('http://api.example.com/v1/../v2/', TOKEN)).status).toBe(403);
    expect((await get('https://api.example.com/', TOKEN)).status).toBe(400);
    expect((await get('/v1/', TOKEN)).status).toBe(403);
    expect((await get('http://api.example.com/v1/', 'guess')).status).toBe(407);
    expect(dialled).toEqual([]);
  });
});
