import axe from 'axe-core';
import type { Page } from 'playwright-core';

/**
 * What on the page shuts somebody out: axe's serious and critical faults, a line each.
 * axe stays in the page, and no page of its own is opened for it: that takes a tenth of the time its
 * adapter for Playwright takes.
 * @param rules narrows what is looked for
 */
export async function accessibilityFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (runOnly) =>
      (globalThis as unknown as { axe: typeof axe }).axe.run({
        iframes: false,
        resultTypes: ['violations'],
        ...(runOnly && { runOnly: [...runOnly] }),
      }),
    rules,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, any }) => `${id} at ${target.join(' ')}: ${any[0]?.message ?? ''}`),
    );
}
