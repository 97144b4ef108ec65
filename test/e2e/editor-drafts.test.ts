import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeArchive } from '#main/library/archive/write-archive.ts';
import { launchApp, type LaunchedApp } from './launch.ts';
import { dropFiles, goTo, importDropped, libraryShown } from './steps.ts';

const AGENT = '@me/tides';
const EDIT = `#/agents/${encodeURIComponent(AGENT)}/edit`;

const manifest = {
  type: 'agent',
  schema_version: '0.2',
  name: AGENT,
  version: '1.0.0',
  display_name: 'Tides',
  author: 'Ada',
  description: 'Says when the water is high.',
  runtime_tools: ['log'],
};

async function archive(changes: Record<string, unknown> = {}): Promise<{ name: string; bytes: Buffer }> {
  const files = new Map([
    ['manifest.json', Buffer.from(JSON.stringify({ ...manifest, ...changes }, null, 2))],
    ['prompt.md', Buffer.from('Say when the water is high.\n')],
  ]);
  return { name: 'tides.afps', bytes: await writeArchive(files) };
}

async function view(page: Page, name: 'Form' | 'JSON'): Promise<void> {
  await page.getByRole('radio', { name, exact: true }).click();
}

async function endOf(page: Page, text: string): Promise<void> {
  await page.locator('.view-line').filter({ hasText: text }).first().click();
  await page.keyboard.press('End');
}

function saved(page: Page): Promise<void> {
  return page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
}

/** Waits until a field of the form says something. */
async function says(page: Page, label: string, value: string): Promise<void> {
  const field = page.getByRole('textbox', { name: new RegExp(`^${label}`) }).first();
  await expect.poll(() => field.inputValue(), { timeout: 10_000 }).toBe(value);
}

describe('what is typed', () => {
  const data = mkdtempSync(join(tmpdir(), 'slipway-drafts-'));
  let app: LaunchedApp;
  const start = async () => {
    app = await launchApp({ shell: 'browser', dataDirectory: data });
    app.page.setDefaultTimeout(15_000);
    await libraryShown(app.page);
  };
  /** Ends the app as a power cut does, and starts it again. */
  const killed = async () => {
    app.mainProcess.kill('SIGKILL');
    await app.mainProcess.exited;
    await app.close();
    await start();
    await goTo(app.page, EDIT);
    await app.page.getByLabel('Display name').waitFor();
  };
  beforeAll(async () => {
    await start();
    await importDropped(app.page, [await archive()]);
  });
  afterAll(async () => {
    await app?.close();
    rmSync(data, { recursive: true, force: true });
  });

  test('outlives an app that is killed between two letters', async () => {
    await goTo(app.page, EDIT);
    await app.page.getByLabel('Display name').fill('Tides of');
    // Less than the pause after which a draft saves itself.
    await app.page.waitForTimeout(300);
    await killed();
    const card = app.page.locator('[data-problem="typed_text_kept"]');
    await card.waitFor();
    await says(app.page, 'Display name', 'Tides');
    await card.getByRole('button', { name: 'Take it into the editor' }).click();
    await says(app.page, 'Display name', 'Tides of');
    await card.waitFor({ state: 'detached' });
    await saved(app.page);
    await app.page.getByRole('button', { name: 'Undo', exact: true }).click();
    await says(app.page, 'Display name', 'Tides');
    await saved(app.page);
    await app.page.reload();
    await says(app.page, 'Display name', 'Tides');
    expect(await card.count()).toBe(0);
    expect(app.problems).toEqual([]);
  });

  test('outlives it too while it is no JSON, which no draft can be', async () => {
    await view(app.page, 'JSON');
    await endOf(app.page, '"author"');
    await app.page.keyboard.insertText(' oops');
    await app.page.getByRole('status').getByText('Not saved yet').waitFor();
    await app.page.waitForTimeout(300);
    app.mainProcess.kill('SIGKILL');
    await app.mainProcess.exited;
    await app.close();
    await start();
    await goTo(app.page, EDIT);
    const card = app.page.locator('[data-problem="typed_text_kept"]');
    await card.getByRole('button', { name: 'Take it into the editor' }).click();
    await app.page.getByText('can change nothing until it is mended').waitFor();
    await view(app.page, 'JSON');
    await app.page.locator('.view-line').filter({ hasText: '"Ada", oops' }).first().waitFor();
    await app.page.keyboard.press('Control+z');
    await view(app.page, 'Form');
    expect(app.problems).toEqual([]);
  });
});

describe('a draft that is open', () => {
  const data = mkdtempSync(join(tmpdir(), 'slipway-windows-'));
  let app: LaunchedApp;
  let second: LaunchedApp;
  let other: Page;
  beforeAll(async () => {
    app = await launchApp({ shell: 'browser', dataDirectory: data });
    const { page } = app;
    page.setDefaultTimeout(15_000);
    await libraryShown(page);
    await importDropped(page, [await archive()]);
    await goTo(page, EDIT);
    await page.getByLabel('Display name').waitFor();
    // Another process over the same data, as the app and its browser shell may be.
    second = await launchApp({ shell: 'browser', dataDirectory: data });
    other = second.page;
    other.setDefaultTimeout(15_000);
    await libraryShown(other);
    await goTo(other, EDIT);
    await other.getByLabel('Display name').waitFor();
  });
  afterAll(async () => {
    await second?.close();
    await app?.close();
    rmSync(data, { recursive: true, force: true });
  });

  test('in two windows, is shown in both as either saves it', async () => {
    const { page } = app;
    await page.getByLabel('Display name').fill('Tides, by one');
    await saved(page);
    await says(other, 'Display name', 'Tides, by one');
    await other.getByText('The draft was changed outside of this editor').first().waitFor();
    await other.getByLabel('Author').fill('Grace');
    await saved(other);
    await says(page, 'Author', 'Grace');
    await page.getByLabel('Display name').focus();
    await page.keyboard.press('Control+z');
    await says(page, 'Author', 'Ada');
    await says(other, 'Author', 'Ada');
    expect([...app.problems, ...second.problems]).toEqual([]);
  });

  test('is saved over nobody’s words when both windows type, and neither loses its own', async () => {
    const { page } = app;
    await saved(page);
    await other.getByLabel('Description', { exact: true }).fill('Theirs.');
    await page.getByLabel('Description', { exact: true }).fill('Mine.');
    const isAsked = async () =>
      (await page.locator('[data-problem="draft_conflict"]').count()) +
      (await other.locator('[data-problem="draft_conflict"]').count());
    await expect.poll(isAsked, { timeout: 10_000 }).toBe(1);
    const [asked, first] =
      (await page.locator('[data-problem="draft_conflict"]').count()) > 0 ? [page, other] : [other, page];
    const words = asked === page ? 'Mine.' : 'Theirs.';
    await saved(first);
    await says(asked, 'Description', words);
    await asked.getByRole('button', { name: 'Save mine over it' }).click();
    await saved(asked);
    await says(first, 'Description', words);
    expect([...app.problems, ...second.problems]).toEqual([]);
  });

  test('is followed when a package is imported over it', async () => {
    const { page } = app;
    await page.getByLabel('Display name').focus();
    await saved(page);
    await dropFiles(page, [await archive({ display_name: 'Tides, imported' })]);
    const sheet = page.getByRole('dialog');
    await sheet.getByRole('radio', { name: /Take as a draft/ }).check();
    await sheet.getByRole('button', { name: /^Import/ }).click();
    await sheet.waitFor({ state: 'detached' });
    await goTo(page, EDIT);
    await says(page, 'Display name', 'Tides, imported');
    await says(other, 'Display name', 'Tides, imported');
    expect([...app.problems, ...second.problems]).toEqual([]);
  });

  test('is not saved with what was withdrawn, until its fix is taken', async () => {
    const { page } = app;
    await view(page, 'JSON');
    await endOf(page, '"log"');
    await page.keyboard.press('Home');
    await page.keyboard.press('Shift+End');
    await page.keyboard.insertText('    "log", "add-memory"');
    const refused = page.locator('[data-problem="package_invalid"]');
    await refused.getByText('add-memory').first().waitFor();
    await page.getByRole('status').getByText('Not saved', { exact: true }).waitFor();
    const problems = page.getByRole('region', { name: 'Problems' });
    await problems.getByRole('button', { name: 'Use "note"', exact: true }).click();
    await refused.waitFor({ state: 'detached' });
    await saved(page);
    await view(page, 'Form');
    await page
      .getByRole('navigation', { name: 'Parts of the form' })
      .getByRole('button', { name: 'Tools' })
      .click();
    expect(await page.getByRole('checkbox', { name: /^note/ }).isChecked()).toBe(true);
    expect(app.problems).toEqual([]);
  });
});
