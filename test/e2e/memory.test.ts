import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeArchive } from '#main/library/archive/write-archive.ts';
import { startModelProvider, type ModelProvider } from '#test/peers/model-provider.ts';
import { agentFiles } from '#test/support/test-packages.ts';
import { turn } from '#test/support/whole-application.ts';
import { expectOpenToAll } from './connecting.ts';
import { launchApp, type LaunchedApp } from './launch.ts';
import { addModelServer, goTo, importDropped, libraryShown, runEnded, shownRun } from './steps.ts';

const AGENT = '#/agents/%40you%2Fkeeper';

describe('the memory of an agent', () => {
  let app: LaunchedApp;
  let page: Page;
  let provider: ModelProvider;
  beforeAll(async () => {
    provider = await startModelProvider({ vendor: 'compatible' });
    app = await launchApp({ shell: 'browser' });
    ({ page } = app);
    page.setDefaultTimeout(15_000);
    await libraryShown(page);
    const agent = agentFiles('@you/keeper', {
      display_name: 'Lighthouse keeper',
      runtime_tools: ['note', 'pin', 'publish_file'],
    });
    await importDropped(page, [{ name: 'keeper.afps', bytes: await writeArchive(agent) }]);
    await addModelServer(page, provider.baseUrl, 'Harbour server');
  }, 120_000);
  afterAll(async () => {
    await app?.close();
    await provider?.[Symbol.asyncDispose]();
  });

  const dialog = () => page.getByRole('dialog');
  const notes = () => page.getByRole('list', { name: 'Notes' }).getByRole('listitem');
  const slots = () => page.getByRole('list', { name: 'Slots' }).getByRole('listitem');

  async function run(): Promise<string> {
    await goTo(page, `${AGENT}/run`);
    await page.getByRole('combobox', { name: 'Model' }).selectOption({ label: 'served-model' });
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    const runId = await shownRun(page);
    await runEnded(page);
    return runId;
  }

  test('is empty at first, and says what fills it', async () => {
    await goTo(page, `${AGENT}/memory`);
    const title = page.getByRole('heading', { name: 'Nothing is remembered yet' });
    await title.waitFor();
    expect(await page.getByRole('button', { name: 'Add a note' }).count()).toBe(1);
    await expectOpenToAll(page, 'memory-empty');
  });

  test('is filled by a run, which shows what it wrote and which file is the main one', async () => {
    provider.answer(
      turn([
        { tool: 'note', input: { content: 'The lamp was cleaned on Monday' } },
        { tool: 'note', input: { content: 'Spare bulbs are in the cellar', scope: 'shared' } },
        { tool: 'pin', input: { key: 'checkpoint', content: { page: 7, done: ['lamp', 'stairs'] } } },
        { tool: 'write', input: { path: 'work/zz-watch.md', content: '# Watch' } },
        { tool: 'write', input: { path: 'outputs/a-list.md', content: '# List' } },
      ]),
      turn([{ tool: 'publish_file', input: { path: 'work/zz-watch.md', presentation: 'primary' } }]),
      turn('Done.'),
    );
    const runId = await run();
    await goTo(page, `#/runs/${runId}/memory`);
    const panel = page.getByRole('region', { name: 'Memory' });
    await panel.getByText('The lamp was cleaned on Monday').waitFor();
    await panel.getByText('Set the slot checkpoint').waitFor();
    await expectOpenToAll(page, 'run-memory');
    await goTo(page, `#/runs/${runId}/files`);
    const shown = page.getByRole('list', { name: 'Files' }).locator('button[aria-current]');
    await shown.getByText('zz-watch.md').waitFor();
    expect(await shown.innerText()).toMatch(/zz-watch\.md\s+main/);
  }, 120_000);

  test('shows what is there, finds notes by their words, and takes the author’s own', async () => {
    await goTo(page, `${AGENT}/memory`);
    await notes().first().waitFor();
    expect(await notes().count()).toBe(2);
    await slots().getByText('checkpoint', { exact: true }).waitFor();
    await page.getByRole('searchbox', { name: 'Search the notes' }).fill('MONDAY lamp');
    await page.getByRole('status').getByText('1 of 2 notes').waitFor();
    await page.getByRole('searchbox', { name: 'Search the notes' }).fill('');

    await page.getByRole('button', { name: 'Add a note' }).click();
    await dialog().getByLabel('Note').fill('Ada has the keys');
    await expectOpenToAll(page, 'memory-add-note');
    await dialog().getByRole('button', { name: 'Add' }).click();
    await dialog().waitFor({ state: 'detached' });
    await notes().getByText('Ada has the keys').waitFor();
    await expectOpenToAll(page, 'memory');

    await notes().getByRole('button', { name: 'Edit “Ada has the keys”' }).click();
    await dialog().getByLabel('Note').fill('Ben has the keys');
    await dialog().getByRole('button', { name: 'Save' }).click();
    await notes().getByText('Ben has the keys').waitFor();

    await notes().getByRole('button', { name: 'Make a slot of “Ben has the keys”' }).click();
    await dialog().getByLabel('Name').fill('Keys');
    await dialog().getByText('Use 1 to 64 of a to z, 0 to 9 and _').first().waitFor();
    await dialog().getByLabel('Name').fill('keys');
    await dialog().getByRole('button', { name: 'Make it a slot' }).click();
    await slots().getByText('Ben has the keys').waitFor();
    expect(await notes().count()).toBe(2);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      (async () => {
        await page.getByRole('button', { name: 'More of the memory' }).click();
        await page.getByRole('menuitem', { name: 'Export as JSON lines' }).click();
      })(),
    ]);
    const lines = readFileSync(await download.path(), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual([
      'pin',
      'pin',
      'note',
      'note',
    ]);
    await slots().getByRole('button', { name: 'Delete keys' }).click();
    await slots().getByText('Ben has the keys').waitFor({ state: 'detached' });
  });

  test('is what the next run is told, and is forgotten when the author says so', async () => {
    provider.answer(turn([{ tool: 'recall_memory', input: { q: 'bulbs' } }]), turn('Done.'));
    const before = provider.requests.length;
    const runId = await run();
    const asked = provider.requests.slice(before).map(({ body }) => body);
    expect(asked[0]).toContain('## Checkpoint');
    expect(asked[1]).toContain('Spare bulbs are in the cellar');
    await goTo(page, `#/runs/${runId}/memory`);
    await page.getByText('Searched “bulbs”: 1 note').waitFor();

    await page.getByRole('link', { name: 'All that the agent remembers now' }).click();
    await page.getByRole('button', { name: 'More of the memory' }).click();
    await page.getByRole('menuitem', { name: 'Forget everything…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Forget it' }).click();
    await page.getByRole('heading', { name: 'Nothing is remembered yet' }).waitFor();
  }, 120_000);
});
