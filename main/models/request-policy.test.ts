import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelApi } from '#shared/models/model.ts';
import { checkRequest } from './request-policy.ts';

const PATHS: Readonly<Record<ModelApi, string>> = {
  'openai-completions': '/chat/completions',
  'openai-responses': '/responses',
  'anthropic-messages': '/v1/messages?beta=true',
  'google-generative-ai': '/models/m:streamGenerateContent?alt=sse',
};
const BODIES: Readonly<Record<ModelApi, object>> = {
  'openai-completions': { model: 'm', messages: [] },
  'openai-responses': { model: 'm', input: [] },
  'anthropic-messages': { model: 'm', messages: [], max_tokens: 1 },
  'google-generative-ai': { contents: [] },
};

function check(api: ModelApi, change: object, path = PATHS[api]) {
  const body = Buffer.from(JSON.stringify({ ...BODIES[api], ...change }));
  return checkRequest({ method: 'POST', path, headers: {}, body }, api, 'm');
}

const refused = expect.objectContaining({
  problem: expect.objectContaining({ code: 'model_request_refused' }),
});
const url = 'https://attacker.example/?stolen';

describe('checkRequest', () => {
  const waysOut: readonly [ModelApi, string, object][] = [
    ['openai-responses', 'a search', { tools: [{ type: 'web_search' }] }],
    ['openai-responses', 'an MCP server', { tools: [{ type: 'mcp', server_url: url }] }],
    ['openai-responses', 'a program at the provider', { tools: [{ type: 'code_interpreter' }] }],
    ['openai-responses', 'an earlier answer', { previous_response_id: 'r' }],
    ['openai-responses', 'work in the background', { background: true }],
    [
      'openai-responses',
      'a remote image',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }] },
    ],
    [
      'openai-responses',
      'a kept image',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'data:,', file_id: 'f' }] }] },
    ],
    [
      'openai-responses',
      'a remote file',
      { input: [{ role: 'user', content: [{ type: 'input_file', file_url: url }] }] },
    ],
    [
      'openai-responses',
      'a remote image in a result',
      {
        input: [
          { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_image', image_url: url }] },
        ],
      },
    ],
    [
      'openai-responses',
      'a call of the provider’s tool',
      { input: [{ type: 'mcp_call', server_label: 'x' }] },
    ],
    ['anthropic-messages', 'a search', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    ['anthropic-messages', 'a fetch', { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }],
    ['anthropic-messages', 'MCP servers', { mcp_servers: [{ type: 'url', url, name: 'x' }] }],
    ['anthropic-messages', 'other models', { fallbacks: [{ model: 'dearer' }] }],
    ['anthropic-messages', 'a container', { container: 'c' }],
    [
      'anthropic-messages',
      'a remote image',
      { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url } }] }] },
    ],
    [
      'anthropic-messages',
      'a kept file',
      {
        messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: 'f' } }] }],
      },
    ],
    [
      'anthropic-messages',
      'a remote image in a result',
      {
        messages: [
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                tool_use_id: 't',
                content: [{ type: 'image', source: { type: 'url', url } }],
              },
            ],
          },
        ],
      },
    ],
    ['google-generative-ai', 'a search', { tools: [{ googleSearch: {} }] }],
    [
      'google-generative-ai',
      'a search beside functions',
      { tools: [{ functionDeclarations: [], urlContext: {} }] },
    ],
    ['google-generative-ai', 'a search in the other spelling', { tools: [{ google_search: {} }] }],
    ['google-generative-ai', 'a remote file', { contents: [{ parts: [{ fileData: { fileUri: url } }] }] }],
    [
      'google-generative-ai',
      'a remote file in a result',
      {
        contents: [
          {
            parts: [
              { functionResponse: { name: 'f', response: {}, parts: [{ fileData: { fileUri: url } }] } },
            ],
          },
        ],
      },
    ],
    ['google-generative-ai', 'kept content', { cachedContent: 'cachedContents/x' }],
  ];
  it.each(waysOut)('lets no request to %s ask for %s', (api, _, change) => {
    expect(() => check(api, change)).toThrow(refused);
  });

  it.each([
    '/models/other:streamGenerateContent?alt=sse',
    '/models/m:streamGenerateContent',
    '/models/m:countTokens',
    '/models/m/../other:generateContent',
    '/models/%6f:generateContent',
    '/v1beta/models/m:generateContent?alt=sse',
  ])('lets no request to Google take the path %s', (path) => {
    expect(() => check('google-generative-ai', {}, path)).toThrow(refused);
  });

  it('lets tools take and give addresses, which only the sandbox reads', () => {
    const input = { url, image_url: url, fileData: { fileUri: url } };
    expect(() =>
      check('anthropic-messages', {
        messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'x', input }] }],
      }),
    ).not.toThrow();
    expect(() =>
      check('google-generative-ai', {
        contents: [{ parts: [{ functionCall: { name: 'x', args: input } }] }],
      }),
    ).not.toThrow();
    expect(() =>
      check('openai-completions', { messages: [{ role: 'tool', tool_call_id: 't', content: url }] }),
    ).not.toThrow();
  });

  it('never lets another model through, whatever the body is', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...(Object.keys(PATHS) as ModelApi[])),
        fc.object(),
        fc.string(),
        (api, extra, model) => {
          fc.pre(model !== 'm');
          const body = Buffer.from(JSON.stringify({ ...BODIES[api], ...extra, model }));
          expect(() =>
            checkRequest({ method: 'POST', path: PATHS[api], headers: {}, body }, api, 'm'),
          ).toThrow(refused);
        },
      ),
    );
  });
});
