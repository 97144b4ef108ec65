import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { serveGitHubArchives, type GitHubArchives } from '#test/peers/github-archives.ts';
import { launchApp, type LaunchedApp } from './launch.ts';
import { goTo, libraryShown } from './steps.ts';

const AGENT = '@harbour/tide-report';
const AGENT_LINK = `#/agents/${encodeURIComponent(AGENT)}`;

function manifestOf(more: Readonly<Record<string, unknown>> = {}): string {
  const manifest = {
    schema_version: '0.2',
    type: 'agent',
    name: AGENT,
    version: '1.0.0',
    display_name: 'Tide report',
    description: 'Writes when a ship may enter.',
    author: 'Harbour',
    runtime_tools: ['output', 'log'],
    ...more,
  };
  return JSON.stringify(manifest, null, 2);
}

const skill = '---\nname: tide-words\ndescription: Words of tide tables.\n---\n\nNeap: the small ones.\n';

async function openImport(page: Page): Promise<void> {
  await goTo(page, '#/library');
  await page.getByRole('button', { name: 'Import', exact: true }).first().click();
  await page.getByRole('dialog', { name: 'Import' }).waitFor();
}

async function look(page: Page, address: string): Promise<void> {
  await openImport(page);
  await page.getByLabel('From GitHub').fill(address);
  await page.keyboard.press('Enter');
}

describe('a repository on GitHub', () => {
  let archives: GitHubArchives;
  let app: LaunchedApp;
  beforeAll(async () => {
    archives = await serveGitHubArchives();
    await archives.put('ada/tides', 'main', {
      'README.md': '# Tides',
      'agents/report/manifest.json': manifestOf({ version: '1.0', runtime_tools: ['output', 'report'] }),
      'agents/report/prompt.md': 'Read the table.',
      'skills/words/SKILL.md': skill,
      'skills/words/scripts/spell.py': 'print("neap")',
    });
    app = await launchApp({
      shell: 'browser',
      environment: { SLIPWAY_GITHUB_ARCHIVES: archives.base },
    });
    await libraryShown(app.page);
  });
  afterAll(async () => {
    await app?.close();
    await archives?.[Symbol.asyncDispose]();
  });

  test('that is not there is told, and so is an address that is none', async () => {
    const { page } = app;
    await look(page, 'https://github.com/ada/nothing');
    const sheet = page.getByRole('dialog', { name: 'Import' });
    await sheet.locator('[data-problem="github_not_found"]').waitFor();
    await sheet.getByLabel('From GitHub').fill('https://example.com/ada/tides');
    await sheet.getByRole('button', { name: 'Look' }).click();
    await sheet.locator('[data-problem="github_address_invalid"]').waitFor();
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    expect(app.problems).toEqual([]);
  });

  test('brings every package of a branch, and a skill is named after its owner', async () => {
    const { page } = app;
    await look(page, 'https://github.com/ada/tides/tree/main');
    const sheet = page.getByRole('dialog', { name: 'Import 2 packages' });
    await sheet.getByRole('button', { name: /tide-words/ }).click();
    await sheet.getByText('scripts/spell.py').waitFor();
    expect(archives.requests).toContain('/ada/tides/zip/main');
    expect(app.problems).toEqual([]);
  });

  test('has a package with mistakes mended in the sheet, and taken as a draft', async () => {
    const { page } = app;
    const sheet = page.getByRole('dialog', { name: 'Import 2 packages' });
    await sheet
      .getByRole('button', { name: /report/i })
      .first()
      .click();
    await sheet.getByRole('button', { name: 'Write "1.0.0"' }).click();
    await sheet.getByText('Mended here').waitFor();
    await sheet.getByRole('list', { name: 'Findings' }).getByRole('button').first().click();
    await sheet
      .getByRole('radio', { name: /Take as a draft/ })
      .and(sheet.locator(':checked'))
      .waitFor();
    await sheet.getByRole('list', { name: 'Findings' }).waitFor({ state: 'detached' });
    await sheet.getByRole('button', { name: 'Import 2 packages' }).click();
    await sheet.waitFor({ state: 'detached' });
    await goTo(page, `${AGENT_LINK}/overview`);
    await page.getByRole('heading', { name: 'Tide report', level: 1 }).waitFor();
    await goTo(page, `#/skills/${encodeURIComponent('@ada/tide-words')}/versions`);
    await page
      .getByRole('table', { name: 'Versions' })
      .getByRole('row', { name: /1\.0\.0/ })
      .waitFor();
    expect(app.problems).toEqual([]);
  });

  test('is held against what is installed when it comes again', async () => {
    const { page } = app;
    await archives.put('ada/tides', 'v2', { 'SKILL.md': skill, 'scripts/new.py': 'print()' });
    await look(page, 'github.com/ada/tides/tree/v2');
    const sheet = page.getByRole('dialog', { name: 'Import tide-words' });
    const changes = sheet.getByRole('region', { name: 'What changes', exact: true });
    await changes.getByRole('listitem').filter({ hasText: 'scripts/new.py' }).getByText('new:').waitFor();
    await changes.getByRole('listitem').filter({ hasText: 'scripts/spell.py' }).getByText('gone:').waitFor();
    await sheet.getByRole('button', { name: 'Cancel' }).click();
    expect(app.problems).toEqual([]);
  });
});

describe('a folder that is followed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-follow-'));
  const path = join(folder, 'tide-report');
  let app: LaunchedApp;
  beforeAll(async () => {
    mkdirSync(path);
    writeFileSync(join(path, 'manifest.json'), manifestOf());
    writeFileSync(join(path, 'prompt.md'), 'Read the table.');
    app = await launchApp({ shell: 'browser' });
    await libraryShown(app.page);
  });
  afterAll(async () => {
    await app?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('becomes the draft, each time something is saved there', async () => {
    const { page } = app;
    await openImport(page);
    await page.getByLabel('Follow a folder').fill('tide-report');
    await page.keyboard.press('Enter');
    await page.locator('[data-problem="folder_unknown"]').getByText('whole path').waitFor();
    await page.getByLabel('Follow a folder').fill(path);
    await page.keyboard.press('Enter');
    await page.getByText(`${AGENT} follows ${path}`).first().waitFor();
    await goTo(page, `${AGENT_LINK}/files`);
    writeFileSync(join(path, 'prompt.md'), 'Read the table, and mind the wind.');
    await page.getByRole('treeitem', { name: /prompt\.md/ }).click();
    await page.getByText('mind the wind').first().waitFor();
    await goTo(page, `${AGENT_LINK}/edit`);
    await page.getByText('It is edited in its folder').waitFor();
    expect(app.problems).toEqual([]);
  });

  test('is told to be broken while it is, and the draft stays what it was', async () => {
    const { page } = app;
    writeFileSync(join(path, 'manifest.json'), '{ "name": ');
    await goTo(page, '#/library');
    const problems = page.getByRole('list', { name: 'Followed folders with problems' });
    await problems.getByText(/the last change was not taken/).waitFor();
    await goTo(page, `${AGENT_LINK}/overview`);
    await page.getByRole('heading', { name: 'Tide report', level: 1 }).waitFor();
    writeFileSync(join(path, 'manifest.json'), manifestOf({ display_name: 'Tide report at sea' }));
    await page.getByRole('heading', { name: 'Tide report at sea', level: 1 }).waitFor();
    await goTo(page, '#/library');
    await problems.waitFor({ state: 'detached' });
    expect(app.problems).toEqual([]);
  });

  test('is followed no longer once its person says so', async () => {
    const { page } = app;
    await goTo(page, '#/settings/packages');
    const followed = page.getByRole('region', { name: 'Followed folders' });
    await followed.getByText(path).waitFor();
    await followed.getByRole('button', { name: 'Stop' }).click();
    await followed.getByText(/^None/).waitFor();
    await goTo(page, `${AGENT_LINK}/edit`);
    await page.getByLabel('Description', { exact: true }).waitFor();
    expect(app.problems).toEqual([]);
  });
});

describe('a signature', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-signed-'));
  const signedFile = join(folder, 'signed.afps');
  const changedFile = join(folder, 'changed.afps');
  let key: { readonly id: string; readonly publicKey: string };
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function choose(page: Page, file: string): Promise<void> {
    await openImport(page);
    await page.getByLabel('Packages to import').setInputFiles(file);
  }

  test('is made with a key of the app, while it exports', async () => {
    await using app = await launchApp({ shell: 'browser' });
    const { page } = app;
    await libraryShown(page);
    await goTo(page, '#/settings/packages');
    const own = page.getByRole('region', { name: 'This app’s key' });
    const vault = own.getByRole('form', { name: 'Create the vault' });
    await vault.getByLabel('New passphrase').fill('correct horse battery staple');
    await vault.getByLabel('Repeat it').fill('correct horse battery staple');
    await vault.getByRole('button', { name: 'Create the vault' }).click();
    await own.getByRole('button', { name: 'Make a key' }).click();
    const publicKey = own.locator('[title]').last();
    await publicKey.waitFor();
    key = {
      id:
        (await own
          .locator('span')
          .filter({ hasText: /^[0-9a-f]{16}$/ })
          .first()
          .textContent()) ?? '',
      publicKey: (await own.locator('span[title]').first().getAttribute('title')) ?? '',
    };
    expect(Buffer.from(key.publicKey, 'base64')).toHaveLength(32);
    await goTo(page, '#/agents/%40slipway%2Fcsv-report/overview');
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog', { name: /^Export/ });
    await dialog.getByRole('checkbox', { name: /Sign it/ }).check();
    await dialog.getByText(key.id).waitFor();
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Export' }).click();
    await (await download).saveAs(signedFile);
    expect(app.problems).toEqual([]);
  });

  test('lets a package in where one is required, once its key is trusted, and no other package', async () => {
    const { readArchive } = await import('#main/library/archive/read-archive.ts');
    const { writeArchive } = await import('#main/library/archive/write-archive.ts');
    const { files } = await readArchive(readFileSync(signedFile));
    expect([...files.keys()]).toContain('signature.sig');
    writeFileSync(changedFile, await writeArchive(new Map(files).set('prompt.md', Buffer.from('Do evil.'))));
    await using app = await launchApp({ shell: 'browser' });
    const { page } = app;
    await libraryShown(page);
    await choose(page, changedFile);
    await page.getByText(/signed by a key you do not trust/).waitFor();
    await page.getByText('No trusted signature').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();

    await goTo(page, '#/settings/packages');
    await page.getByRole('radio', { name: 'Require a trusted one' }).check();
    await goTo(page, '#/library');
    await choose(page, signedFile);
    await page.locator('[data-problem="signature_required"]').waitFor();
    await page.keyboard.press('Escape');

    await goTo(page, '#/settings/packages');
    await page.getByRole('button', { name: 'Trust a key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Trust a key' });
    await dialog.getByLabel('Id').fill(key.id);
    await dialog.getByLabel('Public key').fill('short');
    await dialog.getByRole('button', { name: 'Trust it' }).click();
    await dialog.locator('[data-problem="signing_key_invalid"]').waitFor();
    await dialog.getByLabel('Public key').fill(key.publicKey);
    await dialog.getByRole('button', { name: 'Trust it' }).click();
    await dialog.waitFor({ state: 'detached' });

    await goTo(page, '#/library');
    await choose(page, changedFile);
    await page
      .getByText(/was changed after it was signed/)
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await choose(page, signedFile);
    await page.getByText(`Signed with the trusted key ${key.id}`).waitFor();
    await page.getByRole('button', { name: /^Import \d/ }).click();
    await page.getByRole('heading', { name: 'CSV report', level: 1 }).waitFor();
    expect(app.problems).toEqual([]);
  });
});
