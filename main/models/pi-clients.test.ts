import type { Message, Model } from '@earendil-works/pi-ai';
import * as anthropic from '@earendil-works/pi-ai/api/anthropic-messages';
import * as google from '@earendil-works/pi-ai/api/google-generative-ai';
import * as completions from '@earendil-works/pi-ai/api/openai-completions';
import * as responses from '@earendil-works/pi-ai/api/openai-responses';
import { normalizeContext } from '@earendil-works/pi-ai/utils/transcript';
import { describe, expect, it } from 'vitest';
import { startModelProvider, stream, type Vendor } from '#test/peers/model-provider.ts';
import { CANARY_KEY, gatewayTo } from '#test/support/models/gateway.ts';
import type { RunModel } from './index.ts';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const completionEvents = [
  {
    id: 'c',
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { role: 'assistant', content: 'Hel' }, finish_reason: null }],
  },
  { id: 'c', choices: [{ index: 0, delta: { content: 'lo' }, finish_reason: null }] },
  { id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  {
    id: 'c',
    choices: [],
    usage: { prompt_tokens: 110, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 100 } },
  },
  '[DONE]',
];

const responseEvents = [
  { type: 'response.created', response: { id: 'r' } },
  {
    type: 'response.output_item.added',
    output_index: 0,
    item: { type: 'message', id: 'm', role: 'assistant', content: [] },
  },
  {
    type: 'response.content_part.added',
    output_index: 0,
    content_index: 0,
    item_id: 'm',
    part: { type: 'output_text', text: '' },
  },
  { type: 'response.output_text.delta', output_index: 0, content_index: 0, item_id: 'm', delta: 'Hello' },
  {
    type: 'response.output_item.done',
    output_index: 0,
    item: {
      type: 'message',
      id: 'm',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
    },
  },
  {
    type: 'response.completed',
    response: {
      id: 'r',
      status: 'completed',
      usage: {
        input_tokens: 110,
        output_tokens: 7,
        total_tokens: 117,
        input_tokens_details: { cached_tokens: 100 },
      },
    },
  },
];

const messageEvents = [
  {
    type: 'message_start',
    message: {
      id: 'm',
      usage: {
        input_tokens: 8,
        output_tokens: 1,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 2,
      },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 7 } },
  { type: 'message_stop' },
];

const googleEvents = [
  { candidates: [{ content: { role: 'model', parts: [{ text: 'Hel' }] } }] },
  {
    candidates: [{ content: { role: 'model', parts: [{ text: 'lo' }] }, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount: 110,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 2,
      cachedContentTokenCount: 100,
      totalTokenCount: 117,
    },
  },
];

interface Case {
  readonly vendor: Vendor;
  readonly modelId: string;
  readonly events: readonly unknown[];
  readonly cacheWrite: number;
}

const cases: readonly Case[] = [
  { vendor: 'openai', modelId: 'gpt-5.1', events: responseEvents, cacheWrite: 0 },
  { vendor: 'anthropic', modelId: 'claude-sonnet-4-5', events: messageEvents, cacheWrite: 2 },
  { vendor: 'google', modelId: 'gemini-2.5-flash', events: googleEvents, cacheWrite: 0 },
  { vendor: 'openrouter', modelId: 'acme/talker', events: completionEvents, cacheWrite: 0 },
  { vendor: 'ollama', modelId: 'llama3.2:latest', events: completionEvents, cacheWrite: 0 },
  { vendor: 'compatible', modelId: 'served-model', events: completionEvents, cacheWrite: 0 },
];

/** A conversation with everything Pi sends: an image, a tool call with its result, thinking. */
function conversation(model: Model<string>): Message[] {
  const usage = {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 0,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
  return [
    {
      role: 'user',
      timestamp: 1,
      content: [
        { type: 'text', text: 'Look at this: 𝔘 🚢' },
        { type: 'image', data: PIXEL, mimeType: 'image/png' },
      ],
    },
    {
      role: 'assistant',
      timestamp: 2,
      api: model.api,
      provider: model.provider,
      model: model.id,
      usage,
      stopReason: 'toolUse',
      content: [
        { type: 'text', text: 'I look.' },
        {
          type: 'toolCall',
          id: 'call_1',
          name: 'read',
          arguments: { url: 'https://example.com/', 10: 'ten', path: 'a' },
        },
      ],
    },
    {
      role: 'toolResult',
      timestamp: 3,
      toolCallId: 'call_1',
      toolName: 'read',
      isError: false,
      content: [
        { type: 'text', text: 'A file with https://example.com/ in it' },
        { type: 'image', data: PIXEL, mimeType: 'image/png' },
      ],
    },
  ] as Message[];
}

/** Pi's client in the sandbox, its requests relayed to the run's model. */
function clientOf(run: RunModel, sent: string[]) {
  const { description } = run;
  const model = {
    id: description.modelId,
    name: description.displayName,
    api: description.api,
    provider: 'slipway',
    baseUrl: 'http://sidecar/model',
    reasoning: description.reasoning,
    input: ['text', 'image'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: description.contextWindow,
    maxTokens: description.maxTokens,
    ...description.clientOptions,
  };
  const relayed: typeof fetch = async (input, init) => {
    const request = new Request(input, init);
    const { pathname, search } = new URL(request.url);
    const body = new Uint8Array(await request.arrayBuffer());
    sent.push(Buffer.from(body).toString());
    const response = await run.send(
      {
        method: request.method,
        path: `${pathname.slice('/model'.length)}${search}`,
        headers: Object.fromEntries(request.headers),
        body,
      },
      request.signal,
    );
    return new Response(ReadableStream.from(response.body), {
      status: response.status,
      headers: response.headers,
    });
  };
  const clients = {
    'openai-completions': completions,
    'openai-responses': responses,
    'anthropic-messages': anthropic,
    'google-generative-ai': google,
  };
  return async (reasoning: 'medium' | undefined) => {
    const context = normalizeContext({
      systemPrompt: 'You are an agent.',
      messages: conversation(model as never),
      tools: [
        {
          name: 'read',
          description: 'Reads',
          parameters: { type: 'object', properties: { path: { type: 'string' } } },
        },
      ],
    });
    const streamed = clients[description.api].streamSimple(model as never, context, {
      apiKey: 'none',
      fetch: relayed,
      ...(reasoning && { reasoning }),
    });
    return streamed.result();
  };
}

describe('the clients Pi has for each API', () => {
  it.each(cases)(
    'speak through a run to $vendor, their requests untouched',
    async ({ vendor, modelId, events, cacheWrite }) => {
      await using provider = await startModelProvider({ vendor, key: CANARY_KEY });
      provider.answer(stream(...events));
      await using made = await gatewayTo(vendor, provider);
      const run = await made.gateway.open(
        { providerId: made.providerId, modelId },
        { runId: 'r', agentId: 'a' },
      );
      const sent: string[] = [];
      const ask = clientOf(run, sent);

      for (const reasoning of [undefined, 'medium'] as const) {
        const answer = await ask(reasoning);
        expect(answer.errorMessage).toBeUndefined();
        expect(answer.content).toContainEqual(expect.objectContaining({ type: 'text', text: 'Hello' }));
      }
      const calls = provider.requests.filter(({ method }) => method === 'POST');
      expect(calls.map(({ body }) => body)).toEqual(sent);
      expect(run.usage).toMatchObject({
        modelRequests: 2,
        inputTokens: (vendor === 'anthropic' ? 8 : 10) * 2,
        outputTokens: 14,
        cacheReadTokens: 200,
        cacheWriteTokens: cacheWrite * 2,
        pricing: vendor === 'compatible' ? 'unpriced' : 'priced',
      });
      expect(run.lastFailure).toBeUndefined();
    },
  );

  // A quirk handed on that the policy refuses would make a model of the catalogue unusable.
  it.each(cases.filter(({ vendor }) => ['openai', 'anthropic', 'google'].includes(vendor)))(
    'may ask every model of the catalogue of $vendor',
    async ({ vendor, events }) => {
      await using provider = await startModelProvider({ vendor, key: CANARY_KEY });
      provider.answer(stream(...events));
      await using made = await gatewayTo(vendor, provider);
      const { providers } = await made.gateway.list();
      const models = providers.find(({ id }) => id === made.providerId)?.models ?? [];
      expect(models.length).toBeGreaterThan(10);
      for (const { modelId } of models) {
        const run = await made.gateway.open(
          { providerId: made.providerId, modelId },
          { runId: 'r', agentId: 'a' },
        );
        const ask = clientOf(run, []);
        for (const reasoning of [undefined, 'medium'] as const) {
          expect([modelId, (await ask(reasoning)).errorMessage]).toEqual([modelId, undefined]);
        }
      }
    },
    60_000,
  );
});
