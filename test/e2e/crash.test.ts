import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { engineThings } from './engine-things.ts';
import { deliveredSequences, oneTo, recordFrames } from './frames.ts';
import { launchApp, type LaunchedApp } from './launch.ts';
import { goTo, libraryShown, runIs, startRun, timelineRows } from './steps.ts';

let dataDirectory: string;
const apps: LaunchedApp[] = [];
beforeEach(() => {
  dataDirectory = mkdtempSync(join(tmpdir(), 'slipway-crash-'));
});
afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
  rmSync(dataDirectory, { recursive: true, force: true });
});

async function start(): Promise<LaunchedApp> {
  const app = await launchApp({
    shell: 'browser',
    dataDirectory,
    async onPage(page) {
      await page.setViewportSize({ width: 1280, height: 4000 });
      await recordFrames(page);
    },
  });
  apps.push(app);
  await libraryShown(app.page);
  return app;
}

test('an app killed during a run shows it as interrupted at its next start, with all it did', async () => {
  const first = await start();
  const runId = await startRun(first.page);
  await runIs(first.page, 'running');
  await timelineRows(first.page).filter({ hasText: 'documents/market-stall.csv' }).first().waitFor();
  expect(await engineThings(first.instanceIds)).not.toEqual([]);
  first.mainProcess.kill('SIGKILL');
  expect((await first.mainProcess.exited).signal).toBe('SIGKILL');
  const known = await deliveredSequences(first.page, runId);
  expect(known).toEqual(oneTo(known.length));
  await first.page.getByRole('alert').getByText('Connection to Slipway lost').waitFor();
  const shown = await timelineRows(first.page).allInnerTexts();

  const second = await start();
  const { page } = second;
  const row = page.getByRole('table', { name: 'Runs' }).getByRole('row').filter({ hasText: 'CSV report' });
  await row.getByText('Interrupted').waitFor();
  await goTo(page, `#/runs/${runId}`);
  await runIs(page, 'interrupted');
  await expect.poll(() => timelineRows(page).count()).toBeGreaterThanOrEqual(shown.length);
  const kept = await deliveredSequences(page, runId);
  expect(kept).toEqual(oneTo(kept.length));
  expect(kept.length).toBeGreaterThanOrEqual(known.length);
  // What main had told before it died is on record: the last row alone may have grown since.
  const rows = await timelineRows(page).allInnerTexts();
  expect(rows.slice(0, shown.length - 2)).toEqual(shown.slice(0, -2));

  await expect.poll(() => engineThings(first.instanceIds), { timeout: 20_000 }).toEqual([]);
  await startRun(page);
  await runIs(page, 'success');
});
