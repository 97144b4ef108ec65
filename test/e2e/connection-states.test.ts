import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeArchive } from '#main/library/archive/write-archive.ts';
import { startService, type TestService } from '#main/sidecar/test-support/services.ts';
import {
  CLIENT_SECRET,
  startAuthorizationServer,
  type AuthorizationServer,
} from '#test/peers/authorization-server.ts';
import { integrationFiles } from '#test/support/test-packages.ts';
import { AGENT, connectionPackages, MAIL, TIDES } from './connection-packages.ts';
import { callByHand, createVault, expectOpenToAll, signInAt } from './connecting.ts';
import { launchApp, type LaunchedApp } from './launch.ts';
import { goTo, importDropped, libraryShown } from './steps.ts';

/** An integration whose service gives nothing to renew an access with. */
const TOLLS = '@harbour/tolls';
const PASSPHRASE = 'correct horse battery staple';

describe('accounts that do not work as they are', () => {
  let dataDirectory: string;
  let app: LaunchedApp;
  let page: Page;
  let sheet: Locator;
  let authority: AuthorizationServer;
  let service: TestService;
  /** Whether the service still takes what it is shown. */
  let isTaken = true;

  async function start(): Promise<void> {
    app = await launchApp({ shell: 'browser', dataDirectory });
    ({ page } = app);
    page.setDefaultTimeout(15_000);
    sheet = page.getByRole('dialog');
  }

  beforeAll(async () => {
    dataDirectory = mkdtempSync(join(tmpdir(), 'slipway-e2e-'));
    authority = await startAuthorizationServer({ scopes: ['mail.send', 'admin'] });
    service = await startService(
      (_request, response) => void response.writeHead(isTaken ? 200 : 401).end('{}'),
    );
    await start();
    await libraryShown(page);
    await importDropped(page, [
      ...(await connectionPackages(authority.issuer, `http://127.0.0.1:${service.port}`)),
      { name: 'tolls.afps', bytes: await writeArchive(tolls()) },
    ]);
    await place(MAIL, 'connections');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await createVault(sheet, PASSPHRASE);
    const client = sheet.getByRole('form', { name: 'App at Harbour mail' });
    await client.getByLabel('Client id').fill('basic');
    await client.getByLabel('Client secret').fill(CLIENT_SECRET);
    await client.getByRole('button', { name: 'Save the app' }).click();
    await sheet.getByText('Ask for more').click();
    await sheet.getByLabel('Send letters').check();
    await signIn(sheet.getByRole('button', { name: 'Sign in to Harbour mail' }));
    await place(TIDES, 'connections');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await sheet.getByLabel('Key').fill('canary-key-7d1f90ab34ce56');
    await sheet.getByLabel('Label').fill('Office');
    await sheet.getByRole('button', { name: 'Save' }).click();
    await sheet.waitFor({ state: 'detached' });
  }, 120_000);
  afterAll(async () => {
    await app?.close();
    await authority?.[Symbol.asyncDispose]();
    await service?.[Symbol.asyncDispose]();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  const tolls = () =>
    integrationFiles(TOLLS, {
      display_name: 'Harbour tolls',
      auths: {
        main: {
          type: 'oauth2',
          issuer: authority.issuer,
          default_scopes: ['openid'],
          scope_catalog: [{ value: 'openid', label: 'Know who you are' }],
          authorized_uris: [`http://127.0.0.1:${service.port}/**`],
          delivery: {
            http: {
              in: 'header',
              name: 'Authorization',
              prefix: 'Bearer',
              value: '{$credential.access_token}',
            },
          },
          _meta: {
            'app.slipway/redirect': { kind: 'loopback', host: '127.0.0.1', port: 0 },
            'dev.appstrate/oauth': { refresh_token_issuance: 'not_supported' },
          },
        },
      },
    });
  const place = (integration: string, tab: string) =>
    goTo(page, `#/integrations/${encodeURIComponent(integration)}/${tab}`);
  const row = () =>
    page
      .getByRole('list', { name: 'Accounts of Harbour mail' })
      .getByRole('listitem', { name: 'ada@example.com' });
  const before = () => page.getByRole('dialog', { name: 'Before Harbour watch runs' });
  const ended = () => page.getByRole('navigation', { name: 'Main' }).getByText('to be signed in again');

  /** Does the person's part of what a button begins, and goes back. */
  async function signIn(button: Locator): Promise<void> {
    await button.click();
    const address = await page.getByLabel('Address of the sign-in').inputValue();
    await signInAt(page, address, { login: 'ada' });
    await page.getByRole('button', { name: 'Done' }).click();
  }

  /** Has Slipway renew the access, as a service's refusal does. */
  async function renew(): Promise<void> {
    isTaken = false;
    const read = await callByHand(page, MAIL, `http://127.0.0.1:${service.port}/letters`);
    expect(read).toContain('[api_call status=401]');
    isTaken = true;
  }

  async function askToRun(): Promise<void> {
    await goTo(page, `#/agents/${encodeURIComponent(AGENT)}/run`);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await before().waitFor();
  }

  const run = () => before().getByRole('button', { name: 'Run', exact: true });

  test('one that lost a scope says which, there and before a run, and is granted it again', async () => {
    authority.answerAt('/token', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          access_token: 'canary-less-0011223344556677',
          refresh_token: 'canary-refresh-less-8899aabbcc',
          token_type: 'bearer',
          expires_in: 3600,
          scope: 'openid email offline_access',
        }),
      );
    });
    await renew();
    authority.answerAt('/token', undefined);
    await place(MAIL, 'connections');
    await row().getByText('Allows less than before').waitFor();
    await row().getByRole('button', { name: 'Details of ada@example.com' }).click();
    await row().getByRole('region', { name: 'No longer granted' }).getByText('Send letters').waitFor();
    await expectOpenToAll(page, 'connection-less');
    await askToRun();
    const mail = before().getByRole('listitem', { name: 'Harbour mail' });
    await mail
      .getByText(/does not allow mail\.send/)
      .first()
      .waitFor();
    expect(await run().getAttribute('aria-disabled')).toBe('true');
    await expectOpenToAll(page, 'before-run-less');
    await mail.getByRole('button', { name: 'Grant the rest' }).click();
    await signIn(
      mail
        .getByRole('region', { name: 'Connect Harbour mail' })
        .getByRole('button', { name: 'Grant the rest' }),
    );
    await mail.getByRole('img', { name: 'Ready' }).waitFor();
    await expect.poll(() => run().getAttribute('aria-disabled')).toBeNull();
    await before().getByRole('button', { name: 'Cancel' }).click();
    await place(MAIL, 'connections');
    await row().getByText('Connected', { exact: true }).first().waitFor();
  });

  test('one that the service ended is marked in the sidebar, and signed in to again before a run', async () => {
    authority.answerAt('/token', (_request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}');
    });
    await renew();
    authority.answerAt('/token', undefined);
    await ended().waitFor({ state: 'attached' });
    await place(MAIL, 'connections');
    await row().getByText('Needs a new sign-in').waitFor();
    await row().getByRole('button', { name: 'Details of ada@example.com' }).click();
    await row().locator('[data-problem="oauth_invalid_grant"]').waitFor();
    expect(await row().getByText('renews the access by itself').count()).toBe(0);
    await expectOpenToAll(page, 'connection-ended');
    await goTo(page, '#/connections');
    await page.getByText('2 accounts at 2 services, 1 to be signed in again').waitFor();
    await expectOpenToAll(page, 'connections-ended');
    await askToRun();
    const mail = before().getByRole('listitem', { name: 'Harbour mail' });
    await mail.getByText('Needs a new sign-in', { exact: true }).waitFor();
    expect(await run().getAttribute('aria-disabled')).toBe('true');
    await mail.locator('details').evaluate((details) => details.setAttribute('open', ''));
    await mail.getByRole('list', { name: 'Scopes of Harbour mail' }).waitFor();
    expect(await mail.getByText('granted', { exact: true }).count()).toBe(0);
    await expectOpenToAll(page, 'before-run-ended');
    await mail.getByRole('button', { name: 'Sign in again' }).click();
    const panel = mail.getByRole('region', { name: 'Connect Harbour mail' });
    await expectOpenToAll(page, 'before-run-sign-in');
    await signIn(panel.getByRole('button', { name: /Sign in/ }));
    await mail.getByRole('img', { name: 'Ready' }).waitFor();
    await before().getByRole('button', { name: 'Cancel' }).click();
    await ended().waitFor({ state: 'detached' });
  });

  test('one whose access ran out, which nobody can renew, is asked for again', async () => {
    authority.answerAt('/token', (_request, response) => {
      const tokens = { access_token: 'canary-short-00112233', token_type: 'bearer', expires_in: 1 };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(tokens));
    });
    await place(TOLLS, 'connections');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    const client = sheet.getByRole('form', { name: 'App at Harbour tolls' });
    await client.getByLabel('Client id').fill('basic');
    await client.getByLabel('Client secret').fill(CLIENT_SECRET);
    await client.getByRole('button', { name: 'Save the app' }).click();
    await signIn(sheet.getByRole('button', { name: 'Sign in to Harbour tolls' }));
    authority.answerAt('/token', undefined);
    await delay(1_100);
    await goTo(page, '#/connections');
    const tolls = page.getByRole('list', { name: 'Accounts of Harbour tolls' }).getByRole('listitem');
    await tolls.getByText('Expired').waitFor();
    await ended().waitFor({ state: 'attached' });
    await tolls.getByRole('button', { name: /^Details of/ }).click();
    await expectOpenToAll(page, 'connection-expired');
    await tolls.getByRole('button', { name: 'Sign in again' }).click();
    await signIn(sheet.getByRole('button', { name: 'Sign in again' }));
    await tolls.getByText('Connected', { exact: true }).first().waitFor();
    expect(await tolls.getByText('Expired').count()).toBe(0);
  });

  test('in a locked vault, they wait for it to be opened in the sheet before a run', async () => {
    await app.close();
    await start();
    await libraryShown(page);
    await askToRun();
    await before().getByRole('form', { name: 'Unlock' }).waitFor();
    await before().getByText('The vault is closed: open it first.').first().waitFor();
    expect(await run().getAttribute('aria-disabled')).toBe('true');
    await expectOpenToAll(page, 'before-run-locked');
    const passphrase = before().getByLabel('Passphrase');
    await passphrase.fill('wrong');
    await passphrase.press('Enter');
    await before()
      .getByText(/does not open|wrong|not the passphrase/i)
      .first()
      .waitFor();
    await expectOpenToAll(page, 'before-run-locked-wrong');
    await passphrase.fill(PASSPHRASE);
    await passphrase.press('Enter');
    await before().getByRole('form', { name: 'Unlock' }).waitFor({ state: 'detached' });
    await before()
      .getByRole('listitem', { name: 'Harbour mail' })
      .getByRole('img', { name: 'Ready' })
      .waitFor();
    await expect.poll(() => run().getAttribute('aria-disabled')).toBeNull();
    await expectOpenToAll(page, 'before-run-unlocked');
    expect(app.problems).toEqual([]);
  });
});
