import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { findBrowser, localSearch } from '#main/shell/browser/find-browser.ts';

/**
 * Path of a browser of the Chromium family for tests.
 * @throws Error that says how to get one.
 */
export function findChromium(): string {
  const named = process.env['SLIPWAY_TEST_BROWSER'];
  if (named) {
    accessSync(named, constants.X_OK);
    return named;
  }
  const found = findBrowser(localSearch(homedir()));
  if (found) return found.path;
  throw new Error(
    'The end-to-end tests need Chromium or Chrome. Install it ("apt-get install chromium" on Debian, or ' +
      'Chrome from google.com/chrome), or name one with SLIPWAY_TEST_BROWSER.',
  );
}
