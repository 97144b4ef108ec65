import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ProblemError } from '#shared/problem.ts';
import {
  serveModelStreams,
  type ModelStreamRequest,
  type ModelStreamResponse,
} from '#shared/protocol/model-stream-server.ts';
import { MAX_MODEL_REQUEST_BYTES, MODEL_STREAM_CREDIT } from '#shared/protocol/sidecar.ts';
import { startServer, TOKEN, type TestServer } from './test-support/sidecar-server.ts';

type Send = (request: ModelStreamRequest, signal: AbortSignal) => Promise<ModelStreamResponse>;

/** Main's end, with a provider of the test's making. */
function serve(server: TestServer, send: Send) {
  const errors: unknown[] = [];
  const served = serveModelStreams({
    peer: server.main,
    send,
    createAbort: () => new AbortController(),
    base64: {
      encode: (bytes) => Buffer.from(bytes).toString('base64'),
      decode: (text) => Buffer.from(text, 'base64'),
    },
    onError: (error) => errors.push(error),
  });
  return { served, errors };
}

function response(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  status = 200,
): ModelStreamResponse {
  return {
    status,
    headers: { 'content-type': 'text/plain' },
    body: (async function* () {
      yield* chunks;
    })(),
  };
}

/** A request that is open: its answer is read by the test. */
function open(server: TestServer) {
  const outgoing = httpRequest({
    socketPath: server.socketPath,
    path: '/model/x',
    method: 'POST',
    headers: { host: 'sidecar', authorization: `Bearer ${TOKEN}` },
  });
  outgoing.on('error', () => undefined);
  const answered = once(outgoing, 'response').then(([message]) => message as IncomingMessage);
  return { outgoing, answered };
}

const bytes = fc.uint8Array({ maxLength: 200_000, size: 'max' });

describe('the model relay', () => {
  it('carries every body byte for byte, in both directions', async () => {
    await using server = await startServer();
    let answer: Uint8Array[] = [];
    const seen: ModelStreamRequest[] = [];
    serve(server, async (request) => {
      seen.push(request);
      return response(answer, 201);
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(bytes, { maxLength: 6 }),
        fc.array(bytes, { maxLength: 6 }),
        async (up, down) => {
          answer = down;
          seen.length = 0;
          const body = (async function* () {
            yield* up;
          })();
          const received = await server.send({ path: '/model/v1/x?alt=sse', body });
          expect(received.status).toBe(201);
          expect(received.body.equals(Buffer.concat(down))).toBe(true);
          expect(Buffer.concat(up).equals(seen[0]!.body)).toBe(true);
          expect(seen).toMatchObject([{ method: 'POST', path: '/v1/x?alt=sse' }]);
        },
      ),
      { numRuns: 10 },
    );
  });

  it('carries a body above the credit, and no token and no header of the connection', async () => {
    await using server = await startServer();
    const seen: ModelStreamRequest[] = [];
    serve(server, async (request) => {
      seen.push(request);
      return response([]);
    });
    const body = Buffer.alloc(MODEL_STREAM_CREDIT * 5 + 1, 'x');
    const headers = {
      'x-api-key': TOKEN,
      'x-goog-api-key': TOKEN,
      te: 'trailers',
      'anthropic-version': '2023-06-01',
    };
    await server.send({ path: '/model/x', body, headers });
    expect(body.equals(seen[0]!.body)).toBe(true);
    expect(seen[0]!.headers).toEqual({ 'anthropic-version': '2023-06-01' });
  });

  it('holds the provider back when the sandbox does not read', async () => {
    await using server = await startServer();
    let produced = 0;
    const chunk = Buffer.alloc(64 * 1024);
    const total = 20 * 1024 * 1024;
    serve(server, async () =>
      response(
        (async function* () {
          for (; produced < total; produced += chunk.length) yield chunk;
        })(),
      ),
    );
    const { outgoing, answered } = open(server);
    outgoing.end();
    const message = await answered;
    await vi.waitFor(() => expect(produced).toBeGreaterThanOrEqual(MODEL_STREAM_CREDIT / 2));
    await delay(200);
    // What the credit, the socket's buffers and the client's hold, and no more.
    expect(produced).toBeLessThan(4 * MODEL_STREAM_CREDIT);
    let received = 0;
    for await (const part of message) received += (part as Buffer).length;
    expect(received).toBe(total);
  });

  it('aborts the provider when the sandbox goes away, before and in the middle of an answer', async () => {
    await using server = await startServer();
    const started = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let aborted = 0;
    const { served } = serve(server, async (request, signal) => {
      const isBefore = request.body.byteLength === 0;
      const gone = once(signal, 'abort').then(() => (aborted += 1));
      started[isBefore ? 0 : 1]!.resolve();
      if (isBefore) await gone;
      return response(
        (async function* () {
          yield Buffer.from('begun');
          await gone;
        })(),
      );
    });
    const before = open(server);
    before.outgoing.end();
    await started[0]!.promise;
    before.outgoing.destroy();
    await expect(before.answered).rejects.toThrow('socket hang up');
    await vi.waitFor(() => expect(aborted).toBe(1));
    const middle = open(server);
    middle.outgoing.end('a body');
    (await middle.answered).destroy();
    await vi.waitFor(() => expect(aborted).toBe(2));
    await vi.waitFor(() => expect([served.active, server.relay.active]).toEqual([0, 0]));
  });

  it('cuts an answer that fails after its head, so that nobody takes it for whole', async () => {
    await using server = await startServer();
    const { errors } = serve(server, async () =>
      response(
        (async function* () {
          yield Buffer.from('half');
          throw new Error('reset');
        })(),
      ),
    );
    const { outgoing, answered } = open(server);
    outgoing.end();
    const message = await answered;
    await expect(message.toArray()).rejects.toThrow('aborted');
    expect(errors).toHaveLength(1);
  });

  it.each([
    ['model_unreachable', 502],
    ['model_timeout', 504],
    ['model_key_missing', 400],
  ])('answers the problem %s with status %i', async (code, status) => {
    await using server = await startServer();
    serve(server, async () => {
      throw new ProblemError({ code, title: 'It failed', detail: 'And this is why.' });
    });
    const answer = await server.send({ path: '/model/x', body: '{}' });
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body.toString())).toEqual({
      type: 'error',
      error: { type: code, code: status, status: code, message: 'It failed. And this is why.' },
    });
  });

  it('says nothing of an error nobody described', async () => {
    await using server = await startServer();
    const { errors } = serve(server, async () => {
      throw new Error('secret-canary');
    });
    const answer = await server.send({ path: '/model/x', body: '{}' });
    expect(answer.status).toBe(500);
    expect(answer.body.toString()).not.toContain('secret-canary');
    expect(errors).toHaveLength(1);
  });

  it('takes a body of the limit and refuses one above it, announced or not', async () => {
    await using server = await startServer();
    const sizes: number[] = [];
    serve(server, async ({ body }) => {
      sizes.push(body.byteLength);
      return response([]);
    });
    const body = Buffer.alloc(MAX_MODEL_REQUEST_BYTES + 1);
    expect((await server.send({ path: '/model/x', body: body.subarray(1) })).status).toBe(200);
    expect((await server.send({ path: '/model/x', body })).status).toBe(413);
    const unannounced = (async function* () {
      for (let sent = 0; sent < body.length; sent += 65_536) yield body.subarray(sent, sent + 65_536);
    })();
    const answer = await server.send({ path: '/model/x', body: unannounced });
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.body.toString())).toMatchObject({
      error: { status: 'model_request_too_large' },
    });
    expect(sizes).toEqual([MAX_MODEL_REQUEST_BYTES]);
    await vi.waitFor(() => expect(server.relay.active).toBe(0));
  });

  it('refuses more requests at one time than any agent makes', async () => {
    await using server = await startServer();
    const end = Promise.withResolvers<void>();
    serve(server, async () => {
      await end.promise;
      return response([]);
    });
    const many = Array.from({ length: 9 }, () => server.send({ path: '/model/x', body: '{}' }));
    expect((await Promise.race(many)).status).toBe(429);
    end.resolve();
    const refused = (await Promise.all(many)).filter(({ status }) => status !== 200);
    expect(refused.map(({ status }) => status)).toEqual([429]);
  });
});
