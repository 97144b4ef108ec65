import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeTable } from '#test/support/harbour-table.ts';
import { engineThings } from './engine-things.ts';
import { launchApp, type LaunchedApp } from './launch.ts';
import {
  CSV_REPORT,
  goTo,
  libraryShown,
  runEnded,
  runIs,
  shownRun,
  startRun,
  timelineRows,
} from './steps.ts';

/** What the product promises: milliseconds from the click on Stop until nothing of the run is left. */
const STOP_LIMIT_MS = 3_000;

describe.each(['browser', 'electron'] as const)('a run in the %s shell', (shell) => {
  let folder: string;
  let app: LaunchedApp;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-run-'));
    app = await launchApp({ shell });
    await libraryShown(app.page);
  });
  afterAll(async () => {
    await app?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('starts in the library with one press, and is watched until its output and its files are there', async () => {
    const { page } = app;
    await page.getByRole('button', { name: 'Run CSV report' }).click();
    await shownRun(page);
    await runIs(page, 'running');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await timelineRows(page).filter({ hasText: 'documents/market-stall.csv' }).first().waitFor();
    await page.getByText('not delivered').first().waitFor();
    await runEnded(page);
    expect(app.problems).toEqual([]);

    const output = page.getByRole('table', { name: 'Output' });
    await page.getByText('Valid against the schema').waitFor();
    await output.getByRole('row').filter({ hasText: 'rows' }).getByText('90', { exact: true }).waitFor();
    await output.getByText('outputs/report.md').waitFor();
  });

  test('shows its report with the chart in it, and the chart by itself', async () => {
    const { page } = app;
    await page.getByRole('tab', { name: /^Files/ }).click();
    const preview = page.getByRole('region', { name: /^Preview of/ });
    await preview.getByRole('heading', { name: 'Market stall, May' }).waitFor();
    const widthOf = () =>
      preview.locator('img').evaluate((image) => (image as HTMLImageElement).naturalWidth);
    await expect.poll(widthOf).toBeGreaterThan(100);
    await page.getByRole('list', { name: 'Files' }).getByText('chart.svg').click();
    await page.getByRole('region', { name: 'Preview of chart.svg' }).locator('img').waitFor();
    await expect.poll(widthOf).toBeGreaterThan(100);
    expect(app.problems).toEqual([]);
  });

  test('gives a file away with Save, byte by byte as it was kept', async () => {
    const { page } = app;
    const target = join(folder, 'report.md');
    const row = page
      .getByRole('list', { name: 'Files' })
      .getByRole('listitem')
      .filter({ hasText: 'report.md' });
    if (shell === 'browser') {
      const download = page.waitForEvent('download');
      await row.getByRole('link', { name: 'Save report.md' }).click();
      await (await download).saveAs(join(folder, (await download).suggestedFilename()));
    } else {
      await app.mainProcess.evaluate(({ dialog }, filePath) => {
        dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath });
      }, target);
      await row.getByRole('button', { name: 'Save report.md' }).click();
      await page.getByText(`Saved to ${target}`, { exact: true }).waitFor();
    }
    const kept = join(app.dataDirectory, 'runs', await shownRun(page), 'outputs', 'report.md');
    expect(readFileSync(target).equals(readFileSync(kept))).toBe(true);
  });

  test('opens again from the list of runs just as it was', async () => {
    const { page } = app;
    await page.setViewportSize({ width: 1280, height: 6000 });
    await page.getByRole('tab', { name: 'Output' }).click();
    const seen = async () => ({
      rows: await timelineRows(page).allInnerTexts(),
      output: await page.getByRole('table', { name: 'Output' }).innerText(),
      facts: await page.getByRole('main').locator('header dl').innerText(),
    });
    const live = await seen();
    expect(live.rows.length).toBeGreaterThan(20);
    await goTo(page, '#/runs');
    await page
      .getByRole('table', { name: 'Runs' })
      .getByRole('link', { name: /CSV report/ })
      .first()
      .click();
    await runEnded(page);
    await expect.poll(seen).toEqual(live);
    await page.reload();
    await runEnded(page);
    await expect.poll(seen).toEqual(live);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test('has the right numbers for a table that nobody has seen before', async () => {
    const { page } = app;
    const table = makeTable();
    writeFileSync(join(folder, 'harbour dues.csv'), table.text);
    await goTo(page, '#/agents');
    await goTo(page, CSV_REPORT);
    await page.locator('input[type=file]').first().setInputFiles(join(folder, 'harbour dues.csv'));
    await page.getByRole('list', { name: 'Table: chosen files' }).getByText('harbour dues.csv').waitFor();
    await page.getByRole('textbox', { name: 'Title' }).fill('Harbour dues');
    await page.getByRole('textbox', { name: 'Group by' }).fill('berth');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const runId = await shownRun(page);
    await runEnded(page);
    const columns = page.getByRole('region', { name: 'columns' }).getByRole('row');
    for (const [name, total] of [
      ['ships', table.ships],
      ['dues', table.dues],
    ] as const)
      await columns
        .filter({ hasText: name })
        .getByRole('cell', { name: String(total), exact: true })
        .waitFor();
    const report = readFileSync(join(app.dataDirectory, 'runs', runId, 'outputs', 'report.md'), 'utf8');
    expect(report).toContain('# Harbour dues');
    const numbers = report.replaceAll(/(?<=\d)[ ,\u00a0\u202f](?=\d{3})/g, '');
    for (const [berth, dues] of table.byBerth) expect(numbers).toMatch(new RegExp(`${berth}.*\\b${dues}\\b`));
  });

  test('ends when it is stopped, and nothing of it is left in the engine', async () => {
    const { page } = app;
    await goTo(page, '#/settings/engine');
    // Without a pair that waits for the next run, whatever is left belongs to this one.
    await page.getByRole('checkbox', { name: 'Keep a sandbox ready' }).click();
    await expect.poll(() => engineThings(app.instanceIds), { timeout: 20_000 }).toEqual([]);
    await startRun(page);
    await runIs(page, 'running');
    await timelineRows(page).filter({ hasText: 'documents/market-stall.csv' }).first().waitFor();
    expect((await engineThings(app.instanceIds)).length).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('header [data-status="cancelled"]').waitFor({ timeout: STOP_LIMIT_MS });
    await expect
      .poll(() => engineThings(app.instanceIds), { timeout: STOP_LIMIT_MS, interval: 100 })
      .toEqual([]);
    await page.getByRole('button', { name: 'Run again' }).waitFor();
    expect(app.problems).toEqual([]);
  });
});
