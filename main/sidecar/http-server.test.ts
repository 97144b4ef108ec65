import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { describe, expect, it } from 'vitest';
import { MAX_MCP_REQUEST_BYTES } from '#shared/protocol/mcp.ts';
import { startServer, TOKEN } from './test-support/sidecar-server.ts';
import { textResult, type SidecarTool } from './tool-registry.ts';

const ping = { jsonrpc: '2.0', id: 7, method: 'ping' };

/** Echoes its argument, and waits for its cancellation when asked to. */
function echoTool(onCancelled: () => void = () => undefined): SidecarTool {
  return {
    definition: { name: 'echo', description: 'Echoes', inputSchema: { type: 'object' } },
    async call(input, { signal }) {
      const { text, wait } = input as { text?: string; wait?: boolean };
      if (wait === true) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        onCancelled();
      }
      return textResult(text ?? '');
    },
  };
}

function call(id: number, input: object) {
  return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'echo', arguments: input } };
}

describe('who is let in', () => {
  it('opens its socket to every user of the two containers', async () => {
    await using server = await startServer();
    expect((await stat(server.socketPath)).mode & 0o666).toBe(0o666);
  });

  it.each(['sidecar', 'localhost', '127.0.0.1', 'SIDECAR:80', 'localhost:8080'])(
    'serves host %s',
    async (host) => {
      await using server = await startServer();
      expect((await server.rpc(ping, { host })).json).toEqual({ jsonrpc: '2.0', id: 7, result: {} });
    },
  );

  it.each(['evil.example', 'sidecar.evil.example', 'localhost.', '[::1]', 'sidecar:80:90'])(
    'refuses host %j, which a page in a browser could have been led to',
    async (host) => {
      await using server = await startServer();
      const { status, json } = await server.rpc(ping, { host });
      expect(status).toBe(403);
      expect(json).toMatchObject({ jsonrpc: '2.0', id: null, error: { code: -32_000 } });
    },
  );

  it.each([
    ['none', undefined],
    ['another', 'Bearer not-the-token'],
    ['a longer one', `Bearer ${TOKEN}x`],
    ['one of another scheme', `Basic ${TOKEN}`],
    ['two', `Bearer ${TOKEN} ${TOKEN}`],
  ])('refuses a token that is %s, for tools and for the model', async (_what, authorization) => {
    await using server = await startServer();
    const headers = authorization === undefined ? { authorization: '' } : { authorization };
    expect((await server.rpc(ping, headers)).status).toBe(401);
    const answer = await server.send({ path: '/model/chat/completions', headers, body: '{}' });
    expect(answer.status).toBe(401);
    expect(JSON.parse(answer.body.toString())).toMatchObject({ type: 'error', error: { code: 401 } });
    expect(server.relay.active).toBe(0);
  });

  it('answers about its health without a token, and knows no other place', async () => {
    await using server = await startServer();
    const headers = { authorization: '' };
    expect((await server.send({ method: 'GET', path: '/health', headers })).body.toString()).toBe(
      '{"status":"ok"}',
    );
    expect((await server.send({ method: 'GET', path: '/', headers })).status).toBe(404);
    expect((await server.send({ path: '/model/../health/x' })).status).toBe(404);
    expect((await server.send({ path: '/modelx' })).status).toBe(404);
  });
});

describe('MCP over HTTP', () => {
  it.each(['GET', 'DELETE', 'PUT'])('keeps no session to %s', async (method) => {
    await using server = await startServer();
    const { status, headers } = await server.send({ method, path: '/mcp' });
    expect([status, headers.allow]).toEqual([405, 'POST']);
  });

  it.each([
    ['no JSON', '{"jsonrpc"', 400, -32_700],
    ['no message', '{"hello":1}', 400, -32_600],
    ['null', 'null', 400, -32_600],
    ['a batch', `[${JSON.stringify(ping)}]`, 400, -32_600],
  ])('refuses %s', async (_what, body, status, code) => {
    await using server = await startServer();
    const answer = await server.rpc(body);
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({ id: null, error: { code } });
  });

  it.each([
    [{ accept: 'application/json' }, 406],
    [{ accept: 'text/event-stream, */*;q=0.1' }, 200],
    [{ 'content-type': 'text/plain' }, 415],
    [{ 'content-type': 'application/json; charset=utf-8' }, 200],
    [{ 'content-type': 'text/plain; x=application/json' }, 415],
    [{ 'mcp-protocol-version': '1999-01-01' }, 400],
    [{ 'mcp-protocol-version': '2025-06-18' }, 200],
  ])('with headers %j answers %i', async (headers, status) => {
    await using server = await startServer();
    expect((await server.rpc(ping, headers)).status).toBe(status);
  });

  it('answers an unknown method and an unknown tool as JSON-RPC errors', async () => {
    await using server = await startServer([echoTool()]);
    expect((await server.rpc({ ...ping, method: 'tasks/list' })).json).toMatchObject({
      error: { code: -32_601 },
    });
    const unknown = { ...ping, method: 'tools/call', params: { name: 'nothing' } };
    expect((await server.rpc(unknown)).json).toMatchObject({
      id: 7,
      error: { code: -32_602, message: expect.stringContaining('Unknown tool: nothing') },
    });
  });

  it('takes a notification and a response without an answer', async () => {
    await using server = await startServer();
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
    expect(await server.rpc(notification)).toMatchObject({ status: 202, json: undefined });
    expect((await server.rpc({ jsonrpc: '2.0', id: 1, result: {} })).status).toBe(202);
  });

  it('never mixes up the answers of two requests with one id', async () => {
    await using server = await startServer([echoTool()]);
    const texts = Array.from({ length: 20 }, (_, index) => `text ${index}`);
    const answers = await Promise.all(texts.map((text) => server.rpc(call(1, { text }))));
    expect(answers.map(({ json }) => json)).toEqual(
      texts.map((text) => ({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text }] } })),
    );
  });

  it('ends a call that another request cancels, and answers it no more', async () => {
    let cancelled = 0;
    await using server = await startServer([echoTool(() => (cancelled += 1))]);
    const [first, second] = [
      server.rpc(call(3, { wait: true })),
      server.rpc(call(4, { text: 'not touched' })),
    ];
    expect((await second).status).toBe(200);
    await server.rpc({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } });
    expect(await first).toMatchObject({ status: 202, json: undefined });
    expect(cancelled).toBe(1);
  });

  it('ends a call whose sender has gone', async () => {
    const cancelled = Promise.withResolvers<void>();
    await using server = await startServer([echoTool(cancelled.resolve)]);
    const outgoing = httpRequest({
      socketPath: server.socketPath,
      path: '/mcp',
      method: 'POST',
      headers: {
        host: 'sidecar',
        authorization: `Bearer ${TOKEN}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
    });
    outgoing.on('error', () => undefined);
    outgoing.end(JSON.stringify(call(3, { wait: true })));
    await once(outgoing, 'socket');
    await server.rpc(ping);
    outgoing.destroy();
    await expect(cancelled.promise).resolves.toBeUndefined();
  });

  it('tells a model of a failure of ours nothing but that it is ours', async () => {
    const failing: SidecarTool = {
      definition: { name: 'echo', inputSchema: { type: 'object' } },
      call: async () => {
        throw new Error('secret-canary');
      },
    };
    await using server = await startServer([failing]);
    const { json } = await server.rpc(call(1, {}));
    expect(json).toMatchObject({ result: { isError: true } });
    expect(JSON.stringify(json)).not.toContain('secret-canary');
  });
});

describe('the size of a request', () => {
  const limit = MAX_MCP_REQUEST_BYTES;
  const tooLarge = {
    jsonrpc: '2.0',
    id: null,
    error: { code: -32_600, data: { reason: 'PAYLOAD_TOO_LARGE', scope: 'mcp_envelope', limit } },
  };

  it('may be the limit', async () => {
    await using server = await startServer([echoTool()]);
    const frame = JSON.stringify(call(1, { text: '' })).length;
    const { json } = await server.rpc(call(1, { text: 'x'.repeat(limit - frame) }));
    expect(json).toMatchObject({ id: 1 });
  });

  it('may not be announced above it', async () => {
    await using server = await startServer([echoTool()]);
    const { status, json } = await server.rpc(' '.repeat(limit + 1));
    expect(status).toBe(413);
    expect(json).toMatchObject(tooLarge);
    expect(json).toMatchObject({ error: { data: { actual: limit + 1 } } });
  });

  it('may not grow above it unannounced', async () => {
    await using server = await startServer([echoTool()]);
    const answer = await server.send({
      path: '/mcp',
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
      body: (async function* () {
        for (let sent = 0; sent <= limit + 65_536; sent += 65_536) yield Buffer.alloc(65_536, 32);
      })(),
    });
    expect(answer.status).toBe(413);
    const json = JSON.parse(answer.body.toString()) as { error: { data: object } };
    expect(json).toMatchObject(tooLarge);
    expect(json.error.data).not.toHaveProperty('actual');
  });

  it('of many together may not exhaust the memory', async () => {
    await using server = await startServer([echoTool()]);
    const answers = await Promise.all(Array.from({ length: 6 }, () => server.rpc(' '.repeat(limit - 10))));
    expect(answers.map(({ status }) => status)).toContain(503);
    // And what was held is free again.
    expect((await server.rpc(' '.repeat(limit - 10))).status).toBe(400);
  });
});
