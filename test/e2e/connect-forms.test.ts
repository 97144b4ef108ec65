import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { createServer as createPlainServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeArchive } from '#main/library/archive/write-archive.ts';
import { startService, type TestService } from '#main/sidecar/test-support/services.ts';
import {
  CLIENT_SECRET,
  startAuthorizationServer,
  type AuthorizationServer,
} from '#test/peers/authorization-server.ts';
import { CertificateAuthority, type Issued } from '#test/support/certificate-authority.ts';
import { formsOf, searchFolder, searchText } from '#test/support/search.ts';
import { integrationFiles } from '#test/support/test-packages.ts';
import { callByHand, createVault, expectOpenToAll, signInAt } from './connecting.ts';
import { recordWire } from './frames.ts';
import { launchApp, type LaunchedApp } from './launch.ts';
import { goTo, importDropped, libraryShown } from './steps.ts';

const PASSWORD = 'canary-p&ss"word {{user}} 31d7';
const PASSPHRASE = 'correct horse battery staple';

/** A login that gives a session, and an API that takes the newest one. */
class SessionService {
  readonly sessions: string[] = [];
  service!: TestService;

  async start(): Promise<void> {
    this.service = await startService(({ method, url, headers, body }, response) => {
      response.setHeader('content-type', 'application/json');
      if (method === 'POST' && url === '/login') {
        const { user, password } = JSON.parse(body.toString()) as { user: string; password: string };
        if (password !== PASSWORD)
          return void response.writeHead(403).end(`{"wrong":${JSON.stringify(password)}}`);
        this.sessions.push(`session-canary-${this.sessions.length + 1}-9b1c`);
        return void response.end(JSON.stringify({ session: this.sessions.at(-1), who: `${user}@harbour` }));
      }
      const isKnown = headers['x-session'] !== undefined && headers['x-session'] === this.sessions.at(-1);
      response.writeHead(isKnown ? 200 : 401).end(JSON.stringify({ isKnown }));
    });
  }

  get address(): string {
    return `http://127.0.0.1:${this.service.port}`;
  }
}

/** A service that lets nobody in without a certificate of its own authority. */
async function startGuarded(own: Issued, authority: string): Promise<Server> {
  const tls = { key: own.key, cert: own.certificate, ca: authority };
  const server = createServer(
    { ...tls, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      const { CN: name } = (request.socket as TLSSocket).getPeerCertificate().subject;
      response.writeHead(200, { 'content-type': 'text/plain' }).end(`You are ${String(name)}`);
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function freePort(): Promise<number> {
  const probe = createPlainServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

const fields = (properties: Readonly<Record<string, unknown>>) => ({
  schema: { type: 'object', properties, required: Object.keys(properties) },
});

describe('accounts that are connected by other means than a key', () => {
  const sessions = new SessionService();
  let app: LaunchedApp;
  let page: Page;
  let sheet: Locator;
  let authority: CertificateAuthority;
  let strangers: CertificateAuthority;
  let guarded: Server;
  let client: Issued;
  let stranger: Issued;
  let signOn: AuthorizationServer;
  let port: number;
  let wire: ReturnType<typeof recordWire>;

  beforeAll(async () => {
    authority = new CertificateAuthority('Harbour Root');
    strangers = new CertificateAuthority('Strangers Root');
    client = authority.issue('harbour-watch', 'extendedKeyUsage=clientAuth');
    stranger = strangers.issue('stranger', 'extendedKeyUsage=clientAuth');
    guarded = await startGuarded(
      authority.issue('server', 'subjectAltName=IP:127.0.0.1'),
      authority.certificate,
    );
    await sessions.start();
    port = await freePort();
    signOn = await startAuthorizationServer({ redirectUris: [`http://localhost:${port}/oauth/callback`] });
    app = await launchApp({ shell: 'browser', onPage: (opened) => void (wire = recordWire(opened)) });
    ({ page } = app);
    page.setDefaultTimeout(15_000);
    sheet = page.getByRole('dialog');
    await libraryShown(page);
    await importDropped(
      page,
      await Promise.all(
        packages().map(async ([name, more]) => ({
          name: `${name}.afps`,
          bytes: await writeArchive(integrationFiles(`@harbour/${name}`, more)),
        })),
      ),
    );
    await goTo(page, '#/settings/network');
    await page.getByRole('button', { name: 'Add a certificate' }).click();
    const form = page.getByRole('form', { name: 'Add a certificate' });
    await form.getByLabel('Certificate in PEM').fill(authority.certificate);
    await form.getByRole('button', { name: 'Trust it' }).click();
    await page
      .getByRole('list', { name: 'Trusted certificates' })
      .getByText('Harbour Root')
      .first()
      .waitFor();
  }, 120_000);
  afterAll(async () => {
    await app?.close();
    guarded?.closeAllConnections();
    guarded?.close();
    await sessions.service?.[Symbol.asyncDispose]();
    await signOn?.[Symbol.asyncDispose]();
    authority?.[Symbol.dispose]();
    strangers?.[Symbol.dispose]();
  });

  function packages(): [name: string, more: Record<string, unknown>][] {
    const api = (key: string) => ({ 'dev.appstrate/api': { auths: { [key]: {} } } });
    return [
      [
        'gate',
        {
          display_name: 'Harbour gate',
          auths: {
            certificate: {
              type: 'mtls',
              credentials: fields({
                certificate: { type: 'string', title: 'Certificate' },
                private_key: { type: 'string', title: 'Key' },
              }),
              delivery: {
                files: {
                  '/run/gate/client.pem': { value: '{$credential.certificate}' },
                  '/run/gate/client.key': { value: '{$credential.private_key}' },
                },
              },
              authorized_uris: [`${guardedAddress()}**`],
            },
          },
          _meta: api('certificate'),
        },
      ],
      [
        'ledger',
        {
          display_name: 'Harbour ledger',
          auths: {
            login: {
              type: 'custom',
              credentials: fields({
                user: { type: 'string', title: 'User' },
                password: { type: 'string', title: 'Password' },
              }),
              connect: {
                login: {
                  request: {
                    method: 'POST',
                    url: `${sessions.address}/login`,
                    body: { user: '{{user}}', password: '{{password}}' },
                  },
                  success_criteria: [{ condition: '$statusCode == 200' }],
                  outputs: { session: '$response.body#/session', who: '$response.body#/who' },
                  identity_outputs: ['who'],
                },
              },
              delivery: { http: { in: 'header', name: 'X-Session', value: '{$credential.session}' } },
              authorized_uris: [`${sessions.address}/**`],
            },
          },
          _meta: api('login'),
        },
      ],
      [
        'pilot',
        {
          display_name: 'Harbour pilot',
          auths: {
            oauth: {
              type: 'oauth2',
              issuer: signOn.issuer,
              token_endpoint_auth_method: 'client_secret_basic',
              default_scopes: ['openid', 'email'],
              scope_catalog: [
                { value: 'openid', label: 'Know who you are' },
                { value: 'email', label: 'Know your address' },
              ],
              identity_claims: { account_id: 'email' },
              authorized_uris: [`${sessions.address}/**`],
              delivery: {
                http: {
                  in: 'header',
                  name: 'Authorization',
                  prefix: 'Bearer',
                  value: '{$credential.access_token}',
                },
              },
              _meta: { 'app.slipway/redirect': { kind: 'loopback', host: 'localhost', port } },
            },
          },
          _meta: api('oauth'),
        },
      ],
    ];
  }

  const guardedAddress = () => `https://127.0.0.1:${(guarded.address() as AddressInfo).port}/`;
  const place = (name: string, tab: string) =>
    goTo(page, `#/integrations/${encodeURIComponent(`@harbour/${name}`)}/${tab}`);
  const accounts = (name: string) => page.getByRole('list', { name: `Accounts of ${name}` });

  const called = (name: string, target: string) => callByHand(page, `@harbour/${name}`, target);

  test('a client certificate is read from its files, tried at the service, and shown to it by calls', async () => {
    await place('gate', 'connections');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await createVault(sheet, PASSPHRASE);
    const form = sheet.getByRole('form', { name: 'Credentials' });
    await form.waitFor();
    await expectOpenToAll(page, 'connect-certificate-empty');
    const give = async ({ certificate, key }: Issued) => {
      const file = (name: string, text: string) => ({
        name,
        mimeType: 'application/x-pem-file',
        buffer: Buffer.from(text),
      });
      await form.getByLabel('File of Certificate').setInputFiles(file('client.pem', certificate));
      await form.getByLabel('File of Key').setInputFiles(file('client.key', key));
      await form.getByRole('button', { name: 'Test' }).click();
    };
    await give(stranger);
    await form
      .locator('[data-outcome="unreachable"]')
      .getByText(/may not accept the certificate/)
      .waitFor();
    await expectOpenToAll(page, 'connect-certificate-refused');
    await give(client);
    await form.locator('[data-outcome="works"]').waitFor();
    await form.getByLabel('Label').fill('Watch');
    await form.getByRole('button', { name: 'Save' }).click();
    await sheet.waitFor({ state: 'detached' });
    const row = accounts('Harbour gate').getByRole('listitem', { name: 'Watch' });
    await row.getByRole('button', { name: 'Test' }).click();
    await row.locator('[data-outcome="works"]').waitFor();
    expect(await called('gate', guardedAddress())).toMatch(
      /\[api_call status=200\][^]*You are harbour-watch/,
    );
  });

  test('a login is made with what was typed in, and made again once its session has ended', async () => {
    await place('ledger', 'connections');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    const form = sheet.getByRole('form', { name: 'Credentials' });
    await form.getByText('keeps the session, which it renews by itself').waitFor();
    await form.getByLabel('User').fill('ada');
    await form.getByLabel('Password').fill('wrong');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.locator('[data-problem="login_bad_status"]').waitFor();
    expect(sessions.sessions).toEqual([]);
    await expectOpenToAll(page, 'connect-login-refused');
    await form.getByLabel('Password').fill(PASSWORD);
    await form.getByRole('button', { name: 'Save' }).click();
    await sheet.waitFor({ state: 'detached' });
    await accounts('Harbour ledger').getByRole('listitem', { name: 'ada@harbour' }).waitFor();
    const target = `${sessions.address}/entries`;
    expect(await called('ledger', target)).toContain('"isKnown":true');
    sessions.sessions.push('ended-at-the-service');
    expect(await called('ledger', target)).toContain('"isKnown":true');
    expect(sessions.sessions).toHaveLength(3);
  });

  test('a sign-in comes back to localhost where the service wants that name', async () => {
    await place('pilot', 'connections');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    const form = sheet.getByRole('form', { name: 'App at Harbour pilot' });
    const redirect = `http://localhost:${port}/oauth/callback`;
    expect(await form.getByRole('region', { name: 'Redirect URI' }).locator('code').innerText()).toBe(
      redirect,
    );
    await form.getByLabel('Client id').fill('basic');
    await form.getByLabel('Client secret').fill(CLIENT_SECRET);
    await form.getByRole('button', { name: 'Save the app' }).click();
    await sheet.getByRole('button', { name: 'Sign in to Harbour pilot' }).click();
    const address = await sheet.getByLabel('Address of the sign-in').inputValue();
    expect(new URL(address).searchParams.get('redirect_uri')).toBe(redirect);
    const window = await signInAt(page, address, { login: 'grace' });
    expect(window.title).toBe('Harbour pilot is connected');
    expect(window.url.startsWith(redirect)).toBe(true);
    await sheet.getByRole('button', { name: 'Done' }).click();
    await accounts('Harbour pilot').getByRole('listitem', { name: 'grace@example.com' }).waitFor();
  });

  test('none of it is in the page, on the way to it, in a file or in a log', async () => {
    const canaries = {
      password: formsOf(PASSWORD),
      key: formsOf(client.key.split('\n')[1] ?? ''),
      appSecret: formsOf(CLIENT_SECRET),
      session: sessions.sessions.filter((one) => one.includes('canary')).flatMap(formsOf),
    };
    const received = wire.received.join('\n');
    expect(received.includes('ada@harbour')).toBe(true);
    for (const text of [await page.content(), received, app.mainProcess.logs()])
      expect(await searchText(text, canaries)).toEqual([]);
    const { found, files } = await searchFolder(app.dataDirectory, canaries);
    expect(found).toEqual([]);
    expect(files).toBeGreaterThan(3);
    expect(app.problems).toEqual([]);
  });
});
