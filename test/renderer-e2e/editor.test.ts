import { stat } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityFaults } from '#test/support/accessibility.ts';
import { filesOfFirstPage, openEditorPages, type EditorPage, type EditorPages } from './editor-page.ts';

let pages: EditorPages;
const opened: EditorPage[] = [];
beforeAll(async () => {
  pages = await openEditorPages();
});
afterEach(async () => {
  for (const { page } of opened.splice(0)) await page.context().close();
});
afterAll(() => pages?.close());

async function open(...options: Parameters<EditorPages['open']>): Promise<EditorPage> {
  const editor = await pages.open(...options);
  opened.push(editor);
  return editor;
}

describe('the editor', () => {
  test('breaks no policy, asks nobody else for anything, and says no error', async () => {
    const editor = await open('agent');
    await editor.view('JSON');
    await editor.endOf('"author"');
    await editor.page.keyboard.press('Control+Space');
    await editor.page.getByRole('button', { name: 'Compare' }).click();
    await editor.page.locator('.monaco-diff-editor .view-line').first().waitFor();
    await editor.page.getByRole('button', { name: 'Edit', exact: true }).click();
    await editor.line('"author"').waitFor();
    expect(editor.problems).toEqual([]);
    expect(editor.requests.filter((url) => !url.startsWith(editor.origin))).toEqual([]);
  });

  test('is not loaded with the first page, but when it is shown', async () => {
    const first = await filesOfFirstPage();
    expect(first.length).toBeGreaterThan(0);
    expect(first.filter((file) => /monaco|editor\.api|manifest-editor/.test(file))).toEqual([]);
    // Much less than the editor, whatever its file is called.
    const sizes = await Promise.all(first.map(async (file) => (await stat(file)).size));
    expect(Math.max(...sizes)).toBeLessThan(1_000_000);
  });

  test('looked at in every part and view, has changed nothing', async () => {
    const editor = await open('agent');
    const before = await editor.text();
    for (const part of [
      'Prompt',
      'Tools',
      'Integrations',
      'Skills',
      'Input',
      'Output',
      'Limits',
      'Everything',
    ]) {
      await editor.part(part);
    }
    for (const view of ['JSON', 'Both', 'Form'] as const) await editor.view(view);
    expect(await editor.text()).toBe(before);
  });
});

describe('two views of one text', () => {
  test('share one history: what was typed in either is undone from the form, to the exact text', async () => {
    const editor = await open('agent');
    const before = await editor.text();
    await editor.view('Both');
    await editor.endOf('"author": "Ada Example"');
    await editor.page.keyboard.insertText('\n  "x-typed": 1,');
    expect(await editor.value()).toMatchObject({ 'x-typed': 1 });

    const name = editor.page.getByLabel('Display name');
    await name.fill('Monthly report');
    await editor.line('"Monthly report"').waitFor();
    await name.press('Control+z');
    expect(await name.inputValue()).toBe('Weekly report');
    await editor.whileEnabled('Undo', () => name.press('Control+z'));
    expect(await editor.text()).toBe(before);
    await editor.whileEnabled('Redo', () => name.press('Control+Shift+z'));
    expect(await name.inputValue()).toBe('Monthly report');
    expect(await editor.value()).toMatchObject({ 'x-typed': 1 });
  });

  test('what the form changed is undone from the JSON', async () => {
    const editor = await open('agent');
    const before = await editor.text();
    await editor.page.getByLabel('Version').fill('2.0.0');
    await editor.view('JSON');
    await editor.endOf('"version": "2.0.0"');
    await editor.page.keyboard.press('Control+z');
    await editor.line('"version": "1.2.0"').waitFor();
    expect(await editor.text()).toBe(before);
  });

  test('text that is no JSON is kept on the way to the form and back, and the form only shows', async () => {
    const editor = await open('agent');
    await editor.view('JSON');
    await editor.endOf('"author"');
    await editor.page.keyboard.insertText(' oops');
    const broken = await editor.text();
    await editor.view('Form');
    await editor.page.getByText('can change nothing until it is mended').waitFor();
    expect(await editor.page.getByLabel('Display name').inputValue()).toBe('Weekly report');
    expect(await editor.page.getByLabel('Display name').getAttribute('readonly')).not.toBeNull();
    expect(await editor.text()).toBe(broken);
    await editor.page.getByRole('button', { name: 'Mend it in the JSON' }).click();
    await editor.line('oops').waitFor();
    await editor.page.keyboard.press('Control+z');
    await editor.view('Form');
    await editor.page.getByLabel('Display name').fill('Works again');
    expect(await editor.value()).toMatchObject({ display_name: 'Works again' });
  });
});

test('an agent made only by the form is the one an expert would type', async () => {
  const editor = await open('empty');
  const { page } = editor;
  await page.getByLabel('Author').fill('Ada');
  await page.getByLabel('Description', { exact: true }).fill('Reads mail.');

  await editor.part('Tools');
  await page.getByRole('button', { name: 'Add an integration' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Acme Code' }).click();
  await page.getByRole('checkbox', { name: 'log Shows you' }).check();
  const code = page.getByRole('region', { name: 'Acme Code' });
  await code.getByRole('checkbox', { name: 'remove_member' }).check();
  await code.getByRole('checkbox', { name: 'list_issues' }).uncheck();

  await editor.part('Integrations');
  await page.getByText('administers the account').waitFor();
  await page.getByLabel('Signs in by').selectOption('oauth');

  await editor.part('Input');
  await page.getByLabel('Name of the new field').fill('since');
  await page.getByRole('button', { name: 'Add field' }).click();
  await page.getByRole('checkbox', { name: 'required' }).check();
  await page.getByRole('button', { name: 'Open since' }).click();
  await page.getByLabel('Format').selectOption('date');

  await editor.part('Limits');
  await page.getByLabel('Time (seconds)').fill('120');

  expect(await editor.text()).toBe(`{
  "type": "agent",
  "schema_version": "0.2",
  "name": "@you/new",
  "version": "0.1.0",
  "display_name": "New agent",
  "author": "Ada",
  "description": "Reads mail.",
  "dependencies": {
    "integrations": {
      "@acme/code": "^2.1.0"
    }
  },
  "runtime_tools": ["log"],
  "integrations_configuration": {
    "@acme/code": {
      "tools": ["remove_member"],
      "auth_key": "oauth"
    }
  },
  "input": {
    "schema": {
      "type": "object",
      "properties": {
        "since": {
          "type": "string",
          "format": "date"
        }
      },
      "required": ["since"]
    }
  },
  "timeout": 120
}`);
});

describe('help while typing JSON', () => {
  test('the library’s tools are offered, and taken', async () => {
    const editor = await open('agent');
    await editor.view('JSON');
    await editor.endOf('"list_issues"');
    await editor.page.keyboard.insertText(' "",');
    for (const key of ['ArrowLeft', 'ArrowLeft', 'Control+Space']) await editor.page.keyboard.press(key);
    await editor.page.locator('.suggest-widget').getByText('close_issue').first().waitFor();
    await editor.page.keyboard.press('Enter');
    expect(await editor.value()).toMatchObject({
      integrations_configuration: {
        '@acme/code': { tools: ['list_issues', 'close_issue', 'remove_member'] },
      },
    });
  });

  test('a field is explained where it stands', async () => {
    const editor = await open('agent');
    await editor.view('JSON');
    await editor.line('"dependencies"').click({ position: { x: 60, y: 8 } });
    await editor.page.keyboard.press('Control+k');
    await editor.page.keyboard.press('Control+i');
    const hover = editor.page.locator('.monaco-hover').filter({ hasText: 'Packages this one needs' });
    await hover.waitFor();
    expect(await hover.innerText()).toContain('Give an object with "skills"');
  });

  test('Esc and Tab lead out of the editor, Tab alone indents', async () => {
    const editor = await open('agent');
    await editor.view('JSON');
    const before = await editor.text();
    await editor.endOf('"author"');
    await editor.page.keyboard.press('Tab');
    expect(await editor.text()).not.toBe(before);
    await editor.page.keyboard.press('Control+z');
    await editor.page.keyboard.press('Escape');
    await editor.page.keyboard.press('Tab');
    expect(await editor.text()).toBe(before);
    expect(await editor.page.evaluate(() => document.activeElement?.closest('.monaco-editor') === null)).toBe(
      true,
    );
  });
});

describe('problems', () => {
  test('are told as they are typed and go when they are mended', async () => {
    const editor = await open('agent');
    await editor.part('Limits');
    await editor.page.getByLabel('Time (seconds)').fill('4000');
    const fix = editor.problemList.getByRole('button', { name: 'Set it to 1800', exact: true });
    await fix.click();
    await fix.waitFor({ state: 'detached' });
    expect(await editor.page.getByLabel('Time (seconds)').inputValue()).toBe('1800');
  });

  test('lead to their place: to the control in the form, to the line in the JSON', async () => {
    const editor = await open('faulty');
    const timeout = editor.problemList.getByText('A run ends after');
    await timeout.click();
    expect(await editor.page.evaluate(() => document.activeElement?.getAttribute('data-pointer'))).toBe(
      '/timeout',
    );
    await editor.view('JSON');
    await timeout.click();
    await editor.line('"timeout": 4000').waitFor();
    await editor.page.keyboard.insertText('9');
    expect(await editor.text()).toContain('"timeout": 94000');
  });

  test('a withdrawn runtime tool is mended by its fix, and a missing one added', async () => {
    const editor = await open('faulty');
    await editor.problemList.getByRole('button', { name: 'Use "note"', exact: true }).click();
    await editor.problemList
      .getByRole('button', { name: 'Add the runtime tool "output"', exact: true })
      .click();
    expect(await editor.value()).toMatchObject({ runtime_tools: ['log', 'note', 'output'] });
  });
});

test('scopes follow the ticks, and what a connection lacks is asked for with what it has', async () => {
  const editor = await open('agent');
  await editor.part('Integrations');
  const mail = editor.page.getByRole('region', { name: 'Scopes asked by primary' });
  await mail.getByText('not granted yet').waitFor();
  await mail.getByRole('button', { name: 'Grant the rest' }).click();
  expect(await editor.page.title()).toBe('connect @acme/mail primary openid mail.read mail.send');

  await editor.part('Tools');
  const code = editor.page.getByRole('region', { name: 'Acme Code' });
  await code.getByRole('checkbox', { name: 'remove_member' }).uncheck();
  await editor.part('Integrations');
  expect(await editor.page.getByText('administers the account').count()).toBe(0);
});

test('the JSON is dark as soon as the page is', async () => {
  const editor = await open('agent');
  await editor.view('JSON');
  const ground = () =>
    editor.page
      .locator('.monaco-editor')
      .first()
      .evaluate((element) => Number(/\d+/.exec(getComputedStyle(element).backgroundColor)?.[0]));
  expect(await ground()).toBeGreaterThan(200);
  await editor.page.evaluate(() => (document.documentElement.dataset['theme'] = 'dark'));
  await expect.poll(ground).toBeLessThan(60);
});

test.each(['light', 'dark'] as const)('everybody can use it, in the %s theme', async (theme) => {
  const editor = await open('faulty', { theme });
  await editor.page.emulateMedia({ reducedMotion: 'reduce' });
  const found: string[] = [];
  const look = async (where: string) => {
    const faults = await accessibilityFaults(editor.page);
    found.push(...faults.map((fault) => `${where}: ${fault}`));
  };
  await editor.problemList.getByText('A run ends after').waitFor();
  for (const part of ['Identity', 'Tools', 'Integrations', 'Skills', 'Input', 'Limits', 'Everything']) {
    await editor.part(part);
    await look(part);
  }
  await editor.view('Both');
  await look('JSON');
  expect(found).toEqual([]);
});
