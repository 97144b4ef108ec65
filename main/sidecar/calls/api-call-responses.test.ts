import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { bytesOf, codeOf, ServiceBench, stored, textsOf } from '../test-support/services.ts';

const bench = new ServiceBench();
const { service, caller } = bench;
afterEach(bench.close);

describe('services that misbehave', () => {
  test('never answering', async () => {
    const { port } = await service(() => undefined);
    const result = await caller({ times: { answerMs: 50 } }).call({
      target: `http://api.example.com:${port}/`,
    });
    expect(codeOf(result)).toBe('upstream_timeout');
  });

  test('answering in drops', async () => {
    const { port } = await service(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      while (response.writable) {
        response.write('.');
        await delay(10);
      }
    });
    const result = await caller({ times: { totalMs: 150, idleMs: 100 } }).call({
      target: `http://api.example.com:${port}/`,
    });
    expect(codeOf(result)).toBe('upstream_timeout');
    expect(textsOf(result)[1]).toContain('answered 200');
  });

  test('stopping in the middle', async () => {
    const { port } = await service(async (_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('half');
    });
    const result = await caller({ times: { idleMs: 50 } }).call({
      target: `http://api.example.com:${port}/`,
    });
    expect(codeOf(result)).toBe('upstream_timeout');
  });

  test('hanging up in the middle', async () => {
    const { port } = await service((_request, response) => {
      response.writeHead(200, { 'content-length': '1000', 'content-type': 'text/plain' });
      response.write('half', () => response.destroy());
    });
    const result = await caller().call({ target: `http://api.example.com:${port}/` });
    expect(codeOf(result)).toBe('upstream_unreachable');
  });

  test('speaking no HTTP', async () => {
    const { port } = await service((_request, response) => void response.socket?.end('SSH-2.0-x\r\n'));
    expect(codeOf(await caller().call({ target: `http://api.example.com:${port}/` }))).toBe(
      'upstream_unreachable',
    );
  });

  test.each(['application/octet-stream', 'text/plain'])(
    'sending ten gigabytes of %s',
    async (contentType) => {
      const piece = Buffer.alloc(1024 * 1024, 'x');
      let sent = 0;
      const { port } = await service(async (_request, response) => {
        response.writeHead(200, { 'content-type': contentType });
        const pieces = Readable.from(
          (function* () {
            for (; sent < 10 * 1024; sent += 1) yield piece;
          })(),
        );
        await pipeline(pieces, response);
      });
      const from = caller();
      const result = await from.call({ target: `http://api.example.com:${port}/` });
      expect(sent).toBeLessThan(100);
      const isText = contentType === 'text/plain';
      const tail = isText ? stored(from, result).pieces.at(-1)?.toString() : textsOf(result)[1];
      expect(tail).toContain(
        isText ? '[truncated: response exceeded 33554432 bytes]' : 'more than 33554432 bytes',
      );
    },
  );

  test.each(['gzip', 'br', 'gzip, gzip'])('bombs of %s', async (coding) => {
    const zeros = Buffer.alloc(64 * 1024 * 1024);
    const squeezed =
      coding === 'br' ? brotliCompressSync(zeros, { params: { 1: 1 } }) : gzipSync(zeros, { level: 1 });
    const { port } = await service((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-encoding': coding });
      response.end(coding === 'gzip, gzip' ? gzipSync(squeezed) : squeezed);
    });
    const result = await caller().call({ target: `http://api.example.com:${port}/` });
    expect(textsOf(result)[1]).toContain('more than 33554432 bytes');
  });

  test('a coding that is not what it says, and one nobody knows', async () => {
    const { port } = await service(({ url }, response) => {
      response.writeHead(200, {
        'content-type': 'text/plain',
        'content-encoding': url === '/wrong' ? 'gzip' : 'compress',
      });
      response.end('not compressed at all');
    });
    const from = caller();
    expect(codeOf(await from.call({ target: `http://api.example.com:${port}/wrong` }))).toBe(
      'upstream_unreachable',
    );
    const unknown = await from.call({ target: `http://api.example.com:${port}/unknown` });
    expect(bytesOf(stored(from, unknown)).toString()).toBe('not compressed at all');
    expect(unknown._meta).toMatchObject({
      'dev.appstrate/upstream': { headers: { 'content-encoding': 'compress' } },
    });
  });

  test('a header block without an end', async () => {
    const { port } = await service((_request, response) => {
      response.socket?.write(`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(50_000)}`);
    });
    expect(codeOf(await caller().call({ target: `http://api.example.com:${port}/` }))).toBe(
      'upstream_unreachable',
    );
  });

  test('a call that is given up lets go of its connection and of its place', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const abort = new AbortController();
    const { port } = await service(({ url }, response) => {
      if (url !== '/hang') return void response.end();
      response.on('close', resolve);
      abort.abort();
    });
    const from = caller({ limits: { apiCallConcurrency: 1 } });
    await expect(
      from.call({ target: `http://api.example.com:${port}/hang` }, { signal: abort.signal }),
    ).rejects.toThrow('aborted');
    await closed;
    expect(codeOf(await from.call({ target: `http://api.example.com:${port}/` }))).toBe(200);
  });
});

describe('bodies of responses', () => {
  const answering = (body: Buffer | string, headers: Record<string, string>) =>
    service((_request, response) => void response.writeHead(200, headers).end(body));

  test.each([
    ['gzip', gzipSync('héllo')],
    ['deflate', deflateSync('héllo')],
    ['deflate', deflateRawSync('héllo')],
    ['br', brotliCompressSync('héllo')],
    ['gzip, br', brotliCompressSync(gzipSync('héllo'))],
    ['identity', Buffer.from('héllo')],
  ])('coded with %s are read', async (coding, body) => {
    const { port } = await answering(body, { 'content-encoding': coding, 'content-type': 'text/plain' });
    const result = await caller().call({ target: `http://api.example.com:${port}/` });
    expect(textsOf(result)[1]).toBe('héllo');
  });

  test.each<[string, Buffer, string]>([
    ['text/csv', Buffer.from('naïve;1\n', 'latin1'), 'naïve;1\n'],
    ['text/csv; charset=ISO-8859-1', Buffer.from('é\n', 'latin1'), 'é\n'],
    ['text/csv', Buffer.from('\uFEFFé;1\n', 'utf8'), 'é;1\n'],
    ['text/csv', Buffer.from('\uFEFFé\n', 'utf16le'), 'é\n'],
    ['text/plain; charset=nonsense', Buffer.from('é', 'utf8'), 'é'],
    ['application/json; charset=utf-8', Buffer.from([0x22, 0xc3, 0x28, 0xff, 0x22]), '"\uFFFD(\uFFFD"'],
  ])(
    '%s in its own character set is read, and kept byte for byte in a file',
    async (contentType, body, text) => {
      const { port } = await answering(body, { 'content-type': contentType });
      const from = caller();
      expect(textsOf(await from.call({ target: `http://api.example.com:${port}/` }))[1]).toBe(text);
      const whole = await from.call(
        { target: `http://api.example.com:${port}/` },
        { meta: { 'slipway/call': { body: 'stored' } } },
      );
      expect(bytesOf(stored(from, whole)).equals(body)).toBe(true);
      const tight = caller({ limits: { inlineToolOutputTokens: 1 } });
      const long = await answering(Buffer.concat(Array<Buffer>(20).fill(body)), {
        'content-type': contentType,
      });
      const spilled = await tight.call({ target: `http://api.example.com:${long.port}/` });
      expect(bytesOf(stored(tight, spilled)).length).toBe(body.length * 20);
    },
  );

  test.each([
    undefined,
    'application/octet-stream',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'image/png',
  ])('of type %s are never read as text', async (contentType) => {
    const body = Buffer.from([0x50, 0x4b, 3, 4, 0xff, 0xfe, 0, 0x80]);
    const { port } = await answering(body, contentType === undefined ? {} : { 'content-type': contentType });
    const from = caller();
    const result = await from.call({ target: `http://api.example.com:${port}/` });
    expect(result.content[1]).toMatchObject({
      type: 'resource_link',
      mimeType: contentType ?? 'application/octet-stream',
      size: 8,
    });
    expect(result._meta).not.toHaveProperty('dev.appstrate/token-budget');
    expect(bytesOf(stored(from, result)).equals(body)).toBe(true);
  });

  test('above the cap are spilled whole, those at it are read', async () => {
    const { port } = await service(({ url }, response) => {
      response.setHeader('content-type', 'application/json');
      response.end('x'.repeat(Number(url.slice(1))));
    });
    const from = caller();
    const at = await from.call({ target: `http://api.example.com:${port}/28000` });
    expect(at._meta).toMatchObject({
      'dev.appstrate/token-budget': { estimatedTokens: 8000, decision: 'inline', consumedTokens: 8000 },
    });
    const above = await from.call({ target: `http://api.example.com:${port}/28001` });
    expect(above._meta).toMatchObject({
      'dev.appstrate/token-budget': {
        estimatedTokens: 8001,
        decision: 'spill',
        reason: 'exceeds_inline_cap',
        consumedTokens: 8000,
      },
    });
    expect(stored(from, above)).toMatchObject({ size: 28_001, mediaType: 'application/json' });
    expect(stored(from, above).uri).toMatch(/^appstrate:\/\/api-response\/run-1\/[0-9A-HJKMNP-TV-Z]{26}$/);
    // For a file it is stored whatever its size, and takes nothing of the budget.
    const forFile = await from.call(
      { target: `http://api.example.com:${port}/10` },
      { meta: { 'slipway/call': { body: 'stored' } } },
    );
    expect(stored(from, forFile).size).toBe(10);
  });

  test('that are cut in two by a piece’s end do not show a secret', async () => {
    const { port } = await service(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write('you sent Bearer secret-');
      await delay(30);
      response.end('token-1, thanks');
    });
    const result = await caller().call({ target: `http://api.example.com:${port}/` });
    expect(textsOf(result)[1]).toBe('you sent Bearer {{access_token}}, thanks');
  });
});

test('no more than the cap are under way, and none is dropped', async () => {
  let running = 0;
  let most = 0;
  const { port } = await service(async (_request, response) => {
    running += 1;
    most = Math.max(most, running);
    await delay(20);
    running -= 1;
    response.end();
  });
  const from = caller();
  const results = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      from.call({ target: `http://api.example.com:${port}/${index}` }),
    ),
  );
  expect(results.map(codeOf)).toEqual(Array(10).fill(200));
  expect(most).toBe(3);
});
