import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { silentLogger, type Logger } from '#main/logging/logger.ts';
import { ProblemError } from '#shared/problem.ts';
import { FakeApplication } from '#test/support/fake-application.ts';
import { readTextStart } from './read-text-start.ts';
import type { RequestContext } from './route-handlers.ts';
import { createRouter } from './router.ts';
import type { ShellServices } from './shell-services.ts';

function setUp(options: { logger?: Logger; shell?: Partial<ShellServices> } = {}) {
  const application = new FakeApplication();
  const shell: ShellServices = {
    kind: 'electron',
    canReveal: true,
    openExternal: async () => undefined,
    saveFile: async () => undefined,
    revealFolder: async () => undefined,
    ...options.shell,
  };
  const router = createRouter({
    application,
    shell,
    logger: options.logger ?? silentLogger,
    checkOutputs: true,
  });
  return { application, router };
}

const context: RequestContext = {
  signal: new AbortController().signal,
  files: {
    resolve(handle) {
      if (handle !== 'h1') {
        throw new ProblemError({ code: 'file_handle_unknown', title: 'Unknown file', detail: 'Gone.' });
      }
      return { originalName: 'my file.csv', size: 3, open: async () => Readable.from([Buffer.from('a\n1')]) };
    },
    registerFolder: (path) => `handle of ${path}`,
    resolveFolder: (handle) => handle.replace('handle of ', ''),
  },
};

describe('createRouter', () => {
  test('names every fault of an input with its place', async () => {
    const { router } = setUp();
    const result = await router.dispatch('runs.start', { agentId: 1, input: [], files: [{}] }, context);
    expect(result).toMatchObject({
      ok: false,
      error: {
        code: 'request_invalid',
        causes: [{ pointer: '/agentId' }, { pointer: '/input' }, { pointer: '/files/0/source' }],
      },
    });
  });

  test('never shows an undescribed error, but logs it under the reference it shows', async () => {
    const logged: Record<string, unknown>[] = [];
    const { router } = setUp({ logger: { ...silentLogger, error: (fields) => logged.push(fields) } });
    const result = await router.dispatch('models.saveProvider', { kind: 'openai', key: 'k' }, context);
    expect(JSON.stringify(result)).not.toContain('secret-canary');
    expect(logged).toHaveLength(1);
    expect(JSON.stringify(result)).toContain(String(logged[0]?.['reference']));
    expect(logged[0]?.['route']).toBe('models.saveProvider');
  });

  test('holds answers against their schema, so that a service that drifts is found in tests', async () => {
    const { router, application } = setUp();
    application.engines.report = { ...application.engines.report, state: 'broken' as 'ready' };
    await expect(router.dispatch('engine.describe', {}, context)).resolves.toMatchObject({
      ok: false,
      error: { code: 'internal_error' },
    });
  });

  test('starts a run with registered files and examples, and with no folder of the disk', async () => {
    const { router, application } = setUp();
    const files = [
      { field: 'table', source: { kind: 'example', path: 'examples/sales.csv' } },
      { source: { kind: 'registered', handle: 'h1' } },
    ];
    const started = await router.dispatch(
      'runs.start',
      { agentId: '@fake/agent', input: {}, files },
      context,
    );
    expect(started).toEqual({ ok: true, data: { runId: 'run-1' } });
    const [example, registered] = application.runs.started[0]?.files ?? [];
    expect([example?.field, example?.originalName, example?.size]).toEqual(['table', 'sales.csv', 9]);
    expect((await buffer(await example!.open())).toString()).toBe('a,b\n1,2\n\n');
    expect(registered).toMatchObject({ field: undefined, originalName: 'my file.csv' });
    await expect(
      router.dispatch('runs.start', { agentId: '/etc', input: {}, files: [] }, context),
    ).resolves.toMatchObject({ ok: false, error: { code: 'agent_unknown' } });
    for (const source of [
      { kind: 'example', path: '../../secret' },
      { kind: 'registered', handle: 'h2' },
    ]) {
      const refused = await router.dispatch(
        'runs.start',
        { agentId: '@fake/agent', input: {}, files: [{ source }] },
        context,
      );
      expect(refused).toMatchObject({ ok: false, error: { code: /_unknown$/ } });
    }
    expect(application.runs.started).toHaveLength(1);
  });

  test('opens no address but https', async () => {
    const opened: string[] = [];
    const { router } = setUp({ shell: { openExternal: async (url) => void opened.push(url) } });
    for (const url of [
      'javascript:alert(1)',
      'file:///etc/passwd',
      'http://example.com',
      'https://example.com/',
    ])
      await router.dispatch('app.openLink', { url }, context);
    expect(opened).toEqual(['https://example.com/']);
  });

  test('saves an output under its own name and tells where, or that the person thought better', async () => {
    const saved: string[] = [];
    let answer: string | undefined = '/home/a/report.md';
    const { router, application } = setUp({
      shell: {
        async saveFile(name, open) {
          saved.push(`${name}: ${(await buffer(open())).toString()}`);
          return answer;
        },
      },
    });
    const { id: runId } = application.runs.create();
    application.runs.addFile(runId, 'deep/report.md', Buffer.from('# Hi'), 'text/markdown');
    const input = { runId, path: 'deep/report.md' };
    await expect(router.dispatch('runs.saveFile', input, context)).resolves.toEqual({
      ok: true,
      data: { savedTo: '/home/a/report.md' },
    });
    answer = undefined;
    await expect(router.dispatch('runs.saveFile', input, context)).resolves.toMatchObject({ ok: true });
    expect(saved[0]).toBe('report.md: # Hi');
  });
});

describe('readTextStart', () => {
  const read = (bytes: Buffer, limit: number) =>
    readTextStart(bytes.length, limit, context.signal, (start, end) =>
      Readable.from([bytes.subarray(start, end + 1)]),
    );

  test('cuts any text at any byte without showing half a character', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0') && !text.startsWith('\uFEFF')),
        fc.integer({ min: 1, max: 50 }),
        async (text, limit) => {
          const bytes = Buffer.from(text);
          const result = await read(bytes, limit);
          expect(result.binary).toBe(false);
          expect(bytes.toString().startsWith(result.text)).toBe(true);
          expect(result.truncated).toBe(bytes.length > limit);
          expect(Buffer.byteLength(result.text)).toBeGreaterThan(Math.min(limit, bytes.length) - 4);
        },
      ),
    );
  });

  test('tells binary from text, and reads the UTF-16 that spreadsheets export', async () => {
    await expect(read(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]), 100)).resolves.toMatchObject({
      binary: true,
    });
    await expect(read(Buffer.from([0xff, 0xfe, 0x61, 0, 0xe9, 0]), 100)).resolves.toMatchObject({
      text: 'aé',
    });
    await expect(read(Buffer.alloc(0), 100)).resolves.toMatchObject({ text: '', binary: false });
  });
});
