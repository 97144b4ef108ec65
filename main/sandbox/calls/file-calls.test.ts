import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, test } from 'vitest';
import { ServiceBench, type CallerOptions, type TestService } from '#main/sidecar/test-support/services.ts';
import { startIntegrationRun, type IntegrationRun } from '#test/support/integration-run.ts';

const bench = new ServiceBench();
let session: IntegrationRun | undefined;
afterEach(async () => {
  await session?.[Symbol.asyncDispose]();
  session = undefined;
  await bench.close();
});

async function start(options: CallerOptions = {}): Promise<IntegrationRun> {
  session = await startIntegrationRun(options);
  return session;
}

/** Answers with the body it was sent, as the type in the path. */
const mirror = () =>
  bench.service(({ url, body }, response) => {
    const [, status, ...type] = url.split('/');
    response.writeHead(Number(status), type.length > 0 ? { 'content-type': type.join('/') } : {}).end(body);
  });

const at = ({ port }: TestService, path: string) => `http://api.example.com:${port}${path}`;
const texts = ({ content }: CallToolResult) =>
  content.map((block) =>
    block.type === 'text' ? block.text : (block as { description?: string }).description,
  );

describe('files as parts of a multipart body', () => {
  test('are sent byte for byte beside fields, under their own name or another', async () => {
    const service = await mirror();
    const run = await start();
    mkdirSync(join(run.workspace, 'data'));
    const bytes = Buffer.from([0, 255, 10, 13, 45, 45]);
    writeFileSync(join(run.workspace, 'data', 'a.bin'), bytes);
    await run.call({
      target: at(service, '/200'),
      method: 'POST',
      body: {
        multipart: [
          { name: 'title', value: 'Two files' },
          { name: 'first', fromFile: 'data/a.bin' },
          { name: 'second', fromFile: 'data/a.bin', filename: 'b.png', contentType: 'image/png' },
        ],
      },
    });
    const [received] = service.received;
    const form = await new Response(Uint8Array.from(received?.body ?? []), {
      headers: { 'content-type': received?.headers['content-type'] ?? '' },
    }).formData();
    expect(form.get('title')).toBe('Two files');
    for (const [field, name, type] of [
      ['first', 'a.bin', 'application/octet-stream'],
      ['second', 'b.png', 'image/png'],
    ] as const) {
      const file = form.get(field) as File;
      expect([file.name, file.type]).toEqual([name, type]);
      expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true);
    }
  });

  test.each<[Record<string, unknown>[], RegExp]>([
    [[{ name: 'a', fromFile: '../x' }], /outside of the workspace/],
    [[{ name: 'a', fromFile: 7 }], /'fromFile' of part 1 must be a path/],
    [[{ name: 'a', fromFile: 'half.bin', bytes: 'AA==' }], /leave out bytes/],
    [
      [
        { name: 'a', fromFile: 'half.bin' },
        { name: 'b', fromFile: 'half.bin' },
      ],
      /has 1200 bytes together with the files before it, more than the 1000/,
    ],
  ])('are refused before anything is sent: %j', async (multipart, expected) => {
    const service = await mirror();
    const run = await start({ limits: { maxRequestBodyBytes: 1000 } });
    writeFileSync(join(run.workspace, 'half.bin'), Buffer.alloc(600));
    const result = await run.call({ target: at(service, '/200'), method: 'POST', body: { multipart } });
    expect(texts(result).join('\n')).toMatch(expected);
    expect(service.received).toEqual([]);
  });
});

describe('a file as body', () => {
  test('is sent byte for byte, also one at the cap', async () => {
    const service = await mirror();
    const run = await start({ limits: { maxRequestBodyBytes: 1000 } });
    const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 256));
    writeFileSync(join(run.workspace, 'file.bin'), bytes);
    writeFileSync(join(run.workspace, 'empty.bin'), '');
    await run.call({ target: at(service, '/200'), method: 'PUT', body: { fromFile: 'file.bin' } });
    await run.call({ target: at(service, '/200'), method: 'PUT', body: { fromFile: './empty.bin' } });
    expect(service.received[0]?.body.equals(bytes)).toBe(true);
    expect(service.received[1]?.body.length).toBe(0);
    expect(service.received[0]?.headers['content-type']).toBeUndefined();
  });

  test.each<[unknown, RegExp]>([
    [{ fromFile: 'missing.txt' }, /cannot read the body's file: there is no file "missing.txt"/],
    [{ fromFile: 'link.txt' }, /symbolic link/],
    [{ fromFile: 'linked/x.txt' }, /symbolic link/],
    [{ fromFile: '../x' }, /outside of the workspace/],
    [{ fromFile: '/etc/passwd' }, /not relative/],
    [{ fromFile: 'folder' }, /is a folder/],
    [{ fromFile: 5 }, /must be a path/],
    [{ fromFile: 'small.txt', encoding: 'base64' }, /nothing may stand beside it/],
    [{ fromFile: 'large.bin' }, /10485761 bytes.*SIDECAR_MAX_REQUEST_BODY_BYTES.*acme_service__api_upload/],
  ])('%j is told the model and nothing is sent', async (body, message) => {
    const run = await start();
    writeFileSync(join(run.workspace, 'small.txt'), 'x');
    writeFileSync(join(run.workspace, 'large.bin'), '');
    truncateSync(join(run.workspace, 'large.bin'), 10 * 1024 * 1024 + 1);
    mkdirSync(join(run.workspace, 'folder'));
    symlinkSync('small.txt', join(run.workspace, 'link.txt'));
    symlinkSync('folder', join(run.workspace, 'linked'));
    const result = await run.call({ target: 'http://api.example.com/', method: 'POST', body });
    expect(result.isError).toBe(true);
    expect(texts(result)[0]).toBe('[api_call status=0]');
    expect(texts(result)[1]).toMatch(message);
    expect(run.caller.main.outbound).toEqual([]);
  });

  test('that does not fit the message to the sidecar names the setting', async () => {
    const run = await start({ limits: { maxRequestBodyBytes: 50_000, maxMcpEnvelopeBytes: 60_000 } });
    writeFileSync(join(run.workspace, 'file.bin'), Buffer.alloc(45_000));
    const result = await run.call({
      target: 'http://api.example.com/',
      method: 'POST',
      body: { fromFile: 'file.bin' },
    });
    expect(texts(result)[1]).toContain('SIDECAR_MAX_MCP_ENVELOPE_BYTES');
  });
});

describe('a response to a file', () => {
  test.each([
    ['text/csv; charset=latin1', Buffer.from('naïve;é\r\n', 'latin1')],
    ['text/csv', Buffer.from('\uFEFFa;b\n', 'utf8')],
    ['application/json', Buffer.from('{"a": 1}')],
    ['application/octet-stream', Buffer.from([0, 255, 13, 10, 128])],
    ['text/plain', Buffer.alloc(0)],
    ['application/zip', Buffer.alloc(9 * 1024 * 1024, 'z')],
  ])('of %s is kept byte for byte', async (type, body) => {
    const service = await mirror();
    const run = await start();
    writeFileSync(join(run.workspace, 'in'), body);
    const result = await run.call({
      target: at(service, `/200/${type}`),
      method: 'POST',
      body: { fromFile: 'in' },
      responseMode: { toFile: 'outputs/deep/export.bin' },
    });
    const descriptor = { kind: 'file', path: 'outputs/deep/export.bin', size: body.length, status: 200 };
    expect(texts(result).map((text) => JSON.parse(text ?? '') as unknown)).toEqual([descriptor]);
    expect(result.structuredContent).toEqual(descriptor);
    expect(readFileSync(join(run.workspace, 'outputs/deep/export.bin')).equals(body)).toBe(true);
    // What went to a file takes nothing of what the model may read.
    expect(result._meta).not.toHaveProperty('dev.appstrate/token-budget');
  });

  test('keeps the service’s refusal as what it is', async () => {
    const service = await mirror();
    const run = await start();
    const result = await run.call({
      target: at(service, '/404/text/plain'),
      method: 'POST',
      body: 'why',
      responseMode: { toFile: 'x.txt' },
    });
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toEqual({ kind: 'file', path: 'x.txt', size: 3, status: 404 });
    expect(readFileSync(join(run.workspace, 'x.txt'), 'utf8')).toBe('why');
  });

  test('of a refused call writes nothing, and tells code and reason', async () => {
    const run = await start();
    const result = await run.call({ target: 'http://evil.com/', responseMode: { toFile: 'x.txt' } });
    expect(result.isError).toBe(true);
    expect(result.structuredContent).toEqual({
      kind: 'file',
      path: 'x.txt',
      size: 0,
      status: 0,
      code: 'unauthorized_target',
    });
    expect(texts(result)[1]).toContain('Allowed:');
    expect(existsSync(join(run.workspace, 'x.txt'))).toBe(false);
  });

  test.each<[unknown, RegExp]>([
    [{ toFile: '../x' }, /outside/],
    [{ toFile: '/tmp/x' }, /not relative/],
    [{ toFile: 'linked/x' }, /symbolic link/],
    [{ toFile: 'dangling' }, /symbolic link/],
    [{ toFile: 'folder' }, /a folder/],
    [{ toFile: 5 }, /must be a path/],
    [{ toFile: 'x', more: 1 }, /unknown more/],
    ['x.txt', /must be an object/],
  ])('%j is refused before the request has any effect', async (responseMode, message) => {
    const service = await mirror();
    const run = await start();
    mkdirSync(join(run.workspace, 'folder'));
    symlinkSync('folder', join(run.workspace, 'linked'));
    symlinkSync('nowhere', join(run.workspace, 'dangling'));
    const result = await run.call({ target: at(service, '/200'), method: 'POST', body: 'x', responseMode });
    expect(texts(result)[1]).toMatch(message);
    expect(service.received).toEqual([]);
  });
});

describe('a large response', () => {
  test('is put into a file, and the model is told where and how it begins', async () => {
    const service = await mirror();
    const run = await start();
    const body = `{"first": "line"}\n${'x'.repeat(40_000)}`;
    writeFileSync(join(run.workspace, 'in'), body);
    const call = { target: at(service, '/200/application/json'), method: 'POST', body: { fromFile: 'in' } };
    const result = await run.call(call, '../call 1/../');
    const [name = ''] = readdirSync(join(run.workspace, 'resources'));
    expect(name).toMatch(/^_\.?_call_1_\.\._-[0-9A-Z]{26}\.json$|^_[\w.]*-[0-9A-Z]{26}\.json$/);
    expect(readFileSync(join(run.workspace, 'resources', name), 'utf8')).toBe(body);
    expect(texts(result)[0]).toBe('[api_call status=200]');
    expect(texts(result)[1]).toContain(`resources/${name}`);
    expect(texts(result)[1]).toContain('It begins: "{\\"first\\": \\"line\\"}"');
    expect(result.content[1]).toMatchObject({
      type: 'resource_link',
      title: `resources/${name}`,
      size: body.length,
    });
    await run.call(call, 'call-2');
    expect(readdirSync(join(run.workspace, 'resources'))).toHaveLength(2);
  });

  test('that is binary is one whatever its size, and is never quoted', async () => {
    const service = await mirror();
    const run = await start();
    const result = await run.call({ target: at(service, '/200/image/png'), method: 'POST', body: 'PNG' });
    const [name = ''] = readdirSync(join(run.workspace, 'resources'));
    expect(name).toMatch(/\.png$/);
    expect(texts(result)[1]).not.toContain('It begins');
  });

  test('that cannot be written is named all the same', async () => {
    const service = await mirror();
    const run = await start();
    symlinkSync('/tmp', join(run.workspace, 'resources'));
    const result = await run.call({ target: at(service, '/200/image/png'), method: 'POST', body: 'PNG' });
    expect(texts(result)[1]).toMatch(/^\[resource appstrate:\/\/api-response\/.*symbolic link/);
  });
});
