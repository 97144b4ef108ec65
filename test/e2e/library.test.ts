import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeArchive } from '#main/library/archive/write-archive.ts';
import { launchApp, type LaunchedApp } from './launch.ts';
import { dropFiles, goTo, libraryShown } from './steps.ts';

const AGENT = '@harbour/tide-report';
const SKILL = '@harbour/tide-words';
const AGENT_LINK = `#/agents/${encodeURIComponent(AGENT)}`;

const skillFiles = {
  'manifest.json': JSON.stringify({
    schema_version: '0.2',
    type: 'skill',
    name: SKILL,
    version: '1.0.0',
    display_name: 'Tide words',
    description: 'What the words of tide tables mean.',
    keywords: ['harbour'],
    author: 'Harbour',
  }),
  'SKILL.md': '---\nname: tide-words\ndescription: Words of tide tables.\n---\n\nNeap: the small ones.\n',
  'scripts/spell.py': 'print("neap")\n',
};

const agentFiles = {
  'manifest.json': JSON.stringify(
    {
      schema_version: '0.2',
      type: 'agent',
      name: AGENT,
      version: '1.0.0',
      display_name: 'Tide report',
      description: 'Writes when a ship of some draught may enter.',
      keywords: ['harbour', 'ships'],
      author: 'Harbour',
      runtime_tools: ['output', 'log'],
      dependencies: { skills: { [SKILL]: '^1.0.0' }, mcp_servers: {}, integrations: {} },
    },
    null,
    2,
  ),
  'prompt.md': '# Tide report\n\nRead the table, and say when the ship may enter.\n',
};

async function archiveOf(files: Record<string, string>): Promise<Buffer> {
  return writeArchive(new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])));
}

/** The integrity of the package whose overview is shown. */
async function integrityShown(page: Page): Promise<string> {
  const place = page.getByRole('complementary', { name: 'About this package' }).locator('[title^="sha256-"]');
  return (await place.getAttribute('title')) ?? '';
}

describe('a package, from one author to another', () => {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-library-'));
  const bundleFile = join(folder, 'tide-report.afps-bundle');
  let app: LaunchedApp;
  let integrity: string;
  beforeAll(async () => {
    app = await launchApp({ shell: 'browser' });
    await libraryShown(app.page);
  });
  afterAll(async () => {
    await app?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('comes in by a drop of several files, once it was said what it would change', async () => {
    const { page } = app;
    await dropFiles(page, [
      { name: 'tide-report.afps', bytes: await archiveOf(agentFiles) },
      { name: 'tide-words.afps', bytes: await archiveOf(skillFiles) },
      { name: 'broken.afps', bytes: Buffer.from('This is no archive.') },
    ]);
    const sheet = page.getByRole('dialog', { name: 'Import 2 packages' });
    await sheet.waitFor();
    await sheet.locator('[data-problem]').getByText('broken.afps').waitFor();
    await sheet.getByRole('button', { name: /Tide words/ }).click();
    await sheet.getByText('scripts/spell.py').waitFor();
    await sheet.getByRole('button', { name: 'Import 2 packages' }).click();
    await sheet.waitFor({ state: 'detached' });
    await goTo(page, AGENT_LINK.concat('/links'));
    await page.getByRole('region', { name: 'Uses' }).getByRole('link', { name: SKILL }).waitFor();
    await goTo(page, '#/skills');
    await page.getByRole('list', { name: 'Skills' }).getByText('used by 1 package').waitFor();
    expect(app.problems).toEqual([]);
  });

  test('is found by keyboard', async () => {
    const { page } = app;
    await goTo(page, '#/library');
    await page.keyboard.press('/');
    await page.keyboard.type('tide');
    await expect.poll(() => page.locator('a[data-item]').count()).toBe(2);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Tide report', level: 1 }).waitFor();
    expect(app.problems).toEqual([]);
  });

  test('is found by its tag and its state, as cards and as a table', async () => {
    const { page } = app;
    await goTo(page, '#/library');
    const names = page.locator('a[data-item]');
    await page.getByRole('combobox', { name: 'Tag' }).selectOption('harbour');
    await expect.poll(() => names.allTextContents()).toEqual(['Tide report', 'Tide words']);
    await page.getByRole('radio', { name: 'Table' }).click();
    const table = page.getByRole('table', { name: 'Packages' });
    await table.getByRole('row', { name: /Tide words/ }).waitFor();
    await page.getByRole('combobox', { name: 'Tag' }).selectOption('ships');
    await expect.poll(() => names.allTextContents()).toEqual(['Tide report']);
    await page.getByRole('combobox', { name: 'Tag' }).selectOption('');
    await page.getByRole('button', { name: /^Samples/ }).click();
    await table.getByRole('row', { name: /Tide/ }).first().waitFor({ state: 'detached' });
    await page.getByRole('searchbox').fill('tide');
    await page.getByText('Nothing here matches “tide”').waitFor();
    await page.getByRole('button', { name: 'Show everything' }).click();
    await table.getByRole('row', { name: /Tide report/ }).waitFor();
    await page.getByRole('radio', { name: 'Cards' }).click();
    await page.getByRole('list', { name: 'Skills' }).getByText('Tide words').waitFor();
    await goTo(page, '#/mcp-servers');
    await page.getByText('There is no MCP server yet').waitFor();
    await page.getByText('An MCP server is a program that offers tools.').waitFor();
    expect(app.problems).toEqual([]);
  });

  test('is edited, saves itself, and shows what differs', async () => {
    const { page } = app;
    await goTo(page, `${AGENT_LINK}/edit`);
    await page
      .getByLabel('Description', { exact: true })
      .fill('Writes when a ship may enter, and when it must wait.');
    await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
    await page.getByText('Changed since 1.0.0').waitFor();
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    const difference = page.getByRole('region', { name: 'Difference of manifest.json' });
    await difference.getByText('must wait').first().waitFor();
    await difference.getByText('of some draught').first().waitFor();
    await page.getByText('It may reach just what it may reach now.').waitFor();
    expect(app.problems).toEqual([]);
  });

  test('takes another file, which is written here', async () => {
    const { page } = app;
    await goTo(page, `${AGENT_LINK}/files`);
    await page.getByRole('button', { name: 'Add files…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add files' });
    await dialog.getByLabel('Path').fill('prompt.md');
    await dialog.getByText('prompt.md is there already.').first().waitFor({ state: 'attached' });
    await dialog.getByLabel('Path').fill('references/draught.md');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    const file = page.getByRole('region', { name: 'references/draught.md', exact: true });
    await file.getByRole('button', { name: 'Edit' }).click();
    await page.locator('.monaco-editor').first().click();
    await page.keyboard.type('Four metres at most.');
    await page.getByRole('button', { name: 'Save' }).click();
    await file.getByText('Four metres at most.').waitFor();
    expect(app.problems).toEqual([]);
  });

  test('is published, but never as a version that is not higher', async () => {
    const { page } = app;
    await page.getByRole('button', { name: 'Publish' }).click();
    const dialog = page.getByRole('dialog', { name: 'Publish Tide report' });
    await dialog.getByLabel('Another version').fill('0.9.0');
    await dialog.getByText('Versions only go forward, and 1.0.0 is published.').first().waitFor();
    await dialog.getByRole('radio', { name: /^1\.1\.0/ }).check();
    await dialog.getByRole('button', { name: 'Publish 1.1.0' }).click();
    await dialog.waitFor({ state: 'detached' });
    await goTo(page, `${AGENT_LINK}/versions`);
    const newest = page.getByRole('table', { name: 'Versions' }).getByRole('row', { name: /1\.1\.0/ });
    await newest.getByText('latest').waitFor();
    expect(app.problems).toEqual([]);
  });

  test('is withdrawn with a reason, in one version', async () => {
    const { page } = app;
    const row = page.getByRole('table', { name: 'Versions' }).getByRole('row', { name: /1\.0\.0/ });
    await row.getByRole('button', { name: 'Actions for 1.0.0' }).click();
    await page.getByRole('menuitem', { name: 'Yank…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Yank 1.0.0?' });
    await dialog.getByLabel('Why').fill('Forgot the waiting');
    await dialog.getByRole('button', { name: 'Yank' }).click();
    await row.getByText('Yanked').waitFor();
    await row.getByText('Forgot the waiting').waitFor();
    expect(app.problems).toEqual([]);
  });

  test('is forked under a free name', async () => {
    const { page } = app;
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Fork…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Fork Tide report' });
    await dialog.getByLabel('Name').fill(SKILL);
    await dialog.getByText(`${SKILL} is in the library already.`).first().waitFor();
    await dialog.getByLabel('Name').fill('@quay/tide-report');
    await dialog.getByRole('button', { name: 'Fork' }).click();
    await page.waitForFunction(() => location.hash.includes('%40quay%2Ftide-report/edit'));
    await page.getByLabel('Package name').waitFor();
    await goTo(page, '#/agents/%40quay%2Ftide-report/overview');
    await page.getByText(`${AGENT}@1.1.0`).waitFor();
    expect(app.problems).toEqual([]);
  });

  test('is not deleted while another one needs it', async () => {
    const { page } = app;
    await goTo(page, `#/skills/${encodeURIComponent(SKILL)}/overview`);
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete Tide words?' });
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.locator('[data-problem="package_used"]').getByText(AGENT).first().waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(app.problems).toEqual([]);
  });

  test('goes out with all it needs', async () => {
    const { page } = app;
    await goTo(page, `${AGENT_LINK}/overview`);
    await page.getByRole('heading', { name: 'Tide report', level: 1 }).waitFor();
    integrity = await integrityShown(page);
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export Tide report' });
    await dialog.getByRole('radio', { name: /afps-bundle/ }).check();
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Export' }).click();
    await (await download).saveAs(bundleFile);
    expect(readFileSync(bundleFile).subarray(0, 2).toString()).toBe('PK');
    expect(app.problems).toEqual([]);
  });

  test('comes in elsewhere as the same, byte for byte', async () => {
    await using other = await launchApp({ shell: 'browser' });
    const { page } = other;
    await libraryShown(page);
    await dropFiles(page, [{ name: 'tide-report.afps-bundle', bytes: readFileSync(bundleFile) }]);
    const sheet = page.getByRole('dialog', { name: 'Import 2 packages' });
    await sheet.getByRole('button', { name: 'Import 2 packages' }).click();
    await page.getByRole('heading', { name: 'Tide report', level: 1 }).waitFor();
    await page.getByRole('region', { name: 'Through what it needs' }).getByText(SKILL).waitFor();
    expect(integrity).toMatch(/^sha256-/);
    expect(await integrityShown(page)).toBe(integrity);
    expect(other.problems).toEqual([]);
  });
});

describe('a new package', () => {
  let app: LaunchedApp;
  beforeAll(async () => {
    app = await launchApp({ shell: 'browser' });
    await libraryShown(app.page);
  });
  afterAll(() => app?.close());

  test('begins from a working example, and can be run at once', async () => {
    const { page } = app;
    await page.getByRole('button', { name: 'New', exact: true }).click();
    await page.getByLabel('What people call it').fill('Wéekly Report');
    await page.getByRole('button', { name: 'Create the agent' }).click();
    await page.waitForFunction(() => location.hash.includes('weekly-report/edit'));
    await page.getByRole('button', { name: 'Run…' }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
    expect(app.problems).toEqual([]);
  });

  test('comes from the catalogue as a version, with what it reaches', async () => {
    const { page } = app;
    await goTo(page, '#/integrations');
    await page.getByRole('button', { name: 'Look at the catalogue' }).click();
    await page.getByLabel('Search the catalogue').fill('gmail');
    await page.getByRole('button', { name: 'Add Gmail' }).click();
    await page.getByRole('button', { name: 'Open Gmail, which is in the library' }).click();
    await page.getByRole('heading', { name: 'Gmail', level: 1 }).waitFor();
    await page
      .getByRole('region', { name: 'Hosts it may call' })
      .getByText('gmail.googleapis.com', { exact: true })
      .waitFor();
    await page.getByRole('region', { name: 'Setup' }).waitFor();
    expect(app.problems).toEqual([]);
  });
});
