import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectOpenToAll } from './connecting.ts';
import { launchApp, type LaunchedApp } from './launch.ts';
import { CSV_REPORT, goTo, libraryShown, runEnded, shownRun } from './steps.ts';

const TABLE = 'town,people\nPort Alder,4120\nHight Water,311\n';

describe('the files that runs are given', () => {
  let app: LaunchedApp;
  let page: Page;
  let first: string;
  beforeAll(async () => {
    app = await launchApp({ shell: 'browser' });
    ({ page } = app);
    page.setDefaultTimeout(20_000);
    await libraryShown(page);
  }, 120_000);
  afterAll(() => app?.close());

  const documentOf = (runId: string) => join(app.dataDirectory, 'runs', runId, 'documents', 'towns “1”.csv');
  const hash = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

  test('are kept with the run, byte for byte', async () => {
    await goTo(page, CSV_REPORT);
    await page
      .getByLabel('Table', { exact: true })
      .setInputFiles({ name: 'towns “1”.csv', mimeType: 'text/csv', buffer: Buffer.from(TABLE) });
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    first = await shownRun(page);
    await runEnded(page);
    expect(hash(readFileSync(documentOf(first)))).toBe(hash(TABLE));
    await goTo(page, `#/runs/${first}/details`);
    const list = page.getByRole('list', { name: 'Input files' });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      list.getByRole('link', { name: 'Save towns “1”.csv' }).click(),
    ]);
    expect(readFileSync(await download.path(), 'utf8')).toBe(TABLE);
  }, 120_000);

  test('run again from a window that knows nothing of the first run', async () => {
    await page.reload();
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.waitForFunction((id) => !location.hash.includes(id), first);
    const second = await shownRun(page);
    await runEnded(page);
    expect(second).not.toBe(first);
    expect(hash(readFileSync(documentOf(second)))).toBe(hash(TABLE));
  }, 120_000);

  test('are chosen among what earlier runs left and were given', async () => {
    await goTo(page, CSV_REPORT);
    await page.getByRole('button', { name: 'Table: From an earlier run…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Files of an earlier run' });
    await dialog.getByLabel('report.md').waitFor();
    await expectOpenToAll(page, 'run-file-picker');
    await dialog.getByRole('radio', { name: /^towns “1”\.csv/ }).check();
    await dialog.getByRole('button', { name: 'Use it' }).click();
    const chosen = page.getByRole('list', { name: 'Table: chosen files' });
    await chosen.getByText('Of a run').waitFor();
    expect(await chosen.getByRole('listitem').count()).toBe(1);
    await expectOpenToAll(page, 'run-form-of-run');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const third = await shownRun(page);
    await runEnded(page);
    expect(hash(readFileSync(documentOf(third)))).toBe(hash(TABLE));
  }, 120_000);
});
