import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CLIENT_SECRET,
  startAuthorizationServer,
  type AuthorizationServer,
} from '#test/peers/authorization-server.ts';
import {
  AGENT,
  API_KEY,
  connectionPackages,
  MAIL,
  startService,
  type Service,
} from './connection-packages.ts';
import { createVault, expectOpenToAll, signInAt as signInWith } from './connecting.ts';
import { recordWire } from './frames.ts';
import { launchApp, type LaunchedApp } from './launch.ts';
import { dropFiles, goTo, libraryShown, shownRun } from './steps.ts';

const PASSPHRASE = 'correct horse battery staple';

describe('accounts at services', () => {
  let app: LaunchedApp;
  let authority: AuthorizationServer;
  let service: Service;
  let taken: Server;
  let wire: ReturnType<typeof recordWire>;
  let page: Page;
  let sheet: Locator;
  /** Address of a callback that was answered. */
  let usedCallback = '';

  beforeAll(async () => {
    // It knows no scope `calendar`, and leaves it out of what it grants.
    authority = await startAuthorizationServer({ scopes: ['mail.send', 'admin'] });
    service = await startService();
    taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    app = await launchApp({
      shell: 'browser',
      environment: { SIDECAR_API_CALL_CONCURRENCY: '7' },
      onPage: (opened) => void (wire = recordWire(opened)),
    });
    ({ page } = app);
    page.setDefaultTimeout(15_000);
    await libraryShown(page);
    sheet = page.getByRole('dialog');
  });
  afterAll(async () => {
    await app?.close();
    taken?.close();
    await authority?.[Symbol.asyncDispose]();
    await service?.[Symbol.asyncDispose]();
  });

  const isOpenToAll = (name: string) => expectOpenToAll(page, name);

  /** Does the person's part; gives the title of the page they end at. */
  async function signInAt(address: string, login: string, aborts = false): Promise<string> {
    const window = await signInWith(page, address, { login, aborts });
    usedCallback = window.url;
    return window.title;
  }

  const addressShown = async () => {
    const field = sheet.getByLabel('Address of the sign-in');
    await field.waitFor();
    return field.inputValue();
  };
  const accounts = (name: string) => page.getByRole('list', { name: `Accounts of ${name}` });

  test('are explained while there is none, also to a keyboard', async () => {
    await dropFiles(page, await connectionPackages(authority.issuer, service.address));
    await sheet.getByRole('button', { name: 'Import 3 packages' }).click();
    await sheet.waitFor({ state: 'detached' });
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Connections' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No account is connected yet' }).waitFor();
    await isOpenToAll('connections-empty');
    await page.getByRole('button', { name: 'Connect a service' }).focus();
    await page.keyboard.press('Enter');
    await sheet.getByLabel('Find an integration').waitFor();
    await page.keyboard.type('harbour');
    await isOpenToAll('connections-choose');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Connect Harbour mail' }).waitFor();
    expect(app.problems).toEqual([]);
  });

  test('wait for a vault to be kept in', async () => {
    await sheet.getByText('which is not there yet').waitFor();
    await isOpenToAll('connect-vault');
    await createVault(sheet, PASSPHRASE);
    await sheet.getByRole('form', { name: 'App at Harbour mail' }).waitFor();
    expect(await sheet.getByLabel('New passphrase').count()).toBe(0);
  });

  test('ask once for the author’s own app, with the exact redirect to register', async () => {
    const form = sheet.getByRole('form', { name: 'App at Harbour mail' });
    await form.getByRole('list', { name: 'Setup' }).getByText('Open the console').waitFor();
    const redirect = form.getByRole('region', { name: 'Redirect URI' });
    expect(await redirect.locator('code').innerText()).toBe('http://127.0.0.1/oauth/callback');
    await redirect.getByText('Register another address').click();
    const { port } = taken.address() as AddressInfo;
    await redirect.getByLabel('Port').fill(String(port));
    expect(await redirect.locator('code').innerText()).toBe(`http://127.0.0.1:${port}/oauth/callback`);
    await redirect.getByText(`Enter http://127.0.0.1:${port}/oauth/callback as the redirect`).waitFor();
    await form.getByLabel('Client id').fill('basic');
    await isOpenToAll('connect-client');
    await form.getByRole('button', { name: 'Save the app' }).click();
    await form.getByText('The service wants the secret').waitFor();
    await form.getByLabel('Client secret').fill(CLIENT_SECRET);
    await form.getByRole('button', { name: 'Save the app' }).click();
    await sheet.getByRole('list', { name: 'Scopes of the consent' }).waitFor();
  });

  test('tell what a consent will ask for, and mark what weighs much', async () => {
    const scopes = sheet.getByRole('list', { name: 'Scopes of the consent' });
    expect(await scopes.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^Know who you are\s+always asked/),
      expect.stringMatching(/^Know your address\s+always asked/),
      expect.stringMatching(/^Stay signed in\s+always asked/),
    ]);
    await sheet.getByText('Ask for more').click();
    const more = sheet.getByRole('list', { name: 'Further scopes' });
    await more.getByText('High risk: administers the account').waitFor();
    await more.getByLabel('Read the calendar').check();
    await scopes.getByText('added by you').waitFor();
    await isOpenToAll('connect-scopes');
  });

  test('say that the port is taken, and go on at another', async () => {
    await sheet.getByRole('button', { name: 'Sign in to Harbour mail' }).click();
    await sheet.locator('[data-problem="redirect_port_taken"]').waitFor();
    await sheet.getByRole('button', { name: 'Change the app' }).click();
    await sheet.getByText('Register another address').click();
    await sheet.getByLabel('Port').fill('0');
    await sheet.getByRole('button', { name: 'Save the app' }).click();
    const scopes = sheet.getByRole('list', { name: 'Scopes of the consent' });
    await scopes.waitFor();
    expect(await scopes.getByText('added by you').count()).toBe(1);
  });

  test('are left alone when the sign-in is cancelled, and what comes back later counts no more', async () => {
    await sheet.getByRole('button', { name: 'Sign in to Harbour mail' }).click();
    const address = await addressShown();
    await isOpenToAll('connect-waiting');
    await sheet.getByRole('button', { name: 'Cancel' }).click();
    await sheet.getByText('The sign-in was cancelled.').waitFor();
    expect(await signInAt(address, 'late')).not.toContain('is connected');
  });

  test('are left alone when the person denies, and a forged callback changes nothing', async () => {
    await sheet.getByRole('button', { name: 'Sign in again' }).click();
    const address = await addressShown();
    const redirect = new URL(new URL(address).searchParams.get('redirect_uri') ?? '');
    const forged = await fetch(`${redirect.href}?code=x&state=forged`);
    expect(forged.status).toBe(400);
    expect(await sheet.getByLabel('Address of the sign-in').inputValue()).toBe(address);
    expect(await signInAt(address, 'ada', true)).toBe('Access was not granted');
    await sheet.locator('[data-problem="oauth_denied"]').waitFor();
    await isOpenToAll('connect-denied');
  });

  test('are connected in the browser, also with less than was asked for, and a callback counts once', async () => {
    await sheet.getByRole('button', { name: 'Try again' }).click();
    const title = await signInAt(await addressShown(), 'ada');
    expect(title).toBe('Harbour mail is connected, with less than was asked for');
    await sheet.getByText('Harbour mail is connected as ada@example.com').waitFor();
    await sheet.getByRole('region', { name: 'Not granted' }).getByText('Read the calendar').waitFor();
    const replayed = await fetch(usedCallback);
    expect(replayed.status).toBe(400);
    await isOpenToAll('connect-done');
    await sheet.getByRole('button', { name: 'Done' }).click();
    await sheet.waitFor({ state: 'detached' });
    const row = accounts('Harbour mail').getByRole('listitem', { name: 'ada@example.com' });
    await row.getByText('Connected', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Details of ada@example.com' }).click();
    await row.getByRole('region', { name: 'Granted' }).getByText('Know your address').waitFor();
  });

  test('are renamed by keyboard, tested, and told apart from others of the same service', async () => {
    await page.getByRole('button', { name: 'Add an account' }).click();
    await sheet.getByRole('button', { name: 'Sign in to Harbour mail' }).click();
    expect(await signInAt(await addressShown(), 'grace')).toBe('Harbour mail is connected');
    await sheet.getByRole('button', { name: 'Done' }).click();
    const list = accounts('Harbour mail');
    await list.getByRole('button', { name: 'Actions for grace@example.com' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Rename' }).waitFor();
    await page.keyboard.press('Enter');
    const field = list.getByRole('textbox', { name: 'New label of grace@example.com' });
    await field.fill('Night watch');
    await field.press('Enter');
    const row = list.getByRole('listitem', { name: 'Night watch' });
    await row.getByText('grace@example.com').first().waitFor();
    await row.getByRole('button', { name: 'Test' }).click();
    await row.locator('[data-outcome="works"]').waitFor();
    await isOpenToAll('connections-list');
  });

  test('are connected with a code on another device', async () => {
    await page.getByRole('button', { name: 'Add an account' }).first().click();
    await sheet.getByRole('button', { name: 'With a code on another device' }).click();
    const code = await sheet.getByLabel('Code to enter').innerText();
    await isOpenToAll('connect-device');
    await authority.allowDevice(`${authority.issuer}/device`, code, 'linus');
    await sheet.getByText('Harbour mail is connected as linus@example.com').waitFor({ timeout: 30_000 });
    expect(await sheet.getByRole('region', { name: 'Not granted' }).count()).toBe(0);
    await sheet.getByRole('button', { name: 'Done' }).click();
    await accounts('Harbour mail').getByRole('button', { name: 'Actions for linus@example.com' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await accounts('Harbour mail').getByRole('listitem', { name: 'linus' }).waitFor({ state: 'detached' });
  });

  test('are entered in a form where there is no sign-in, and tried before they are kept', async () => {
    await page.getByRole('button', { name: 'Connect a service' }).click();
    await sheet.getByRole('button', { name: /^Tide tables/ }).click();
    const form = sheet.getByRole('form', { name: 'Credentials' });
    await form.getByText('From your page at the service.').waitFor();
    expect(await form.getByLabel('Key').getAttribute('type')).toBe('password');
    await form.getByLabel('Key').fill('not-the-key');
    await form.getByRole('button', { name: 'Test' }).click();
    await form.locator('[data-outcome="refused"]').waitFor();
    await form.getByLabel('Key').fill(API_KEY);
    await form.getByRole('button', { name: 'Test' }).click();
    await form.locator('[data-outcome="works"]').waitFor();
    await isOpenToAll('connect-fields');
    await form.getByRole('button', { name: 'Save' }).click();
    await sheet.waitFor({ state: 'detached' });
    await accounts('Tide tables').getByRole('listitem').waitFor();
    expect(service.shown).toContain(API_KEY);
  });

  test('are asked for before a run, with what each lacks, and granted in place', async () => {
    await goTo(page, `#/agents/${encodeURIComponent(AGENT)}/run`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const before = page.getByRole('dialog', { name: 'Before Harbour watch runs' });
    const mail = before.getByRole('listitem', { name: 'Harbour mail' });
    await mail.getByText('Choose which account of Harbour mail to use.').waitFor();
    await before.getByRole('listitem', { name: 'Tide tables' }).getByRole('img', { name: 'Ready' }).waitFor();
    const run = before.getByRole('button', { name: 'Run', exact: true });
    expect(await run.getAttribute('aria-disabled')).toBe('true');
    await mail
      .getByRole('list', { name: 'Scopes of Harbour mail' })
      .getByText('for api_call')
      .first()
      .waitFor();
    await isOpenToAll('before-run');
    await mail.getByLabel('ada@example.com').check();
    await mail
      .getByText(/does not allow mail\.send/)
      .first()
      .waitFor();
    const ada = mail.getByRole('listitem').filter({ hasText: 'ada@example.com' });
    await ada.getByRole('button', { name: 'Grant the rest' }).click();
    const scopes = mail.getByRole('list', { name: 'Scopes of the consent' });
    await scopes.getByText('Send letters').waitFor();
    await isOpenToAll('before-run-grant');
    await mail
      .getByRole('region', { name: 'Connect Harbour mail' })
      .getByRole('button', { name: 'Grant the rest' })
      .click();
    const address = await mail.getByLabel('Address of the sign-in').inputValue();
    expect(new URL(address).searchParams.get('scope')?.split(' ')).toEqual(
      expect.arrayContaining(['mail.send', 'email']),
    );
    expect(await signInAt(address, 'ada')).toBe('Harbour mail is connected');
    await mail.getByRole('button', { name: 'Done' }).click();
    await mail.getByRole('img', { name: 'Ready' }).waitFor();
    await isOpenToAll('before-run-ready');
  });

  test('are chosen once for an agent, which remembers them', async () => {
    await page
      .getByRole('dialog', { name: 'Before Harbour watch runs' })
      .getByRole('button', { name: 'Run', exact: true })
      .click();
    const first = await shownRun(page);
    await goTo(page, `#/agents/${encodeURIComponent(AGENT)}/run`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForFunction(
      (known) =>
        /^#\/runs\/([^/?]+)/.exec(location.hash)?.[1] !== known && location.hash.startsWith('#/runs/'),
      first,
    );
    await goTo(page, '#/connections');
    await accounts('Harbour mail')
      .getByRole('listitem', { name: 'ada@example.com' })
      .getByText('Chosen by 1 agent')
      .waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  test('are removed with a word on who uses them', async () => {
    await accounts('Harbour mail').getByRole('button', { name: 'Actions for ada@example.com' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    const question = page.getByRole('alertdialog', { name: 'Remove ada@example.com?' });
    await question.getByRole('link', { name: 'Harbour watch' }).waitFor();
    await isOpenToAll('connections-remove');
    await question.getByRole('button', { name: 'Remove' }).click();
    const removed = accounts('Harbour mail').getByRole('listitem', { name: 'ada@example.com' });
    await removed.waitFor({ state: 'detached' });
    expect(await accounts('Harbour mail').getByRole('listitem', { name: 'Night watch' }).count()).toBe(1);
  });

  test('stand on their integration’s page, with the ways to connect', async () => {
    await goTo(page, `#/integrations/${encodeURIComponent(MAIL)}/connections`);
    await page.getByRole('list', { name: 'Accounts of Harbour mail' }).getByText('Night watch').waitFor();
    const ways = page.getByRole('region', { name: 'Ways to connect' });
    await ways.getByText('Your app: basic').waitFor();
    expect(await ways.getByText('http://127.0.0.1/oauth/callback').count()).toBe(1);
    await isOpenToAll('integration-connections');
  });

  test('leave no secret in the page, on the way to it, in a file or in a log', async () => {
    const tokens = service.shown.flatMap((value) => /^Bearer (.+)$/.exec(value)?.[1] ?? []);
    expect(tokens.length).toBeGreaterThan(0);
    const canaries = [CLIENT_SECRET, API_KEY, PASSPHRASE, ...tokens];
    const inPage = await page.evaluate(() => {
      const stores = [localStorage, sessionStorage].map((store) => JSON.stringify(Object.entries(store)));
      const values = [...document.querySelectorAll('input, textarea')].map((field) =>
        'value' in field ? String(field.value) : '',
      );
      return [document.documentElement.outerHTML, ...values, ...stores].join('\n');
    });
    expect(inPage).toContain('Night watch');
    const received = wire.received.join('\n');
    expect(received).toContain('Night watch');
    const files = readdirSync(app.dataDirectory, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name)));
    for (const canary of canaries) {
      for (const text of [inPage, received, app.mainProcess.logs()]) expect(text).not.toContain(canary);
      for (const bytes of files) expect(bytes.includes(canary)).toBe(false);
    }
    expect(app.problems).toEqual([]);
  });

  test('go through the author’s network, which is settled and tested on a page of its own', async () => {
    await goTo(page, '#/settings/network');
    const proxy = page.getByRole('form', { name: 'Proxy', exact: true });
    await page.getByRole('listitem', { name: 'SIDECAR_API_CALL_CONCURRENCY' }).getByText('7 calls').waitFor();
    const through: string[] = [];
    const tunnel = createServer().on('connect', (request, socket) => {
      through.push(request.url ?? '');
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    await new Promise<void>((resolve) => tunnel.listen(0, '127.0.0.1', resolve));
    await proxy.getByLabel('Way to the internet').selectOption('manual');
    await proxy.getByLabel('Address of the proxy').fill('http://user:word@127.0.0.1:1');
    await proxy.getByRole('button', { name: 'Save' }).click();
    await proxy.getByText(/must be like/).waitFor();
    const { port } = tunnel.address() as AddressInfo;
    await proxy.getByLabel('Address of the proxy').fill(`127.0.0.1:${port}`);
    await proxy.getByRole('button', { name: 'Save' }).click();
    const trial = page.getByRole('region', { name: 'Test' });
    await page.getByRole('form', { name: 'Proxy login' }).waitFor();
    await trial.getByLabel('Address to read').fill('https://service.example/');
    await trial.getByRole('button', { name: 'Test' }).click();
    await trial
      .locator('[data-outcome="failed"]')
      .getByText(`through http://127.0.0.1:${port}`)
      .first()
      .waitFor();
    await trial.locator('[data-problem="network_proxy_refused"]').waitFor();
    expect(through).toEqual(['service.example:443']);
    tunnel.close();
    await page.getByRole('button', { name: 'Add a certificate' }).click();
    const form = page.getByRole('form', { name: 'Add a certificate' });
    await form.getByLabel('Certificate in PEM').fill('no certificate');
    await form.getByRole('button', { name: 'Trust it' }).click();
    await form.locator('[data-problem="certificate_missing"]').waitFor();
    await form.getByLabel('File with the certificate').setInputFiles({
      name: 'company.pem',
      mimeType: 'application/x-pem-file',
      buffer: Buffer.from(companyCertificate()),
    });
    await form.getByRole('button', { name: 'Trust it' }).click();
    const known = page.getByRole('list', { name: 'Trusted certificates' });
    await known.getByText('Harbour Root').first().waitFor();
    await isOpenToAll('settings-network');
    await known.getByRole('button', { name: 'Remove Harbour Root' }).click();
    await page.getByText('None: only the system’s are trusted.').waitFor();
    await proxy.getByLabel('Way to the internet').selectOption('system');
    await proxy.getByRole('button', { name: 'Save' }).click();
    await proxy.getByRole('button', { name: 'Save' }).and(page.locator('[aria-disabled="true"]')).waitFor();
  });
});

/** A certificate that was made now, so that it has not ended. */
function companyCertificate(): string {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-certificate-'));
  try {
    const files = ['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')];
    const how = [
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '90',
    ];
    execFileSync('openssl', ['req', ...how, ...files, '-subj', '/CN=Harbour Root'], { stdio: 'ignore' });
    return readFileSync(join(folder, 'certificate.pem'), 'utf8');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
