import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CallerOptions } from '#main/sidecar/test-support/services.ts';
import {
  startGoogleUploads,
  startGraphUploads,
  startS3,
  startTus,
  type UploadPeer,
} from '#test/peers/upload-services.ts';
import { withIntegrationCalls } from '../integration-calls.ts';
import type { ToolServer } from '../mcp-client.ts';
import { startIntegrationRun, type IntegrationRun } from '#test/support/integration-run.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const TOKEN = 'secret-token-1';

// A service is given a second before a chunk is tried again.
vi.setConfig({ testTimeout: 60_000 });

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each[Symbol.asyncDispose]();
});

async function run(options: CallerOptions = {}): Promise<IntegrationRun> {
  const started = await startIntegrationRun(options);
  open.push(started);
  return started;
}

async function opened<P extends UploadPeer>(starting: Promise<P>): Promise<P> {
  const peer = await starting;
  open.push(peer);
  return peer;
}

function fileOf({ workspace }: IntegrationRun, size: number): { bytes: Buffer; sha256: string } {
  const bytes = randomBytes(size);
  writeFileSync(join(workspace, 'file.bin'), bytes);
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
}

const busy = (response: ServerResponse, status = 503) => {
  response.writeHead(status, { 'content-type': 'text/plain' }).end('busy');
  return true;
};

describe('google-resumable', () => {
  const target = (port: number) =>
    `http://www.example.com:${port}/upload/drive/v3/files?uploadType=resumable`;
  const input = (port: number, more = {}) => ({
    target: target(port),
    fromFile: 'file.bin',
    uploadProtocol: 'google-resumable',
    ...more,
  });

  test('a file of several chunks arrives as it is', async () => {
    const service = await opened(startGoogleUploads(TOKEN));
    const session = await run();
    const { bytes, sha256 } = fileOf(session, 2 * MIB + 5);
    const metadata = { name: 'r.pdf', mimeType: 'application/vnd.google-apps.document' };
    const { json, isError } = await session.upload(
      input(service.port, { metadata, sourceMimeType: 'text/markdown', partSizeBytes: MIB }),
    );
    expect(isError).toBeUndefined();
    expect(json).toMatchObject({
      ok: true,
      protocol: 'google-resumable',
      status: 200,
      body: '{"id":"file-1"}',
      sha256,
      size: bytes.length,
      chunks: 3,
    });
    expect(service.files[0]?.announced).toEqual({ ...metadata, type: 'text/markdown' });
    expect(service.files[0]?.bytes.equals(bytes)).toBe(true);
    expect(session.progress.at(-1)).toBe('2.0 of 2.0 MiB uploaded');
    // What is sent in parts takes nothing of what the model may read.
    expect(JSON.stringify(json)).not.toContain('resource_link');
  });

  test('a type to convert to is not announced as the type of the bytes', async () => {
    const service = await opened(startGoogleUploads(TOKEN));
    const session = await run();
    fileOf(session, 3);
    await session.upload(
      input(service.port, { metadata: { mimeType: 'application/vnd.google-apps.spreadsheet' } }),
    );
    await session.upload(input(service.port, { metadata: { mimeType: 'text/csv' } }));
    expect(service.files.map(({ announced }) => announced['type'])).toEqual([undefined, 'text/csv']);
  });

  test('what the service kept only a part of goes on from there', async () => {
    const service = await opened(startGoogleUploads(TOKEN));
    service.keepOnly = 256 * KIB;
    const session = await run();
    const { bytes, sha256 } = fileOf(session, MIB + 1);
    const { json } = await session.upload(input(service.port, { partSizeBytes: 512 * KIB }));
    expect(json).toMatchObject({ ok: true, sha256, chunks: 3 });
    expect(service.files[0]?.bytes.equals(bytes)).toBe(true);
  });

  test('a chunk that fails is sent again after the service was asked how far it got', async () => {
    const service = await opened(startGoogleUploads(TOKEN));
    service.interfere = (_request, response, count) => count === 3 && busy(response);
    const session = await run();
    const { bytes } = fileOf(session, MIB);
    const { json } = await session.upload(input(service.port, { partSizeBytes: 512 * KIB }));
    expect(json).toMatchObject({ ok: true });
    expect(service.files[0]?.bytes.equals(bytes)).toBe(true);
    expect(service.requests.map(({ headers }) => headers['content-range'])).toEqual([
      undefined,
      'bytes 0-524287/1048576',
      'bytes 524288-1048575/1048576',
      'bytes */1048576',
      'bytes 524288-1048575/1048576',
    ]);
  });

  test('a chunk whose answer was lost is not sent twice', async () => {
    const service = await opened(startGoogleUploads(TOKEN));
    const session = await run();
    const { bytes, sha256 } = fileOf(session, 512 * KIB);
    service.interfere = (_request, response, count) => {
      // The service has the whole file, but its answer never comes.
      if (count === 2) response.writeHead = () => response.destroy();
      return false;
    };
    const { json } = await session.upload(input(service.port));
    expect(json).toMatchObject({ ok: true, status: 200, sha256 });
    expect(service.files).toHaveLength(1);
    expect(service.requests.at(-1)?.headers['content-range']).toBe(`bytes */${bytes.length}`);
  });

  test('a refusal ends it at once and discards what is there', async () => {
    const service = await opened(startGoogleUploads(TOKEN));
    service.interfere = (_request, response, count) => count === 3 && busy(response, 403);
    const session = await run();
    fileOf(session, MIB);
    const { json, isError } = await session.upload(input(service.port, { partSizeBytes: 512 * KIB }));
    expect(isError).toBe(true);
    expect(json).toMatchObject({ ok: false, status: 403, body: 'busy', bytesSent: 512 * KIB });
    await vi.waitFor(() => expect(service.openSessions()).toBe(0));
  });

  test('a service that stays busy is given up', async () => {
    const service = await opened(startGoogleUploads(TOKEN));
    service.interfere = ({ method }, response) => method === 'PUT' && busy(response, 429);
    const session = await run();
    fileOf(session, 5);
    const { json } = await session.upload(input(service.port));
    expect(json).toMatchObject({ ok: false, status: 429, bytesSent: 0 });
    await vi.waitFor(() => expect(service.openSessions()).toBe(0));
  });

  test('cancelled in the middle, the service is told to discard it', async () => {
    const service = await opened(startGoogleUploads(TOKEN));
    const abort = new AbortController();
    service.interfere = (_request, _response, count) => {
      if (count === 3) abort.abort();
      return false;
    };
    const session = await run();
    fileOf(session, 4 * MIB);
    const uploading = session.upload(input(service.port, { partSizeBytes: MIB }), abort.signal);
    await expect(uploading).rejects.toThrow('aborted');
    await vi.waitFor(() => expect(service.openSessions()).toBe(0), { timeout: 5000 });
    expect(service.files).toEqual([]);
  });

  test('a session outside of the list is refused like any other address', async () => {
    const service = await opened(startGoogleUploads(TOKEN));
    const session = await run({ auth: { authorizedUris: ['http://www.example.com:*/upload/**'] } });
    service.interfere = ({ method }, response) => {
      if (method !== 'POST') return false;
      response.writeHead(200, { location: 'http://evil.com/session' }).end();
      return true;
    };
    fileOf(session, 5);
    const { json } = await session.upload(input(service.port));
    expect(json).toMatchObject({ ok: false, status: 0 });
    expect(String(json['error'])).toContain('not among those');
  });
});

describe('ms-resumable', () => {
  const input = (port: number, more = {}) => ({
    target: `http://graph.example.com:${port}/v1.0/me/drive/root:/r.bin:/createUploadSession`,
    fromFile: 'file.bin',
    uploadProtocol: 'ms-resumable',
    ...more,
  });

  test('a file arrives, without the token on the address that authorises by itself', async () => {
    const service = await opened(startGraphUploads(TOKEN));
    service.keepOnly = 100;
    const session = await run();
    const { bytes, sha256 } = fileOf(session, 640 * KIB + 100);
    const metadata = { item: { name: 'r.bin' } };
    const { json } = await session.upload(input(service.port, { metadata, partSizeBytes: 640 * KIB }));
    expect(json).toMatchObject({ ok: false, status: 400 });

    const { json: whole } = await session.upload(input(service.port, { metadata, partSizeBytes: 320 * KIB }));
    expect(whole).toMatchObject({ ok: true, status: 201, sha256, chunks: 3, size: bytes.length });
    expect(service.files[0]?.announced).toEqual(metadata);
    expect(service.files[0]?.bytes.equals(bytes)).toBe(true);
    await vi.waitFor(() => expect(service.openSessions()).toBe(0));
  });

  test('after a failure it asks and goes on', async () => {
    const service = await opened(startGraphUploads(TOKEN));
    service.interfere = (_request, response, count) => count === 3 && busy(response, 500);
    const session = await run();
    const { bytes } = fileOf(session, 640 * KIB);
    const { json } = await session.upload(input(service.port, { partSizeBytes: 320 * KIB }));
    expect(json).toMatchObject({ ok: true });
    expect(service.files[0]?.bytes.equals(bytes)).toBe(true);
    expect(service.requests.map(({ method }) => method)).toEqual(['POST', 'PUT', 'PUT', 'GET', 'PUT']);
    expect(service.files[0]?.announced).toEqual({ item: {} });
  });
});

describe('tus, with the project’s own server', () => {
  const input = (port: number, more = {}) => ({
    target: `http://tus.example.com:${port}/files`,
    fromFile: 'file.bin',
    uploadProtocol: 'tus',
    ...more,
  });

  test('a file of several chunks arrives as it is, with its metadata', async () => {
    const service = await opened(startTus());
    const session = await run();
    const { bytes, sha256 } = fileOf(session, 9 * MIB + 3);
    const { json } = await session.upload(
      input(service.port, { metadata: { filename: 'é r.bin', flag: '' } }),
    );
    expect(json).toMatchObject({ ok: true, status: 204, sha256, chunks: 3 });
    const stored = readdirSync(service.folder).find((name) => !name.endsWith('.json')) ?? '';
    expect(readFileSync(join(service.folder, stored)).equals(bytes)).toBe(true);
    const { metadata } = JSON.parse(readFileSync(join(service.folder, `${stored}.json`), 'utf8')) as {
      metadata: unknown;
    };
    expect(metadata).toEqual({ filename: 'é r.bin', flag: null });
  });

  test('a chunk that fails goes on from where the service is', async () => {
    const service = await opened(startTus());
    service.interfere = (_request, response, count) => count === 3 && busy(response);
    const session = await run();
    const { bytes } = fileOf(session, MIB);
    const { json } = await session.upload(input(service.port, { partSizeBytes: 512 * KIB }));
    expect(json).toMatchObject({ ok: true, chunks: 2 });
    const stored = readdirSync(service.folder).find((name) => !name.endsWith('.json')) ?? '';
    expect(readFileSync(join(service.folder, stored)).equals(bytes)).toBe(true);
    expect(service.requests.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'PATCH', 'HEAD', 'PATCH']);
  });

  test('what failed for good is removed there', async () => {
    const service = await opened(startTus());
    service.interfere = (_request, response, count) => count === 3 && busy(response, 410);
    const session = await run();
    fileOf(session, MIB);
    const { json } = await session.upload(input(service.port, { partSizeBytes: 512 * KIB }));
    expect(json).toMatchObject({ ok: false, status: 410, bytesSent: 512 * KIB });
    await vi.waitFor(() => expect(readdirSync(service.folder)).toEqual([]));
  });

  test('metadata it cannot carry is refused before anything is sent', async () => {
    const service = await opened(startTus());
    const session = await run();
    fileOf(session, 5);
    for (const metadata of [{ 'a b': 'x' }, { 'a,b': 'x' }, { a: 5 }, { é: 'x' }]) {
      const { json } = await session.upload(input(service.port, { metadata }));
      expect(json).toMatchObject({ ok: false, status: 0 });
    }
    expect(service.requests).toEqual([]);
  });

  test('a file that becomes shorter meanwhile is no upload', async () => {
    const service = await opened(startTus());
    const session = await run();
    fileOf(session, 2 * MIB);
    service.interfere = (_request, _response, count) => {
      if (count === 2) truncateSync(join(session.workspace, 'file.bin'), 600 * KIB);
      return false;
    };
    const { json } = await session.upload(input(service.port, { partSizeBytes: 512 * KIB }));
    expect(json).toMatchObject({ ok: false, error: expect.stringContaining('became shorter') as string });
    await vi.waitFor(() => expect(readdirSync(service.folder)).toEqual([]));
  });
});

describe('s3-multipart, with a store that speaks like S3', () => {
  // It takes unsigned requests, but none with a token of another kind.
  const anonymous = { auth: { delivery: undefined } } as unknown as CallerOptions;
  const input = (port: number, more = {}) => ({
    target: `http://s3.example.com:${port}/bucket/folder/r.bin`,
    fromFile: 'file.bin',
    uploadProtocol: 's3-multipart',
    ...more,
  });

  test('a file of several parts arrives as it is', async () => {
    const service = await opened(startS3());
    const session = await run(anonymous);
    const { bytes, sha256 } = fileOf(session, 11 * MIB);
    const { json } = await session.upload(
      input(service.port, { metadata: { 'x-amz-meta-a': 'b' }, sourceMimeType: 'text/x-test' }),
    );
    expect(json).toMatchObject({ ok: true, status: 200, sha256, size: bytes.length, chunks: 3 });
    const response = await fetch(`http://127.0.0.1:${service.port}/bucket/folder/r.bin`);
    expect(response.headers.get('content-type')).toBe('text/x-test');
    expect(response.headers.get('x-amz-meta-a')).toBe('b');
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test('a part that fails is sent again', async () => {
    const service = await opened(startS3());
    service.interfere = (_request, response, count) => count === 3 && busy(response);
    const session = await run(anonymous);
    const { bytes } = fileOf(session, 6 * MIB);
    expect((await session.upload(input(service.port))).json).toMatchObject({ ok: true, chunks: 2 });
    const response = await fetch(`http://127.0.0.1:${service.port}/bucket/folder/r.bin`);
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test('an error that comes with 200 is one, and the parts are discarded', async () => {
    const service = await opened(startS3());
    service.interfere = ({ method, url }, response) => {
      if (method !== 'POST' || url?.includes('uploadId') !== true) return false;
      response
        .writeHead(200, { 'content-type': 'application/xml' })
        .end('<Error><Code>InternalError</Code></Error>');
      return true;
    };
    const session = await run(anonymous);
    fileOf(session, 10);
    const { json } = await session.upload(input(service.port));
    expect(json).toMatchObject({
      ok: false,
      status: 200,
      body: expect.stringContaining('InternalError') as string,
    });
    await vi.waitFor(() => expect(service.requests.at(-1)?.method).toBe('DELETE'));
  });

  test('metadata that are no headers are refused before anything is sent', async () => {
    const service = await opened(startS3());
    const session = await run(anonymous);
    fileOf(session, 5);
    expect((await session.upload(input(service.port, { metadata: { a: 1 } }))).json).toMatchObject({
      ok: false,
      status: 0,
    });
    expect(service.requests).toEqual([]);
  });
});

describe('refused before anything is sent', () => {
  const given = { target: 'http://tus.example.com/files', fromFile: 'file.bin', uploadProtocol: 'tus' };

  test.each<[string, Record<string, unknown>, RegExp]>([
    ['no file', { ...given, fromFile: 'missing.bin' }, /no file/],
    ['an empty one', { ...given, fromFile: 'empty.bin' }, /is empty/],
    ['one behind a link', { ...given, fromFile: 'link.bin' }, /symbolic link/],
    ['one outside', { ...given, fromFile: '../x' }, /outside/],
    ['one above 100 MiB', { ...given, fromFile: 'huge.bin' }, /104857600/],
    ['a size of parts', { ...given, partSizeBytes: 0 }, /at least 1/],
    [
      'a size above the request cap',
      { ...given, fromFile: 'large.bin', partSizeBytes: 11 * MIB },
      /SIDECAR_MAX_REQUEST_BODY_BYTES/,
    ],
    ['metadata of another kind', { ...given, metadata: [] }, /metadata must be an object/],
  ])('%s', async (_name, input, message) => {
    const session = await run();
    fileOf(session, 10);
    writeFileSync(join(session.workspace, 'empty.bin'), '');
    for (const [name, size] of [
      ['huge.bin', 100 * MIB + 1],
      ['large.bin', 12 * MIB],
    ] as const) {
      writeFileSync(join(session.workspace, name), '');
      truncateSync(join(session.workspace, name), size);
    }
    symlinkSync('file.bin', join(session.workspace, 'link.bin'));
    const { json, isError } = await session.upload(input);
    expect(isError).toBe(true);
    expect(json).toMatchObject({
      ok: false,
      status: 0,
      bytesSent: 0,
      error: expect.stringMatching(message) as string,
    });
    expect(session.caller.main.outbound).toEqual([]);
  });

  test.each<[Record<string, unknown>, string]>([
    [{ target: 'http://x/', fromFile: 'a' }, 'missing one of target/fromFile/uploadProtocol'],
    [{ ...given, uploadProtocol: 'ftp' }, 'google-resumable, s3-multipart, tus, ms-resumable'],
    [{ ...given, resume: true }, 'no argument resume'],
  ])('%j', async (input, message) => {
    const { content, isError } = await (await run()).upload(input);
    expect(isError).toBe(true);
    expect(content[0]).toMatchObject({ text: expect.stringContaining(message) as string });
  });
});

test('an upload without the call beside it is not offered, and none is taken for another’s', async () => {
  const tool = (name: string, meta: Record<string, unknown>) => ({
    name,
    inputSchema: { type: 'object' as const, properties: { uploadProtocol: { enum: ['tus'] } } },
    _meta: meta,
  });
  const limits = { maxRequestBodyBytes: 1000, maxMcpEnvelopeBytes: 10_000 };
  const call = (name: string, key: string) =>
    tool(name, { 'dev.appstrate/api-call': { tool_key: key }, 'slipway/call-limits': limits });
  const upload = (name: string, key: string, callKey: string) =>
    tool(name, { 'dev.appstrate/api-upload': { tool_key: key, api_call_tool_key: callKey } });
  const tools = [
    call('a__api_call__one', 'api_call__one'),
    upload('a__api_upload__one', 'api_upload__one', 'api_call__one'),
    upload('a__api_upload__two', 'api_upload__two', 'api_call__two'),
    upload('b__api_upload__one', 'api_upload__one', 'api_call__one'),
    tool('c__api_upload', {}),
  ];
  const called: string[] = [];
  const server: ToolServer = {
    listTools: async () => tools,
    callTool: async (name) => (called.push(name), { content: [] }),
  };
  const served = withIntegrationCalls({
    server,
    tools,
    workspace: '/nonexistent',
    socketFetch: fetch,
    sidecar: { socketPath: '', token: '' },
  });
  expect((await served.listTools()).map(({ name }) => name)).toEqual([
    'a__api_call__one',
    'a__api_upload__one',
    'c__api_upload',
  ]);
  // A server's own tool of that name is called like any other.
  await served.callTool('c__api_upload', {}, { signal: undefined, onProgress: () => undefined });
  expect(called).toEqual(['c__api_upload']);
});
