import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accessibilityFaults } from '#test/support/accessibility.ts';
import { launchApp, type LaunchedApp } from './launch.ts';
import { goTo, libraryShown, runEnded, runIs, startRun } from './steps.ts';
import { runScreens, settled, stillScreens } from './screens.ts';

describe('every screen can be used by everybody', () => {
  let app: LaunchedApp;
  let runId: string;
  beforeAll(async () => {
    app = await launchApp({ shell: 'browser' });
    await libraryShown(app.page);
    runId = await startRun(app.page);
    await runEnded(app.page);
  });
  afterAll(() => app?.close());

  /** Faults of the present screen that shut somebody out; `rules` narrows what is looked for. */
  async function faults(where: string, rules?: readonly string[]): Promise<string[]> {
    await settled(app.page);
    return (await accessibilityFaults(app.page, rules)).map((fault) => `${where}: ${fault}`);
  }

  test.each([
    ['light', undefined],
    // Only the colours are others in the dark.
    ['dark', ['color-contrast']],
  ] as const)('in the %s theme', async (colorScheme, rules) => {
    const { page } = app;
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const found: string[] = [];
    const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog'));
    const inDialog = async (name: string, open: () => Promise<void>) => {
      await open();
      await dialog.waitFor();
      found.push(...(await faults(name, rules)));
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    };
    for (const { name, show } of [...stillScreens, ...runScreens(runId)]) {
      await show(page);
      found.push(...(await faults(name, rules)));
    }
    await inDialog('shortcuts', () => page.keyboard.press('?'));
    await inDialog('quick open', () => page.keyboard.press('Control+k'));
    await goTo(page, '#/settings/engine');
    await inDialog('consent', () => page.getByRole('button', { name: 'Run without isolation…' }).click());
    await goTo(page, '#/settings/models');
    await inDialog('new server', () => page.getByRole('button', { name: 'Add a server' }).click());
    expect(found).toEqual([]);
  });

  test('and one that cannot is found', async () => {
    await goTo(app.page, '#/settings/about');
    const mark = () => {
      const picture = document.createElement('img');
      picture.id = 'unnamed';
      document.body.append(picture);
      return () => picture.remove();
    };
    const unmark = await app.page.evaluateHandle(mark);
    expect(await faults('about')).toEqual([expect.stringMatching(/^about: image-alt at #unnamed/)]);
    expect(await faults('about', ['color-contrast'])).toEqual([]);
    await unmark.evaluate((remove) => remove());
    expect(await faults('about')).toEqual([]);
  });

  test('and while an agent runs', async () => {
    await startRun(app.page);
    await runIs(app.page, 'running');
    expect(await faults('running')).toEqual([]);
    await runEnded(app.page);
  });

  test('by keyboard alone, from the library to a run and its end', async () => {
    const { page } = app;
    await goTo(page, '#/agents');
    await page.reload();
    await libraryShown(page);
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    for (let step = 0; step < 10; step += 1) {
      if (
        (await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))) === 'Run CSV report'
      )
        break;
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await runIs(page, 'running');
    await runEnded(page);
  });
});
