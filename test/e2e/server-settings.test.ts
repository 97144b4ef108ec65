import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeArchive } from '#main/library/archive/write-archive.ts';
import { formsOf, searchFolder } from '#test/support/search.ts';
import { integrationFiles, serverFiles } from '#test/support/test-packages.ts';
import { accessibilityFaults } from '#test/support/accessibility.ts';
import { launchApp, type LaunchedApp } from './launch.ts';
import { keepScreen, settled } from './screens.ts';
import { goTo, importDropped, libraryShown } from './steps.ts';

const SECRET = 'canary-0c7be5d14f9a';
const PASSPHRASE = 'correct horse battery staple';

let app: LaunchedApp;
let page: Page;

beforeAll(async () => {
  app = await launchApp({ shell: 'browser' });
  ({ page } = app);
  page.setDefaultTimeout(15_000);
  await libraryShown(page);
  const server = serverFiles('@you/files-server', {
    user_config: {
      key: { type: 'string', title: 'Key', description: 'Of the service.', sensitive: true, required: true },
      folders: { type: 'directory', title: 'Folders', multiple: true },
      limit: {
        type: 'number',
        title: 'Limit',
        description: 'Files it lists.',
        min: 1,
        max: 100,
        default: 20,
      },
      fast: { type: 'boolean', title: 'Skip hidden files' },
    },
  });
  const integration = integrationFiles('@you/files', {
    display_name: 'Files',
    source: { kind: 'local', server: { name: '@you/files-server', version: '^1.0.0' } },
    auths: {
      main: {
        type: 'custom',
        credentials: { schema: { type: 'object', properties: { note: { type: 'string' } } } },
        delivery: { env: { NOTE: { value: '{$credential.note}' } } },
        authorized_uris: ['https://files.example/**'],
      },
    },
    default_tools: ['look'],
    _meta: {},
  });
  await importDropped(page, [
    { name: 'server.afps', bytes: await writeArchive(server) },
    { name: 'files.afps', bytes: await writeArchive(integration) },
  ]);
}, 120_000);
afterAll(() => app?.close());

test('are typed in once the vault is open, and a secret is shown no more', async () => {
  await goTo(page, '#/integrations/%40you%2Ffiles/connections');
  const section = page.getByRole('region', { name: 'Settings of the server' });
  const vault = section.getByRole('form', { name: 'Create the vault' });
  await vault.getByLabel('New passphrase').fill(PASSPHRASE);
  await vault.getByLabel('Repeat it').fill(PASSPHRASE);
  await vault.getByRole('button', { name: 'Create the vault' }).click();

  const key = section.getByLabel('Key');
  await key.fill(SECRET);
  await section.getByLabel('Folders').fill('/workspace\n/tmp');
  await section.getByLabel('Limit').fill('500');
  await section.getByRole('button', { name: 'Save' }).click();
  await section.getByText('it must be at most 100').waitFor();
  await settled(page);
  await keepScreen(page, 'server-settings');
  expect(await accessibilityFaults(page)).toEqual([]);

  await section.getByLabel('Limit').fill('50');
  await section.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => key.getAttribute('placeholder')).toBe('Kept in the vault');
  expect(await key.inputValue()).toBe('');
  expect(await section.getByLabel('Limit').inputValue()).toBe('50');
  expect(await section.getByLabel('Folders').inputValue()).toBe('/workspace\n/tmp');

  // Saved once more without the secret, which stays.
  await section.getByLabel('Skip hidden files').selectOption('On');
  await section.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => section.getByLabel('Skip hidden files').inputValue()).toBe('true');
  expect(await key.getAttribute('placeholder')).toBe('Kept in the vault');
  expect((await searchFolder(app.dataDirectory, { secret: formsOf(SECRET) })).found).toEqual([]);
});
