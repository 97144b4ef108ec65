import type { Page } from 'playwright-core';

/** Place of the sample that most tests run. */
export const CSV_REPORT = '#/agents/%40slipway%2Fcsv-report/run';
/** Milliseconds a sample's run may take, with the image built already. */
const RUN_TIMEOUT_MS = 90_000;

/** Goes to a place of the app by its fragment. */
export async function goTo(page: Page, fragment: string): Promise<void> {
  await page.evaluate((hash) => void (location.hash = hash), fragment);
}

/** Starts the sample with its example file. */
export async function startRun(page: Page): Promise<void> {
  await goTo(page, CSV_REPORT);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.waitForFunction(() => location.hash.startsWith('#/runs/'));
}

/** Waits until the run that is shown has succeeded. */
export async function runEnded(page: Page): Promise<void> {
  await page.getByText(/^Succeeded after/).waitFor({ timeout: RUN_TIMEOUT_MS });
}
