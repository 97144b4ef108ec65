import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse as parseDisposition } from 'content-disposition';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FakeRunService } from '#test/support/fake-application.ts';
import { PAGE_CONTENT_SECURITY_POLICY } from './page-headers.ts';
import { createResourceHandler, type ResourceHandler } from './resources.ts';

const signal = new AbortController().signal;
const runs = new FakeRunService();
const { id: runId } = runs.create();
let folder: string;
let handle: ResourceHandler;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-resources-'));
  mkdirSync(join(folder, 'renderer', 'assets'), { recursive: true });
  writeFileSync(join(folder, 'secret.txt'), 'canary');
  writeFileSync(join(folder, 'renderer-secret.txt'), 'canary');
  writeFileSync(join(folder, 'renderer', 'index.html'), '<!doctype html>');
  writeFileSync(join(folder, 'renderer', 'assets', 'a.js'), 'export {}');
  handle = createResourceHandler({ rendererFolder: join(folder, 'renderer'), runs });
});
afterAll(() => rmSync(folder, { recursive: true }));

function ask(path: string, options: { method?: string; range?: string } = {}) {
  const url = new URL(path, 'http://x');
  return handle({
    method: options.method ?? 'GET',
    pathname: path.split('?')[0]!,
    parameters: url.searchParams,
    range: options.range,
    signal,
  });
}

describe("the renderer's files", () => {
  test('are served with their types, so that nosniff does not block them', async () => {
    const page = await ask('/');
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await page.text()).toBe('<!doctype html>');
    expect((await ask('/assets/a.js')).headers.get('content-type')).toMatch(/^text\/javascript/);
    expect((await ask('/nothing.js')).status).toBe(404);
    expect((await ask('/assets')).status).toBe(404);
    expect((await ask('/', { method: 'POST' })).status).toBe(405);
  });

  test('are all that is served, whatever the path', async () => {
    const part = fc.oneof(
      fc.constantFrom(
        '..',
        '%2e%2e',
        '%2E.',
        '.',
        '',
        '%2f',
        '%5c',
        '..%2f',
        'secret.txt',
        'assets',
        'C:',
        '%00',
        '~',
      ),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        const response = await handle({
          method: 'GET',
          pathname: `/${parts.join('/')}`,
          parameters: new URLSearchParams(),
          range: undefined,
          signal,
        });
        expect(await response.text()).not.toContain('canary');
      }),
      { numRuns: 300 },
    );
  });

  test('come with a policy that allows no code from text and no other origin', async () => {
    const policy = (await ask('/')).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self';");
    expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
    expect(PAGE_CONTENT_SECURITY_POLICY['script-src']).toEqual(["'self'"]);
    expect(policy).toContain("frame-ancestors 'none'");
  });
});

describe("a run's outputs", () => {
  test('are served to be looked at, unable to run or load anything', async () => {
    runs.addFile(runId, 'page.html', Buffer.from('<script>steal()</script>'), 'text/html');
    const response = await ask(`/output/${runId}/page.html`);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toBe(
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    );
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('keep any name they have when they are downloaded', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => !/[/\\\0]|^\.{1,2}$/.test(name)),
        async (name) => {
          runs.addFile(runId, `deep er/${name}`, Buffer.from('x'), 'text/plain');
          const response = await ask(`/output/${runId}/deep%20er/${encodeURIComponent(name)}?download`);
          expect(response.status).toBe(200);
          const { type, parameters } = parseDisposition(response.headers.get('content-disposition') ?? '');
          expect(type).toBe('attachment');
          expect(parameters['filename']).toBe(name);
        },
      ),
    );
  });

  test('are served in ranges, for large PDF files', async () => {
    runs.addFile(runId, 'a.pdf', Buffer.from('0123456789'), 'application/pdf');
    const path = `/output/${runId}/a.pdf`;
    const part = await ask(path, { range: 'bytes=2-4' });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      'bytes 2-4/10',
      '234',
    ]);
    const tail = await ask(path, { range: 'bytes=-3' });
    expect([tail.headers.get('content-length'), await tail.text()]).toEqual(['3', '789']);
    expect((await ask(path, { range: 'bytes=10-' })).status).toBe(416);
    for (const range of ['bytes=0-1,3-4', 'lines=0-1', 'nonsense'])
      expect(await (await ask(path, { range })).text()).toBe('0123456789');
    const head = await ask(path, { method: 'HEAD' });
    expect([head.headers.get('content-length'), await head.text()]).toEqual(['10', '']);
  });

  test('an empty one is served too', async () => {
    runs.addFile(runId, 'empty.txt', Buffer.alloc(0), 'text/plain');
    const response = await ask(`/output/${runId}/empty.txt`);
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([
      200,
      '0',
      '',
    ]);
  });

  test('that do not exist are not found', async () => {
    expect((await ask(`/output/${runId}/none.txt`)).status).toBe(404);
    expect((await ask('/output/nope/page.html')).status).toBe(404);
    expect((await ask(`/output/${runId}`)).status).toBe(404);
  });
});

describe('what a run keeps beside its outputs', () => {
  test('a spilled result and an output of one name are two files', async () => {
    runs.addFile(runId, 'a.json', Buffer.from('output'), 'application/json');
    runs.addFile(runId, 'a.json', Buffer.from('spilled'), 'application/json', 'resources');
    expect(await (await ask(`/output/${runId}/a.json`)).text()).toBe('output');
    expect(await (await ask(`/resource/${runId}/a.json`)).text()).toBe('spilled');
    expect((await ask(`/resource/${runId}/b.json`)).status).toBe(404);
    expect((await ask(`/resource/${runId}`)).status).toBe(404);
  });

  test('its audit is saved in a form that is known, and only by a filter that is one', async () => {
    const csv = await ask(`/calls/${runId}/csv?outcome=unsent&text=a%26b`);
    expect(await csv.text()).toBe(`csv of ${runId}`);
    expect(parseDisposition(csv.headers.get('content-disposition') ?? '')).toMatchObject({
      type: 'attachment',
      parameters: { filename: `${runId}-calls.csv` },
    });
    for (const path of [
      `/calls/${runId}/xml`,
      `/calls/${runId}/csv?outcome=all`,
      '/calls/none/csv',
      '/calls',
    ])
      expect((await ask(path)).status).toBe(404);
  });
});
