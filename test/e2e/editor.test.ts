import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectOpenToAll } from './connecting.ts';
import { launchApp, type LaunchedApp } from './launch.ts';
import { goTo, libraryShown } from './steps.ts';

/** Milliseconds a run may take with the walkthrough model. */
const RUN_MS = 90_000;

async function saved(page: Page): Promise<void> {
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
}

async function part(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Parts of the form' }).getByRole('button', { name }).click();
}

/** Puts the cursor at the end of a line of the JSON. */
async function endOf(page: Page, text: string): Promise<void> {
  await page.locator('.view-line').filter({ hasText: text }).first().click();
  await page.keyboard.press('End');
}

/** Gives a trial's form the file that a new agent asks for. */
async function chooseText(trial: Locator): Promise<void> {
  const buffer = Buffer.from('High water is at noon.');
  const file = { name: 'tides.txt', mimeType: 'text/plain', buffer };
  await trial.locator('input[type="file"]').first().setInputFiles(file);
  await trial
    .getByRole('list', { name: /chosen files/ })
    .getByText('tides.txt')
    .waitFor();
}

describe('an author who has read nothing', () => {
  const data = mkdtempSync(join(tmpdir(), 'slipway-editor-'));
  let app: LaunchedApp;
  let link: string;
  beforeAll(async () => {
    app = await launchApp({ shell: 'browser', dataDirectory: data });
    await libraryShown(app.page);
  });
  afterAll(async () => {
    await app?.close();
    rmSync(data, { recursive: true, force: true });
  });

  test('makes an agent, and sees its first run beside it', async () => {
    const { page } = app;
    await page.getByRole('button', { name: 'New', exact: true }).click();
    await page.getByLabel('What people call it').fill('Harbour report');
    await page.getByLabel('Author').fill('Ada');
    await page.getByRole('button', { name: 'Create the agent' }).click();
    await page.waitForFunction(() => location.hash.includes('harbour-report/edit'));
    link = await page.evaluate(() => location.hash.replace(/\/edit.*$/, ''));
    expect(await page.getByLabel('Package name').getAttribute('readonly')).not.toBeNull();
    await page.getByLabel('Description', { exact: true }).fill('Says which ships may enter.');
    // The walkthrough is no model and gives no result, so none is asked for.
    await part(page, 'Output');
    await page.getByRole('button', { name: 'Remove status' }).click();
    await page.getByRole('button', { name: 'Remove answer' }).click();
    await part(page, 'Input');
    await page.getByLabel('Name of the new field').fill('draught');
    await page.getByRole('button', { name: 'Add field' }).click();
    await page.getByLabel('Kind of draught').selectOption('number');
    const form = page.getByRole('region', { name: 'The form of a run' });
    await form.getByRole('button', { name: 'Fill in samples' }).click();
    await form.getByRole('spinbutton', { name: 'Draught' }).fill('4.5');
    await form.getByRole('button', { name: 'Keep as the example' }).click();
    await form.getByRole('button', { name: 'Try it with these' }).click();
    const trial = page.getByRole('complementary', { name: 'Try it' });
    await expect
      .poll(() => trial.getByRole('spinbutton', { name: 'Draught' }).inputValue(), { timeout: 10_000 })
      .toBe('4.5');
    await chooseText(trial);
    await trial.getByRole('button', { name: 'Run', exact: true }).click();
    const ended = trial.locator('[data-status="success"], [data-status="failed"]');
    await ended.first().waitFor({ timeout: RUN_MS });
    expect(await trial.innerText()).toContain('Succeeded');
    // The editor is still there, at the part it was at.
    expect(await page.getByLabel('Kind of draught').inputValue()).toBe('number');
    await trial.getByRole('link', { name: 'Open the run' }).click();
    await page.waitForFunction(() => location.hash.startsWith('#/runs/'));
    expect(app.problems).toEqual([]);
  });

  test('tries it again with what the last run was given', async () => {
    const { page } = app;
    await goTo(page, `${link}/edit`);
    await page.getByRole('button', { name: 'Try it' }).click();
    const trial = page.getByRole('complementary', { name: 'Try it' });
    await expect
      .poll(() => trial.getByRole('spinbutton', { name: 'Draught' }).inputValue(), { timeout: 10_000 })
      .toBe('4.5');
    await trial.getByRole('button', { name: 'Close the trial' }).click();
    expect(app.problems).toEqual([]);
  });

  test('loses nothing that was saved when the app is killed', async () => {
    await part(app.page, 'Identity');
    await app.page.getByLabel('Display name').fill('Harbour watch');
    await saved(app.page);
    app.mainProcess.kill('SIGKILL');
    await app.mainProcess.exited;
    await app.close();
    app = await launchApp({ shell: 'browser', dataDirectory: data });
    await libraryShown(app.page);
    await goTo(app.page, `${link}/edit`);
    await expect
      .poll(() => app.page.getByLabel('Display name').inputValue(), { timeout: 10_000 })
      .toBe('Harbour watch');
  });

  test('publishes it from the editor, with a tag', async () => {
    const { page } = app;
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Publish Harbour watch' });
    await dialog.getByLabel('Tag', { exact: true }).fill('stable');
    await dialog.getByRole('button', { name: /^Publish \d/ }).click();
    await dialog.waitFor({ state: 'detached' });
    await goTo(page, `${link}/versions`);
    await page.getByRole('table', { name: 'Versions' }).getByText('stable').waitFor();
    expect(app.problems).toEqual([]);
  });
});

describe('an expert at the JSON', () => {
  let app: LaunchedApp;
  const link = '#/agents/%40me%2Fexpert';
  beforeAll(async () => {
    app = await launchApp({ shell: 'browser' });
    const { page } = app;
    await libraryShown(page);
    await page.getByRole('button', { name: 'New', exact: true }).click();
    await page.getByLabel('What people call it').fill('Expert');
    await page.getByRole('dialog').getByLabel(/^Name/).fill('@me/expert');
    await page.getByRole('button', { name: 'Create the agent' }).click();
    await page.getByLabel('Package name').waitFor();
  });
  afterAll(() => app?.close());

  test('is offered what the manifest takes, and undoes over both views', async () => {
    const { page } = app;
    await page.getByRole('radio', { name: 'JSON', exact: true }).click();
    await endOf(page, '"version"');
    await page.keyboard.insertText('\n  "license": "MIT",');
    await endOf(page, '"license"');
    await page.keyboard.insertText('\n  "home');
    await page.keyboard.press('Control+Space');
    await page.locator('.suggest-widget').getByText('homepage').first().waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+z');
    await page.getByRole('radio', { name: 'Form', exact: true }).click();
    const licence = page.getByLabel('Licence');
    await expect.poll(() => licence.inputValue()).toBe('MIT');
    await licence.fill('ISC');
    await licence.press('Control+z');
    await expect.poll(() => licence.inputValue()).toBe('MIT');
    await page.getByRole('radio', { name: 'JSON', exact: true }).click();
    await page.locator('.view-line').filter({ hasText: '"license": "MIT"' }).first().waitFor();
    expect(app.problems).toEqual([]);
  });

  test('goes elsewhere with broken JSON, and finds it again as it was', async () => {
    const { page } = app;
    await endOf(page, '"license"');
    await page.keyboard.insertText(' oops');
    await page.getByRole('status').getByText('Not saved yet').waitFor();
    await page.getByRole('tab', { name: 'Overview' }).click();
    await page.getByRole('complementary', { name: 'About this package' }).waitFor();
    await goTo(page, '#/runs');
    await goTo(page, `${link}/edit`);
    await page.locator('.view-line').filter({ hasText: 'oops' }).first().waitFor();
    await page.getByRole('button', { name: 'Try it' }).click();
    const trial = page.getByRole('complementary', { name: 'Try it' });
    await chooseText(trial);
    await trial.getByRole('button', { name: 'Run', exact: true }).click();
    await trial.getByText('Mend the JSON, then run it.').waitFor();
    await trial.getByRole('button', { name: 'Close the trial' }).click();
    expect(app.problems).toEqual([]);
  });

  test('is told when the draft was changed elsewhere meanwhile, and decides', async () => {
    const { page } = app;
    await goTo(page, `${link}/files`);
    await page.getByRole('button', { name: 'Add files…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add files' });
    await dialog.getByLabel('Path').fill('notes.md');
    await dialog.getByRole('button', { name: 'Add', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await goTo(page, `${link}/edit`);
    await page.locator('.view-line').filter({ hasText: 'oops' }).first().waitFor();
    await endOf(page, 'oops');
    for (let letter = 0; letter < ' oops'.length; letter += 1) await page.keyboard.press('Backspace');
    await page.locator('[data-problem="draft_conflict"]').waitFor();
    await expectOpenToAll(page, 'editor-conflict');
    await page.getByRole('button', { name: 'Save mine over it' }).click();
    await saved(page);
    await goTo(page, `${link}/files`);
    await page.getByRole('region', { name: 'Files of the package' }).getByText('notes.md').waitFor();
    expect(app.problems).toEqual([]);
  });

  test('stays where a package is not, with the reason', async () => {
    const { page } = app;
    await goTo(page, '#/agents/%40me%2Fnone/edit');
    await page.locator('[data-problem="package_unknown"]').waitFor();
    expect(await page.evaluate(() => location.hash)).toContain('none/edit');
  });
});
