import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchApp, type LaunchedApp } from './launch.ts';
import { libraryShown } from './steps.ts';

/** Milliseconds a run may take with the walkthrough model. */
const RUN_MS = 90_000;

let app: LaunchedApp;
beforeAll(async () => {
  app = await launchApp({ shell: 'browser' });
  await libraryShown(app.page);
});
afterAll(() => app?.close());

/** What assistive technology would call the thing that has the focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [];
    const label = labels.map(({ innerText }) => innerText).join(' ');
    return (element?.getAttribute('aria-label') ?? (label || element?.textContent) ?? '').slice(0, 80);
  });
}

/** Presses the tab key until something has the focus. @throws Error when that takes more than `most` times. */
async function tabTo(page: Page, name: RegExp, most: number): Promise<void> {
  const passed: string[] = [];
  for (let count = 0; count < most; count += 1) {
    await page.keyboard.press('Tab');
    passed.push(await focused(page));
    if (name.test(passed.at(-1) ?? '')) return;
  }
  throw new Error(`Not within ${most}: ${passed.join(' | ')}`);
}

/** Does what the palette calls so. */
async function command(page: Page, title: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type(title);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

test('an agent is made and run by keys alone, and nothing is far from where the author is', async () => {
  const { page } = app;
  await page.keyboard.press('n');
  await expect.poll(() => focused(page), { timeout: 10_000 }).toContain('What people call it');
  await page.keyboard.type('Harbour report');
  await tabTo(page, /^Author/, 5);
  await page.keyboard.type('Ada');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.includes('harbour-report/edit'));
  await expect.poll(() => focused(page), { timeout: 15_000 }).toBe('Identity');

  await command(page, 'edit output');
  await expect.poll(() => focused(page), { timeout: 10_000 }).toBe('Output');
  await tabTo(page, /^Remove status/, 12);
  await page.keyboard.press('Enter');
  await tabTo(page, /^Remove answer/, 25);
  await page.keyboard.press('Enter');

  await command(page, 'edit input');
  await expect.poll(() => focused(page), { timeout: 10_000 }).toBe('Input');
  await tabTo(page, /^Remove text/, 12);
  await page.keyboard.press('Enter');

  await command(page, 'edit tools');
  await expect.poll(() => focused(page), { timeout: 10_000 }).toBe('Tools');
  await tabTo(page, /^note/, 18);
  await page.keyboard.press('Space');
  await page.keyboard.press('Control+e');
  await page.locator('.view-line').filter({ hasText: '"note"' }).first().waitFor();
  await page.keyboard.press('Control+e');
  await command(page, 'save the draft');
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();

  await page.keyboard.press('Control+Enter');
  await expect.poll(() => focused(page), { timeout: 10_000 }).toBe('Try it');
  const trial = page.getByRole('complementary', { name: 'Try it' });
  await trial.getByRole('button', { name: 'Run', exact: true }).waitFor();
  await page.keyboard.press('Control+Enter');
  await trial.locator('[data-status="success"]').first().waitFor({ timeout: RUN_MS });
  const [panel, window] = [await trial.boundingBox(), page.viewportSize()];
  expect((panel?.x ?? 0) + (panel?.width ?? 0)).toBeLessThanOrEqual(window?.width ?? 0);
  expect(app.problems).toEqual([]);
});
