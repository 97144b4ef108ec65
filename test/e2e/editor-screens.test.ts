import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeArchive } from '#main/library/archive/write-archive.ts';
import {
  integrationFiles,
  serverFiles,
  skillFiles,
  agentFiles,
  type Files,
} from '#test/support/test-packages.ts';
import { expectOpenToAll } from './connecting.ts';
import { launchApp, type LaunchedApp } from './launch.ts';
import { dropFiles, goTo, libraryShown } from './steps.ts';

const PLACES = { agent: 'agents', integration: 'integrations', skill: 'skills', server: 'mcp-servers' };

const input = {
  type: 'object',
  properties: {
    harbour: { type: 'string', title: 'Harbour', description: 'Which harbour it is about.' },
    draught: { type: 'number', title: 'Draught', minimum: 0 },
  },
  required: ['harbour'],
};
const output = {
  type: 'object',
  properties: { ships: { type: 'array', items: { type: 'string' } }, answer: { type: 'string' } },
  required: ['answer'],
};

const packages: Readonly<Record<string, Files>> = {
  mail: integrationFiles('@quay/mail', {
    display_name: 'Quay mail',
    description: 'Letters of the harbour.',
    tools_policy: { api_call: { required_scopes: { main: ['send'] } } },
  }),
  manners: skillFiles('@quay/manners', { display_name: 'Manners', description: 'How letters begin.' }),
  scales: serverFiles('@quay/scales', {
    display_name: 'Scales',
    description: 'Weighs what is loaded.',
    user_config: { unit: { type: 'string', title: 'Unit', description: 'Tons or pounds.', default: 'tons' } },
  }),
  tides: agentFiles('@quay/tides', {
    display_name: 'Tides',
    description: 'Says when the water is high, and tells the captains.',
    runtime_tools: ['log', 'output'],
    dependencies: { integrations: { '@quay/mail': '^1.0.0' }, skills: { '@quay/manners': '^1.0.0' } },
    integrations_configuration: { '@quay/mail': { tools: ['api_call'] } },
    input: { schema: input },
    output: { schema: output },
  }).set(
    'prompt.md',
    Buffer.from('# Your task\n\nSay when the water is **high** at the harbour you are given.\n'),
  ),
};

let app: LaunchedApp;
beforeAll(async () => {
  app = await launchApp({ shell: 'browser' });
  app.page.setDefaultTimeout(20_000);
  await libraryShown(app.page);
  const files = Object.entries(packages).map(async ([name, contents]) => ({
    name: `${name}.afps`,
    bytes: await writeArchive(contents),
  }));
  await dropFiles(app.page, await Promise.all(files));
  const sheet = app.page.getByRole('dialog');
  await sheet.getByRole('button', { name: /^Import/ }).click();
  await sheet.waitFor({ state: 'detached' });
});
afterAll(() => app?.close());

async function edit(page: Page, kind: keyof typeof PLACES, name: string): Promise<void> {
  await goTo(page, `#/${PLACES[kind]}/${encodeURIComponent(name)}/edit`);
  await page.getByRole('radio', { name: 'Form', exact: true }).click();
  await page.getByLabel('Package name').waitFor();
}

function parts(page: Page) {
  return page.getByRole('navigation', { name: 'Parts of the form' }).getByRole('button');
}

/** Looks at every part of the form that is shown. */
async function lookAtParts(page: Page, name: string): Promise<void> {
  const count = await parts(page).count();
  for (let index = 0; index < count; index += 1) {
    const part = parts(page).nth(index);
    await part.click();
    const key = (await part.innerText()).toLowerCase().replaceAll(/[^a-z]+/g, '-');
    await expectOpenToAll(page, `editor-${name}-${key}`);
  }
}

/** Adds an input field that every run must be given. */
async function askForMore(page: Page): Promise<void> {
  await parts(page).filter({ hasText: 'Input' }).click();
  await page.getByLabel('Name of the new field').fill('pilot');
  await page.getByRole('button', { name: 'Add field' }).click();
  await page.getByLabel('Kind of pilot').waitFor();
  await page
    .getByRole('checkbox', { name: /required/ })
    .last()
    .check();
  await page.getByRole('radio', { name: 'JSON', exact: true }).click();
  await page.locator('.view-line').first().waitFor();
}

test('the version is suggested from what has changed, and published with its tag', async () => {
  const { page } = app;
  await edit(page, 'agent', '@quay/tides');
  await askForMore(page);
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  await expectOpenToAll(page, 'editor-json');
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Publish Tides' });
  const reasons = dialog.getByRole('region', { name: 'Why a major version' });
  await reasons.getByText('the input must have pilot').waitFor();
  expect(await dialog.getByRole('radio', { name: /^2\.0\.0/ }).isChecked()).toBe(true);
  expect(await dialog.getByText('suggested').count()).toBe(1);
  await dialog.getByRole('region', { name: 'Since 1.0.0' }).getByText('1 file differs').waitFor();
  await expectOpenToAll(page, 'editor-publish');
  await dialog.getByLabel('Tag', { exact: true }).fill('stable');
  await dialog.getByRole('button', { name: 'Publish 2.0.0' }).click();
  await dialog.waitFor({ state: 'detached' });
  await goTo(page, `#/agents/${encodeURIComponent('@quay/tides')}/versions`);
  const row = page.getByRole('table', { name: 'Versions' }).getByRole('row').filter({ hasText: '2.0.0' });
  await row.getByText('stable').waitFor();
  expect(app.problems).toEqual([]);
});

test('the form of an agent, part by part, with its problems and a trial', async () => {
  const { page } = app;
  await edit(page, 'agent', '@quay/tides');
  await lookAtParts(page, 'agent');
  await page.getByRole('button', { name: 'Try it' }).click();
  const trial = page.getByRole('complementary', { name: 'Try it' });
  await trial.getByRole('button', { name: 'Run', exact: true }).waitFor();
  await expectOpenToAll(page, 'editor-trial');
  await trial.getByRole('button', { name: 'Close the trial' }).click();
  await page.getByRole('radio', { name: 'JSON', exact: true }).click();
  await page.locator('.view-line').filter({ hasText: '"log"' }).first().click();
  await page.keyboard.press('Home');
  await page.keyboard.insertText('"add-memory", ');
  await page.locator('[data-problem="package_invalid"]').waitFor();
  await page
    .getByRole('region', { name: 'Problems' })
    .getByRole('button', { name: 'Use "note"', exact: true })
    .waitFor();
  await expectOpenToAll(page, 'editor-problems');
  await page
    .getByRole('region', { name: 'Problems' })
    .getByRole('button', { name: 'Use "note"', exact: true })
    .click();
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  await page.getByRole('radio', { name: 'Form', exact: true }).click();
  expect(app.problems).toEqual([]);
});

test.each([
  ['integration', '@quay/mail'],
  ['skill', '@quay/manners'],
  ['server', '@quay/scales'],
] as const)('the form of the %s %s, part by part', async (kind, name) => {
  const { page } = app;
  await edit(page, kind, name);
  await lookAtParts(page, kind);
  expect(app.problems).toEqual([]);
});
