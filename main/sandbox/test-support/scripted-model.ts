import { z } from 'zod';
import type { ModelApi } from '#shared/models/model.ts';
import type { ModelStreamRequest, ModelStreamResponse } from '#shared/protocol/model-stream-server.ts';

/** What the model says in one turn. */
export interface ScriptedTurn {
  readonly thinking?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly input: unknown }[];
  /** What the provider counts for the request. */
  readonly inputTokens?: number;
}

/** What a request to the model was, read strictly: a fake that takes anything proves nothing. */
export interface SeenRequest {
  readonly system: string;
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly schema: unknown;
  }[];
  /** Texts of the conversation, oldest first: what the person said and what the tools answered. */
  readonly texts: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
}

interface FakeApi {
  /** @throws ZodError when the request is not one this API takes. */
  read(request: ModelStreamRequest): Omit<SeenRequest, 'headers'>;
  stream(turn: ScriptedTurn, turnIndex: number): string[];
}

function usageOf(turn: ScriptedTurn) {
  return { input: turn.inputTokens ?? 100, output: 20 };
}

/** One of four fakes of a provider's streaming API, which plays a script turn by turn. */
export class ScriptedModel {
  readonly requests: SeenRequest[] = [];
  readonly #api: FakeApi;
  readonly #turns: readonly ScriptedTurn[];

  constructor(api: ModelApi, turns: readonly ScriptedTurn[]) {
    this.#api = fakeApis[api];
    this.#turns = turns;
  }

  answer(request: ModelStreamRequest): ModelStreamResponse {
    this.requests.push({ ...this.#api.read(request), headers: request.headers });
    const index = this.requests.length - 1;
    const turn = this.#turns[index] ?? { text: 'There is nothing more in the script.' };
    return eventStream(this.#api.stream(turn, index));
  }
}

/** A response with server-sent events, one chunk for each. */
export function eventStream(events: readonly string[]): ModelStreamResponse {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: (async function* () {
      for (const event of events) yield Buffer.from(event);
    })(),
  };
}

/** A response with a whole body. */
export function plainResponse(status: number, contentType: string, body: string): ModelStreamResponse {
  return {
    status,
    headers: { 'content-type': contentType },
    body: (async function* () {
      yield Buffer.from(body);
    })(),
  };
}

function dataEvent(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

function namedEvent(data: { type: string }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

function bodyOf(request: ModelStreamRequest): unknown {
  return JSON.parse(Buffer.from(request.body).toString('utf8'));
}

function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((part) => part !== '');
}

const textPart = z.object({ type: z.string(), text: z.string().optional() }).loose();
const textOrParts = z.union([z.string(), z.array(textPart)]);

function joinText(content: z.infer<typeof textOrParts>): string {
  return typeof content === 'string'
    ? content
    : content.map((part) => part.text ?? `[${part.type}]`).join('');
}

const completionsBody = z.object({
  model: z.literal('test-model'),
  stream: z.literal(true),
  stream_options: z.object({ include_usage: z.literal(true) }),
  messages: z.array(
    z.discriminatedUnion('role', [
      z.object({ role: z.literal('system'), content: textOrParts }),
      z.object({ role: z.literal('user'), content: textOrParts }),
      z.object({ role: z.literal('assistant'), content: textOrParts.nullish() }).loose(),
      z.object({ role: z.literal('tool'), content: textOrParts, tool_call_id: z.string() }),
    ]),
  ),
  tools: z
    .array(
      z.object({
        type: z.literal('function'),
        function: z.object({ name: z.string(), description: z.string(), parameters: z.unknown() }).loose(),
      }),
    )
    .default([]),
});

const fakeOpenAiCompletions: FakeApi = {
  read(request) {
    z.literal('POST /chat/completions').parse(`${request.method} ${request.path}`);
    const body = completionsBody.parse(bodyOf(request));
    return {
      system: body.messages
        .flatMap((message) => (message.role === 'system' ? [joinText(message.content)] : []))
        .join(''),
      tools: body.tools.map(({ function: { name, description, parameters } }) => ({
        name,
        description,
        schema: parameters,
      })),
      texts: body.messages.flatMap((message) =>
        message.role === 'user' || message.role === 'tool' ? [joinText(message.content)] : [],
      ),
    };
  },
  stream(turn, turnIndex) {
    const usage = usageOf(turn);
    const base = {
      id: `chatcmpl-${turnIndex}`,
      object: 'chat.completion.chunk',
      created: 1,
      model: 'test-model',
    };
    const delta = (value: object, finishReason: string | null = null) =>
      dataEvent({ ...base, choices: [{ index: 0, delta: value, finish_reason: finishReason }] });
    return [
      delta({ role: 'assistant', content: '' }),
      ...halves(turn.thinking ?? '').map((part) => delta({ reasoning_content: part })),
      ...halves(turn.text ?? '').map((part) => delta({ content: part })),
      ...(turn.calls ?? []).flatMap(({ name, input }, index) => [
        delta({
          tool_calls: [
            { index, id: `call_${turnIndex}_${index}`, type: 'function', function: { name, arguments: '' } },
          ],
        }),
        ...halves(JSON.stringify(input)).map((part) =>
          delta({ tool_calls: [{ index, function: { arguments: part } }] }),
        ),
      ]),
      delta({}, turn.calls ? 'tool_calls' : 'stop'),
      dataEvent({
        ...base,
        choices: [],
        usage: {
          prompt_tokens: usage.input,
          completion_tokens: usage.output,
          total_tokens: usage.input + usage.output,
        },
      }),
      'data: [DONE]\n\n',
    ];
  },
};

const responsesBody = z.object({
  model: z.literal('test-model'),
  stream: z.literal(true),
  store: z.literal(false),
  input: z.array(
    z
      .object({
        role: z.string().optional(),
        type: z.string().optional(),
        content: textOrParts.optional(),
        output: textOrParts.optional(),
      })
      .loose(),
  ),
  tools: z
    .array(
      z
        .object({
          type: z.literal('function'),
          name: z.string(),
          description: z.string(),
          parameters: z.unknown(),
        })
        .loose(),
    )
    .default([]),
});

const fakeOpenAiResponses: FakeApi = {
  read(request) {
    z.literal('POST /responses').parse(`${request.method} ${request.path}`);
    const body = responsesBody.parse(bodyOf(request));
    return {
      system: body.input
        .flatMap(({ role, content }) =>
          (role === 'system' || role === 'developer') && content !== undefined ? [joinText(content)] : [],
        )
        .join(''),
      tools: body.tools.map(({ name, description, parameters }) => ({
        name,
        description,
        schema: parameters,
      })),
      texts: body.input.flatMap(({ role, type, content, output }) => {
        if (role === 'user' && content !== undefined) return [joinText(content)];
        return type === 'function_call_output' && output !== undefined ? [joinText(output)] : [];
      }),
    };
  },
  stream(turn, turnIndex) {
    const usage = usageOf(turn);
    const response = {
      id: `resp_${turnIndex}`,
      object: 'response',
      created_at: 1,
      model: 'test-model',
      output: [],
    };
    const events: { type: string }[] = [];
    const push = (event: { type: string } & Record<string, unknown>) =>
      events.push({ sequence_number: events.length, ...event } as { type: string });
    push({ type: 'response.created', response: { ...response, status: 'in_progress' } });
    let outputIndex = 0;
    if (turn.text !== undefined) {
      const item = { id: `msg_${turnIndex}`, type: 'message', role: 'assistant', content: [] };
      const place = { item_id: item.id, output_index: outputIndex, content_index: 0 };
      push({
        type: 'response.output_item.added',
        output_index: outputIndex,
        item: { ...item, status: 'in_progress' },
      });
      push({
        type: 'response.content_part.added',
        ...place,
        part: { type: 'output_text', text: '', annotations: [] },
      });
      for (const part of halves(turn.text))
        push({ type: 'response.output_text.delta', ...place, delta: part });
      push({ type: 'response.output_text.done', ...place, text: turn.text });
      push({
        type: 'response.output_item.done',
        output_index: outputIndex,
        item: {
          ...item,
          status: 'completed',
          content: [{ type: 'output_text', text: turn.text, annotations: [] }],
        },
      });
      outputIndex += 1;
    }
    for (const [index, { name, input }] of (turn.calls ?? []).entries()) {
      const item = {
        id: `fc_${turnIndex}_${index}`,
        type: 'function_call',
        call_id: `call_${turnIndex}_${index}`,
        name,
      };
      const place = { item_id: item.id, output_index: outputIndex };
      const json = JSON.stringify(input);
      push({
        type: 'response.output_item.added',
        output_index: outputIndex,
        item: { ...item, arguments: '', status: 'in_progress' },
      });
      for (const part of halves(json))
        push({ type: 'response.function_call_arguments.delta', ...place, delta: part });
      push({ type: 'response.function_call_arguments.done', ...place, arguments: json });
      push({
        type: 'response.output_item.done',
        output_index: outputIndex,
        item: { ...item, arguments: json, status: 'completed' },
      });
      outputIndex += 1;
    }
    push({
      type: 'response.completed',
      response: {
        ...response,
        status: 'completed',
        usage: {
          input_tokens: usage.input,
          input_tokens_details: { cached_tokens: 0 },
          output_tokens: usage.output,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: usage.input + usage.output,
        },
      },
    });
    return events.map(namedEvent);
  },
};

const anthropicBody = z.object({
  model: z.literal('test-model'),
  stream: z.literal(true),
  max_tokens: z.number().int().positive(),
  system: textOrParts.default(''),
  messages: z.array(
    z.object({
      role: z.enum(['user', 'assistant']),
      content: z.union([
        z.string(),
        z.array(
          z
            .object({ type: z.string(), text: z.string().optional(), content: textOrParts.optional() })
            .loose(),
        ),
      ]),
    }),
  ),
  tools: z
    .array(z.object({ name: z.string(), description: z.string(), input_schema: z.unknown() }).loose())
    .default([]),
});

const fakeAnthropicMessages: FakeApi = {
  read(request) {
    z.literal('POST /v1/messages').parse(`${request.method} ${request.path.split('?')[0]}`);
    z.string().parse(request.headers['anthropic-version']);
    const body = anthropicBody.parse(bodyOf(request));
    return {
      system: joinText(body.system),
      tools: body.tools.map(({ name, description, input_schema: schema }) => ({ name, description, schema })),
      texts: body.messages.flatMap(({ role, content }) => {
        if (role !== 'user') return [];
        if (typeof content === 'string') return [content];
        return content.map((part) =>
          part.content === undefined ? (part.text ?? `[${part.type}]`) : joinText(part.content),
        );
      }),
    };
  },
  stream(turn, turnIndex) {
    const usage = usageOf(turn);
    const events: ({ type: string } & Record<string, unknown>)[] = [
      {
        type: 'message_start',
        message: {
          id: `msg_${turnIndex}`,
          type: 'message',
          role: 'assistant',
          model: 'test-model',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: usage.input, output_tokens: 1 },
        },
      },
      { type: 'ping' },
    ];
    let index = 0;
    const block = (start: object, deltas: object[]) => {
      events.push({ type: 'content_block_start', index, content_block: start });
      for (const delta of deltas) events.push({ type: 'content_block_delta', index, delta });
      events.push({ type: 'content_block_stop', index });
      index += 1;
    };
    if (turn.thinking !== undefined) {
      block({ type: 'thinking', thinking: '', signature: '' }, [
        ...halves(turn.thinking).map((part) => ({ type: 'thinking_delta', thinking: part })),
        { type: 'signature_delta', signature: 'c2lnbmF0dXJl' },
      ]);
    }
    if (turn.text !== undefined) {
      block(
        { type: 'text', text: '' },
        halves(turn.text).map((part) => ({ type: 'text_delta', text: part })),
      );
    }
    for (const [callIndex, { name, input }] of (turn.calls ?? []).entries()) {
      block(
        { type: 'tool_use', id: `toolu_${turnIndex}_${callIndex}`, name, input: {} },
        halves(JSON.stringify(input)).map((part) => ({ type: 'input_json_delta', partial_json: part })),
      );
    }
    events.push(
      {
        type: 'message_delta',
        delta: { stop_reason: turn.calls ? 'tool_use' : 'end_turn', stop_sequence: null },
        usage: { output_tokens: usage.output },
      },
      { type: 'message_stop' },
    );
    return events.map(namedEvent);
  },
};

const googleBody = z.object({
  contents: z.array(
    z.object({
      role: z.enum(['user', 'model']),
      parts: z.array(
        z
          .object({
            text: z.string().optional(),
            functionResponse: z.object({ name: z.string(), response: z.unknown() }).loose().optional(),
          })
          .loose(),
      ),
    }),
  ),
  systemInstruction: z.object({ parts: z.array(z.object({ text: z.string() })) }).loose(),
  tools: z
    .array(
      z.object({
        functionDeclarations: z.array(z.object({ name: z.string(), description: z.string() }).loose()),
      }),
    )
    .default([]),
});

const fakeGoogleGenerativeAi: FakeApi = {
  read(request) {
    z.literal('POST /models/test-model:streamGenerateContent?alt=sse').parse(
      `${request.method} ${request.path}`,
    );
    const body = googleBody.parse(bodyOf(request));
    return {
      system: body.systemInstruction.parts.map(({ text }) => text).join(''),
      tools: body.tools.flatMap(({ functionDeclarations }) =>
        functionDeclarations.map(({ name, description, ...rest }) => ({
          name,
          description,
          schema: rest['parametersJsonSchema'] ?? rest['parameters'],
        })),
      ),
      texts: body.contents.flatMap(({ role, parts }) =>
        role === 'user'
          ? parts.map((part) => part.text ?? JSON.stringify(part.functionResponse?.response ?? null))
          : [],
      ),
    };
  },
  stream(turn) {
    const usage = usageOf(turn);
    const chunk = (parts: object[], finishReason?: string) =>
      dataEvent({
        candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason && { finishReason }) }],
        modelVersion: 'test-model',
        usageMetadata: {
          promptTokenCount: usage.input,
          candidatesTokenCount: usage.output,
          totalTokenCount: usage.input + usage.output,
        },
      });
    return [
      ...halves(turn.thinking ?? '').map((part) => chunk([{ text: part, thought: true }])),
      ...halves(turn.text ?? '').map((part) => chunk([{ text: part }])),
      ...(turn.calls ?? []).map(({ name, input }) => chunk([{ functionCall: { name, args: input } }])),
      chunk([{ text: '' }], 'STOP'),
    ];
  },
};

const fakeApis: Readonly<Record<ModelApi, FakeApi>> = {
  'openai-completions': fakeOpenAiCompletions,
  'openai-responses': fakeOpenAiResponses,
  'anthropic-messages': fakeAnthropicMessages,
  'google-generative-ai': fakeGoogleGenerativeAi,
};
