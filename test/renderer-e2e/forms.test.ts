import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { readArchive } from '#main/library/archive/read-archive.ts';
import { openEditorPages, type EditedPackage, type EditorPage, type EditorPages } from './editor-page.ts';
import { goThrough } from './go-through.ts';

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

const ROOT = join(import.meta.dirname, '../..');

/** Every package there is to try: the catalogue, the samples, and what others have published, earlier formats too. */
async function packagesAtHand(): Promise<EditedPackage[]> {
  const catalogue = await foldersIn('main/library/catalogue');
  const samples = await foldersIn('main/library/samples/@slipway');
  const published = await Promise.all(
    ['integrations', 'legacy'].map((folder) => archivesIn(`test/fixtures/packages/${folder}`)),
  );
  return [...catalogue, ...samples, ...published.flat()];
}

async function foldersIn(path: string): Promise<EditedPackage[]> {
  const folders = (await readdir(join(ROOT, path), { withFileTypes: true })).filter((entry) =>
    entry.isDirectory(),
  );
  return Promise.all(
    folders.map(async ({ name }) =>
      edited(name, await readFile(join(ROOT, path, name, 'manifest.json'), 'utf8')),
    ),
  );
}

async function archivesIn(path: string): Promise<EditedPackage[]> {
  const names = await readdir(join(ROOT, path));
  return Promise.all(
    names.map(async (name) => {
      const { files } = await readArchive(await readFile(join(ROOT, path, name)));
      return edited(name, files.get('manifest.json')?.toString('utf8') ?? '');
    }),
  );
}

function edited(identity: string, manifestText: string): EditedPackage {
  const { type } = JSON.parse(manifestText) as { type: string };
  // A package of an earlier format is of a type that is no more, and is edited until it is converted.
  return { identity, type: type === 'provider' ? 'integration' : type, manifestText };
}

describe('a form', () => {
  test('changes nothing of any package that is only looked at and gone through', async () => {
    const editor = await open('newIntegration');
    const changed: string[] = [];
    let touched = 0;
    const packages = await packagesAtHand();
    expect(new Set(packages.map(({ type }) => type))).toEqual(new Set(['integration', 'agent']));
    for (const given of packages) {
      await editor.edit(given);
      touched += await goThrough(editor);
      if ((await editor.text()) !== given.manifestText) changed.push(given.identity);
    }
    expect(changed).toEqual([]);
    expect(touched).toBeGreaterThan(2_000);
    expect(editor.problems).toEqual([]);
  }, 240_000);

  test('changes one letter of one value and nothing else of a package with unknown members everywhere', async () => {
    const editor = await open('integration');
    const before = await editor.text();
    await editor.part('Sign-in');
    await editor.page.getByRole('button', { name: 'More of oauth' }).click();
    await editor.page.getByLabel('Issuer').fill('https://accounts.desk.example/x');
    expect(await editor.text()).toBe(
      before.replace('"https://accounts.desk.example"', '"https://accounts.desk.example/x"'),
    );
  });
});

describe('an integration', () => {
  test('made only by the form is the one an expert would type', async () => {
    const editor = await open('newIntegration');
    const { page } = editor;
    await page.getByLabel('Display name').fill('Tides');
    await editor.part('Sign-in');
    await page.getByLabel('A new one is').selectOption('api_key');
    await page.getByLabel('Name of the new sign-in').fill('Key!');
    await page.getByRole('button', { name: 'Add the sign-in' }).click();
    await page.getByText('Use lower-case letters').waitFor();
    await page.getByLabel('Name of the new sign-in').fill('key');
    await page.getByLabel('Name of the new sign-in').press('Enter');
    await page.getByLabel('Addresses', { exact: true }).fill('https://api.tides.example/**');
    await page.getByRole('button', { name: 'Header of its own' }).click();
    await editor.part('Source');
    await page.getByRole('checkbox', { name: 'with key' }).check();
    await editor.part('Tools');
    await page.getByLabel('They get').selectOption('list');
    await editor.part('Setup');
    await page.getByRole('button', { name: 'Add a step' }).click();
    await page.getByLabel('What to do').fill('Make a key');
    expect(await editor.value()).toEqual({
      type: 'integration',
      schema_version: '0.2',
      name: '@you/service',
      version: '0.1.0',
      source: { kind: 'none' },
      display_name: 'Tides',
      auths: {
        key: {
          type: 'api_key',
          credentials: {
            schema: {
              type: 'object',
              properties: { token: { type: 'string', title: 'Token', format: 'password' } },
              required: ['token'],
            },
          },
          delivery: { http: { in: 'header', name: 'X-Api-Key', value: '{$credential.token}' } },
          authorized_uris: ['https://api.tides.example/**'],
        },
      },
      _meta: { 'dev.appstrate/api': { auths: { key: {} } } },
      default_tools: ['api_call'],
      setup_guide: { steps: [{ label: 'Make a key' }] },
    });
    await expect.poll(() => editor.problemList.getByText('Error: ').count()).toBe(0);
  });

  test('keeps what another kind of sign-in said, until it is told to remove it', async () => {
    const editor = await open('integration');
    const { page } = editor;
    await editor.part('Sign-in');
    expect(await page.getByLabel('Kind of certificate').inputValue()).toBe('mtls');
    const before = await editor.value();
    await page.getByLabel('Kind of oauth').selectOption('api_key');
    const auths = before['auths'] as Record<string, object>;
    expect(await editor.value()).toEqual({
      ...before,
      auths: { ...auths, oauth: { ...auths['oauth'], type: 'api_key' } },
    });
    await page.getByRole('button', { name: 'More of oauth' }).click();
    await page.getByRole('button', { name: 'Remove them' }).click();
    const after = (await editor.value())['auths'] as Record<string, Record<string, unknown>>;
    expect(Object.keys(after['oauth'] ?? {})).toEqual(['type', 'authorized_uris', 'delivery', 'x-own']);
    expect(after['certificate']).toEqual(auths['certificate']);
  });

  test('renames a sign-in wherever the manifest names it, at its place', async () => {
    const editor = await open('integration');
    const before = await editor.text();
    await editor.part('Sign-in');
    const name = editor.page.getByLabel('Name of the sign-in oauth');
    await name.fill('certificate');
    await editor.page.getByText('There is a sign-in “certificate” already.').waitFor();
    await name.fill('account');
    await name.press('Enter');
    expect(await editor.text()).toBe(before.replaceAll('"oauth"', '"account"'));
  });

  test('tells of an address whether the sidecar would let it through, and by which entry', async () => {
    const editor = await open('integration');
    const { page } = editor;
    await editor.part('Sign-in');
    await page.getByRole('button', { name: 'More of oauth' }).click();
    const address = page.getByLabel('Try an address').first();
    for (const [text, verdict] of [
      ['https://eu.desk.example/api/1', 'Let through, by the entry https://*.desk.example/api/**.'],
      ['https://desk.example.evil/api/1', 'The address is not among those'],
      ['https://eu.desk.example:8443/api/1', 'The address is not among those'],
      ['https://eu.desk.example/api/../x', 'The address is not among those'],
      ['javascript:alert(1)', 'Only https:// and http:// addresses'],
    ] as const) {
      await address.fill(text);
      await expect.poll(() => page.getByRole('status').filter({ hasText: verdict }).count()).toBe(1);
    }
  });
});

test('an MCP server is written in a form, with its settings', async () => {
  const editor = await open('server');
  const { page } = editor;
  await editor.part('Program');
  await page.getByLabel('Started file').fill('server/store.js');
  await page.getByLabel('Arguments').fill('server/store.js\n--quiet');
  await editor.part('Settings');
  await page.getByLabel('Name of the new setting').fill('token');
  await page.getByLabel('Name of the new setting').press('Enter');
  await page.getByRole('checkbox', { name: 'Secret' }).last().check();
  await editor.part('Tools');
  await page.getByRole('button', { name: 'Remove the tool search_notes' }).click();
  expect(await editor.value()).toMatchObject({
    server: { entry_point: 'server/store.js', mcp_config: { args: ['server/store.js', '--quiet'] } },
    user_config: {
      folder: { type: 'directory', title: 'Folder', required: true },
      token: { type: 'string', title: 'Setting', sensitive: true },
    },
  });
  expect(await editor.value()).not.toHaveProperty('tools');
});

test('a skill’s head is written in fields, and nothing else of its text', async () => {
  const editor = await open('skill');
  const { page } = editor;
  const before = (await editor.content()) ?? '';
  await editor.part('SKILL.md');
  const when = page.getByLabel('When to use it');
  await when.fill('Explains: the words of tide tables.');
  expect(await editor.content()).toBe(
    before.replace('What the words of tide tables mean.', '"Explains: the words of tide tables."'),
  );
  await page.getByLabel(/^Name/).fill('Tide Words');
  await page.getByText('Use lower-case words').waitFor();
  await page.getByRole('button', { name: 'Use these there' }).click();
  expect(await editor.value()).toMatchObject({ description: 'Explains: the words of tide tables.' });
  await page.getByLabel(/^Name/).press('Control+z');
  expect(await editor.content()).toContain('name: tide-words # as the model says it');
});

describe('an agent', () => {
  test('shows all that it will be told, and by whom', async () => {
    const editor = await open('agent');
    await editor.part('Prompt');
    await editor.page.getByRole('radio', { name: 'All the agent is told' }).click();
    const told = editor.page.getByRole('main');
    await expect
      .poll(() => told.getByRole('region', { name: 'Slipway writes' }).innerText())
      .toContain('You are the agent "Weekly report"');
    expect(await told.getByRole('region', { name: 'You write' }).innerText()).toContain('Read the issues');
    expect(await told.getByRole('region', { name: 'Pi adds' }).innerText()).toContain('/workspace');
  });

  test('shows the form of its input as it is written, and keeps values of it as its example', async () => {
    const editor = await open('agent');
    const { page } = editor;
    await editor.part('Input');
    const form = page.getByRole('region', { name: 'The form of a run' });
    await form.getByRole('textbox', { name: 'Team' }).fill('Harbour');
    await page.getByLabel('Name of the new field').fill('weeks');
    await page.getByRole('button', { name: 'Add field' }).click();
    await page.getByLabel('Kind of weeks').selectOption('integer');
    await form.getByRole('spinbutton', { name: 'Weeks' }).fill('2');
    expect(await form.getByRole('textbox', { name: 'Team' }).inputValue()).toBe('Harbour');
    await form.getByRole('button', { name: 'Keep as the example' }).click();
    expect(await editor.value()).toMatchObject({
      _meta: { 'app.slipway/examples': { input: { team: 'Harbour', tone: 'plain', weeks: 2 } } },
    });
    await form.getByRole('button', { name: 'Try it with these' }).click();
    expect(await page.title()).toContain('"team":"Harbour"');
    await page.getByRole('button', { name: 'Remove weeks' }).click();
    expect(JSON.stringify(await editor.value())).not.toContain('weeks');
  });
});

test('what the keys do, they do from the JSON too', async () => {
  const editor = await open('faulty');
  const { page } = editor;
  await editor.view('JSON');
  const before = await editor.text();
  await editor.endOf('"author"');
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => page.title()).toBe('try undefined');
  await editor.problemList.locator('[data-finding]').first().waitFor();
  await page.keyboard.press('Control+.');
  await editor.problemList.locator('[data-finding][aria-current]').waitFor();
  const first = await editor.problemList.locator('[data-finding][aria-current]').innerText();
  await page.keyboard.press('Control+.');
  await expect
    .poll(() => editor.problemList.locator('[data-finding][aria-current]').innerText())
    .not.toBe(first);
  expect(await editor.text()).toBe(before);
  await page.keyboard.press('Control+e');
  await page.getByLabel('Display name').waitFor();
});
