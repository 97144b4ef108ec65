import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { accessibilityFaults } from '#test/support/accessibility.ts';
import { keepScreen, settled } from './screens.ts';
import { goTo } from './steps.ts';

/** Makes the vault, where connecting asks for one. */
export async function createVault(scope: Locator, passphrase: string): Promise<void> {
  const vault = scope.getByRole('form', { name: 'Create the vault' });
  await vault.getByLabel('New passphrase').fill(passphrase);
  await vault.getByLabel('Repeat it').fill(passphrase);
  await vault.getByRole('button', { name: 'Create the vault' }).click();
}

/** Where a browser ended after the person's part of a sign-in. */
export interface SignedInWindow {
  readonly url: string;
  readonly title: string;
}

/** Does the person's part in a window of its own: signs in, and allows or aborts. */
export async function signInAt(
  page: Page,
  address: string,
  person: { readonly login: string; readonly aborts?: boolean },
): Promise<SignedInWindow> {
  const window = await page.context().browser()?.newContext();
  if (!window) throw new Error('There is no browser');
  try {
    const tab = await window.newPage();
    await tab.goto(address);
    if (person.aborts) await tab.click('a[href$="/abort"]');
    else {
      await tab.fill('input[name=login]', person.login);
      await tab.fill('input[name=password]', 'x');
      await tab.click('button[type=submit]');
      await tab.click('button[type=submit]:has-text("Continue")');
    }
    await tab.waitForURL(/\/\/(127\.0\.0\.1|localhost):\d+\/oauth\/callback/);
    return { url: tab.url(), title: (await tab.textContent('h1')) ?? '' };
  } finally {
    await window.close();
  }
}

/** Calls a service by hand in an integration's playground. @returns what a model would read */
export async function callByHand(page: Page, integration: string, target: string): Promise<string> {
  await goTo(page, `#/integrations/${encodeURIComponent(integration)}/playground`);
  const form = page.getByRole('form', { name: 'Call' });
  await form.getByLabel('target').fill(target);
  const ended = page
    .getByRole('region', { name: 'Calls of this session' })
    .getByRole('listitem')
    .filter({ hasText: /^(done|failed)/ });
  const before = await ended.count();
  await form.getByRole('button', { name: 'Call' }).click();
  await ended.nth(before).waitFor();
  const shown = page.getByRole('article', { name: 'Shown call' });
  return shown.getByRole('region', { name: 'What a model reads' }).innerText();
}

/** Nobody is shut out of what is shown now; it is kept as a picture where those are wanted. */
export async function expectOpenToAll(page: Page, name: string): Promise<void> {
  await settled(page);
  await keepScreen(page, name);
  expect((await accessibilityFaults(page)).map((fault) => `${name}: ${fault}`)).toEqual([]);
}
