import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { CertificateAuthority, type Issued } from '#test/support/certificate-authority.ts';
import { codeOf, FakeMain, ServiceBench, textsOf } from '../test-support/services.ts';

const bench = new ServiceBench();
let authority: CertificateAuthority;
let server: Server;
let port: number;
let own: Issued;
let client: Issued;
let sessions: number;

beforeAll(async () => {
  authority = new CertificateAuthority();
  own = authority.issue('server', 'subjectAltName=DNS:api.example.com,DNS:other.example.com');
  client = authority.issue('client', 'extendedKeyUsage=clientAuth');
  const tls = { key: own.key, cert: own.certificate, ca: authority.certificate };
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
  authority[Symbol.dispose]();
});

function callerWith(fields: Record<string, string>, allowsAllUris = false) {
  const main = new FakeMain();
  main.answer = () => ({ fields, publicFields: [] });
  return bench.caller({
    main,
    certificateAuthorities: [authority.certificate],
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
  const caller = callerWith({ certificate: client.certificate, key: own.key });
  const result = await caller.call({ target: `https://api.example.com:${port}/` });
  expect(codeOf(result)).toBe('upstream_unreachable');
  expect(JSON.stringify(result)).not.toContain('PRIVATE KEY');
});
