import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

/** A request as it reached the provider. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
  /** Resolves when the connection was closed before the answer was whole. */
  readonly closed: Promise<void>;
}

/** How the provider answers one request. */
export type Behaviour = (response: ServerResponse, request: ReceivedRequest) => void | Promise<void>;

export type Vendor = 'openai' | 'anthropic' | 'google' | 'openrouter' | 'ollama' | 'lmstudio' | 'compatible';

export interface ModelProviderOptions {
  readonly vendor: Vendor;
  /** The one key it accepts; none to take every request. */
  readonly key?: string;
  /** Certificate and key, to speak TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** A fake of a vendor's API on loopback, strict in what it takes as the vendor's documents say. */
export interface ModelProvider extends AsyncDisposable {
  /** Its address up to the path of the calls, without `/v1` for Anthropic. */
  readonly baseUrl: string;
  readonly origin: string;
  readonly requests: readonly ReceivedRequest[];
  /** Sets what the next calls of the model are answered with, one after another; the last one stays. */
  answer(...behaviours: Behaviour[]): void;
  /** Sets what one path is answered with, in place of the vendor's own answer. */
  answerAt(path: string, behaviour: Behaviour): void;
}

const paths: Readonly<Record<Vendor, { base: string; call: RegExp }>> = {
  openai: { base: '/v1', call: /^\/v1\/(responses|chat\/completions)$/ },
  anthropic: { base: '', call: /^\/v1\/messages\?beta=true$/ },
  google: {
    base: '/v1beta',
    call: /^\/v1beta\/models\/[\w.-]+:(streamGenerateContent\?alt=sse|generateContent)$/,
  },
  openrouter: { base: '/api/v1', call: /^\/api\/v1\/chat\/completions$/ },
  ollama: { base: '/v1', call: /^\/v1\/chat\/completions$/ },
  lmstudio: { base: '/v1', call: /^\/v1\/chat\/completions$/ },
  compatible: { base: '/v1', call: /^\/v1\/chat\/completions$/ },
};

/** Bodies as the documents have them; what they do not know is refused, as OpenAI and Google do. */
const bodies: Readonly<Record<'completions' | 'responses' | 'messages' | 'generate', z.ZodType>> = {
  completions: z.looseObject({
    model: z.string(),
    messages: z
      .array(z.looseObject({ role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']) }))
      .min(1),
    stream: z.boolean().optional(),
  }),
  responses: z.looseObject({ model: z.string(), input: z.array(z.looseObject({})).min(1) }),
  messages: z.looseObject({
    model: z.string(),
    max_tokens: z.int().positive(),
    messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant']) })).min(1),
  }),
  generate: z.looseObject({
    contents: z.array(z.looseObject({ parts: z.array(z.looseObject({})).min(1) })).min(1),
  }),
};

/** Starts a fake provider on a port of its own. */
export async function startModelProvider(options: ModelProviderOptions): Promise<ModelProvider> {
  const { vendor, key } = options;
  const requests: ReceivedRequest[] = [];
  const atPath = new Map<string, Behaviour>();
  let behaviours: Behaviour[] = [];
  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await receive(incoming, response);
    requests.push(request);
    const [path = ''] = request.url.split('?');
    const special = atPath.get(path);
    if (special) return special(response, request);
    // OpenRouter's list is open to everyone.
    const isOpen = vendor === 'openrouter' && path.endsWith('/models');
    if (!isOpen && !isAuthorised(vendor, key, request)) return refuseKey(vendor)(response, request);
    if (request.method === 'GET') return list(vendor, path)(response, request);
    if (!paths[vendor].call.test(request.url) || request.method !== 'POST') return missing(response, request);
    const fault = findFault(request);
    if (fault !== undefined)
      return error(400, { error: { message: fault, type: 'invalid_request_error' } })(response, request);
    const behaviour = behaviours.length > 1 ? behaviours.shift() : behaviours[0];
    return (behaviour ?? missing)(response, request);
  };
  const server = options.tls ? createSecureServer(options.tls) : createServer();
  server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
    handle(incoming, response).catch((reason: unknown) => response.destroy(reason as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  return {
    origin,
    baseUrl: `${origin}${paths[vendor].base}`,
    requests,
    answer(...next) {
      behaviours = next;
    },
    answerAt(path, behaviour) {
      atPath.set(path, behaviour);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function receive(incoming: IncomingMessage, response: ServerResponse): Promise<ReceivedRequest> {
  const closed = new Promise<void>((resolve) => {
    response.on('close', () => {
      if (!response.writableFinished) resolve();
    });
  });
  const chunks = await Array.fromAsync(incoming as AsyncIterable<Buffer>);
  return {
    method: incoming.method ?? '',
    url: incoming.url ?? '',
    headers: incoming.headers,
    body: Buffer.concat(chunks).toString('utf8'),
    closed,
  };
}

function isAuthorised(vendor: Vendor, key: string | undefined, { headers }: ReceivedRequest): boolean {
  if (key === undefined) return true;
  switch (vendor) {
    case 'anthropic':
      return headers['x-api-key'] === key && headers['anthropic-version'] === '2023-06-01';
    case 'google':
      return headers['x-goog-api-key'] === key;
    case 'openai':
    case 'openrouter':
    case 'ollama':
    case 'lmstudio':
    case 'compatible':
      return headers.authorization === `Bearer ${key}`;
  }
}

function findFault({ url, headers, body }: ReceivedRequest): string | undefined {
  if (headers['content-type'] !== 'application/json') return 'content-type must be application/json';
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return 'the body is not JSON';
  }
  const shape = /chat\/completions/.test(url)
    ? bodies.completions
    : /responses/.test(url)
      ? bodies.responses
      : /messages/.test(url)
        ? bodies.messages
        : bodies.generate;
  const parsed = shape.safeParse(value);
  return parsed.success ? undefined : z.prettifyError(parsed.error);
}

/** Answers with a status and JSON. */
export function error(status: number, body: unknown, headers: Record<string, string> = {}): Behaviour {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

/** Refuses the key in the vendor's own words, which repeat the key that was sent. */
export function refuseKey(vendor: Vendor): Behaviour {
  return (response, request) => {
    const sent = String(
      request.headers['x-api-key'] ??
        request.headers['x-goog-api-key'] ??
        request.headers.authorization ??
        '',
    ).replace('Bearer ', '');
    const message = `Incorrect API key provided: ${sent}. Shortened: ${sent.slice(0, 12)}****${sent.slice(-4)}.`;
    const [status, body] =
      vendor === 'google'
        ? [
            400,
            { error: { code: 400, message: `API key not valid. ${message}`, status: 'INVALID_ARGUMENT' } },
          ]
        : vendor === 'anthropic'
          ? [401, { type: 'error', error: { type: 'authentication_error', message } }]
          : [401, { error: { message, type: 'invalid_request_error', code: 'invalid_api_key' } }];
    return error(status, body, { 'x-seen-key': sent })(response, request);
  };
}

const missing: Behaviour = (response, request) =>
  error(404, { error: { message: `Unknown request URL: ${request.method} ${request.url}.` } })(
    response,
    request,
  );

/** A stream of server-sent events, whole. */
export function stream(...events: readonly unknown[]): Behaviour {
  return (response) => {
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'x-ratelimit-remaining-requests': '59',
      'set-cookie': '__session=secret; Path=/',
      server: 'upstream/1.0',
    });
    for (const event of events) response.write(eventText(event));
    response.end();
  };
}

/** Server-sent events as text; Anthropic's and OpenAI's carry their type as name. */
export function eventText(event: unknown): string {
  if (typeof event === 'string') return `data: ${event}\n\n`;
  const type = typeof event === 'object' && event !== null && 'type' in event ? event.type : undefined;
  return `${typeof type === 'string' ? `event: ${type}\n` : ''}data: ${JSON.stringify(event)}\n\n`;
}

/** Sends bytes as they are, in the given pieces. */
export function pieces(
  contentType: string | undefined,
  ...parts: readonly (string | Uint8Array)[]
): Behaviour {
  return async (response) => {
    response.writeHead(200, contentType === undefined ? {} : { 'content-type': contentType });
    for (const part of parts) {
      response.write(part);
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };
}

/** A web page in place of an answer, as gateways and captive portals send it. */
export function page(status: number, title = 'Sign in to the network'): Behaviour {
  return (response) => {
    response
      .writeHead(status, { 'content-type': 'text/html; charset=utf-8' })
      .end(`<!DOCTYPE html>\n<html><head><title>${title}</title></head><body>Hello</body></html>`);
  };
}

/** Some events, and then the connection breaks. */
export function cut(...events: readonly unknown[]): Behaviour {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of events) response.write(eventText(event));
    await new Promise((resolve) => setTimeout(resolve, 20));
    response.socket?.destroy();
  };
}

/** Takes the request and never answers. */
export const silence: Behaviour = () => undefined;

/** Some events, and then nothing more. */
export function stall(...events: readonly unknown[]): Behaviour {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    for (const event of events) response.write(eventText(event));
  };
}

export function redirect(location: string): Behaviour {
  return (response) => {
    response.writeHead(307, { location }).end();
  };
}

/** Sends as fast as the other side reads, and tells how much was taken. */
export function flood(total: number, progress: { written: number }): Behaviour {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const chunk = Buffer.from(`: ${'x'.repeat(65_533)}\n`);
    while (progress.written < total && !response.destroyed) {
      progress.written += chunk.length;
      if (!response.write(chunk)) await new Promise((resolve) => response.once('drain', resolve));
    }
    response.end('data: {"choices":[{"finish_reason":"stop","delta":{}}]}\n\ndata: [DONE]\n\n');
  };
}

/** Lists of models as the vendors' documents show them. */
function list(vendor: Vendor, path: string): Behaviour {
  const body = lists[`${vendor} ${path}`];
  return body === undefined ? missing : error(200, body);
}

const lists: Readonly<Record<string, unknown>> = {
  'openai /v1/models': {
    object: 'list',
    data: [
      'gpt-5.1',
      'gpt-4o',
      'gpt-4o-audio-preview',
      'text-embedding-3-small',
      'gpt-99-new',
      'whisper-1',
      'dall-e-3',
    ].map((id) => ({ id, object: 'model', created: 1_686_935_002, owned_by: 'openai' })),
  },
  'anthropic /v1/models': {
    data: [
      {
        type: 'model',
        id: 'claude-sonnet-4-5',
        display_name: 'Claude Sonnet 4.5',
        created_at: '2025-09-29T00:00:00Z',
      },
      { type: 'model', id: 'claude-new-9', display_name: 'Claude New 9', created_at: '2030-01-01T00:00:00Z' },
    ],
    has_more: false,
    first_id: 'claude-sonnet-4-5',
    last_id: 'claude-new-9',
  },
  'google /v1beta/models': {
    models: [
      {
        name: 'models/gemini-2.5-flash',
        displayName: 'Gemini 2.5 Flash',
        inputTokenLimit: 1_048_576,
        outputTokenLimit: 65_536,
        supportedGenerationMethods: ['generateContent', 'countTokens'],
        thinking: true,
      },
      {
        name: 'models/text-embedding-004',
        inputTokenLimit: 2048,
        supportedGenerationMethods: ['embedContent'],
      },
    ],
  },
  'openrouter /api/v1/key': { data: { label: 'a key', usage: 1.5, limit: null } },
  'openrouter /api/v1/models': {
    data: [
      {
        id: 'acme/talker',
        name: 'Acme: Talker',
        context_length: 131_072,
        architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
        pricing: { prompt: '0.0000002', completion: '0.00000125', input_cache_read: '0.00000005' },
        top_provider: { context_length: 131_072, max_completion_tokens: 8192 },
        supported_parameters: ['tools', 'reasoning', 'temperature'],
      },
      {
        id: 'openrouter/auto',
        name: 'Auto',
        context_length: 2_000_000,
        pricing: { prompt: '-1', completion: '-1' },
        supported_parameters: ['tools'],
      },
      {
        id: 'acme/drawer',
        name: 'Acme: Drawer',
        pricing: { prompt: '0', completion: '0' },
        supported_parameters: ['seed'],
      },
    ],
  },
  'ollama /api/tags': {
    models: [
      {
        name: 'llama3.2:latest',
        model: 'llama3.2:latest',
        size: 2_019_393_189,
        details: { family: 'llama', parameter_size: '3.2B' },
      },
      {
        name: 'nomic-embed-text:latest',
        model: 'nomic-embed-text:latest',
        details: { family: 'nomic-bert' },
      },
      { name: 'gpt-oss:120b-cloud', model: 'gpt-oss:120b-cloud', details: { family: '' } },
    ],
  },
  'lmstudio /api/v0/models': {
    object: 'list',
    data: [
      {
        id: 'qwen2.5-7b-instruct',
        object: 'model',
        type: 'llm',
        state: 'loaded',
        max_context_length: 32_768,
        loaded_context_length: 8192,
      },
      { id: 'gemma-3-4b', object: 'model', type: 'vlm', state: 'not-loaded', max_context_length: 131_072 },
      { id: 'text-embedding-nomic', object: 'model', type: 'embeddings', max_context_length: 2048 },
    ],
  },
  'compatible /v1/models': {
    object: 'list',
    data: [{ id: 'served-model', object: 'model', owned_by: 'vllm', max_model_len: 16_384 }],
  },
};
