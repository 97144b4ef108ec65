import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findChromium } from '../support/find-chromium.ts';
import { instancesIn, removeEngineThings } from './engine-things.ts';
import { deliveredSequences, oneTo, recordFrames } from './frames.ts';
import { browserCommand, collectLogs, launchApp, printedAddress, type LaunchedApp } from './launch.ts';
import { goTo, libraryShown, runEnded, runIs, shownRun, startRun, timelineRows } from './steps.ts';

describe('a page in the browser', () => {
  let app: LaunchedApp;
  beforeAll(async () => {
    app = await launchApp({
      shell: 'browser',
      async onPage(page) {
        // Tall enough for every row of a run, so that the list need not be virtual.
        await page.setViewportSize({ width: 1280, height: 6000 });
        await recordFrames(page);
      },
    });
    await libraryShown(app.page);
  });
  afterAll(() => app?.close());

  test('hides its token, and nobody can use it again', async () => {
    expect(app.page.url()).not.toContain('token');
    const context = await app.page.context().browser()!.newContext();
    try {
      const stranger = await context.newPage();
      await stranger.goto(app.address!);
      await stranger.getByRole('heading', { name: 'This page is not connected to Slipway' }).waitFor();
      expect(await stranger.getByText(/@slipway|Looking for|Loading/).count()).toBe(0);
    } finally {
      await context.close();
    }
  });

  test('is served to this computer by its own name only', async () => {
    const { port } = new URL(app.address!);
    const statuses = await Promise.all(
      [`127.0.0.1:${port}`, `localhost:${port}`, `evil.example:${port}`, 'evil.example'].map(async (host) => {
        const sent = httpRequest({ host: '127.0.0.1', port, path: '/', headers: { host } }).end();
        const [response] = (await once(sent, 'response')) as [IncomingMessage];
        response.resume();
        return response.statusCode;
      }),
    );
    expect(statuses).toEqual([200, 403, 403, 403]);
  });

  test('loses and repeats no event of a run when its connection is cut again and again', async () => {
    const connections = () => app.page.evaluate(() => window.frameRecord.sockets.length);
    const before = await connections();
    const runId = await startRun(app.page);
    for (let cut = 0; cut < 4; cut += 1) {
      await delay(250);
      await app.page.evaluate(() => {
        window.frameRecord.sockets.at(-1)?.close();
        // The page does not wait for its timer when the person comes back to it.
        setTimeout(() => window.dispatchEvent(new Event('focus')), 150);
      });
    }
    await runEnded(app.page);
    expect((await connections()) - before).toBeGreaterThan(2);
    const sequences = await deliveredSequences(app.page, runId);
    expect(sequences.length).toBeGreaterThan(40);
    expect(sequences).toEqual(oneTo(sequences.length));
  });

  test('shows the same run after a reload, in a second tab and in a copy of the first', async () => {
    const runId = await shownRun(app.page);
    const all = await deliveredSequences(app.page, runId);
    await expect.poll(() => timelineRows(app.page).count()).toBeGreaterThan(20);
    const shown = await timelineRows(app.page).allInnerTexts();

    await app.page.reload();
    await runEnded(app.page);
    await expect.poll(() => timelineRows(app.page).allInnerTexts()).toEqual(shown);
    expect(await deliveredSequences(app.page, runId)).toEqual(all);

    const second = await openTab(app);
    const copyOpened = app.page.waitForEvent('popup');
    await app.page.evaluate(() => void window.open(location.href));
    const copy = await copyOpened;
    await goTo(second, `#/runs/${runId}`);
    for (const page of [second, copy]) {
      await page.setViewportSize({ width: 1280, height: 6000 });
      await runEnded(page);
      await expect.poll(() => timelineRows(page).allInnerTexts()).toEqual(shown);
    }
    expect(await deliveredSequences(second, runId)).toEqual(all);
    await second.close();
    await copy.close();
  });

  test('lets two tabs watch a run as it goes, and the one that came later misses nothing', async () => {
    const second = await openTab(app);
    const runId = await startRun(app.page);
    await runIs(app.page, 'running');
    await goTo(second, `#/runs/${runId}`);
    await runEnded(app.page);
    await runEnded(second);
    const sequences = await deliveredSequences(app.page, runId);
    expect(sequences).toEqual(oneTo(sequences.length));
    expect(await deliveredSequences(second, runId)).toEqual(sequences);
    await second.close();
  });
});

/** Opens the app once more in another tab, with a session of its own. */
async function openTab(app: LaunchedApp): Promise<Page> {
  const page = await app.page.context().newPage();
  await recordFrames(page);
  await page.goto(await anotherAddress(app));
  await libraryShown(page);
  return page;
}

/** What a further start prints for the app that runs already. */
async function anotherAddress(app: LaunchedApp): Promise<string> {
  const [command, words] = browserCommand(['--data-dir', app.dataDirectory, '--no-open']);
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const logs = collectLogs(child);
  await once(child, 'exit');
  return printedAddress(child, logs);
}

describe('a start', () => {
  let folder: string;
  const children: ChildProcess[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-start-'));
  });
  afterEach(async () => {
    const instanceIds = instancesIn(join(folder, 'state'));
    const running = children
      .splice(0)
      .filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    const ended = running.map((child) => once(child, 'exit'));
    for (const child of running) child.kill('SIGKILL');
    await Promise.all(ended);
    await removeEngineThings(instanceIds);
    rmSync(folder, { recursive: true, force: true });
  });

  function start(words: string[], environment: Record<string, string> = {}) {
    const [command, all] = browserCommand(['--data-dir', join(folder, 'data'), ...words]);
    const child = spawn(command, all, {
      env: { ...process.env, XDG_STATE_HOME: join(folder, 'state'), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    return { child, logs: collectLogs(child), exit: once(child, 'exit') as Promise<[number | null]> };
  }

  test('of an app that runs already gives a new address of the first one', async () => {
    const first = start(['--no-open']);
    const address = await printedAddress(first.child, first.logs);
    const second = start(['--no-open']);
    expect((await second.exit)[0]).toBe(0);
    expect(second.logs()).toContain('Slipway is running already');
    const again = await printedAddress(second.child, second.logs);
    expect(new URL(again).origin).toBe(new URL(address).origin);
    expect(again).not.toBe(address);
    first.child.kill('SIGINT');
    expect((await first.exit)[0]).toBe(0);
    expect(existsSync(join(folder, 'data', 'uploads'))).toBe(false);
  });

  test('after a kill finds the folder as it was', async () => {
    const killed = start(['--no-open']);
    await printedAddress(killed.child, killed.logs);
    killed.child.kill('SIGKILL');
    await killed.exit;
    const next = start(['--no-open']);
    await printedAddress(next.child, next.logs);
    next.child.kill('SIGTERM');
    expect((await next.exit)[0]).toBe(0);
  });

  test('without a display says what to do', async () => {
    const { child, logs } = start([], { DISPLAY: '', WAYLAND_DISPLAY: '' });
    await printedAddress(child, logs);
    if (process.platform !== 'linux') return;
    expect(logs()).toMatch(/no display here[\s\S]*ssh -L (\d+):127\.0\.0\.1:\1/);
  });

  test.runIf(process.platform === 'linux')(
    'opens a window of its own, whose arguments hold no token, and ends with it',
    async () => {
      const port = await freePort();
      const browser = join(folder, 'browser.sh');
      writeFileSync(
        browser,
        `#!/bin/sh\nexec "${findChromium()}" --headless=new --remote-debugging-port=${port} "$@"\n`,
      );
      chmodSync(browser, 0o755);
      const { child, logs, exit } = start([], { DISPLAY: ':none', SLIPWAY_BROWSER: browser });
      const window = await connect(port, logs);
      const page = window.contexts()[0]?.pages()[0] ?? (await window.contexts()[0]!.waitForEvent('page'));
      await page.getByText('@slipway/csv-report').waitFor();
      expect(logs()).not.toContain('token');
      expect(argumentsOfDescendants(child.pid!)).not.toContain('token=');
      // Closing its only window ends a browser that has a screen; one without goes on.
      const browserSession = await window.newBrowserCDPSession();
      await browserSession.send('Browser.close').catch(() => undefined);
      expect((await exit)[0]).toBe(0);
      await window.close().catch(() => undefined);
    },
  );
});

async function connect(port: number, logs: () => string) {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    try {
      return await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
    } catch {
      await delay(100);
    }
  }
  throw new Error(`No window opened:\n${logs()}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Command lines of a process's children and theirs, as any user of the computer can read them. */
function argumentsOfDescendants(pid: number): string {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children
    .split(' ')
    .filter((id) => id !== '')
    .map((id) => `${readFileSync(`/proc/${id}/cmdline`, 'utf8')}\n${argumentsOfDescendants(Number(id))}`)
    .join('\n');
}
