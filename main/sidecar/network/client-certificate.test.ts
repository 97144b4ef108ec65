import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { codeOf, FakeMain, ServiceBench, textsOf } from '../test-support/services.ts';

const bench = new ServiceBench();
let folder: string;
let server: Server;
let port: number;
let authority: string;
let client: { certificate: string; key: string };
let sessions: number;

function openssl(...words: string[]): void {
  execFileSync('openssl', words, { cwd: folder, stdio: 'ignore' });
}

function issue(name: string, extension: string): void {
  writeFileSync(join(folder, `${name}.ext`), extension);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', ...key, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
  const from = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'];
  openssl('x509', '-req', '-in', `${name}.csr`, ...from, '-out', `${name}.pem`, '-extfile', `${name}.ext`);
}

const read = (name: string) => readFileSync(join(folder, name), 'utf8');

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-mtls-'));
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl('req', '-x509', ...key, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Authority of a test');
  issue('server', 'subjectAltName=DNS:api.example.com,DNS:other.example.com');
  issue('client', 'extendedKeyUsage=clientAuth');
  authority = read('ca.pem');
  client = { certificate: read('client.pem'), key: read('client.key') };
  const tls = { key: read('server.key'), cert: read('server.pem'), ca: authority };
  server = createServer({ ...tls, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    const { CN: name = 'nobody' } = (request.socket as TLSSocket).getPeerCertificate().subject ?? {};
    if (request.url === '/away') {
      response.writeHead(302, { location: `https://other.example.com:${port}/` }).end();
      return;
    }
    response.setHeader('content-type', 'text/plain');
    response.end(`You are ${String(name)}`);
  });
  sessions = 0;
  server.on('secureConnection', () => (sessions += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterEach(() => bench.close());
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

function callerWith(fields: Record<string, string>, allowsAllUris = false) {
  const main = new FakeMain();
  main.answer = () => ({ fields, publicFields: [] });
  return bench.caller({
    main,
    certificateAuthorities: [authority],
    auth: {
      delivery: undefined,
      showsCertificate: true,
      canRefresh: false,
      authorizedUris: allowsAllUris ? [] : ['https://api.example.com:*/**'],
      allowsAllUris,
    },
  });
}

test('is shown to the service by every connection, whatever its fields are called', async () => {
  const caller = callerWith({ their_pem: client.certificate, secret: client.key });
  const target = `https://api.example.com:${port}/`;
  const before = sessions;
  for (let round = 0; round < 8; round += 1)
    expect(textsOf(await caller.call({ target }))[1]).toBe('You are client');
  // Connections are kept; which one is free first is undici's own affair.
  expect(sessions - before).toBeLessThanOrEqual(2);
});

test('is not shown where a redirect leads out of the service', async () => {
  const caller = callerWith({ certificate: client.certificate, key: client.key }, true);
  const result = await caller.call({ target: `https://api.example.com:${port}/away` });
  expect(textsOf(result)[1]).toBe('You are nobody');
});

test('that cannot be used fails the call, and its key is in no message', async () => {
  const caller = callerWith({ certificate: client.certificate, key: read('server.key') });
  const result = await caller.call({ target: `https://api.example.com:${port}/` });
  expect(codeOf(result)).toBe('upstream_unreachable');
  expect(JSON.stringify(result)).not.toContain('PRIVATE KEY');
});
