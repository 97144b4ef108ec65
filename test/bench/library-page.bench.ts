import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { launchApp } from '#test/e2e/launch.ts';
import { fillLibrary, MANY } from './many-packages.ts';
import { atMost, median, type Measure } from './measure.ts';

const ROUNDS = 7;

/** The page over a library of 1,000 packages, in Chromium: until its first cards or rows are painted. */
export async function measureLibraryPage(root: string): Promise<Measure[]> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'slipway-bench-page-'));
  try {
    await fillLibrary(root, dataDirectory);
    await using app = await launchApp({ shell: 'browser', dataDirectory });
    const { page } = app;
    await page.getByText(`${MANY}`, { exact: false }).first().waitFor();
    const cards = await openings(page);
    await page
      .getByRole('radio', { name: 'Table' })
      .or(page.getByRole('button', { name: 'Table' }))
      .click();
    const rows = await openings(page);
    const search = await searches(page);
    return [
      atMost('library.page_cards_1000', median(cards), 'ms', 150),
      atMost('library.page_table_1000', median(rows), 'ms', 150),
      atMost('library.page_search_1000', median(search), 'ms', 150),
    ];
  } finally {
    await rm(dataDirectory, { recursive: true, force: true });
  }
}

/** Milliseconds from the click to the painted list, for as many rounds. */
async function openings(page: Page): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    await page.evaluate("location.hash = '#/settings/packages'");
    await page.waitForFunction("!document.querySelector('a[data-item]')");
    times.push(await page.evaluate<number>(timed("location.hash = '#/library'", 'a[data-item]')));
  }
  // The first one compiles what it runs.
  return times.slice(1);
}

/** Milliseconds from a letter in the search to the painted outcome. */
async function searches(page: Page): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const name = `package-${100 + round}`;
    const type = `
      const field = document.querySelector('input[type="search"]');
      Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, '${name}');
      field.dispatchEvent(new Event('input', { bubbles: true }))`;
    times.push(await page.evaluate<number>(timed(type, `a[data-item][href*="${name}"]`, true)));
  }
  return times;
}

/** Does something in the page and waits until what it brings is painted. As text: Node's types know no page. */
function timed(work: string, selector: string, isAlone = false): string {
  const there = isAlone
    ? `document.querySelectorAll('a[data-item]').length === 1 && document.querySelector('${selector}')`
    : `document.querySelector('${selector}')`;
  return `new Promise((resolve) => {
    const began = performance.now();
    const look = () => {
      if (!(${there})) return requestAnimationFrame(look);
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - began)));
    };
    ${work};
    look();
  })`;
}
