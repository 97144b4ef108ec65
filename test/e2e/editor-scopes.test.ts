import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeArchive } from '#main/library/archive/write-archive.ts';
import {
  CLIENT_SECRET,
  startAuthorizationServer,
  type AuthorizationServer,
} from '#test/peers/authorization-server.ts';
import { launchApp, type LaunchedApp } from './launch.ts';
import { dropFiles, goTo, libraryShown } from './steps.ts';

const POST = '@quay/post';
const AGENT = '@quay/clerk';
const PASSPHRASE = 'correct horse battery staple';

const common = { schema_version: '0.2', version: '1.0.0', author: 'Quay' };

function manifests(issuer: string): Record<string, unknown>[] {
  return [
    {
      ...common,
      type: 'integration',
      name: POST,
      display_name: 'Quay post',
      description: 'Letters.',
      source: { kind: 'none' },
      auths: {
        oauth: {
          type: 'oauth2',
          authorization_endpoint: `${issuer}/auth`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/me`,
          default_scopes: ['openid', 'email', 'offline_access'],
          scope_catalog: [
            { value: 'openid', label: 'Know who you are' },
            { value: 'email', label: 'Know your address' },
            { value: 'offline_access', label: 'Stay signed in' },
            { value: 'mail.send', label: 'Send letters' },
          ],
          authorization_params: { prompt: 'consent' },
          identity_claims: { account_id: '/email' },
          delivery: {
            http: {
              in: 'header',
              name: 'Authorization',
              prefix: 'Bearer',
              value: '{$credential.access_token}',
            },
          },
          authorized_uris: ['https://post.quay.example/**'],
          _meta: { 'app.slipway/redirect': { kind: 'loopback', host: '127.0.0.1', port: 0 } },
        },
      },
      tools_policy: { api_call: { required_scopes: { oauth: ['mail.send'] } } },
      _meta: { 'dev.appstrate/api': { auths: { oauth: {} } } },
    },
    {
      ...common,
      type: 'agent',
      name: AGENT,
      display_name: 'Clerk',
      description: 'Answers letters.',
      runtime_tools: ['log'],
      dependencies: { integrations: { [POST]: '^1.0.0' } },
      integrations_configuration: { [POST]: { tools: [] } },
    },
  ];
}

async function archives(issuer: string): Promise<{ name: string; bytes: Buffer }[]> {
  return Promise.all(
    manifests(issuer).map(async (manifest) => {
      const name = manifest['type'] === 'agent' ? 'prompt.md' : 'INTEGRATION.md';
      const files = new Map([
        ['manifest.json', Buffer.from(JSON.stringify(manifest, null, 2))],
        [name, Buffer.from('Answer the letters.\n')],
      ]);
      return { name: `${String(manifest['display_name'])}.afps`, bytes: await writeArchive(files) };
    }),
  );
}

let app: LaunchedApp;
let authority: AuthorizationServer;
beforeAll(async () => {
  authority = await startAuthorizationServer({ scopes: ['mail.send'] });
  app = await launchApp({ shell: 'browser' });
  app.page.setDefaultTimeout(15_000);
  await libraryShown(app.page);
});
afterAll(async () => {
  await app?.close();
  await authority?.[Symbol.asyncDispose]();
});

/** Does the person's part in a window of its own. */
async function signIn(page: Page): Promise<void> {
  const sheet = page.getByRole('dialog', { name: /Quay post/ });
  const field = sheet.getByLabel('Address of the sign-in');
  await field.waitFor();
  const window = await page.context().browser()!.newContext();
  const tab = await window.newPage();
  await tab.goto(await field.inputValue());
  await tab.fill('input[name=login]', 'ada');
  await tab.fill('input[name=password]', 'x');
  await tab.click('button[type=submit]');
  await tab.click('button[type=submit]:has-text("Continue")');
  await tab.waitForURL(/127\.0\.0\.1:\d+\/oauth\/callback/);
  await window.close();
  await sheet.getByRole('button', { name: 'Done' }).click();
  await sheet.waitFor({ state: 'detached' });
}

async function part(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Parts of the form' }).getByRole('button', { name }).click();
}

test('what a tool needs more is shown in the editor, granted from there, and gone', async () => {
  const { page } = app;
  await dropFiles(page, await archives(authority.issuer));
  const sheet = page.getByRole('dialog');
  await sheet.getByRole('button', { name: 'Import 2 packages' }).click();
  await sheet.waitFor({ state: 'detached' });
  await goTo(page, `#/agents/${encodeURIComponent(AGENT)}/edit`);
  await part(page, 'Integrations');
  const scopes = page.getByRole('region', { name: 'Scopes asked by oauth' });
  await scopes.getByText('not connected').waitFor();
  await scopes.getByRole('button', { name: 'Connect' }).click();
  const vault = sheet.getByRole('form', { name: 'Create the vault' });
  await vault.getByLabel('New passphrase').fill(PASSPHRASE);
  await vault.getByLabel('Repeat it').fill(PASSPHRASE);
  await vault.getByRole('button', { name: 'Create the vault' }).click();
  const client = sheet.getByRole('form', { name: 'App at Quay post' });
  await client.getByLabel('Client id').fill('basic');
  await client.getByLabel('Client secret').fill(CLIENT_SECRET);
  await client.getByRole('button', { name: 'Save the app' }).click();
  await sheet.getByRole('button', { name: 'Sign in to Quay post' }).click();
  await signIn(page);
  await scopes.getByText('ada@example.com').waitFor();
  expect(await scopes.getByText('not granted yet').count()).toBe(0);

  await part(page, 'Tools');
  await page.getByRole('checkbox', { name: 'api_call' }).check();
  await part(page, 'Integrations');
  const sending = scopes.getByRole('listitem').filter({ hasText: 'Send letters' });
  await sending.getByText('for api_call').waitFor();
  await sending.getByText('not granted yet').waitFor();
  await scopes.getByRole('button', { name: 'Grant the rest' }).click();
  await sheet.getByRole('list', { name: 'Scopes of the consent' }).getByText('Send letters').waitFor();
  await sheet.getByRole('button', { name: 'Grant the rest' }).click();
  await signIn(page);
  await sending.getByText('granted', { exact: true }).waitFor();
  expect(await scopes.getByText('not granted yet').count()).toBe(0);
  expect(await scopes.getByRole('button', { name: 'Grant the rest' }).count()).toBe(0);
  expect(app.problems).toEqual([]);
});
