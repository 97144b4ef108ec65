import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { CSV_REPORT, goTo } from './steps.ts';

/** One screen of the app, and the way to it. */
export interface Screen {
  readonly name: string;
  readonly show: (page: Page) => Promise<unknown>;
}

const AGENT = CSV_REPORT.replace(/\/run$/, '');

/** Screens that need no run. */
export const stillScreens: readonly Screen[] = [
  place('library-all', '#/library', (page) => page.getByRole('heading', { level: 1 })),
  place('library-skills', '#/skills', (page) => page.getByRole('heading', { level: 1 })),
  place('library', '#/agents', (page) => page.getByRole('list', { name: 'Agents' })),
  place('run-form', CSV_REPORT, (page) => page.getByRole('list', { name: 'Table: chosen files' })),
  place('agent-overview', `${AGENT}/overview`, (page) => tab(page, 'overview')),
  place('agent-prompt', `${AGENT}/files?file=prompt.md`, (page) => page.getByText('How to work').first()),
  place('agent-manifest', `${AGENT}/files?file=manifest.json`, (page) =>
    page.getByText('"runtime_tools"').first(),
  ),
  place('agent-versions', `${AGENT}/versions`, (page) => tab(page, 'versions')),
  place('agent-links', `${AGENT}/links`, (page) => tab(page, 'links')),
  place('agent-findings', `${AGENT}/findings`, (page) => tab(page, 'findings')),
  place('agent-history', `${AGENT}/history`, (page) => tab(page, 'history')),
  place('settings-engine', '#/settings/engine', (page) =>
    page.getByRole('list', { name: 'Endpoints tried' }),
  ),
  place('settings-models', '#/settings/models', (page) => page.getByRole('listitem', { name: 'OpenRouter' })),
  place('connections', '#/connections', (page) =>
    page.getByRole('heading', { name: 'No account is connected yet' }),
  ),
  place('try-server', '#/try', (page) => page.getByRole('form', { name: 'From an address' })),
  place('settings-network', '#/settings/network', (page) => page.getByRole('list', { name: 'Limits' })),
  place('settings-packages', '#/settings/packages', (page) => tab(page, 'packages')),
  place('settings-appearance', '#/settings/appearance', (page) => page.getByText('Density').first()),
  place('settings-about', '#/settings/about', (page) => page.getByText('Data folder')),
];

/** Screens of a run that has ended well. */
export function runScreens(runId: string): readonly Screen[] {
  return [
    place('runs', '#/runs', (page) =>
      page.getByRole('table', { name: 'Runs' }).getByText('Succeeded').first(),
    ),
    place('run-output', `#/runs/${runId}/output`, (page) => page.getByText('Valid against the schema')),
    place('run-files', `#/runs/${runId}/files`, (page) =>
      page
        .getByRole('region', { name: /^Preview of/ })
        .locator('h1, h2, img')
        .first(),
    ),
    place('run-details', `#/runs/${runId}/details`, (page) => page.getByText('Manifest as it was')),
  ];
}

/** The tab of that key, once it is the chosen one; what it is called may change. */
function tab(page: Page, key: string) {
  return page.locator(`[role="tab"][aria-selected="true"][id$="-trigger-${key}"]`);
}

function place(name: string, fragment: string, sign: (page: Page) => { waitFor(): Promise<void> }): Screen {
  return {
    name,
    async show(page) {
      await goTo(page, fragment);
      await sign(page).waitFor();
    },
  };
}

/** Waits until nothing on the page moves or is about to come. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready;
    const loading = [...document.images].filter(({ complete }) => !complete);
    await Promise.all(loading.map((image) => image.decode().catch(() => undefined)));
    const endless = (animation: Animation) => animation.effect?.getTiming().iterations === Infinity;
    await Promise.all(
      document
        .getAnimations()
        .filter((animation) => !endless(animation))
        .map((animation) => animation.finished.catch(() => undefined)),
    );
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  });
}

/** With SLIPWAY_SCREENSHOT_FOLDER, keeps the page as it is now in both themes and sizes. */
export async function keepScreen(page: Page, name: string): Promise<void> {
  const folder = process.env['SLIPWAY_SCREENSHOT_FOLDER'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const size of [
      { width: 1280, height: 800 },
      { width: 1440, height: 900 },
    ]) {
      await page.setViewportSize(size);
      await settled(page);
      const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' });
      writeFileSync(join(folder, `${name}-${colorScheme}-${size.width}.png`), picture);
    }
  }
}
