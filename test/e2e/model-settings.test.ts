import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FakeModelServer } from './fake-model-server.ts';
import { recordWire } from './frames.ts';
import { launchApp, type LaunchedApp } from './launch.ts';
import { goTo, libraryShown } from './steps.ts';

const CANARY = 'sk-canary-4f9d27b1c8e35a60';
const PASSPHRASE = 'correct horse battery staple';

describe('a model provider in the settings', () => {
  let app: LaunchedApp;
  let server: FakeModelServer;
  let wire: ReturnType<typeof recordWire>;
  let row: Locator;
  beforeAll(async () => {
    server = await FakeModelServer.open();
    app = await launchApp({ shell: 'browser', onPage: (page) => void (wire = recordWire(page)) });
    await libraryShown(app.page);
    await goTo(app.page, '#/settings/models');
    row = app.page.getByRole('listitem', { name: 'Harbour server' });
  });
  afterAll(async () => {
    await app?.close();
    await server[Symbol.asyncDispose]();
  });

  test('cannot be given a key before there is a vault to keep it', async () => {
    const { page } = app;
    await page.getByRole('button', { name: 'Add a server' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a server' });
    await dialog.getByLabel('Base address').fill(server.baseUrl);
    await dialog.getByLabel('Name').fill('Harbour server');
    await dialog.getByLabel('Key').fill(CANARY);
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.locator('[data-problem]').getByText(/vault/i).first().waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(server.keys).not.toContain(CANARY);

    const vault = page.getByRole('form', { name: 'Create the vault' });
    await vault.getByLabel('New passphrase').fill(PASSPHRASE);
    await vault.getByLabel('Repeat it').fill(PASSPHRASE);
    await vault.getByRole('button', { name: 'Create the vault' }).click();
    await page.getByRole('region', { name: 'Vault' }).getByText('Open', { exact: true }).waitFor();
  });

  test('is added with a key, and tested at once for its models', async () => {
    const { page } = app;
    await page.getByRole('button', { name: 'Add a server' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a server' });
    await dialog.getByLabel('Base address').fill(server.baseUrl);
    await dialog.getByLabel('Name').fill('Harbour server');
    await dialog.getByLabel('Key').fill(CANARY);
    await dialog.getByRole('button', { name: 'Add' }).click();
    await dialog.waitFor({ state: 'detached' });
    await row.getByText('a key is kept').waitFor();
    await row.getByText(/^Answered in .* with 2 models\.$/).waitFor();
    await row.getByText('harbour-7b').waitFor();
    await row.getByText('quay-70b').waitFor();
    expect(server.keys.at(-1)).toBe(CANARY);
    await goTo(page, '#/agents/%40slipway%2Fcsv-report/run');
    await page
      .getByLabel('Model')
      .locator('option', { hasText: 'harbour-7b' })
      .waitFor({ state: 'attached' });
    await goTo(page, '#/settings/models');
  });

  test.each([
    ['refuses', 'model_key_refused', 'refused the key', /answered 401/],
    ['fault', 'model_server_error', 'has a fault', /answered 500\. It said: The tide is out/],
    ['page', 'model_address_wrong', 'answered with a web page', /answered 200 with a web page/],
  ] as const)('whose server %s is told so, with what to do', async (mood, code, title, detail) => {
    server.mood = mood;
    await row.getByRole('button', { name: 'Test' }).click();
    const card = row.locator(`[data-problem="${code}"]`);
    await card.getByText(`Harbour server ${title}`).waitFor();
    expect(await card.innerText()).toMatch(detail);
    expect((await card.innerText()).split('\n').filter((line) => line.trim() !== '')).toHaveLength(3);
    expect(await row.getByText(/^Answered in/).count()).toBe(0);
  });

  test('that has gone is told so, too', async () => {
    const { host } = new URL(server.baseUrl);
    await server[Symbol.asyncDispose]();
    await row.getByRole('button', { name: 'Test' }).click();
    const card = row.locator('[data-problem="model_unreachable"]');
    await card.waitFor();
    expect(await card.innerText()).toContain(host);
  });

  test('has its key nowhere: not in the page, not on its way there, in no file in plain text', async () => {
    const { page } = app;
    await row.getByRole('button', { name: 'Change' }).click();
    await row.getByLabel('New key').waitFor();
    const inPage = await page.evaluate(() => {
      const values = [...document.querySelectorAll('input, textarea')].map((field) =>
        'value' in field ? String(field.value) : '',
      );
      const stores = [localStorage, sessionStorage].map((store) => JSON.stringify(Object.entries(store)));
      return [document.documentElement.outerHTML, ...values, ...stores].join('\n');
    });
    expect(inPage).toContain('Harbour server');
    expect(inPage).not.toContain(CANARY);
    const received = wire.received.join('\n');
    expect(received).toContain('Harbour server');
    expect(received).not.toContain(CANARY);
    expect(app.mainProcess.logs()).not.toContain(CANARY);

    const encodings = [CANARY, Buffer.from(CANARY).toString('base64'), Buffer.from(CANARY).toString('hex')];
    const files = readdirSync(app.dataDirectory, { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    );
    expect(files.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['slipway.db', 'secrets.passphrase.json']),
    );
    const found: string[] = [];
    for (const file of files) {
      const bytes = readFileSync(join(file.parentPath, file.name));
      for (const text of [...encodings, PASSPHRASE]) if (bytes.includes(text)) found.push(file.name);
    }
    expect(found).toEqual([]);
  });
});
