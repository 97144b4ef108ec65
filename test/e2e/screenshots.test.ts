import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../../scripts/lib/build-state.ts';
import { launchApp, type LaunchedApp } from './launch.ts';
import { runScreens, settled, stillScreens } from './screens.ts';
import { libraryShown, runEnded, startRun, timelineRows } from './steps.ts';

/** With SLIPWAY_SCREENSHOTS=1 pictures are taken: the README's are renewed, and all are left in a folder. */
const isKept = process.env['SLIPWAY_SCREENSHOTS'] === '1';
const folder = (isKept && process.env['SLIPWAY_SCREENSHOT_FOLDER']) || temporaryFolder();
const images = join(root, 'docs', 'images');

/** Pictures of the README, each in the theme that shows it well. */
const inReadme: Readonly<Record<string, string>> = {
  'library-light-1440': 'library.png',
  'run-live-dark-1440': 'run-live.png',
  'run-output-light-1440': 'run-output.png',
  'run-files-dark-1440': 'run-files.png',
  'settings-engine-light-1440': 'engine.png',
};

// How the screens are laid out is looked at always, and is the same in either theme.
const themes = isKept ? (['light', 'dark'] as const) : (['light'] as const);
const sizes = [
  { width: 1280, height: 800 },
  { width: 1440, height: 900 },
] as const;

afterAll(() => {
  if (!isKept) rmSync(folder, { recursive: true, force: true });
});

function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'slipway-screenshots-'));
}

/** Keeps the page in all themes and sizes; gives what is wrong with how it is laid out. */
async function take(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  for (const colorScheme of themes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const size of sizes) {
      await page.setViewportSize(size);
      await settled(page);
      const title = `${name}-${colorScheme}-${size.width}`;
      await keep(page, title);
      faults.push(...(await overflows(page)).map((fault) => `${title}: ${fault}`));
    }
  }
  return faults;
}

async function keep(page: Page, title: string): Promise<void> {
  if (!isKept) return;
  mkdirSync(folder, { recursive: true });
  const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  writeFileSync(join(folder, `${title}.png`), picture);
  const published = inReadme[title];
  if (published === undefined) return;
  mkdirSync(images, { recursive: true });
  writeFileSync(join(images, published), picture);
}

/** Things that are wider than their place, though nobody could scroll to the rest of them. */
function overflows(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const wide: string[] = [];
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = document.documentElement;
    if (scrollWidth > clientWidth) wide.push(`the page is ${scrollWidth - clientWidth} px too wide`);
    if (scrollHeight > clientHeight) wide.push(`the page is ${scrollHeight - clientHeight} px too high`);
    for (const element of document.querySelectorAll('main, nav, header, main *')) {
      const { right, width, height } = element.getBoundingClientRect();
      if (width <= 1 || height <= 1) continue;
      if (right > innerWidth + 1 && !element.closest('[role="region"], pre, table'))
        wide.push(`${element.tagName} "${element.textContent.slice(0, 40)}" ends at ${Math.round(right)}`);
    }
    return wide;
  });
}

describe('the screens as they are', () => {
  let app: LaunchedApp;
  beforeAll(async () => {
    app = await launchApp({ shell: 'browser' });
    await libraryShown(app.page);
  });
  afterAll(() => app?.close());

  test.each([
    ['csv-report', 'light', 1280],
    ['fix-script', 'dark', 1280],
    ['gather', 'light', 1440],
    ['csv-report', 'dark', 1440],
  ] as const)('while %s runs, in the %s theme and %d pixels wide', async (agent, colorScheme, width) => {
    const { page } = app;
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize(sizes.find((size) => size.width === width) ?? sizes[0]);
    await startRun(page, agent);
    await timelineRows(page).filter({ hasText: 'Turn 5' }).waitFor();
    await keep(page, `run-live-${colorScheme}-${width}`);
    expect(await overflows(page)).toEqual([]);
    await runEnded(page);
    expect(app.problems).toEqual([]);
  });

  test('once it has ended, and all others', async () => {
    const { page } = app;
    const runId = await startRun(page);
    await runEnded(page);
    const faults: string[] = [];
    for (const { name, show } of [...runScreens(runId), ...stillScreens]) {
      await show(page);
      faults.push(...(await take(page, name)));
    }
    expect(faults).toEqual([]);
    expect(app.problems).toEqual([]);
  });
});

describe('the screen without an engine', () => {
  test('as it is', async () => {
    const sockets = join(folder, 'sockets');
    await using app = await launchApp({
      shell: 'browser',
      environment: {
        DOCKER_HOST: `unix://${join(sockets, 'engine.sock')}`,
        SLIPWAY_TEST_SOCKETS: sockets,
        NODE_OPTIONS: `--import=${pathToFileURL(join(root, 'test', 'support', 'hide-engines.ts')).href}`,
      },
    });
    await app.page.getByRole('heading', { name: 'No container engine answers' }).waitFor();
    expect(await take(app.page, 'no-engine')).toEqual([]);
    expect(app.problems).toEqual([]);
  });
});
