import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSecretStore } from '#main/secrets/index.ts';
import type { ProviderState } from '#shared/models/model.ts';
import {
  error,
  page,
  pieces,
  redirect,
  silence,
  startModelProvider,
  stream,
  type Vendor,
} from '#test/peers/model-provider.ts';
import { CANARY_KEY, gatewayTo, kindOf, testGateway } from '#test/support/models/gateway.ts';
import { memoryConfiguration } from '#test/support/models/memory-configuration.ts';
import { temporaryFolder } from '#test/support/models/temporary-folder.ts';
import { createModelGateway, type ModelGateway } from './index.ts';

const never = () => new AbortController().signal;
const code = (value: string) =>
  expect.objectContaining({ problem: expect.objectContaining({ code: value }) });
const run = { runId: 'r', agentId: 'a' };

async function stateOf(gateway: ModelGateway, id: string): Promise<ProviderState> {
  const { providers } = await gateway.list();
  return providers.find((provider) => provider.id === id)!;
}

/** A certificate that no authority signed. */
function selfSigned(): { cert: string; key: string } {
  const folder = temporaryFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=127.0.0.1',
      '-keyout',
      key,
      '-out',
      cert,
    ],
    { stdio: 'ignore' },
  );
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}

describe('the providers', () => {
  it('are there from the start, the walkthrough ready and chosen, and no connection is made', async () => {
    await using made = testGateway();
    const { providers, defaultModel } = await made.gateway.list();
    expect(providers.map(({ id, ready }) => [id, ready])).toEqual([
      ['walkthrough', true],
      ['anthropic', false],
      ['openai', false],
      ['google', false],
      ['openrouter', false],
      ['ollama', false],
      ['lmstudio', false],
    ]);
    expect(defaultModel).toEqual({ providerId: 'walkthrough', modelId: 'walkthrough' });
    expect(providers[0]?.models).toMatchObject([{ scripted: true }]);
    expect(providers.map(({ keyRequirement }) => keyRequirement)).toContain('required');
  });

  it('keep their keys in the secret store and nowhere else', async () => {
    await using made = testGateway();
    const seen: unknown[] = [];
    made.gateway.onChange((state) => seen.push(state));
    const saved = await made.gateway.save({ kind: 'anthropic', key: `  ${CANARY_KEY}\n` });
    expect(saved).toMatchObject({ id: 'anthropic', hasKey: true, ready: true });
    expect(saved.models.length).toBeGreaterThan(10);
    expect(await made.secrets.get('model-provider/anthropic')).toBe(CANARY_KEY);
    expect(await made.secrets.names()).toEqual(['model-provider/anthropic']);
    seen.push(saved, await made.gateway.list());
    expect(JSON.stringify(seen) + made.configuration.text).not.toContain('Canary');

    await made.gateway.save({ kind: 'anthropic' });
    expect(await stateOf(made.gateway, 'anthropic')).toMatchObject({ hasKey: true });
    expect(await made.gateway.save({ kind: 'anthropic', key: '' })).toMatchObject({
      hasKey: false,
      ready: false,
    });
    expect(await made.secrets.names()).toEqual([]);
  });

  it('tell listeners of every change', async () => {
    await using made = testGateway();
    const ready: (boolean | undefined)[] = [];
    const stop = made.gateway.onChange(({ providers }) =>
      ready.push(providers.find(({ id }) => id === 'openai')?.ready),
    );
    await made.gateway.save({ kind: 'openai', key: CANARY_KEY });
    await expect.poll(() => ready).toEqual([true]);
    await made.gateway.save({ kind: 'openai', key: '' });
    await expect.poll(() => ready).toEqual([true, false]);
    stop();
    await made.gateway.save({ kind: 'openai', key: CANARY_KEY });
    await made.gateway.list();
    expect(ready).toHaveLength(2);
  });

  it('of the author’s own get an id each, and go with their key', async () => {
    await using made = testGateway();
    const add = (displayName: string) =>
      made.gateway.save({
        kind: 'openai-compatible',
        displayName,
        baseUrl: 'http://127.0.0.1:9/v1/',
        key: CANARY_KEY,
      });
    const first = await add('Büro vLLM');
    expect(first).toMatchObject({
      id: 'buro-vllm',
      displayName: 'Büro vLLM',
      baseUrl: 'http://127.0.0.1:9/v1',
      removable: true,
    });
    expect((await add('Büro vLLM')).id).toBe('buro-vllm-2');
    expect((await add('openai')).id).toBe('openai-2');
    await made.gateway.setDefault({ providerId: first.id, modelId: 'm' });
    await made.gateway.remove(first.id);
    expect((await made.gateway.list()).defaultModel.providerId).toBe('walkthrough');
    expect(await made.secrets.names()).toEqual(['model-provider/buro-vllm-2', 'model-provider/openai-2']);
    await expect(made.gateway.remove('openai')).rejects.toEqual(code('provider_fixed'));
    await expect(made.gateway.remove('nobody')).rejects.toEqual(code('model_unknown'));
  });

  it('are told as locked while the vault is, and open with it', async () => {
    const directory = temporaryFolder();
    const scryptCost = { N: 1024, r: 8, p: 1 };
    const configuration = memoryConfiguration();
    const first = createSecretStore({ directory, scryptCost });
    await using before = createModelGateway({ secrets: first, configuration });
    await expect(before.save({ kind: 'openai', key: CANARY_KEY })).rejects.toEqual(code('vault_locked'));
    expect(await stateOf(before, 'openai')).toMatchObject({ hasKey: false });
    await first.unlock('p');
    await before.save({ kind: 'openai', key: CANARY_KEY });

    const second = createSecretStore({ directory, scryptCost });
    await using after = createModelGateway({ secrets: second, configuration });
    expect(await stateOf(after, 'openai')).toMatchObject({ hasKey: true, ready: false });
    await expect(after.open({ providerId: 'openai', modelId: 'gpt-5.1' }, run)).rejects.toEqual(
      code('vault_locked'),
    );
    let told = 0;
    after.onChange(() => (told += 1));
    await second.unlock('p');
    await expect.poll(() => told).toBe(1);
    expect(await stateOf(after, 'openai')).toMatchObject({ hasKey: true, ready: true });
  });

  it('survive a configuration that cannot be read', async () => {
    const made = testGateway();
    made.configuration.text = '{"providers":"none"}';
    expect((await made.gateway.list()).providers).toHaveLength(7);
  });
});

describe('an address', () => {
  it.each([
    ['http://127.0.0.1:8080/v1/', 'http://127.0.0.1:8080/v1'],
    [' https://llm.example.com/v1/chat/completions ', 'https://llm.example.com/v1'],
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
  ])('%s is kept as %s', async (baseUrl, kept) => {
    await using made = testGateway();
    expect((await made.gateway.save({ kind: 'openai-compatible', baseUrl })).baseUrl).toBe(kept);
  });

  it('of Ollama gets the path that everyone forgets', async () => {
    await using made = testGateway();
    expect((await made.gateway.save({ kind: 'ollama', baseUrl: 'http://10.0.0.5:11434' })).baseUrl).toBe(
      'http://10.0.0.5:11434/v1',
    );
  });

  it.each([
    ['http://user:secret@127.0.0.1/v1', 'model_address_invalid'],
    ['https://llm.example.com/v1?key=secret', 'model_address_invalid'],
    ['ftp://llm.example.com', 'model_address_invalid'],
    ['http://llm.example.com/v1', 'model_address_insecure'],
    ['http://8.8.8.8/v1', 'model_address_insecure'],
    [undefined, 'model_address_missing'],
  ])('%s is refused for a server with a key', async (baseUrl, expected) => {
    await using made = testGateway();
    await expect(
      made.gateway.save({ kind: 'openai-compatible', key: CANARY_KEY, ...(baseUrl && { baseUrl }) }),
    ).rejects.toEqual(code(expected));
    expect(await made.secrets.names()).toEqual([]);
  });

  it('of another server never gets the kept key', async () => {
    await using elsewhere = await startModelProvider({ vendor: 'compatible' });
    await using provider = await startModelProvider({ vendor: 'compatible', key: CANARY_KEY });
    await using made = await gatewayTo('compatible', provider);
    const change = { id: made.providerId, kind: 'openai-compatible', baseUrl: elsewhere.baseUrl } as const;
    await expect(made.gateway.test(change, never())).rejects.toEqual(code('model_key_for_other_address'));
    await expect(made.gateway.save(change)).rejects.toEqual(code('model_key_for_other_address'));
    expect(elsewhere.requests).toEqual([]);
    expect(await made.gateway.save({ ...change, key: '' })).toMatchObject({ hasKey: false });
  });

  it('of a vendor cannot be changed', async () => {
    await using made = testGateway();
    const saved = await made.gateway.save({
      kind: 'openai',
      baseUrl: 'https://attacker.example/v1',
      key: CANARY_KEY,
    });
    expect(saved.baseUrl).toBe('https://api.openai.com/v1');
  });

  it('is no place for a key that no header takes', async () => {
    await using made = testGateway();
    await expect(made.gateway.save({ kind: 'openai', key: 'sk\r\nx-evil: 1' })).rejects.toEqual(
      code('model_key_malformed'),
    );
  });
});

describe('Test', () => {
  const vendors: readonly [Vendor, Record<string, unknown>[]][] = [
    [
      'openai',
      [
        { modelId: 'gpt-5.1', api: 'openai-responses', price: expect.anything() },
        { modelId: 'gpt-4o', price: expect.anything() },
        { modelId: 'gpt-99-new', contextWindow: 128_000 },
      ],
    ],
    [
      'anthropic',
      [
        { modelId: 'claude-sonnet-4-5', api: 'anthropic-messages', reasoning: true, images: true },
        { modelId: 'claude-new-9', displayName: 'Claude New 9' },
      ],
    ],
    ['google', [{ modelId: 'gemini-2.5-flash', contextWindow: 1_048_576, maxTokens: 65_536 }]],
    [
      'openrouter',
      [
        {
          modelId: 'acme/talker',
          contextWindow: 131_072,
          maxTokens: 8192,
          images: true,
          reasoning: true,
          price: { input: 0.2, output: 1.25, cacheRead: 0.05, cacheWrite: 0.2 },
        },
        { modelId: 'openrouter/auto' },
      ],
    ],
    ['ollama', [{ modelId: 'llama3.2:latest', price: { input: 0 } }, { modelId: 'gpt-oss:120b-cloud' }]],
    [
      'lmstudio',
      [
        { modelId: 'qwen2.5-7b-instruct', contextWindow: 8192 },
        { modelId: 'gemma-3-4b', images: true },
      ],
    ],
    [
      'compatible',
      [
        {
          modelId: 'served-model',
          contextWindow: 16_384,
          clientOptions: { compat: { maxTokensField: 'max_tokens' } },
        },
      ],
    ],
  ];

  it.each(vendors)('lists the models of %s and keeps the list', async (vendor, expected) => {
    await using provider = await startModelProvider({ vendor, key: CANARY_KEY });
    await using made = await gatewayTo(vendor, provider);
    const { models, latencyMs } = await made.gateway.test(
      { id: made.providerId, kind: kindOf[vendor] },
      never(),
    );
    const byId = (list: readonly { modelId: string }[]) =>
      [...list].sort((a, b) => a.modelId.localeCompare(b.modelId));
    expect(byId(models)).toMatchObject(byId(expected as { modelId: string }[]));
    expect(latencyMs).toBeGreaterThan(0);
    for (const { contextWindow, maxTokens } of models) expect(maxTokens).toBeLessThan(contextWindow);
    expect((await stateOf(made.gateway, made.providerId)).models).toEqual(models);
    expect(provider.requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('gives no price to what is billed elsewhere', async () => {
    await using provider = await startModelProvider({ vendor: 'ollama' });
    await using made = await gatewayTo('ollama', provider);
    const { models } = await made.gateway.test({ kind: 'ollama' }, never());
    expect(models.find(({ modelId }) => modelId.endsWith('cloud'))?.price).toBeUndefined();
  });

  it('takes a key before it is saved, and the list stays for the saving', async () => {
    await using provider = await startModelProvider({ vendor: 'openai', key: CANARY_KEY });
    await using made = testGateway({ addresses: { openai: provider.baseUrl } });
    await expect(made.gateway.test({ kind: 'openai' }, never())).rejects.toEqual(code('model_key_missing'));
    expect((await made.gateway.test({ kind: 'openai', key: CANARY_KEY }, never())).models).toHaveLength(3);
    expect(await made.secrets.names()).toEqual([]);
    expect((await made.gateway.save({ kind: 'openai', key: CANARY_KEY })).models).toHaveLength(3);
  });

  it.each(['openai', 'anthropic', 'google', 'openrouter', 'compatible'] as const)(
    'says that %s refused the key, and does not repeat it',
    async (vendor) => {
      await using provider = await startModelProvider({ vendor, key: 'another-key-entirely' });
      await using made = await gatewayTo(vendor, provider);
      const tested = made.gateway.test({ id: made.providerId, kind: kindOf[vendor] }, never());
      await expect(tested).rejects.toEqual(code('model_key_refused'));
      const problem = await tested.catch((reason: unknown) => JSON.stringify(reason));
      expect(problem).not.toContain('Canary');
    },
  );

  it('finds the path that was left out', async () => {
    await using provider = await startModelProvider({ vendor: 'compatible' });
    await using made = testGateway();
    const tested = made.gateway.test({ kind: 'openai-compatible', baseUrl: provider.origin }, never());
    await expect(tested).rejects.toMatchObject({
      problem: {
        code: 'model_address_wrong',
        action: `Use ${provider.origin}/v1 as the address: it answers there.`,
      },
    });
  });

  it.each([
    ['model_address_wrong', page(200)],
    ['model_address_wrong', page(404)],
    ['model_address_wrong', error(404, { detail: 'Not Found' })],
    ['model_address_wrong', redirect('https://elsewhere.example/v1/models')],
    ['model_rate_limited', error(429, { error: { message: 'Slow down' } })],
    ['model_server_error', error(503, { error: 'busy' })],
    ['model_server_error', page(502)],
    ['model_answered_nonsense', pieces('application/json', '{"data": [')],
    ['model_answered_nonsense', pieces('text/plain', 'hello')],
    ['model_answered_nonsense', error(200, { data: 'none' })],
    ['model_answered_nonsense', error(200, null)],
  ])('tells %s apart', async (expected, behaviour) => {
    await using provider = await startModelProvider({ vendor: 'compatible' });
    provider.answerAt('/v1/models', behaviour);
    await using made = testGateway();
    const tested = made.gateway.test({ kind: 'openai-compatible', baseUrl: provider.baseUrl }, never());
    await expect(tested).rejects.toMatchObject({
      problem: {
        code: expected,
        title: expect.stringMatching(/^OpenAI-compatible server /),
        action: expect.stringMatching(/\.$/),
      },
    });
  });

  it('tells a server that is not there, one that is not trusted, one that is no web server and one that is silent apart', async () => {
    await using made = testGateway();
    const test = (baseUrl: string, signal = never()) =>
      made.gateway.test({ kind: 'openai-compatible', baseUrl }, signal);
    await expect(test('http://127.0.0.1:9/v1')).rejects.toMatchObject({
      problem: { code: 'model_unreachable', detail: 'Nothing answers at 127.0.0.1:9.' },
    });
    await expect(test('http://no-such-host.invalid/v1')).rejects.toMatchObject({
      problem: { code: 'model_unreachable', detail: expect.stringContaining('resolved') },
    });

    await using secure = await startModelProvider({ vendor: 'compatible', tls: selfSigned() });
    await expect(test(secure.baseUrl)).rejects.toEqual(code('model_tls'));
    await using plain = await startModelProvider({ vendor: 'compatible' });
    await expect(test(plain.baseUrl.replace('http:', 'https:'))).rejects.toEqual(code('model_tls'));
    await expect(test(secure.baseUrl.replace('https:', 'http:'))).rejects.toMatchObject({
      problem: { code: 'model_unreachable', action: expect.stringContaining('https') },
    });

    const other = createServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    await expect(test(`http://127.0.0.1:${(other.address() as AddressInfo).port}/v1`)).rejects.toEqual(
      code('model_answered_nonsense'),
    );
    other.close();

    plain.answerAt('/v1/models', silence);
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 100);
    await expect(test(plain.baseUrl, abort.signal)).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('local servers', () => {
  it('are found at their ports without being asked for, and told of', async () => {
    await using ollama = await startModelProvider({ vendor: 'ollama' });
    await using locked = await startModelProvider({ vendor: 'lmstudio', key: 'needed' });
    await using made = testGateway({
      addresses: { ollama: ollama.baseUrl, lmstudio: locked.baseUrl },
      discoversLocalServers: true,
    });
    let told = 0;
    made.gateway.onChange(() => (told += 1));
    await expect.poll(() => told).toBe(1);
    expect(await stateOf(made.gateway, 'ollama')).toMatchObject({
      discovered: true,
      ready: true,
      models: [{ modelId: 'gpt-oss:120b-cloud' }, { modelId: 'llama3.2:latest' }],
    });
    expect(await stateOf(made.gateway, 'lmstudio')).toMatchObject({ discovered: true, models: [] });
  });

  it('are not looked for unless wanted', async () => {
    await using ollama = await startModelProvider({ vendor: 'ollama' });
    await using made = testGateway({ addresses: { ollama: ollama.baseUrl } });
    expect(await stateOf(made.gateway, 'ollama')).toMatchObject({ ready: false });
    expect(ollama.requests).toEqual([]);
  });
});

describe('a reference', () => {
  it.each([
    ['walkthrough', { providerId: 'walkthrough', modelId: 'walkthrough' }],
    ['anthropic/claude-sonnet-4-5', { providerId: 'anthropic', modelId: 'claude-sonnet-4-5' }],
    [' openrouter/meta/llama:free ', { providerId: 'openrouter', modelId: 'meta/llama:free' }],
  ])('%j is read', async (text, expected) => {
    await using made = testGateway();
    expect(made.gateway.parseReference(text)).toEqual(expected);
  });

  it.each(['', 'claude', 'anthropic/', '/x', 'nobody/x', 'walkthrough/x'])(
    '%j names no model',
    async (text) => {
      await using made = testGateway();
      expect(() => made.gateway.parseReference(text)).toThrow(code('model_unknown'));
    },
  );
});

describe('open', () => {
  it('takes the author’s default, and the walkthrough before there is one', async () => {
    await using provider = await startModelProvider({ vendor: 'openai', key: CANARY_KEY });
    await using made = await gatewayTo('openai', provider);
    expect((await made.gateway.open(undefined, run)).description).toMatchObject({ scripted: true });
    await made.gateway.setDefault({ providerId: 'openai', modelId: 'gpt-5.1' });
    expect((await made.gateway.open(undefined, run)).description).toMatchObject({ modelId: 'gpt-5.1' });
  });

  it('wants a key, a known provider and a known model', async () => {
    await using provider = await startModelProvider({ vendor: 'openai', key: CANARY_KEY });
    await using made = testGateway({ addresses: { openai: provider.baseUrl } });
    const open = (providerId: string, modelId: string) => made.gateway.open({ providerId, modelId }, run);
    await expect(open('openai', 'gpt-5.1')).rejects.toEqual(code('model_key_missing'));
    await expect(open('nobody', 'x')).rejects.toEqual(code('model_unknown'));
    await made.gateway.save({ kind: 'openai', key: CANARY_KEY });
    await expect(open('openai', 'gpt-5.1-turbo')).rejects.toMatchObject({
      problem: { code: 'model_unknown', action: expect.stringContaining('gpt-5.1') },
    });
    expect((await open('openai', 'gpt-99-new')).description.contextWindow).toBe(128_000);
  });

  it('takes a model at its name where a server lists none, unless there is no server', async () => {
    await using provider = await startModelProvider({ vendor: 'compatible', key: CANARY_KEY });
    provider.answerAt('/v1/models', error(404, {}));
    provider.answer(stream({ choices: [{ finish_reason: 'stop', delta: {} }] }, '[DONE]'));
    await using made = await gatewayTo('compatible', provider);
    const model = await made.gateway.open({ providerId: made.providerId, modelId: 'secret-model' }, run);
    const body = Buffer.from(
      JSON.stringify({ model: 'secret-model', messages: [{ role: 'user', content: 'x' }], stream: true }),
    );
    const response = await model.send(
      { method: 'POST', path: '/chat/completions', headers: {}, body },
      never(),
    );
    await Array.fromAsync(response.body);
    expect(model.usage).toMatchObject({ modelRequests: 1, pricing: 'unpriced' });
    await provider[Symbol.asyncDispose]();
    await expect(made.gateway.open({ providerId: made.providerId, modelId: 'other' }, run)).rejects.toEqual(
      code('model_unreachable'),
    );
  });
});
