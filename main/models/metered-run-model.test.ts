import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  cut,
  error,
  eventText,
  flood,
  page,
  pieces,
  redirect,
  refuseKey,
  silence,
  stall,
  startModelProvider,
  stream,
  type Behaviour,
  type ModelProvider,
} from '#test/peers/model-provider.ts';
import { CANARY_KEY, gatewayTo } from '#test/support/models/gateway.ts';
import type { ModelGatewayOptions, RelayedRequest, RelayedResponse, RunModel } from './index.ts';

const MODEL = 'served-model';
const usage = { prompt_tokens: 12, completion_tokens: 3 };
const chunk = (fields: Record<string, unknown>) => ({ id: 'c', choices: [], ...fields });
const text = (content: string) => chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const finish = chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
const whole = [text('Hi'), finish, chunk({ usage }), '[DONE]'];

function requestOf(
  fields: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): RelayedRequest {
  const body = { model: MODEL, messages: [{ role: 'user', content: 'Hello' }], stream: true, ...fields };
  return { method: 'POST', path: '/chat/completions', headers, body: Buffer.from(JSON.stringify(body)) };
}

interface Open extends AsyncDisposable {
  readonly provider: ModelProvider;
  readonly run: RunModel;
}

/** A run's model at a server that answers in the given ways. */
async function open(
  behaviours: readonly Behaviour[],
  options: Partial<ModelGatewayOptions> = {},
): Promise<Open> {
  const provider = await startModelProvider({ vendor: 'compatible', key: CANARY_KEY });
  provider.answer(...behaviours);
  const made = await gatewayTo('compatible', provider, options);
  const run = await made.gateway.open(
    { providerId: made.providerId, modelId: MODEL },
    { runId: 'r', agentId: 'a' },
  );
  return {
    provider,
    run,
    async [Symbol.asyncDispose]() {
      await made[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

const never = () => new AbortController().signal;
const read = async ({ body }: RelayedResponse) => Buffer.concat(await Array.fromAsync(body)).toString();
const code = (value: string) =>
  expect.objectContaining({ problem: expect.objectContaining({ code: value }) });

describe('what reaches the provider', () => {
  it('is the key of the author and nothing the sandbox adds', async () => {
    await using at = await open([stream(...whole)]);
    await read(
      await at.run.send(
        requestOf(
          {},
          {
            Authorization: 'Bearer of-the-sandbox',
            'x-api-key': 'of-the-sandbox',
            Cookie: 'a=b',
            Host: 'elsewhere',
            'X-Forwarded-For': '10.0.0.1',
            'anthropic-beta': 'mcp-client-2025-04-04,interleaved-thinking-2025-05-14',
            Accept: 'text/event-stream',
          },
        ),
        never(),
      ),
    );
    const { headers } = at.provider.requests.at(-1)!;
    expect(headers.authorization).toBe(`Bearer ${CANARY_KEY}`);
    expect(Object.keys(headers).sort()).toEqual([
      'accept',
      'accept-encoding',
      'anthropic-beta',
      'authorization',
      'connection',
      'content-length',
      'content-type',
      'host',
      'user-agent',
    ]);
    expect(headers['anthropic-beta']).toBe('interleaved-thinking-2025-05-14');
    expect(JSON.stringify(headers)).not.toMatch(/of-the-sandbox|elsewhere/);
  });

  const remote = 'https://attacker.example/?stolen';
  const refusals: readonly [string, Partial<RelayedRequest> | Record<string, unknown>][] = [
    ['another path', { path: '/models' }],
    ['a path with an upper folder', { path: '/chat/completions/../models' }],
    ['a query', { path: '/chat/completions?key=1' }],
    ['another method', { method: 'GET' }],
    ['no JSON', { body: Buffer.from('{') }],
    ['no UTF-8', { body: Buffer.from([0x7b, 0xff, 0x7d]) }],
    ['another model', { model: 'dearer-model' }],
    ['the same model with a plug-in', { model: `${MODEL}:online` }],
    ['more models', { models: ['dearer-model'] }],
    ['a tool of the provider', { tools: [{ type: 'web_search' }] }],
    ['a search', { web_search_options: {} }],
    ['plug-ins', { plugins: [{ id: 'web' }] }],
    ['a service tier', { service_tier: 'priority' }],
    ['storing at the provider', { store: true }],
    [
      'an image that the provider would fetch',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: remote } }] }] },
    ],
    [
      'a file that the provider keeps',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] },
    ],
  ];

  it.each(refusals)('is refused with %s', async (_, change) => {
    await using at = await open([stream(...whole)]);
    const isRequest = 'path' in change || 'method' in change || 'body' in change;
    const request = isRequest ? { ...requestOf(), ...change } : requestOf(change);
    await expect(at.run.send(request, never())).rejects.toEqual(code('model_request_refused'));
    expect(at.provider.requests.filter(({ method, url }) => method === 'POST' || url.includes('?'))).toEqual(
      [],
    );
    expect(at.run.usage.modelRequests).toBe(0);
  });

  it('is what was checked, where a name stands twice', async () => {
    await using at = await open([stream(...whole)]);
    const body = `{"model":"dearer-model","messages":[{"role":"user","content":"x"}],"model":"${MODEL}"}`;
    await read(await at.run.send({ ...requestOf(), body: Buffer.from(body) }, never()));
    expect(at.provider.requests.at(-1)?.body).toBe(
      `{"model":"${MODEL}","messages":[{"role":"user","content":"x"}]}`,
    );
  });
});

describe('what comes back', () => {
  it('is the provider’s own bytes, and only harmless headers', async () => {
    await using at = await open([stream(...whole)]);
    const response = await at.run.send(requestOf(), never());
    expect(response.headers).toEqual({
      'content-type': 'text/event-stream; charset=utf-8',
      'x-ratelimit-remaining-requests': '59',
    });
    expect(await read(response)).toBe(whole.map(eventText).join(''));
  });

  it('is metered once the answer has ended, cut into whatever pieces', async () => {
    const bytes = Buffer.from(whole.map(eventText).join('').replace('"Hi"', '"Hi 🚢"'));
    await using at = await open([
      pieces('text/event-stream', ...Array.from(bytes, (byte) => Buffer.from([byte]))),
    ]);
    const told: number[] = [];
    at.run.onUsage(({ inputTokens }) => told.push(inputTokens));
    expect(await read(await at.run.send(requestOf(), never()))).toBe(bytes.toString());
    expect(told).toEqual([12]);
    expect(at.run.usage).toMatchObject({
      modelRequests: 1,
      inputTokens: 12,
      outputTokens: 3,
      pricing: 'unpriced',
    });
  });

  it('is metered also in one document, and when it comes compressed', async () => {
    const body = JSON.stringify({ choices: [{ finish_reason: 'stop', message: { content: 'Hi' } }], usage });
    const zipped: Behaviour = (response) => {
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        .end(gzipSync(body));
    };
    await using at = await open([zipped]);
    const response = await at.run.send(requestOf({ stream: false }), never());
    expect(response.headers).toEqual({ 'content-type': 'application/json' });
    expect(await read(response)).toBe(body);
    expect(at.run.usage).toMatchObject({ inputTokens: 12, outputTokens: 3 });
    expect(at.run.lastFailure).toBeUndefined();
  });

  it('says so when a provider tells no usage, and invents none', async () => {
    await using provider = await startModelProvider({ vendor: 'ollama', key: CANARY_KEY });
    provider.answer(stream(...whole), stream(text('Hi'), finish, '[DONE]'));
    await using made = await gatewayTo('ollama', provider);
    const run = await made.gateway.open(
      { providerId: 'ollama', modelId: 'llama3.2:latest' },
      { runId: 'r', agentId: 'a' },
    );
    const ask = async () => read(await run.send(requestOf({ model: 'llama3.2:latest' }), never()));
    expect(run.usage.pricing).toBe('priced');
    await ask();
    expect(run.usage).toMatchObject({ pricing: 'priced', inputTokens: 12 });
    await ask();
    expect(run.usage).toMatchObject({
      pricing: 'partial',
      modelRequests: 2,
      inputTokens: 12,
      outputTokens: 3,
    });
  });
});

describe('errors', () => {
  it('of the provider pass in its own form, without the key they repeat', async () => {
    await using at = await open([refuseKey('compatible')]);
    const response = await at.run.send(requestOf(), never());
    expect(response.status).toBe(401);
    expect(response.headers).toEqual({ 'content-type': 'application/json' });
    const body = await read(response);
    expect(body).toBe(
      JSON.stringify({
        error: {
          message: 'Incorrect API key provided: [key]. Shortened: [key].',
          type: 'invalid_request_error',
          code: 'invalid_api_key',
        },
      }),
    );
    expect(at.run.lastFailure).toEqual({
      status: 401,
      detail: 'Incorrect API key provided: [key]. Shortened: [key].',
      isKeyRefused: true,
    });
    expect(at.run.usage).toMatchObject({ modelRequests: 1, cost: 0 });
  });

  it('keep what says when to try again', async () => {
    const wait = {
      'retry-after': '7',
      'x-ratelimit-reset-tokens': '6ms',
      'x-request-id': 'r',
      'set-cookie': 'a=b',
    };
    await using at = await open([
      error(429, { error: { message: 'Slow down' } }, wait),
      error(500, { detail: 'Oh' }),
      stream(...whole),
    ]);
    const limited = await at.run.send(requestOf(), never());
    expect(limited.status).toBe(429);
    expect(limited.headers).toEqual({
      'content-type': 'application/json',
      'retry-after': '7',
      'x-ratelimit-reset-tokens': '6ms',
    });
    expect((await at.run.send(requestOf(), never())).status).toBe(500);
    expect(at.run.lastFailure).toEqual({ status: 500, detail: 'Oh' });
    await read(await at.run.send(requestOf(), never()));
    expect(at.run.lastFailure).toBeUndefined();
    expect(at.run.usage.modelRequests).toBe(3);
  });

  it.each([
    ['with status 200', page(200), 502],
    ['with status 503', page(503), 503],
    ['by a wrong type', pieces('text/plain', '\n <!doctype html><title>Sign in to the network</title>'), 502],
    ['without a type', pieces(undefined, '<html><head><title>Sign in to the network</title>'), 502],
  ])('that are web pages %s become errors that clients can show', async (_, behaviour, status) => {
    await using at = await open([behaviour]);
    const response = await at.run.send(requestOf(), never());
    expect(response.status).toBe(status);
    expect(response.headers['content-type']).toBe('application/json');
    expect(JSON.parse(await read(response))).toMatchObject({
      type: 'error',
      error: { message: expect.stringContaining('"Sign in to the network"') },
    });
    expect(at.run.lastFailure?.detail).toContain('web page');
  });

  it('that are redirects are not followed with a key', async () => {
    await using elsewhere = await startModelProvider({ vendor: 'compatible' });
    await using at = await open([redirect(`${elsewhere.baseUrl}/chat/completions`)]);
    const response = await at.run.send(requestOf(), never());
    expect(response.status).toBe(502);
    expect(await read(response)).toContain(new URL(elsewhere.origin).host);
    expect(elsewhere.requests).toEqual([]);
  });

  it('within a stream are kept for the verdict', async () => {
    await using at = await open([stream(text('Hi'), { error: { message: `Overloaded, ${CANARY_KEY}` } })]);
    await read(await at.run.send(requestOf(), never()));
    expect(at.run.lastFailure).toEqual({ status: 200, detail: 'Overloaded, [key]' });
  });

  it('that cut a stream short are seen, and its cost is a floor', async () => {
    await using at = await open([cut(text('Hi'), chunk({ usage }))]);
    const response = await at.run.send(requestOf(), never());
    await expect(read(response)).rejects.toEqual(code('model_unreachable'));
    expect(at.run.lastFailure?.detail).toContain('broke');
    expect(at.run.usage.modelRequests).toBe(1);
  });

  it('that end a stream quietly before its end are seen', async () => {
    await using at = await open([stream(text('Hi'))]);
    await read(await at.run.send(requestOf(), never()));
    expect(at.run.lastFailure).toEqual({ status: 200, detail: 'The answer ended before it was whole.' });
  });

  it('that answer with a document where a stream was asked for are seen, and pass', async () => {
    const body = JSON.stringify({ choices: [{ finish_reason: 'stop', message: { content: 'Hi' } }], usage });
    await using at = await open([pieces('application/json', body)]);
    expect(await read(await at.run.send(requestOf(), never()))).toBe(body);
    expect(at.run.lastFailure?.detail).toContain('another form');
  });

  it('that are silence end with the time limit', async () => {
    await using at = await open([silence, stall(text('Hi'))], { timeouts: { headersMs: 300, idleMs: 300 } });
    await expect(at.run.send(requestOf(), never())).rejects.toEqual(code('model_timeout'));
    const response = await at.run.send(requestOf(), never());
    await expect(read(response)).rejects.toEqual(code('model_timeout'));
    expect(at.run.lastFailure?.detail).toContain('broke off');
  });

  it('that are no server at all are told apart', async () => {
    const at = await open([stream(...whole)]);
    await at.provider[Symbol.asyncDispose]();
    await expect(at.run.send(requestOf(), never())).rejects.toEqual(code('model_unreachable'));
  });

  it('never hold the key, wherever a provider repeats it', async () => {
    const echo: Behaviour = (response, { headers }) => {
      response.writeHead(200, {
        'content-type': 'text/event-stream',
        'x-ratelimit-echo': String(headers.authorization),
      });
      const said = `data: ${JSON.stringify(text(String(headers.authorization)))}\n\n`;
      for (let index = 0; index < said.length; index += 7) response.write(said.slice(index, index + 7));
      response.end('data: [DONE]\n\n');
    };
    await using at = await open([
      echo,
      page(200, CANARY_KEY),
      refuseKey('compatible'),
      error(500, { deep: [CANARY_KEY] }),
    ]);
    const seen: string[] = [];
    for (let index = 0; index < 4; index += 1) {
      const response = await at.run.send(requestOf(), never());
      seen.push(
        JSON.stringify(response.headers),
        await read(response),
        JSON.stringify(at.run.lastFailure ?? ''),
      );
    }
    expect(seen.join('\n')).not.toContain(CANARY_KEY);
    expect(seen.join('\n')).not.toContain('CanaryCanary');
    expect(seen[1]).toContain('Bearer [key]');
  });
});

describe('a stream', () => {
  it('that is cancelled closes the provider’s connection', async () => {
    await using at = await open([stall(text('Hi'))]);
    const abort = new AbortController();
    const response = await at.run.send(requestOf(), abort.signal);
    const body = response.body[Symbol.asyncIterator]();
    await body.next();
    abort.abort();
    await expect(body.next()).rejects.toMatchObject({ name: 'AbortError' });
    await expect(at.provider.requests.at(-1)!.closed).resolves.toBeUndefined();
    expect(at.run.lastFailure).toBeUndefined();
  });

  it('that is cancelled before its first byte closes the provider’s connection', async () => {
    await using at = await open([silence]);
    const abort = new AbortController();
    const sent = at.run.send(requestOf(), abort.signal);
    while (at.provider.requests.every(({ method }) => method !== 'POST')) await new Promise(setImmediate);
    abort.abort();
    await expect(sent).rejects.toMatchObject({ name: 'AbortError' });
    await expect(at.provider.requests.at(-1)!.closed).resolves.toBeUndefined();
  });

  it('whose reader goes away closes the provider’s connection', async () => {
    await using at = await open([stall(text('Hi'))]);
    const response = await at.run.send(requestOf(), never());
    for await (const bytes of response.body) if (bytes.length > 0) break;
    await expect(at.provider.requests.at(-1)!.closed).resolves.toBeUndefined();
  });

  it('that nobody reads makes the provider wait, and loses nothing', async () => {
    const total = 64 * 1024 * 1024;
    const progress = { written: 0 };
    await using at = await open([flood(total, progress)]);
    const response = await at.run.send(requestOf(), never());
    const body = response.body[Symbol.asyncIterator]();
    let received = (await body.next()).value?.length ?? 0;
    // Until buffers on the way are full the sender goes on; then it must stand still.
    for (let before = -1; before !== progress.written;) {
      before = progress.written;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(progress.written).toBeLessThan(total / 2);
    for (let next = await body.next(); !next.done; next = await body.next()) received += next.value.length;
    expect(received).toBeGreaterThan(total);
    expect(at.run.lastFailure).toBeUndefined();
  }, 30_000);
});
