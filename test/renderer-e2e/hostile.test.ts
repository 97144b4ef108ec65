import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openEditorPages, type EditorPage, type EditorPages } from './editor-page.ts';
import { goThrough } from './go-through.ts';

let pages: EditorPages;
let shown: EditorPage | undefined;
beforeAll(async () => {
  pages = await openEditorPages();
});
afterEach(async ({ task }) => {
  // A page that failed may fail others: the next test has its own.
  if (task.result?.state !== 'fail') return;
  await shown?.page.context().close();
  shown = undefined;
});
afterAll(() => pages?.close());

let count = 0;

/** Edits a package in the page that is open, in the form: to open one takes longer than most tests. */
async function openWith(type: string, manifestText: string): Promise<EditorPage> {
  shown ??= await pages.open('empty');
  await shown.view('Form');
  count += 1;
  await shown.edit({ identity: `hostile ${count}`, type, manifestText });
  return shown;
}

/** Names that mean something to JavaScript. */
const NAMES = ['constructor', 'hasOwnProperty', 'toString', 'length', 'prototype'];
const members = (value: string) => NAMES.map((name) => `"${name}": ${value}`).join(', ');

describe('names of JavaScript’s own', () => {
  test('are fields, packages and tools like any other in an agent', async () => {
    const text = `{
      "type": "agent", "schema_version": "0.2", "name": "@you/a", "version": "1.0.0",
      "dependencies": { "integrations": { ${members('"*"')}, "@acme/code": "^2.0.0" }, "skills": { ${members('"*"')} } },
      "integrations_configuration": { ${members('{ "tools": ["constructor"] }')} },
      "runtime_tools": ["constructor", "toString"],
      "input": { "schema": { "type": "object", "properties": { ${members('{ "type": "string" }')} } },
        "ui_hints": { ${members('{ "placeholder": "x" }')} }, "property_order": ["length", "toString"] },
      "_meta": { ${members('{}')}, "app.slipway/examples": { "input": { ${members('"x"')} } } }
    }`;
    const editor = await openWith('agent', text);
    await goThrough(editor);
    expect(await editor.text()).toBe(text);
    await editor.part('Input');
    await editor.page.getByRole('button', { name: 'Remove toString' }).click();
    const value = await editor.value();
    const { properties } = (value['input'] as { schema: { properties: object } }).schema;
    expect(Object.keys(properties)).toEqual(NAMES.filter((name) => name !== 'toString'));
    expect(await editor.page.evaluate(() => Object.keys(Object.prototype))).toEqual([]);
    expect(editor.problems).toEqual([]);
  });

  test('are sign-ins, tools and scopes like any other in an integration', async () => {
    const text = `{
      "type": "integration", "schema_version": "0.2", "name": "@you/i", "version": "1.0.0", "source": { "kind": "constructor" },
      "auths": { ${members('{ "type": "oauth2", "delivery": { "env": { "constructor": { "value": "x" } } } }')} },
      "tools_policy": { ${members('{ "required_scopes": { "constructor": ["x"], "prototype": ["y"] } }')} }
    }`;
    const editor = await openWith('integration', text);
    await goThrough(editor);
    expect(await editor.text()).toBe(text);
    await editor.part('Sign-in');
    await editor.page.getByRole('button', { name: 'Remove constructor', exact: true }).click();
    expect(Object.keys((await editor.value())['auths'] as object)).not.toContain('constructor');
    expect(await editor.text()).toContain('"constructor": { "required_scopes": { "prototype": ["y"] } }');
    expect(editor.problems).toEqual([]);
  });
});

test('the one name that no object can be trusted with is told of, with its place, and nothing is lost', async () => {
  const text = '{\n  "type": "agent",\n  "dependencies": { "skills": { "__proto__": "*" } }\n}';
  const editor = await openWith('agent', text);
  await editor.problemList.getByText('A member may not be named "__proto__"').waitFor();
  expect(await editor.text()).toBe(text);
  expect(editor.problems).toEqual([]);
});

test('values of any kind in any place are shown and kept', async () => {
  const values = ['null', '5', '"text"', '[]', '[null, 5, {}]', '{ "a": null }', 'true'];
  const keys = {
    agent: [
      'name',
      'author',
      'keywords',
      'dependencies',
      'integrations_configuration',
      'runtime_tools',
      'input',
      'output',
      'timeout',
      '_meta',
    ],
    integration: [
      'source',
      'auths',
      'tools_policy',
      'default_tools',
      'hidden_tools',
      'allow_undeclared_tools',
      'setup_guide',
      '_meta',
    ],
    'mcp-server': ['server', 'tools', 'user_config', 'manifest_version', '_meta'],
  };
  for (const [type, names] of Object.entries(keys)) {
    const editor = await openWith(type, '{}');
    for (const value of values) {
      const text = `{ "type": "${type}", "schema_version": "0.2", ${names.map((name) => `"${name}": ${value}`).join(', ')} }`;
      await editor.edit({ identity: `${type} ${value}`, type, manifestText: text });
      for (const part of await editor.parts()) await editor.part(part);
      expect(await editor.text()).toBe(text);
    }
    expect(editor.problems).toEqual([]);
  }
}, 180_000);

test('text that runs the other way turns nothing around it, and is marked in the JSON', async () => {
  const reversed = '\u202E\u2066Mail.read\u2069';
  const editor = await openWith(
    'agent',
    JSON.stringify(
      { type: 'agent', schema_version: '0.2', name: '@you/a', version: '1', runtime_tools: [reversed] },
      null,
      2,
    ),
  );
  const message = editor.problemList.locator('bdi').filter({ hasText: 'Mail.read' }).first();
  await message.waitFor();
  // What follows stands to the right of it, as it would after any other text.
  const [first, second] = await Promise.all([
    message.boundingBox(),
    message.locator('xpath=following-sibling::span').first().boundingBox(),
  ]);
  expect(second?.x).toBeGreaterThanOrEqual((first?.x ?? 0) + 1);
  await editor.page.getByRole('radio', { name: 'JSON', exact: true }).click();
  await editor.page.locator('.view-line').filter({ hasText: 'Mail.read' }).first().waitFor();
  await expect
    .poll(() => editor.page.locator('[class*="unicode-highlight"], .mtkcontrol').count())
    .toBeGreaterThan(0);
});

test('of a thousand problems of a kind a hundred are told, shown by and by, and slow no letter', async () => {
  const tools = Array.from({ length: 1_200 }, (_, index) => `tool ${index}`);
  const editor = await openWith(
    'agent',
    JSON.stringify(
      {
        type: 'agent',
        schema_version: '0.2',
        name: '@you/a',
        version: '1.0.0',
        display_name: 'A',
        runtime_tools: tools,
      },
      null,
      2,
    ),
  );
  await editor.problemList.getByText('102 errors').waitFor();
  expect(await editor.problemList.locator('[data-finding]').count()).toBe(100);
  await editor.page.getByLabel('Display name').fill('Another');
  expect(await editor.value()).toMatchObject({ display_name: 'Another' });
  await editor.problemList.getByRole('button', { name: /Show more of/ }).click();
  expect(await editor.problemList.locator('[data-finding]').count()).toBe(102);
});

test('a megabyte that is pasted is taken, told of, and taken back by one undo', async () => {
  const editor = await openWith('agent', '{\n  "type": "agent"\n}');
  await editor.view('JSON');
  const before = await editor.text();
  await editor.endOf('"type"');
  const pasted = `,\n  "x": [\n${Array.from({ length: 20_000 }, (_, index) => `    "line ${index} of a long paste that means nothing"`).join(',\n')}\n  ]`;
  expect(pasted.length).toBeGreaterThan(1_000_000);
  await editor.page.evaluate((text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', text);
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.activeElement?.dispatchEvent(event);
  }, pasted);
  await editor.problemList
    .getByText(/is the most that is read/)
    .first()
    .waitFor({ timeout: 20_000 });
  expect((await editor.text()).length).toBe(before.length + pasted.length);
  await editor.page.keyboard.press('Control+z');
  await expect.poll(() => editor.text()).toBe(before);
  expect(editor.problems).toEqual([]);
});

describe('texts that are hard to take', () => {
  const bare = '"type": "agent", "schema_version": "0.2", "name": "@you/a", "version": "1.0.0"';
  const kept = {
    'ten thousand lists in one another': `{ ${bare}, "x": ${'['.repeat(10_000)}${']'.repeat(10_000)} }`,
    'ten thousand objects in one another': `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`,
    'five megabytes in many lines': `{\n  ${bare},\n  "x": [\n${Array.from({ length: 150_000 }, (_, line) => `    "line ${line} of many lines"`).join(',\n')}\n  ]\n}`,
    'five megabytes in one line': `{ ${bare}, "x": "${'long '.repeat(1_000_000)}" }`,
    'the same name twice': `{ ${bare}, "x": 1, "x": 2 }`,
    'a byte order mark, tabs and the line ends of Windows': `\uFEFF{\r\n\t${bare.replaceAll(', ', ',\r\n\t')}\r\n}\r\n`,
    'both kinds of line ends': `{\r\n  ${bare.replace(', ', ',\n  ')}\n}`,
    'halves of characters as escapes': `{ ${bare}, "author": "\\ud83d \\ude00 \\u0000" }`,
  };
  test.each(Object.entries(kept))('%s: kept in every view', async (_, text) => {
    const editor = await openWith('agent', text);
    await editor.page.getByRole('radio', { name: 'JSON', exact: true }).click();
    await editor.page.locator('.view-line').first().waitFor();
    await editor.page.getByRole('radio', { name: 'Form', exact: true }).click();
    await editor.page.getByRole('navigation', { name: 'Parts of the form' }).waitFor();
    await editor.problemList.getByText('checking…').waitFor({ state: 'detached' });
    expect(await editor.text()).toBe(text);
    expect(editor.problems).toEqual([]);
  });

  test('a text with a mark, tabs and line ends of Windows is changed by one letter, and only by it', async () => {
    const text = kept['a byte order mark, tabs and the line ends of Windows'];
    const editor = await openWith('agent', text);
    await editor.page.getByLabel('Version').fill('1.0.1');
    expect(await editor.text()).toBe(text.replace('1.0.0', '1.0.1'));
    await editor.view('JSON');
    await editor.endOf('"type"');
    await editor.page.keyboard.type('\n"author": "Ada",');
    expect(await editor.text()).toBe(
      text.replace('1.0.0', '1.0.1').replace('"agent",\r\n', '"agent",\r\n\t"author": "Ada",\r\n'),
    );
  });

  test('half of a character is told of with its place, and the text is no manifest until it is gone', async () => {
    const text = `{ ${bare}, "author": "A\ud83d" }`;
    const editor = await openWith('agent', text);
    await editor.problemList.getByText('Half of a character is here').waitFor();
    expect(await editor.text()).toBe(text);
    expect(editor.problems).toEqual([]);
  });
});

test('a schema without end is given a form with an end', async () => {
  const node = { type: 'object', properties: { name: { type: 'string' }, next: { $ref: '#/$defs/node' } } };
  const schema = {
    type: 'object',
    properties: {
      first: { $ref: '#/$defs/node' },
      slow: { type: 'string', pattern: '^(a+)+$', default: `${'a'.repeat(60)}!` },
    },
    $defs: { node },
  };
  const editor = await openWith(
    'agent',
    JSON.stringify(
      { type: 'agent', schema_version: '0.2', name: '@you/a', version: '1.0.0', input: { schema } },
      null,
      2,
    ),
  );
  await editor.part('Input');
  const form = editor.page.getByRole('region', { name: 'The form of a run' });
  await form.getByRole('button', { name: 'Fill in samples' }).click();
  await form.getByRole('button', { name: 'Keep as the example' }).click();
  expect(JSON.stringify(await editor.value()).length).toBeLessThan(5_000);
  expect(editor.problems).toEqual([]);
});
