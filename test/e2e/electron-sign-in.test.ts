import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  CLIENT_SECRET,
  startAuthorizationServer,
  type AuthorizationServer,
} from '#test/peers/authorization-server.ts';
import { CommandLine } from './command-program.ts';
import { connectionPackages, MAIL } from './connection-packages.ts';
import { createVault } from './connecting.ts';
import { electronCommand, launchApp, type LaunchedApp } from './launch.ts';
import { goTo, libraryShown } from './steps.ts';

const REDIRECT = 'slipway://oauth/callback';

let folder: string;
let app: LaunchedApp;
let authority: AuthorizationServer;
let sheet: Locator;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-scheme-'));
  authority = await startAuthorizationServer({ scopes: ['mail.send'] });
  // It registers schemes in the form of a domain only; other services have no such rule.
  const client = (await authority.provider.Client.find('basic')) as unknown as {
    constructor: { prototype: { redirectUriAllowed: (uri: string) => boolean } };
  };
  client.constructor.prototype.redirectUriAllowed = (uri) => uri === REDIRECT;
  const commandLine = new CommandLine(folder);
  for (const { name, bytes } of await connectionPackages(authority.issuer, 'http://127.0.0.1:9')) {
    writeFileSync(join(folder, name), bytes);
    const { code, errors } = await commandLine.run(['import', name, '--yes']).ended;
    if (code !== 0) throw new Error(errors);
  }
  app = await launchApp({ shell: 'electron', dataDirectory: commandLine.dataFolder });
  const { page } = app;
  page.setDefaultTimeout(15_000);
  sheet = page.getByRole('dialog');
  await libraryShown(page);
  await goTo(page, `#/integrations/${encodeURIComponent(MAIL)}/connections`);
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  const vault = sheet.getByRole('form', { name: 'Create the vault' });
  await vault.or(setup()).first().waitFor();
  // Where the system has a key store, that is the vault.
  if (await vault.isVisible()) await createVault(sheet, 'correct horse battery staple');
}, 120_000);
afterAll(async () => {
  await app?.close();
  await authority?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

const setup = () => sheet.getByRole('form', { name: 'App at Harbour mail' });

/** What the system does with a link of the app's scheme: it starts the app once more. */
async function openLink(link: string): Promise<void> {
  const [command, words] = electronCommand(['--data-dir', app.dataDirectory, link]);
  const [code] = (await once(spawn(command, words, { stdio: 'ignore' }), 'exit')) as [number | null];
  expect(code).toBe(0);
}

test('a sign-in comes back by the app’s own scheme, once, and not for a state nobody waits for', async () => {
  const form = setup();
  await form.getByText('Register another address').click();
  await form.getByLabel('Comes back to').selectOption('scheme');
  expect(await form.getByRole('region', { name: 'Redirect URI' }).locator('code').innerText()).toBe(REDIRECT);
  await form.getByLabel('Client id').fill('basic');
  await form.getByLabel('Client secret').fill(CLIENT_SECRET);
  await form.getByRole('button', { name: 'Save the app' }).click();
  await sheet.getByRole('button', { name: 'Sign in to Harbour mail' }).click();
  const address = await sheet.getByLabel('Address of the sign-in').inputValue();
  expect(new URL(address).searchParams.get('redirect_uri')).toBe(REDIRECT);

  await openLink(`${REDIRECT}?code=forged&state=guess`);
  expect(await sheet.getByLabel('Address of the sign-in').inputValue()).toBe(address);
  const callback = await authority.visit(address, { login: 'ada' });
  expect(callback.href.startsWith(`${REDIRECT}?`)).toBe(true);
  await openLink(callback.href);
  await sheet.getByText('Harbour mail is connected as ada@example.com').waitFor();
  const exchanges = authority.tokenRequests.length;
  await openLink(callback.href);
  expect(authority.tokenRequests).toHaveLength(exchanges);
  expect(app.mainProcess.logs()).not.toContain(callback.searchParams.get('code'));
});
