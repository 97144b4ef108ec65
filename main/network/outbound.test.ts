import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createPlainServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSecretStore } from '#main/secrets/index.ts';
import { DEFAULT_SETTINGS, settingsSchema } from '#shared/settings/settings.ts';
import { CertificateAuthority } from '#test/support/certificate-authority.ts';
import { AuthorNetwork, HttpOutbound, type NetworkChoice } from './index.ts';

const code = (value: string) =>
  expect.objectContaining({ problem: expect.objectContaining({ code: value }) });

let folder: string;
let certificate: string;
let privateKey: string;
let service: Server;
let proxy: Server;
let address: URL;
let proxyAddress: string;
/** What the proxy was asked for, with how it was asked to believe the asker. */
const tunnels: { host: string; authorization: string | undefined }[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-network-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=company.test', '-addext', 'subjectAltName=DNS:company.test'];
  const how = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    '2',
  ];
  execFileSync('openssl', [...how, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
  certificate = readFileSync(cert, 'utf8');
  const asksForProof = { requestCert: true, rejectUnauthorized: false };
  privateKey = readFileSync(key, 'utf8');
  service = createSecureServer(
    { key: privateKey, cert: certificate, ...asksForProof },
    (request, response) => {
      const shown = (request.socket as TLSSocket).getPeerCertificate();
      response.writeHead(200).end(`${request.url} ${[shown.subject?.CN ?? 'nobody'].flat().join()}`);
    },
  );
  proxy = createPlainServer().on('connect', (request, socket, head) => {
    tunnels.push({ host: request.url ?? '', authorization: request.headers['proxy-authorization'] });
    const { port } = service.address() as AddressInfo;
    const upstream = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  await Promise.all(
    [service, proxy].map((one) => new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve))),
  );
  address = new URL('https://company.test/path');
  proxyAddress = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
afterAll(() => {
  for (const server of [service, proxy]) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(folder, { recursive: true, force: true });
});

async function get(url: URL, network: NetworkChoice, publicOnly = false): Promise<string> {
  await using outbound = new HttpOutbound({ network: () => network, environment: {} });
  const request = { method: 'GET', url, headers: {}, timeoutMs: 5_000, maxBytes: 1_000, publicOnly };
  return (await outbound.send(request)).body.toString();
}

describe('requests of main', () => {
  const through = (extraCertificates: string, exceptions = ''): NetworkChoice => ({
    proxy: { mode: 'manual', address: proxyAddress, exceptions },
    extraCertificates,
  });

  it('go through the author’s proxy and trust his certificates, and no others', async () => {
    expect(await get(address, through(certificate))).toBe('/path nobody');
    expect(tunnels.at(-1)?.host).toBe('company.test:443');
    await expect(get(address, through(''))).rejects.toEqual(code('network_tls'));
  });

  it('show a certificate of their own where a method proves itself by one, and to no later request', async () => {
    const network = through(certificate);
    await using outbound = new HttpOutbound({ network: () => network, environment: {} });
    const request = { method: 'GET', url: address, headers: {}, timeoutMs: 5_000, maxBytes: 1_000 };
    const clientCertificate = { certificate, key: privateKey };
    const shown = await outbound.send({ ...request, clientCertificate });
    expect(shown.body.toString()).toBe('/path company.test');
    expect((await outbound.send(request)).body.toString()).toBe('/path nobody');
  });

  it('that a service refuses for want of a certificate do not blame its own', async () => {
    using authority = new CertificateAuthority();
    const { key, certificate: cert } = authority.issue('server', 'subjectAltName=IP:127.0.0.1');
    // With TLS 1.3 the refusal comes after the handshake, and often as a mere end.
    const how = { requestCert: true, rejectUnauthorized: true, maxVersion: 'TLSv1.2' } as const;
    const strict = createSecureServer({ key, cert, ...how });
    await new Promise<void>((resolve) => strict.listen(0, '127.0.0.1', resolve));
    const url = new URL(`https://127.0.0.1:${(strict.address() as AddressInfo).port}/`);
    const refused = get(url, through(authority.certificate)).finally(() => strict.close());
    await expect(refused).rejects.toMatchObject({
      problem: { code: 'network_tls', title: expect.stringMatching(/refused the secure connection/) },
    });
  });

  it('go straight where he says so', async () => {
    const before = tunnels.length;
    await expect(get(address, through(certificate, 'company.test'))).rejects.toEqual(
      code('network_unreachable'),
    );
    expect(tunnels).toHaveLength(before);
  });

  it('to the internet only are refused by the address that is connected to', async () => {
    const direct: NetworkChoice = {
      proxy: { mode: 'none', address: '', exceptions: '' },
      extraCertificates: '',
    };
    for (const host of [
      '127.0.0.1',
      'localhost',
      '[::1]',
      '2130706433',
      '169.254.169.254',
      'ip6-localhost',
    ]) {
      const url = new URL(`http://${host}:${(service.address() as AddressInfo).port}/`);
      await expect(get(url, direct, true)).rejects.toEqual(code('network_blocked'));
    }
  });
});

describe('the author’s network', () => {
  it('keeps the proxy’s password in the vault, uses it, and tells it to nobody', async () => {
    const secrets = createSecretStore({ directory: folder, preference: 'memory' });
    const settings = {
      ...DEFAULT_SETTINGS.network,
      proxyMode: 'manual' as const,
      proxyAddress,
      extraCertificates: certificate,
    };
    const protectedValues: string[] = [];
    using network = new AuthorNetwork({
      settings: () => settings,
      secrets,
      environment: { https_proxy: 'http://someone:secret@proxy.corp:3128' },
      protect: (secret) => protectedValues.push(secret),
    });
    expect(await network.setProxyLogin('ada', 'p@ss:w/rd')).toBe(true);
    expect(protectedValues).toContain('p@ss:w/rd');
    expect(await network.describe()).toMatchObject({
      hasProxyLogin: true,
      systemProxy: 'http://proxy.corp:3128',
      systemProxySource: 'environment',
      certificates: [{ subject: 'company.test' }],
    });
    expect(JSON.stringify(await network.describe())).not.toContain('secret');
    await get(address, network.choice());
    const sent = Buffer.from(tunnels.at(-1)?.authorization?.slice('Basic '.length) ?? '', 'base64');
    expect(sent.toString()).toBe('ada:p@ss:w/rd');
    expect(await network.setProxyLogin('', '')).toBe(false);
    expect(await secrets.names()).toEqual([]);
  });

  it('is told to a sidecar, but for a proxy that only this computer can reach', () => {
    const secrets = createSecretStore({ directory: folder, preference: 'memory' });
    const make = (environment: Record<string, string>) =>
      new AuthorNetwork({
        settings: () => ({
          ...DEFAULT_SETTINGS.network,
          extraCertificates: `${certificate}\n${certificate}`,
        }),
        secrets,
        environment,
        protect: () => undefined,
      });
    using corporate = make({ HTTPS_PROXY: 'proxy.corp:3128', NO_PROXY: 'a.test, b.test' });
    expect(corporate.forSidecar()).toMatchObject({
      proxy: 'http://proxy.corp:3128',
      noProxy: ['a.test', 'b.test'],
      certificateAuthorities: [certificate.trim(), certificate.trim()],
    });
    using local = make({ HTTPS_PROXY: 'http://127.0.0.1:3128' });
    expect(local.forSidecar().proxy).toBeUndefined();
    expect(local.forSidecar('here').proxy).toBe('http://127.0.0.1:3128');
  });

  it.each([
    [407, 'The proxy asks who you are'],
    [502, 'The proxy does not lead to company.test'],
  ])('tells a proxy that answers with %i from a request that was cancelled', async (status, title) => {
    const refusing = createPlainServer().on('connect', (_request, socket) => {
      socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    });
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
    try {
      const { port } = refusing.address() as AddressInfo;
      const choice = { mode: 'manual', address: `http://127.0.0.1:${port}`, exceptions: '' } as const;
      await expect(
        get(new URL('https://company.test/'), { proxy: choice, extraCertificates: '' }),
      ).rejects.toMatchObject({ problem: { code: 'network_proxy_refused', title } });
    } finally {
      refusing.close();
    }
  });

  it('is the operating system’s own where the environment is silent', async () => {
    const secrets = createSecretStore({ directory: folder, preference: 'memory' });
    using network = new AuthorNetwork({
      settings: () => DEFAULT_SETTINGS.network,
      secrets,
      environment: {},
      system: async () => 'http://system.corp:3128',
      protect: () => undefined,
    });
    expect(await network.describe()).toMatchObject({
      systemProxy: 'http://system.corp:3128',
      systemProxySource: 'system',
    });
    expect(network.forSidecar().proxy).toBe('http://system.corp:3128');
    await using outbound = new HttpOutbound({ network: () => network.choice(), environment: {} });
    expect(await outbound.proxyFor(new URL('https://service.example/'))).toBe('http://system.corp:3128');
  });

  it('takes no password and no private key into the settings, which are not encrypted', () => {
    const withNetwork = (change: object) =>
      settingsSchema.safeParse({ ...DEFAULT_SETTINGS, network: { ...DEFAULT_SETTINGS.network, ...change } });
    expect(withNetwork({ proxyAddress: 'http://ada:secret@proxy.corp:3128' }).success).toBe(false);
    expect(withNetwork({ extraCertificates: '-----BEGIN PRIVATE KEY-----' }).success).toBe(false);
    expect(withNetwork({ proxyAddress: 'proxy.corp:3128', extraCertificates: certificate }).success).toBe(
      true,
    );
  });
});
