import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { build } from 'vite';
import { findChromium } from '../support/find-chromium.ts';
import { servePages } from './serve-pages.ts';

/** A package to be edited. */
export interface EditedPackage {
  readonly identity: string;
  readonly type: string;
  readonly manifestText: string;
  readonly content?: { readonly path: string; readonly text: string } | undefined;
}

/** What the page offers to tests. */
interface PageGlobals {
  /** The manifest's text as it would be saved. */
  editedManifest(): string;
  editedContent(): string | undefined;
  editPackage(given: EditedPackage): void;
}

const root = join(import.meta.dirname, '../..');

/** Builds the editor's page and opens it in Chromium, under the app's own policy. */
export async function openEditorPages(): Promise<EditorPages> {
  await build({
    configFile: join(root, 'test/renderer/editor.vite.config.ts'),
    logLevel: 'error',
  });
  const server = await servePages(BUILT);
  const browser = await chromium.launch({ executablePath: findChromium(), args: ['--no-sandbox'] });
  return new EditorPages(browser, server);
}

const BUILT = join(root, 'out/renderer-editor');

/** Paths of the scripts a browser runs before it shows anything: those of the page, and what they import. */
export async function filesOfFirstPage(): Promise<string[]> {
  const html = await readFile(join(BUILT, 'editor.html'), 'utf8');
  const waiting = [...html.matchAll(/(?:src|href)="\.\/([^"]+\.js)"/g)].map(([, path = '']) =>
    join(BUILT, path),
  );
  const files = new Set<string>();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    const script = await readFile(file, 'utf8');
    for (const [, path = ''] of script.matchAll(/(?:\bfrom|\bimport)\s*"(\.[^"]+\.js)"/g)) {
      waiting.push(join(dirname(file), path));
    }
  }
  return [...files];
}

export class EditorPages {
  readonly #browser: Browser;
  readonly #server: { readonly url: string } & AsyncDisposable;

  constructor(browser: Browser, server: { readonly url: string } & AsyncDisposable) {
    this.#browser = browser;
    this.#server = server;
  }

  /** Opens the editor with a scenario of the page. Each has a browser profile of its own. */
  async open(
    scenario: string,
    options: { theme?: 'light' | 'dark'; size?: { width: number; height: number } } = {},
  ): Promise<EditorPage> {
    const context = await this.#browser.newContext({
      viewport: options.size ?? { width: 1440, height: 900 },
    });
    const page = await context.newPage();
    const problems: string[] = [];
    const requests: string[] = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => {
      const isIcon = message.location().url.endsWith('/favicon.ico');
      if (message.type() === 'error' && !isIcon) problems.push(message.text());
    });
    page.on('request', (request) => requests.push(request.url()));
    await page.goto(`${this.#server.url}/editor.html?scenario=${scenario}&theme=${options.theme ?? 'light'}`);
    await page.getByRole('navigation', { name: 'Parts of the form' }).waitFor();
    return new EditorPage(page, this.#server.url, problems, requests);
  }

  async close(): Promise<void> {
    await this.#browser.close();
    await this.#server[Symbol.asyncDispose]();
  }
}

/** One editor, and what a person does in it. */
export class EditorPage {
  readonly page: Page;
  readonly origin: string;
  /** Exceptions, failed loads and violations of the policy so far. */
  readonly problems: readonly string[];
  readonly requests: readonly string[];

  constructor(page: Page, origin: string, problems: readonly string[], requests: readonly string[]) {
    this.page = page;
    this.origin = origin;
    this.problems = problems;
    this.requests = requests;
  }

  text(): Promise<string> {
    return this.page.evaluate(() => (globalThis as unknown as PageGlobals).editedManifest());
  }

  content(): Promise<string | undefined> {
    return this.page.evaluate(() => (globalThis as unknown as PageGlobals).editedContent());
  }

  /** Edits another package in the place of the present one. */
  edit(given: EditedPackage): Promise<void> {
    return this.page.evaluate((wanted) => (globalThis as unknown as PageGlobals).editPackage(wanted), given);
  }

  /** Names of the parts of the form. */
  parts(): Promise<string[]> {
    return this.page
      .getByRole('navigation', { name: 'Parts of the form' })
      .getByRole('button')
      .allInnerTexts();
  }

  async value(): Promise<Record<string, unknown>> {
    return JSON.parse(await this.text()) as Record<string, unknown>;
  }

  async part(name: string): Promise<void> {
    await this.page
      .getByRole('navigation', { name: 'Parts of the form' })
      .getByRole('button', { name })
      .click();
  }

  async view(name: 'Form' | 'Both' | 'JSON'): Promise<void> {
    await this.page.getByRole('radio', { name, exact: true }).click();
    if (name !== 'Form') await this.line('"type"').waitFor();
  }

  /** A line of the JSON that is in sight. */
  line(text: string): Locator {
    return this.page.locator('.view-line').filter({ hasText: text }).first();
  }

  get problemList(): Locator {
    return this.page.getByRole('region', { name: 'Problems' });
  }

  /** Puts the cursor at the end of a line of the JSON. */
  async endOf(text: string): Promise<void> {
    await this.line(text).click();
    await this.page.keyboard.press('End');
  }

  /** Does something again and again until a button of the tool bar has nothing more to do. */
  async whileEnabled(button: string, action: () => Promise<void>): Promise<void> {
    const enabled = this.page.getByRole('button', { name: button, exact: true, disabled: false });
    while ((await enabled.count()) > 0) await action();
  }
}
