import { randomBytes } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeArchive } from '#main/library/archive/write-archive.ts';
import { startService, type TestService } from '#main/sidecar/test-support/services.ts';
import { startTus } from '#test/peers/upload-services.ts';
import { integrationFiles, keyAuth } from '#test/support/test-packages.ts';
import { createVault, expectOpenToAll } from './connecting.ts';
import { recordWire } from './frames.ts';
import { launchApp, type LaunchedApp } from './launch.ts';
import { goTo, importDropped, libraryShown } from './steps.ts';

const KEY = `canary-${randomBytes(18).toString('hex')}`;
const PLACE = '#/integrations/%40you%2Ftides/playground';
const CALL = 'you_tides__api_call';
const UPLOAD = 'you_tides__api_upload';

describe('the playground of an integration', () => {
  let app: LaunchedApp;
  let page: Page;
  let service: TestService;
  let tus: Awaited<ReturnType<typeof startTus>>;
  let wire: ReturnType<typeof recordWire>;
  let api: string;
  let form: Locator;
  let shown: Locator;
  const waiting: (() => void)[] = [];

  beforeAll(async () => {
    tus = await startTus();
    service = await startService(({ method, url, headers, body }, response) => {
      if (url === '/open/slow') return void waiting.push(() => response.end());
      const isLarge = url === '/open/large';
      response.writeHead(200, {
        'content-type': isLarge || method === 'GET' ? 'application/json' : 'application/octet-stream',
        etag: '"tide-1"',
        'set-cookie': 'session=hidden-from-models',
      });
      if (method !== 'GET') response.end(body);
      else if (isLarge)
        response.end(JSON.stringify(Array.from({ length: 4000 }, (_, hour) => ({ hour, metres: 1.5 }))));
      else response.end(JSON.stringify({ url, sent: headers['x-api-key'], metres: 3.2 }));
    });
    api = `http://127.0.0.1:${service.port}`;
    app = await launchApp({ shell: 'browser', onPage: (opened) => void (wire = recordWire(opened)) });
    ({ page } = app);
    page.setDefaultTimeout(15_000);
    await libraryShown(page);
    form = page.getByRole('form', { name: 'Call' });
    shown = page.getByRole('article', { name: 'Shown call' });
    const files = integrationFiles('@you/tides', {
      display_name: 'Tide tables',
      auths: {
        main: keyAuth(`${api}/open/**`, `http://127.0.0.1:${tus.port}/**`),
      },
      _meta: { 'dev.appstrate/api': { auths: { main: { upload_protocols: ['tus'] } } } },
    });
    await importDropped(page, [{ name: 'tides.afps', bytes: await writeArchive(files) }]);
  }, 120_000);
  afterAll(async () => {
    for (const answer of waiting) answer();
    await app?.close();
    await service?.[Symbol.asyncDispose]();
    await tus?.[Symbol.asyncDispose]();
  });

  const isOpenToAll = (name: string) => expectOpenToAll(page, name);

  const blocks = () => shown.getByRole('region', { name: /^Block \d$/ }).allInnerTexts();
  const call = () => form.getByRole('button', { name: 'Call' }).click();

  test('asks for an account first', async () => {
    await goTo(page, PLACE);
    await page.getByRole('heading', { name: 'Nothing is connected yet' }).waitFor();
    await isOpenToAll('playground-unconnected');
    await page.getByRole('button', { name: 'Connect an account' }).click();
    const sheet = page.getByRole('dialog');
    await createVault(sheet, 'correct horse battery staple');
    await sheet.getByLabel('Key').fill(KEY);
    await sheet.getByRole('button', { name: 'Save' }).click();
    await sheet.waitFor({ state: 'detached' });
    await form.waitFor();
    await page.getByRole('heading', { name: 'No call yet' }).waitFor();
    await isOpenToAll('playground-empty');
    expect(service.received).toEqual([]);
  });

  test('offers the tools of a run in a form made of their schema', async () => {
    expect(await form.getByLabel('Tool').locator('option').allInnerTexts()).toEqual([CALL, UPLOAD]);
    const button = form.getByRole('button', { name: 'Call' });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    await form.getByLabel('target').fill(`${api}/open/tides?day=1`);
    await form.getByRole('button', { name: 'Add' }).click();
    await form.getByLabel('Name 1 of headers').fill('Accept');
    await form.getByLabel('Value 1 of headers').fill('application/json');
    expect(await button.getAttribute('aria-disabled')).toBeNull();
  });

  test('shows what a model reads, what stands behind it, and each request', async () => {
    await form.getByLabel('target').focus();
    await page.keyboard.press('Tab');
    await call();
    await shown.getByRole('region', { name: 'What a model reads' }).waitFor();
    expect(await blocks()).toEqual([
      '[api_call status=200]',
      expect.stringMatching(/"url":"\/open\/tides\?day=1","sent":"\{\{api_key\}\}"/),
    ]);
    const headers = shown.getByRole('region', { name: 'Response headers' });
    expect(await headers.innerText()).toMatch(/etag\s+"tide-1"/);
    const row = shown.getByRole('region', { name: 'Requests it made' }).getByRole('row').nth(1);
    expect(await row.innerText()).toContain(`${api}/open/tides`);
    expect(await row.innerText()).toContain(`${api}/open/**`);
    const raw = shown.getByRole('region', { name: 'Result with _meta', exact: true }).first();
    expect(await raw.innerText()).toMatch(/dev\.appstrate\/token-budget/);
    expect(await shown.innerText()).not.toContain('hidden-from-models');
    expect(service.received.at(-1)?.headers).toMatchObject({ 'x-api-key': KEY, accept: 'application/json' });
    await isOpenToAll('playground-result');
  });

  test('tells a refusal with its code in the line that a model reads', async () => {
    const before = service.received.length;
    await form.getByLabel('target').fill(`${api}/closed`);
    await call();
    await shown.getByText('[api_call status=0 code=unauthorized_target]').first().waitFor();
    expect(service.received).toHaveLength(before);
    await isOpenToAll('playground-refused');
  });

  test('shows a large response as the pointer that a model gets, and the file behind it', async () => {
    await form.getByLabel('target').fill(`${api}/open/large`);
    await call();
    await shown.getByRole('region', { name: 'Files it wrote' }).waitFor();
    expect((await blocks())[1]).toMatch(/^\[Resource "resources\/call-\w+-\w+\.json" at appstrate:/);
    await shown
      .getByRole('region', { name: 'Files it wrote' })
      .getByRole('button', { name: /\.json/ })
      .first()
      .click();
    await shown.getByText('{"hour":0,"metres":1.5}').first().waitFor();
    await isOpenToAll('playground-spilled');
  });

  test('takes the same arguments as JSON, and says where they are none', async () => {
    await form.getByRole('radio', { name: 'JSON' }).click();
    const json = form.getByLabel('Arguments as JSON');
    expect(JSON.parse(await json.inputValue())).toMatchObject({ target: `${api}/open/large` });
    await json.fill('{"target":');
    await form.locator('[aria-invalid="true"]').waitFor();
    await isOpenToAll('playground-json');
    // What a model gets wrong can be tried too.
    await json.fill('{"method":"GET"}');
    await call();
    await shown.getByText("'target' is required").first().waitFor();
    await form.getByRole('radio', { name: 'Form' }).click();
    expect(await form.getByLabel('method').inputValue()).toBe('GET');
  });

  test('sends a file and writes one, with the bytes as they are', async () => {
    const bytes = randomBytes(3000);
    await page
      .getByLabel('Files to add')
      .setInputFiles({ name: 'chart.bin', mimeType: 'application/octet-stream', buffer: bytes });
    const files = page.getByRole('region', { name: 'Files', exact: true });
    await files.getByRole('button', { name: /chart\.bin/ }).waitFor();
    await form.getByLabel('target').fill(`${api}/open/echo`);
    await form.getByLabel('method').selectOption('POST');
    await form.getByLabel('body', { exact: true }).selectOption('fromFile');
    await form.getByLabel('fromFile').fill('chart.bin');
    await form.getByLabel('toFile').fill('back/chart.bin');
    await call();
    await shown.getByText('"path":"back/chart.bin"').first().waitFor();
    expect(service.received.at(-1)?.body.equals(bytes)).toBe(true);
    await files.getByRole('button', { name: /back\/chart\.bin/ }).waitFor();
    await isOpenToAll('playground-files');
  });

  test('uploads in parts', async () => {
    await page.getByLabel('Files to add').setInputFiles({
      name: 'film.bin',
      mimeType: 'application/octet-stream',
      buffer: randomBytes(900_000),
    });
    await form.getByLabel('Tool').selectOption(UPLOAD);
    await form.getByLabel('target').fill(`http://127.0.0.1:${tus.port}/files`);
    await form.getByLabel('fromFile').fill('film.bin');
    await form.getByLabel('uploadProtocol').selectOption('tus');
    await form.getByLabel('partSizeBytes').fill('300000');
    await call();
    await shown.getByText('"chunks":3').first().waitFor();
    const rows = shown.getByRole('region', { name: 'Requests it made' }).getByRole('row');
    expect(await rows.count()).toBe(5);
    await isOpenToAll('playground-upload');
  });

  test('cancels a call that is under way, also at the service', async () => {
    await form.getByLabel('Tool').selectOption(CALL);
    await form.getByLabel('method').selectOption('GET');
    await form.getByLabel('body', { exact: true }).selectOption('none');
    await form.getByLabel('target').fill(`${api}/open/slow`);
    await call();
    const cancel = shown.getByRole('button', { name: 'Cancel' });
    await cancel.waitFor();
    expect(await form.getByRole('button', { name: 'Call' }).getAttribute('aria-disabled')).toBe('true');
    await isOpenToAll('playground-running');
    await cancel.click();
    await shown.getByText('It was cancelled').waitFor();
  });

  test('keeps the calls of the session, and takes the arguments of one again', async () => {
    await goTo(page, PLACE.replace('playground', 'overview'));
    await goTo(page, PLACE);
    const calls = page.getByRole('region', { name: 'Calls of this session' });
    await calls.getByRole('listitem').nth(6).waitFor();
    expect(await calls.getByRole('listitem').count()).toBe(7);
    await calls.getByRole('button', { name: /unauthorized_target/ }).click();
    await shown.getByRole('button', { name: 'Use these arguments' }).click();
    expect(await form.getByLabel('target').inputValue()).toBe(`${api}/closed`);
    await page.getByRole('button', { name: 'Start over' }).click();
    await page.getByRole('heading', { name: 'No call yet' }).waitFor();
  });

  test('never has the credential in the page', () => {
    expect(wire.received.length).toBeGreaterThan(30);
    expect(wire.received.join('\n')).not.toContain(KEY);
    expect(app.problems).toEqual([]);
  });
});
