import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import { connect, createServer, type AddressInfo, type Server as TcpServer } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { connectTo } from './connector.ts';
import { dialerFor, isExempt } from './proxy-dialer.ts';

const open: { close(): unknown }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

async function listen(server: Server | TcpServer): Promise<number> {
  server.listen(0, '127.0.0.1');
  open.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function proxy(answer: string, target?: number) {
  const asked: { line: string | undefined; login: string | undefined }[] = [];
  const server = createHttpServer();
  server.on('connect', (request, socket) => {
    asked.push({ line: request.url, login: request.headers['proxy-authorization'] });
    socket.on('error', () => undefined);
    if (target === undefined) {
      socket.end(answer);
      return;
    }
    const upstream = connect(target, '127.0.0.1');
    socket.write(answer);
    upstream.pipe(socket).pipe(upstream);
  });
  return { asked, port: await listen(server) };
}

const options = (proxyUrl: string, noProxy: string[] = []) => ({
  resolve: async () => ['192.0.78.24'],
  dial: dialerFor({ proxy: proxyUrl, noProxy, certificateAuthorities: [] }),
  certificateAuthorities: [],
});
const destination = { host: 'api.example.com', port: 443, isSecure: false, waivesAddressCheck: false };

test('the proxy is told the checked address and who asks, and then stands in nobody’s way', async () => {
  const target = await listen(createServer((socket) => socket.end('hello')));
  const { asked, port } = await proxy('HTTP/1.1 200 OK\r\n\r\n', target);
  const socket = await connectTo(
    destination,
    options(`http://me:p%40ss@127.0.0.1:${port}`),
    AbortSignal.timeout(5000),
  );
  await once(socket, 'readable');
  expect(String(socket.read())).toBe('hello');
  expect(asked).toEqual([
    { line: '192.0.78.24:443', login: `Basic ${Buffer.from('me:p@ss').toString('base64')}` },
  ]);
  socket.destroy();
});

test('what it refuses is unreachable, without its login', async () => {
  const { port } = await proxy('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
  const failure = await connectTo(
    destination,
    options(`http://me:secret@127.0.0.1:${port}`),
    AbortSignal.timeout(5000),
  ).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: 'upstream_unreachable',
    message: 'Upstream request failed: PROXY_ANSWERED_407 (api.example.com)',
  });
});

test('a private address is no more allowed through it than without', async () => {
  const { asked, port } = await proxy('HTTP/1.1 200 OK\r\n\r\n');
  const failure = await connectTo(
    destination,
    { ...options(`http://127.0.0.1:${port}`), resolve: async () => ['10.0.0.1'] },
    AbortSignal.timeout(5000),
  ).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'blocked_target' });
  expect(asked).toEqual([]);
});

test('exempt are hosts and the domains they are under', () => {
  expect(isExempt('a.corp.example', ['.corp.example'])).toBe(true);
  expect(isExempt('corp.example', ['*.corp.example'])).toBe(true);
  expect(isExempt('notcorp.example', ['corp.example'])).toBe(false);
  expect(isExempt('any.host', ['*'])).toBe(true);
  expect(isExempt('any.host', ['', ' '])).toBe(false);
});
