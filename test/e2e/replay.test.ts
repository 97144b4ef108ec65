import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectOpenToAll } from './connecting.ts';
import { launchApp, type LaunchedApp } from './launch.ts';
import { goTo, libraryShown, runEnded, startRun } from './steps.ts';

let app: LaunchedApp;
beforeAll(async () => {
  app = await launchApp({ shell: 'browser' });
  await libraryShown(app.page);
});
afterAll(() => app?.close());

test('a run is replayed from its page by keyboard, and says that it came out as it did', async () => {
  const { page } = app;
  const runId = await startRun(page);
  await runEnded(page);
  const menu = page.getByRole('button', { name: 'Replay' });
  await menu.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: /^As it was/ }).waitFor();
  await expectOpenToAll(page, 'replay-menu');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => /#\/runs\/./.test(url.hash) && !url.hash.includes(runId));
  const note = page.getByRole('region', { name: 'Replay' });
  await note.getByText('The model and the services answer as they did then.').waitFor();
  await runEnded(page);
  await note.getByText('It came out as it did then.').waitFor();
  expect(await menu.count()).toBe(0);
  await expectOpenToAll(page, 'replay-same');

  await goTo(page, '#/runs');
  await page.getByRole('table', { name: 'Runs' }).getByText('Replay', { exact: true }).waitFor();
  await expectOpenToAll(page, 'replay-in-runs');
  expect(app.problems).toEqual([]);
});

test('a replay that comes out otherwise shows where', async () => {
  const { page } = app;
  const runId = await startRun(page, 'gather');
  await runEnded(page);
  await page.getByRole('button', { name: 'Replay' }).click();
  await page.getByRole('menuitem', { name: /^As it was/ }).click();
  await page.waitForURL((url) => /#\/runs\/./.test(url.hash) && !url.hash.includes(runId));
  await runEnded(page);
  const note = page.getByRole('region', { name: 'Replay' });
  // The workbook has the time in it at which it was written.
  await note.getByRole('button', { name: 'Show 1 difference' }).click();
  await note.getByRole('list', { name: 'Differences' }).getByText('gathered.xlsx').first().waitFor();
  await expectOpenToAll(page, 'replay-differs');
  await note.getByRole('link', { name: 'an earlier run' }).click();
  await page.waitForURL((url) => url.hash.includes(runId));
  expect(app.problems).toEqual([]);
});
