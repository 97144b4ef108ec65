import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeArchive } from '#main/library/archive/write-archive.ts';
import {
  agentFiles,
  integrationFiles,
  serverFiles,
  skillFiles,
  type Files,
} from '#test/support/test-packages.ts';
import { expectOpenToAll } from './connecting.ts';
import { launchApp, type LaunchedApp } from './launch.ts';
import { dropFiles, goTo, importDropped, libraryShown } from './steps.ts';

/** Looking for faults in each theme takes seconds, and slow computers tens of them. */
const TIMEOUT_MS = 300_000;

async function archivesOf(packages: Readonly<Record<string, Files>>) {
  return Promise.all(
    Object.entries(packages).map(async ([name, files]) => ({ name, bytes: await writeArchive(files) })),
  );
}

const agent = (more: Readonly<Record<string, unknown>> = {}): Files =>
  agentFiles('@harbour/report', {
    display_name: 'Tide report',
    description: 'Writes when a ship of some draught may enter.',
    keywords: ['harbour'],
    dependencies: { skills: { '@harbour/words': '^1.0.0' }, integrations: { '@harbour/tides': '^1.0.0' } },
    integrations_configuration: { '@harbour/tides': { tools: ['api_call'] } },
    ...more,
  });

const installed = {
  'report.afps': agent(),
  'words.afps': new Map(skillFiles('@harbour/words')).set('scripts/spell.py', Buffer.from('print("neap")\n')),
  'tides.afps': integrationFiles('@harbour/tides'),
  'gauge.afps': serverFiles('@harbour/gauge'),
};

/** An upgrade that reaches further, the same version twice, one that is refused, and one with odd names. */
const coming = {
  'tides-2.afps': integrationFiles('@harbour/tides', {
    version: '1.1.0',
    display_name: 'Tides',
    description: 'High and low water of all harbours.',
    default_tools: ['api_call'],
    auths: {
      main: { ...mainAuth(), authorized_uris: ['https://api.mail.example/**', 'https://other.example/**'] },
    },
  }),
  'tides-3.afps': integrationFiles('@harbour/tides', { version: '1.1.0', display_name: 'Tides' }),
  'report-2.afps': agent({ version: '1.1', timeout: 'long' }),
  'words-2.afps': new Map(skillFiles('@harbour/words', { version: '1.1.0' })).set(
    'docs/con.txt',
    Buffer.from('x'),
  ),
  'new.afps': serverFiles('@harbour/buoy'),
};

function mainAuth(): Record<string, unknown> {
  const manifest = JSON.parse(String(integrationFiles('@a/a').get('manifest.json'))) as {
    auths: { main: Record<string, unknown> };
  };
  return manifest.auths.main;
}

/** Looks for what shuts somebody out, in both themes. */
async function expectOpen(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expectOpenToAll(page, name);
  }
}

describe('packages can be handled by everybody', () => {
  let app: LaunchedApp;
  beforeAll(async () => {
    app = await launchApp({ shell: 'browser' });
    await libraryShown(app.page);
    await importDropped(app.page, await archivesOf(installed));
  });
  afterAll(() => app?.close());

  test(
    'in the sheet of an import, from choosing to what was not taken',
    async () => {
      const { page } = app;
      await goTo(page, '#/library');
      await page.getByRole('button', { name: 'Import', exact: true }).first().click();
      const sheet = page.getByRole('dialog');
      await sheet.waitFor();
      await expectOpen(page, 'import-choosing');
      await page.keyboard.press('Escape');
      await sheet.waitFor({ state: 'detached' });

      await dropFiles(page, [
        ...(await archivesOf(coming)),
        { name: 'broken.afps', bytes: Buffer.from('This is no archive.') },
      ]);
      const list = sheet.getByRole('list', { name: 'Packages found' });
      await list.waitFor();
      await expectOpen(page, 'import-refused');
      const tides = list.getByRole('button', { name: /^Tides/ });
      expect(await tides.count()).toBe(2);
      await tides.first().click();
      await sheet.getByText('More than once in this import').waitFor();
      await sheet.getByText('other.example').first().waitFor();
      await expectOpen(page, 'import-twice');
      await tides.last().click();
      await sheet.getByLabel(/^Take as version/).check();
      await tides.first().click();
      expect(await sheet.getByLabel(/^Leave it/).isChecked()).toBe(true);
      await list.getByRole('button', { name: /^Words/ }).click();
      await sheet.getByText('docs/con.txt').first().waitFor();
      await expectOpen(page, 'import-names');
      await page.keyboard.press('Escape');
      await sheet.waitFor({ state: 'detached' });
      expect(app.problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test.each([
    ['agents', '@harbour/report', ['overview', 'files', 'versions', 'links', 'findings']],
    ['skills', '@harbour/words', ['overview', 'files', 'versions']],
    ['integrations', '@harbour/tides', ['overview', 'links']],
    ['mcp-servers', '@harbour/gauge', ['overview', 'files']],
  ] as const)(
    'on the pages of one of the %s',
    async (kind, name, tabs) => {
      const { page } = app;
      for (const tab of tabs) {
        await goTo(page, `#/${kind}/${encodeURIComponent(name)}/${tab}`);
        await page.locator(`[role="tab"][aria-selected="true"][id$="-trigger-${tab}"]`).waitFor();
        await expectOpen(page, `package-${kind}-${tab}`);
      }
      expect(app.problems).toEqual([]);
    },
    TIMEOUT_MS,
  );

  test(
    'in the list of each kind, full and empty',
    async () => {
      const { page } = app;
      for (const kind of ['library', 'skills', 'integrations', 'mcp-servers']) {
        await goTo(page, `#/${kind}`);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await expectOpen(page, `list-${kind}`);
      }
      await goTo(page, '#/library');
      await page.keyboard.press('/');
      await page.keyboard.type('no such thing');
      await page.getByText('Nothing here matches').waitFor();
      await expectOpen(page, 'list-nothing-found');
      expect(app.problems).toEqual([]);
    },
    TIMEOUT_MS,
  );
});
