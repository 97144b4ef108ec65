import type { Locator, Page } from 'playwright-core';
import type { RunStatus } from '#shared/runs/run.ts';

/** Place of the sample that most tests run. */
export const CSV_REPORT = '#/agents/%40slipway%2Fcsv-report/run';
/** Milliseconds a sample's run may take, with the image built already. */
const RUN_TIMEOUT_MS = 90_000;

/** Goes to a place of the app by its fragment. */
export async function goTo(page: Page, fragment: string): Promise<void> {
  await page.evaluate((hash) => void (location.hash = hash), fragment);
}

/** Waits for the library with its samples. */
export async function libraryShown(page: Page): Promise<void> {
  await page.getByText('@slipway/csv-report').first().waitFor();
}

/** Starts a sample with its example from its form; gives the run's id. */
export async function startRun(page: Page, sample = 'csv-report'): Promise<string> {
  await goTo(page, CSV_REPORT.replace('csv-report', sample));
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  return shownRun(page);
}

/** The id of the run that is shown, once one is. */
export async function shownRun(page: Page): Promise<string> {
  const handle = await page.waitForFunction(() => /^#\/runs\/([^/?]+)/.exec(location.hash)?.[1]);
  return (await handle.jsonValue()) ?? '';
}

/** Waits until the header of the run that is shown says so. */
export async function runIs(page: Page, status: RunStatus): Promise<void> {
  await page.locator(`header [data-status="${status}"]`).waitFor({ timeout: RUN_TIMEOUT_MS });
}

/** Waits until the run that is shown has succeeded. */
export function runEnded(page: Page): Promise<void> {
  return runIs(page, 'success');
}

/** Rows of the timeline, in order; the view must be tall enough to hold them all, since it is virtual. */
export function timelineRows(page: Page): Locator {
  return page.getByRole('region', { name: 'Timeline entries' }).getByRole('listitem');
}

/** Drops files on the window, away from any field that takes some. */
export async function dropFiles(
  page: Page,
  files: readonly { readonly name: string; readonly bytes: Buffer }[],
): Promise<void> {
  const given = files.map(({ name, bytes }) => ({ name, text: bytes.toString('base64') }));
  await page.evaluate((dropped) => {
    const dataTransfer = new DataTransfer();
    for (const { name, text } of dropped) {
      const bytes = Uint8Array.from(atob(text), (character) => character.codePointAt(0) ?? 0);
      dataTransfer.items.add(new File([bytes], name));
    }
    const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
    document.querySelector('nav')?.dispatchEvent(event);
  }, given);
}

/** Takes dropped packages into the library, by the app's own sheet. */
export async function importDropped(page: Page, files: Parameters<typeof dropFiles>[1]): Promise<void> {
  await dropFiles(page, files);
  const sheet = page.getByRole('dialog');
  await sheet.getByRole('button', { name: /^Import/ }).click();
  await sheet.waitFor({ state: 'detached' });
}

/** Adds a model server in the settings, and waits until it has told its models. */
export async function addModelServer(page: Page, baseUrl: string, name: string): Promise<void> {
  const sheet = page.getByRole('dialog');
  await goTo(page, '#/settings/models');
  await page.getByRole('button', { name: 'Add a server' }).click();
  await sheet.getByLabel('Base address').fill(baseUrl);
  await sheet.getByLabel('Name').fill(name);
  await sheet.getByRole('button', { name: 'Add' }).click();
  await sheet.waitFor({ state: 'detached' });
  const row = page.getByRole('listitem', { name });
  await row.getByRole('button', { name: 'Test' }).click();
  await row.getByText(/^Answered in /).waitFor();
}
