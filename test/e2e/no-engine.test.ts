import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { root } from '../../scripts/lib/build-state.ts';
import { openTestClient } from '../support/engine-harness.ts';
import { SocketProxy } from '../support/socket-proxy.ts';
import { engineThings } from './engine-things.ts';
import { launchApp, type LaunchedApp } from './launch.ts';
import { CSV_REPORT, goTo, libraryShown, runEnded, runIs, startRun, timelineRows } from './steps.ts';

/** Milliseconds within which the app looks for an engine again by itself. */
const LOOKS_AGAIN_MS = 20_000;

describe('without an engine', () => {
  let proxy: SocketProxy;
  let app: LaunchedApp;
  beforeEach(async () => {
    using client = await openTestClient();
    proxy = await SocketProxy.open(client.socketPath);
    await proxy.cut();
    leaveDeadSocket(proxy.path);
    app = await launchApp({
      shell: 'browser',
      environment: {
        DOCKER_HOST: `unix://${proxy.path}`,
        SLIPWAY_TEST_SOCKETS: dirname(proxy.path),
        NODE_OPTIONS: `--import=${pathToFileURL(join(root, 'test', 'support', 'hide-engines.ts')).href}`,
      },
    });
  });
  afterEach(async () => {
    await app?.close();
    await proxy[Symbol.asyncDispose]();
  });

  test('says what was tried and why it failed, and goes on by itself when an engine appears', async () => {
    const { page } = app;
    await page.getByRole('heading', { name: 'No container engine answers' }).waitFor();
    const tried = page.getByRole('list', { name: 'Endpoints tried' }).getByRole('listitem');
    const chosen = tried.filter({ hasText: 'DOCKER_HOST' });
    await chosen.getByText('Refused').waitFor();
    await chosen.getByText('The socket is there, but no engine listens on it. Start Docker.').waitFor();
    const usual = tried.filter({ hasText: "Docker's usual socket" });
    await usual.getByText('Not there').waitFor();
    await usual.getByText('There is no such socket.').waitFor();
    await page
      .getByRole('region', { name: /^What to install on/ })
      .getByRole('listitem')
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Run without isolation…' }).waitFor();

    await page.getByRole('button', { name: 'look at the agents first' }).click();
    await libraryShown(page);
    await goTo(page, CSV_REPORT);
    await page
      .getByRole('paragraph')
      .filter({ hasText: 'needs your consent. See Settings, Engine.' })
      .waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click({ force: true });
    expect(await page.evaluate(() => location.hash)).toBe(CSV_REPORT);
    await page.reload();
    await goTo(page, '#/agents');
    await page.getByRole('heading', { name: 'No container engine answers' }).waitFor();

    await proxy.restore();
    await page.getByRole('heading', { name: 'No container engine answers' }).waitFor({
      state: 'detached',
      timeout: LOOKS_AGAIN_MS,
    });
    await libraryShown(page);
    await page.getByRole('button', { name: 'Run CSV report' }).click();
    await runEnded(page);
    expect(app.problems).toEqual([]);
  });

  test('that went away during a run, the run says so, and what it left is cleared when it is back', async () => {
    const { page } = app;
    await proxy.restore();
    await page.getByText('@slipway/csv-report').waitFor({ timeout: LOOKS_AGAIN_MS });
    await startRun(page);
    await runIs(page, 'running');
    await timelineRows(page).filter({ hasText: 'documents/market-stall.csv' }).first().waitFor();
    await proxy.cut();
    await runIs(page, 'failed');
    const card = page.getByRole('main').locator('[data-problem]').first();
    expect(await card.innerText()).toMatch(/engine/i);
    await goTo(page, '#/agents');
    await page.getByRole('heading', { name: 'No container engine answers' }).waitFor({
      timeout: LOOKS_AGAIN_MS,
    });
    await proxy.restore();
    await page.getByText('@slipway/csv-report').waitFor({ timeout: LOOKS_AGAIN_MS });
    await goTo(page, '#/settings/engine');
    await page.getByRole('checkbox', { name: 'Keep a sandbox ready' }).click();
    await expect.poll(() => engineThings(app.instanceIds), { timeout: 30_000 }).toEqual([]);
  });
});

/** A socket's file without anybody behind it, as an engine leaves that was killed. */
function leaveDeadSocket(path: string): void {
  const program = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
  spawnSync(process.execPath, ['-e', program]);
}
