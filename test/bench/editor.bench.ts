import { openEditorPages, type EditorPage } from '#test/renderer-e2e/editor-page.ts';
import { atMost, median, type Measure } from './measure.ts';

const ROUNDS = 5;
const KEYS = 20;
/** Milliseconds a page has to become quiet, so that one measure is not part of the next. */
const QUIET = 600;

/** Notes for each key or click how long the page could do nothing else. */
const WATCH = `
  globalThis.busy = [];
  for (const type of ['keydown', 'click']) {
    addEventListener(type, () => {
      const began = performance.now();
      setTimeout(() => globalThis.busy.push(performance.now() - began), 0);
    }, true);
  }
`;
const TAKE = 'globalThis.busy.splice(0)';

/**
 * The editor over a manifest of 300 KB with sixty integrations: opening it once its code is at hand, a letter
 * in the JSON and in the form, and a ticked tool up to the scopes it asks for.
 */
export async function measureEditor(): Promise<Measure[]> {
  const pages = await openEditorPages();
  try {
    const editor = await pages.open('large');
    await editor.page.evaluate(WATCH);
    const form = await typing(editor, () => editor.page.getByLabel('Display name').click());
    const ticks = await ticking(editor);
    await editor.view('JSON');
    const json = await typing(editor, () => editor.endOf('"author"'));
    return [
      atMost('editor.open', median(await opening(editor)), 'ms', 1_000),
      atMost('editor.type_in_json', median(json), 'ms', 16),
      atMost('editor.type_in_form', median(form), 'ms', 50),
      atMost('editor.tick_to_scopes', median(ticks), 'ms', 50),
    ];
  } finally {
    await pages.close();
  }
}

async function opening(editor: EditorPage): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await editor.page.getByRole('button', { name: 'Compare' }).click();
    await editor.page.locator('.monaco-diff-editor .view-line').first().waitFor();
    await editor.page.waitForTimeout(QUIET);
    const began = performance.now();
    await editor.page.getByRole('button', { name: 'Edit', exact: true }).click();
    await editor.line('"type"').waitFor();
    await editor.problemList.getByText('checking…').waitFor({ state: 'detached' });
    times.push(performance.now() - began);
  }
  return times;
}

async function typing({ page }: EditorPage, begin: () => Promise<void>): Promise<number[]> {
  await begin();
  await page.waitForTimeout(QUIET);
  await page.evaluate(TAKE);
  await page.keyboard.type(' '.repeat(KEYS), { delay: 200 });
  await page.waitForTimeout(QUIET);
  return page.evaluate<number[]>(TAKE);
}

async function ticking(editor: EditorPage): Promise<number[]> {
  const { page } = editor;
  await editor.part('Tools');
  const box = page.getByRole('checkbox', { name: 'tool_5' }).first();
  await box.waitFor();
  await page.waitForTimeout(QUIET);
  await page.evaluate(TAKE);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS * 2; round += 1) {
    await box.click();
    await page.waitForTimeout(QUIET);
    const [time] = await page.evaluate<number[]>(TAKE);
    if (time !== undefined) times.push(time);
  }
  return times;
}
