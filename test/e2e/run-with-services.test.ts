import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeArchive } from '#main/library/archive/write-archive.ts';
import { startModelProvider, type ModelProvider } from '#test/peers/model-provider.ts';
import { agentFiles, integrationFiles, keyAuth } from '#test/support/test-packages.ts';
import { turn } from '#test/support/whole-application.ts';
import { createVault, expectOpenToAll } from './connecting.ts';
import { launchApp, type LaunchedApp } from './launch.ts';
import { addModelServer, dropFiles, goTo, libraryShown, runEnded, shownRun, timelineRows } from './steps.ts';

const KEY = 'canary-key-51d0c2be88f7a9';
const PASSPHRASE = 'correct horse battery staple';
/** What stands for this computer in a sidecar. */
const HOST = 'host.docker.internal';
/** Larger than what a conversation takes. */
const HEIGHTS = `place,height\n${Array.from({ length: 5000 }, (_, index) => `Pier ${index},${index % 7}`).join('\n')}\n`;

describe('a run that calls services, in the app', () => {
  let app: LaunchedApp;
  let page: Page;
  let service: Server;
  let provider: ModelProvider;

  beforeAll(async () => {
    service = createServer(({ url, headers }, response) => {
      if (headers['x-api-key'] !== KEY) response.writeHead(401).end();
      else if (url === '/heights.csv') response.writeHead(200, { 'content-type': 'text/csv' }).end(HEIGHTS);
      else if (url === '/gone') response.writeHead(410, { 'content-type': 'text/plain' }).end('Gone.');
      else response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
    }).listen(0, '0.0.0.0');
    await once(service, 'listening');
    provider = await startModelProvider({ vendor: 'compatible' });
    app = await launchApp({ shell: 'browser' });
    ({ page } = app);
    page.setDefaultTimeout(15_000);
    await libraryShown(page);
  });
  afterAll(async () => {
    await app?.close();
    await provider?.[Symbol.asyncDispose]();
    service?.closeAllConnections();
    service?.close();
  });

  const address = (path: string) => `http://${HOST}:${(service.address() as AddressInfo).port}${path}`;

  const isOpenToAll = (name: string) => expectOpenToAll(page, name);

  /** What a click brings to the author's downloads. */
  async function downloaded(click: () => Promise<void>): Promise<string> {
    const [download] = await Promise.all([page.waitForEvent('download'), click()]);
    return readFileSync(await download.path(), 'utf8');
  }

  test('is made ready in the app: a model, the packages, the account', async () => {
    await dropFiles(page, await packages(address('/**')));
    const sheet = page.getByRole('dialog');
    await sheet.getByRole('button', { name: 'Import 2 packages' }).click();
    await sheet.waitFor({ state: 'detached' });

    await addModelServer(page, provider.baseUrl, 'Harbour server');

    await goTo(page, '#/connections');
    await page.getByRole('button', { name: 'Connect a service' }).click();
    await sheet.getByRole('button', { name: /^Tide tables/ }).click();
    await createVault(sheet, PASSPHRASE);
    const form = sheet.getByRole('form', { name: 'Credentials' });
    await form.getByLabel('Key').fill(KEY);
    await form.getByRole('button', { name: 'Save' }).click();
    await sheet.waitFor({ state: 'detached' });
    const accounts = page.getByRole('list', { name: 'Accounts of Tide tables' }).getByRole('listitem');
    await accounts.first().waitFor();
    expect(await accounts.count()).toBe(1);
  });

  test('shows each request as it was: sent, rejected and refused', async () => {
    const call = (target: string) => ({ tool: 'harbour_tides__api_call', input: { target } });
    provider.answer(
      turn([call(address('/heights.csv')), call(address('/gone')), call('http://elsewhere.example/')]),
      turn('Looked.'),
    );
    await goTo(page, `#/agents/${encodeURIComponent('@harbour/watch')}/run`);
    await page.getByRole('combobox', { name: 'Model' }).selectOption({ label: 'served-model' });
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const before = page.getByRole('dialog', { name: 'Before Harbour watch runs' });
    await before.getByRole('button', { name: 'Run', exact: true }).click();
    const runId = await shownRun(page);
    await runEnded(page);
    await goTo(page, `#/runs/${runId}/calls`);
    await page.getByRole('status').getByText('3 requests').waitFor();
    const table = page.getByRole('region', { name: 'Requests' }).getByRole('table');
    const request = (text: string) => table.getByRole('row').filter({ hasText: text });
    expect(await request('/heights.csv').innerText()).toContain(`allowed by ${address('/**')}`);
    await request('/heights.csv').getByText('200', { exact: true }).waitFor();
    await request('/gone').getByText('410', { exact: true }).waitFor();
    await request('elsewhere.example').getByText('refused', { exact: true }).waitFor();
    expect(await request('elsewhere.example').innerText()).toContain('unauthorized_target');
    await isOpenToAll('run-requests');

    await page.getByLabel('Outcome').selectOption({ label: 'Refused or unanswered' });
    await page.getByText('1 of 3 requests').waitFor();
    await page.getByLabel('Filter requests').fill('heights');
    await page.getByText('No request fits the filter.').waitFor();
    await page.getByLabel('Outcome').selectOption({ label: 'Every outcome' });
    await page.getByText('1 of 3 requests').waitFor();
  });

  test('gives the requests that are shown as a file', async () => {
    await page.getByRole('button', { name: 'Export' }).click();
    const item = page.getByRole('menuitem', { name: 'CSV, for a spreadsheet' });
    const text = await downloaded(() => item.click());
    const lines = text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain(address('/heights.csv'));
    expect(text).not.toContain(KEY);
  });

  test('opens what was kept out of the conversation, whole', async () => {
    await timelineRows(page)
      .getByRole('button')
      .filter({ hasText: 'harbour_tides__api_call' })
      .first()
      .click();
    const chip = timelineRows(page).getByRole('button', { name: /text\/csv/ });
    await chip.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('table').getByText('Pier 12', { exact: true }).waitFor();
    await isOpenToAll('run-resource');
    const save = dialog.getByRole('button', { name: 'Save' }).or(dialog.getByRole('link', { name: 'Save' }));
    expect(await downloaded(() => save.click())).toBe(HEIGHTS);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(provider.requests.some(({ body }) => body.includes('Pier 4999'))).toBe(false);
    expect(await page.content()).not.toContain(KEY);
    expect(app.problems).toEqual([]);
  });
});

/** An integration with a key, and an agent that calls it; as dropped files. */
async function packages(authorized: string) {
  const integration = integrationFiles('@harbour/tides', {
    display_name: 'Tide tables',
    auths: { key: keyAuth(authorized) },
    _meta: { 'dev.appstrate/api': { auths: { key: {} } } },
  });
  const agent = agentFiles('@harbour/watch', {
    display_name: 'Harbour watch',
    dependencies: { integrations: { '@harbour/tides': '^1.0.0' } },
    integrations_configuration: { '@harbour/tides': { tools: ['api_call'] } },
  });
  return [
    { name: 'tides.afps', bytes: await writeArchive(integration) },
    { name: 'watch.afps', bytes: await writeArchive(agent) },
  ];
}
