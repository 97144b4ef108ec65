import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { isPublicAddress } from '#shared/tools/address-class.ts';
import { compileAuthorizedUris } from '#shared/tools/authorized-uris.ts';
import { judgeTarget } from '#shared/tools/target-rules.ts';
import { parseTarget } from '#shared/tools/target-url.ts';
import { connectTo, ConnectionRefused, dialDirectly, resolveWithSystem, type Resolver } from './connector.ts';

const ANY = { authorizedUris: compileAuthorizedUris([]), allowsAllUris: true };

/** What becomes of a call to an address when every name means the given addresses; nothing is dialled. */
async function outcome(url: string, answers: readonly string[] = ['93.184.216.34']): Promise<string> {
  const verdict = judgeTarget(parseTarget(url), ANY, { substitutesCredential: false, isRedirect: false });
  if (!verdict.allowed) return verdict.code;
  const { host, port, scheme } = verdict.target;
  const dialled: string[] = [];
  try {
    await connectTo(
      { host, port, isSecure: scheme === 'https', waivesAddressCheck: verdict.waivesAddressCheck },
      {
        resolve: async () => answers,
        dial: async (address) => {
          dialled.push(address);
          throw new Error('not in this test');
        },
        certificateAuthorities: [],
      },
      AbortSignal.timeout(5000),
    );
  } catch (error) {
    if (dialled.length > 0) return `dials ${dialled.join(' ')}`;
    if (error instanceof ConnectionRefused) return error.code;
    throw error;
  }
  return 'connected';
}

const BLOCKED_HOSTS = `
localhost LOCALHOST localhost. localhost.localdomain foo.localhost a.b.localhost ip6-localhost ip6-loopback
sidecar sandbox agent Sidecar. host.docker.internal HOST.docker.internal. gateway.docker.internal
kubernetes.docker.internal host.containers.internal host.lima.internal metadata metadata.google.internal
metadata.google.internal. metadata.goog instance-data instance-data.ec2.internal
0.0.0.0 0 0.0.0.1 0.255.255.255 00000000 0x0
10.0.0.0 10.0.0.1 10.255.255.255 10.1 10.1.1 012.0.0.1 0xa.0.0.1 0x0a000001 167772161 0xA.0x0.0x0.0x1
100.64.0.0 100.64.0.1 100.127.255.255 0x64400001
127.0.0.1 127.0.0.2 127.1 127.0.1 127.255.255.255 0177.0.0.1 0177.1 0x7f.1 0x7f.0.0.1 0x7f000001 2130706433
017700000001 127.0.0.1. 127.0.0.01 0x7F.0X0.0x0.0x1 127.0x0.1 %31%32%37.0.0.1 １２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1
169.254.0.0 169.254.169.254 169.254.170.2 169.254.255.255 0xa9fea9fe 2852039166 0251.0376.0251.0376 169.254.43518
172.16.0.0 172.16.0.1 172.17.0.1 172.20.10.5 172.31.255.255 0xac110001 172.1114113
192.0.0.1 192.0.0.170 192.0.0.192 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.175.48.1
192.168.0.0 192.168.0.1 192.168.1.1 192.168.255.255 192.168.257 0xc0a80001 3232235521 0300.0250.0.1
198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9
224.0.0.1 239.255.255.250 240.0.0.1 250.1.2.3 255.255.255.254 255.255.255.255 0xffffffff 4294967295
[::] [::1] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::0.0.0.1] [::127.0.0.1] [::7f00:1]
[::10.0.0.1] [::169.254.169.254] [::8.8.8.8]
[::ffff:127.0.0.1] [::ffff:7f00:1] [::FFFF:10.0.0.1] [::ffff:a9fe:a9fe] [::ffff:169.254.169.254] [::ffff:0:0]
[::ffff:192.168.1.1] [::ffff:172.17.0.1] [::ffff:100.64.1.1] [::ffff:0.0.0.0] [0:0:0:0:0:ffff:7f00:0001]
[::ffff:0:127.0.0.1] [::ffff:0:8.8.8.8]
[64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b::10.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b::192.168.0.1]
[64:ff9b:1::1] [64:ff9b:1::8.8.8.8] [64:ff9b:1:ffff::10.0.0.1]
[2002::1] [2002:7f00:1::] [2002:a00:1::] [2002:a9fe:a9fe::] [2002:c0a8:101::1] [2002:808:808::1]
[2001::1] [2001:0:7f00:1::] [2001:0:4136:e378:8000:63bf:3fff:fdd2] [2001:0:53aa:64c:0:0:80ff:fffe]
[2001:2::1] [2001:10::1] [2001:20::1] [2001:30::1] [2001:db8::1] [2001:db8:ffff::1] [3fff::1] [5f00::1]
[100::1] [100:0:0:1::1] [fc00::1] [fd00::1] [fd00:ec2::254] [fdff:ffff::1] [fe80::1] [fe80::a9fe:a9fe] [febf::1]
[fec0::1] [feff::1] [ff00::1] [ff02::1] [ff0e::1] [4000::1] [8000::1] [e000::1] [1::1]
[2606:4700::5efe:10.0.0.1] [2606:4700::5efe:7f00:1] [2606:4700::200:5efe:169.254.169.254]
`
  .trim()
  .split(/\s+/);

describe('addresses that may not be called', () => {
  test('there are enough of them', () => expect(new Set(BLOCKED_HOSTS).size).toBeGreaterThanOrEqual(150));

  test.each(BLOCKED_HOSTS)('%s', async (host) => {
    for (const url of [`http://${host}/`, `https://${host}:8443/x?y=z`]) {
      expect(await outcome(url)).toBe('blocked_target');
    }
  });

  test.each([
    'file:///etc/passwd',
    'ftp://example.com/',
    'gopher://example.com/',
    'http:/127.0.0.1/',
    'ws://example.com/',
    'http://user@127.0.0.1/',
    'http://example.com#@127.0.0.1/',
    'http://[fe80::1%25eth0]/',
    'http://[::1',
    'unix:/var/run/docker.sock',
    'http://127.0.0.1:80\\@example.com/',
  ])('%s', async (url) => {
    expect(await outcome(url)).toBe('blocked_target');
  });
});

describe('addresses that may be called', () => {
  test.each([
    ['http://8.8.8.8/', '8.8.8.8'],
    ['http://1.1.1.1:8080/', '1.1.1.1'],
    ['http://0x08080808/', '8.8.8.8'],
    ['http://9.255.255.255/', '9.255.255.255'],
    ['http://11.0.0.0/', '11.0.0.0'],
    ['http://100.63.255.255/', '100.63.255.255'],
    ['http://100.128.0.0/', '100.128.0.0'],
    ['http://126.255.255.255/', '126.255.255.255'],
    ['http://128.0.0.1/', '128.0.0.1'],
    ['http://169.253.1.1/', '169.253.1.1'],
    ['http://172.15.255.255/', '172.15.255.255'],
    ['http://172.32.0.0/', '172.32.0.0'],
    ['http://192.167.1.1/', '192.167.1.1'],
    ['http://198.17.1.1/', '198.17.1.1'],
    ['http://223.255.255.254/', '223.255.255.254'],
    ['https://[2606:4700:4700::1111]/', '2606:4700:4700::1111'],
    ['https://[2a00:1450:4001::1]/', '2a00:1450:4001::1'],
    ['https://[::ffff:8.8.8.8]/', '::ffff:808:808'],
    ['https://[64:ff9b::8.8.8.8]/', '64:ff9b::808:808'],
    ['https://[2606:4700::5efe:8.8.8.8]/', '2606:4700::5efe:808:808'],
    ['https://example.com/', '93.184.216.34'],
    ['https://localhost.example.com/', '93.184.216.34'],
  ])('%s', async (url, address) => {
    expect(await outcome(url)).toBe(`dials ${address}`);
  });
});

describe('what a name resolves to', () => {
  test.each([
    [['127.0.0.1']],
    [['93.184.216.34', '10.0.0.1']],
    [['10.0.0.1', '93.184.216.34']],
    [['2606:4700::1', 'fd00::1']],
    [['::ffff:169.254.169.254']],
    [['fe80::1%eth0']],
    [['2606:4700::1%1']],
    [['64:ff9b::7f00:1']],
    [['nonsense']],
    [['']],
  ])('%j blocks it', async (answers) => {
    expect(await outcome('https://name.example/', answers)).toBe('blocked_target');
  });

  test('nothing at all is said to be so', async () => {
    expect(await outcome('https://name.example/', [])).toBe('upstream_unresolvable');
  });

  test('an address in a form of another century is none', () => {
    for (const text of ['127.1', '0x7f000001', '2130706433', '', 'localhost', '1.2.3.4.5']) {
      expect(isPublicAddress(text)).toBe(false);
    }
  });
});

describe('a connection', () => {
  const open: Server[] = [];
  afterEach(() => {
    for (const server of open.splice(0)) server.close();
  });
  async function listen(onConnection: (socket: Socket) => void): Promise<number> {
    const server = createServer(onConnection).listen(0, '127.0.0.1');
    open.push(server);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  test('is made to the address that was checked: nobody looks a second time', async () => {
    const port = await listen((socket) => socket.end('inside'));
    let lookups = 0;
    const changing: Resolver = async () => (++lookups === 1 ? ['192.0.78.1'] : ['127.0.0.1']);
    const dialled: string[] = [];
    const failure = await connectTo(
      { host: 'changes.example', port, isSecure: false, waivesAddressCheck: false },
      {
        resolve: changing,
        dial: async (address) => {
          dialled.push(address);
          throw Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
        },
        certificateAuthorities: [],
      },
      AbortSignal.timeout(5000),
    ).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'upstream_unreachable' });
    expect({ lookups, dialled }).toEqual({ lookups: 1, dialled: ['192.0.78.1'] });
  });

  test('to a host its author named may be on a private network', async () => {
    const port = await listen((socket) => socket.end('hello'));
    const socket = await connectTo(
      { host: 'intranet.corp', port, isSecure: false, waivesAddressCheck: true },
      { resolve: async () => ['127.0.0.1'], dial: dialDirectly, certificateAuthorities: [] },
      AbortSignal.timeout(5000),
    );
    const [data] = (await once(socket, 'data')) as [Buffer];
    expect(data.toString()).toBe('hello');
    socket.destroy();
  });

  test('tries the next address when one does not answer', async () => {
    const port = await listen((socket) => socket.end());
    const socket = await connectTo(
      { host: 'two.example', port, isSecure: false, waivesAddressCheck: true },
      { resolve: async () => ['127.0.0.9', '127.0.0.1'], dial: dialDirectly, certificateAuthorities: [] },
      AbortSignal.timeout(5000),
    );
    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.destroy();
  });

  test('that was given up leaves no socket, also in the middle of TLS', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const abort = new AbortController();
    const port = await listen((socket) => {
      socket.on('data', () => abort.abort());
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
    });
    const connecting = connectTo(
      { host: 'mute.example', port, isSecure: true, waivesAddressCheck: true },
      { resolve: async () => ['127.0.0.1'], dial: dialDirectly, certificateAuthorities: [] },
      abort.signal,
    );
    await expect(connecting).rejects.toMatchObject({ name: 'AbortError' });
    await closed;
  });

  test('to a name nobody knows fails as such', async () => {
    await expect(
      connectTo(
        { host: 'no-such-name.invalid', port: 80, isSecure: false, waivesAddressCheck: false },
        { resolve: resolveWithSystem, dial: dialDirectly, certificateAuthorities: [] },
        AbortSignal.timeout(10_000),
      ),
    ).rejects.toMatchObject({ code: 'upstream_unresolvable' });
  });
});
