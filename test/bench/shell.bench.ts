import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { launchApp } from '#test/e2e/launch.ts';
import { atMost, median, type Measure } from './measure.ts';

const ROUNDS = 3;
const SAMPLES = 5;
const IMPORTS = 3;
/** Milliseconds until an app's own start is over, and with it what the import would wait for in line. */
const START_MS = 2000;
/** Milliseconds after which an app that was just opened has come to rest, its idle pair included. */
const SETTLE_MS = 8000;
const KIBIBYTES = 1024;
/** What a person came for: the library with a sample agent in it. */
const MEANINGFUL = 'CSV report';

/**
 * The browser shell in Chromium: until the library is painted, what the bundle costs, what main weighs idle.
 * The desktop app's main is weighed too; where Electron's binary is missing, what stands in for it is in that.
 */
export async function measureShell(): Promise<Measure[]> {
  const paints: number[] = [];
  const imports: number[] = [];
  const weights: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await using app = await launchApp({
      shell: 'browser',
      onPage: (page) => page.addInitScript({ content: NOTE_PAINT }),
    });
    const { page } = app;
    await page.getByText(MEANINGFUL).first().waitFor();
    paints.push(await page.evaluate<number>(READ_PAINT));
    await refuseMonaco(page);
    if (round === 0) weights.push(...(await idleWeights(app.mainProcess.pid)));
    else await delay(START_MS);
    imports.push(...(await importTimes(page)));
  }
  return [
    atMost('renderer.first_meaningful_paint', median(paints), 'ms', 1000),
    atMost('renderer.bundle_import', median(imports), 'ms', 200),
    atMost('memory.main_idle', median(weights), 'MB', 150),
    await weighDesktopApp(),
  ];
}

async function weighDesktopApp(): Promise<Measure> {
  await using app = await launchApp({ shell: 'electron' });
  await app.page.getByText(MEANINGFUL).first().waitFor();
  const weight = median(await idleWeights(app.mainProcess.pid));
  // The stand-in lives in main's process, so with it there is nothing to hold the figure against.
  return atMost(
    'memory.electron_main_idle',
    weight,
    'MB',
    app.isRealElectron ? 150 : Number.POSITIVE_INFINITY,
  );
}

/** What a process holds in memory, several times once it has come to rest. */
async function idleWeights(pid: number): Promise<number[]> {
  const weights: number[] = [];
  await delay(SETTLE_MS);
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    weights.push(await residentMegabytes(pid));
    await delay(500);
  }
  return weights;
}

/** Notes in the page when the frame with the library has been painted. As text: Node's types know no page. */
const NOTE_PAINT = `
  new MutationObserver((_changes, observer) => {
    if (!document.body?.textContent?.includes(${JSON.stringify(MEANINGFUL)})) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => (window.slipwayPaint = performance.now())));
  }).observe(document, { childList: true, subtree: true, characterData: true });`;

/** Milliseconds from the navigation on. */
const READ_PAINT = `
  new Promise((resolve) => {
    const look = () => window.slipwayPaint === undefined ? setTimeout(look, 10) : resolve(window.slipwayPaint);
    look();
  })`;

async function refuseMonaco(page: Page): Promise<void> {
  const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
  const editors = loaded.filter((name) => /monaco|editor\.worker|json\.worker/i.test(name));
  if (editors.length > 0) throw new Error(`The first screen loads the editor: ${editors.join(', ')}`);
}

/** Milliseconds to fetch, compile and run the main bundle on an empty page of the same origin. */
async function importTimes(page: Page): Promise<number[]> {
  const source = await page.locator('script[type="module"]').first().getAttribute('src');
  if (source === null) throw new Error('The page has no module script.');
  const entry = new URL(source, page.url()).href;
  const empty = new URL('/empty-page-of-the-benchmark', entry).href;
  const body = '<!doctype html><div id="root"></div>';
  await page.route(empty, (route) => route.fulfill({ contentType: 'text/html', body }));
  const times: number[] = [];
  for (let round = 0; round < IMPORTS; round += 1) {
    await page.goto(empty);
    times.push(
      await page.evaluate<number>(
        `(async () => { const began = performance.now(); await import(${JSON.stringify(entry)}); return performance.now() - began; })()`,
      ),
    );
  }
  return times;
}

/** What a process holds in memory. */
async function residentMegabytes(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout.trim()) / KIBIBYTES;
}
