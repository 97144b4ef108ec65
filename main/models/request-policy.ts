import { z } from 'zod';
import { ProblemError } from '#shared/problem.ts';
import type { ModelApi } from '#shared/models/model.ts';
import type { RelayedRequest } from './model-gateway.ts';

/** A request that may go to the provider. */
export interface CheckedRequest {
  /** Path and query below the API's base address. */
  readonly path: string;
  readonly body: Uint8Array;
  readonly isStreaming: boolean;
}

/**
 * Checks a request of the sandbox against what a run may ask of its model: one path, one model, and no
 * feature that makes the provider itself fetch, search or run something, since that would be a way out of
 * a sandbox that has none. Fields and content are held to an allow-list, as Pi's clients write them.
 * @throws ProblemError `model_request_refused`.
 */
export function checkRequest(request: RelayedRequest, api: ModelApi, modelId: string): CheckedRequest {
  if (request.method !== 'POST') throw refused(`The method ${request.method} is not allowed.`);
  const { path, isStreamingPath } = checkPath(request.path, api, modelId);
  const body = parseBody(request.body);
  const parsed = bodySchemas[api].safeParse(body);
  if (!parsed.success) throw refused(describeIssue(parsed.error));
  const model = 'model' in parsed.data ? parsed.data.model : modelId;
  if (model !== modelId) {
    throw refused(`This run may use the model ${modelId} only, and the request names ${model}.`);
  }
  return {
    path,
    // What was checked is what is sent: an equal name twice could be read otherwise by the provider.
    body: Buffer.from(JSON.stringify(body)),
    isStreaming: isStreamingPath || ('stream' in parsed.data && parsed.data.stream === true),
  };
}

function checkPath(
  pathAndQuery: string,
  api: ModelApi,
  modelId: string,
): { path: string; isStreamingPath: boolean } {
  const [path = '', query = ''] = pathAndQuery.split('?', 2);
  const allowed = (condition: boolean) => {
    if (!condition) throw refused(`The path ${pathAndQuery.slice(0, 200)} is not one of this model's.`);
  };
  switch (api) {
    case 'openai-completions':
      allowed(/^(\/v1)?\/chat\/completions$/.test(path) && query === '');
      return { path: '/chat/completions', isStreamingPath: false };
    case 'openai-responses':
      allowed(/^(\/v1)?\/responses$/.test(path) && query === '');
      return { path: '/responses', isStreamingPath: false };
    case 'anthropic-messages':
      allowed(path === '/v1/messages' && (query === '' || query === 'beta=true'));
      return { path: query === '' ? path : `${path}?${query}`, isStreamingPath: false };
    case 'google-generative-ai': {
      const match = /^(?:\/v1beta)?\/models\/([^/:]+):(streamGenerateContent|generateContent)$/.exec(path);
      const isStreaming = match?.[2] === 'streamGenerateContent';
      allowed(match !== null && query === (isStreaming ? 'alt=sse' : ''));
      if (decode(match?.[1] ?? '') !== modelId) {
        throw refused(`This run may use the model ${modelId} only, and the request names another.`);
      }
      const rest = `/models/${encodeURIComponent(modelId)}:${match?.[2]}`;
      return { path: isStreaming ? `${rest}?alt=sse` : rest, isStreamingPath: isStreaming };
    }
  }
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parseBody(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw refused('Its body is not JSON in UTF-8.');
  }
}

function describeIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  const place = issue ? issue.path.map(String).join('.') : '';
  const reason =
    issue?.code === 'unrecognized_keys' ? `${issue.keys.join(', ')} is not allowed` : issue?.message;
  return `Its body asks for something a run may not ask for: ${place === '' ? '' : `${place}: `}${reason ?? 'not allowed'}.`;
}

function refused(reason: string): ProblemError {
  return new ProblemError({
    code: 'model_request_refused',
    title: 'A request to the model was refused',
    detail: `The sandbox sent a request that this run may not make. ${reason}`,
  });
}

const anything = z.unknown();
const optional = anything.optional();

/** Optional top-level fields without power beyond the answer itself. */
function fields(...names: string[]): Record<string, z.ZodOptional<z.ZodUnknown>> {
  return Object.fromEntries(names.map((name) => [name, optional]));
}

/** Only bytes that the request itself carries: a provider would fetch any other address. */
const dataUrl = z.string().startsWith('data:', 'only data: URLs are allowed');

const notStored = z.literal(false, 'requests may not be stored at the provider').optional();

const openAiTool = z.looseObject({ type: z.enum(['function', 'custom']) });

const completionsPart = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('refusal') }),
  z.looseObject({ type: z.literal('image_url'), image_url: z.looseObject({ url: dataUrl }) }),
]);

const completionsBody = z.strictObject({
  model: z.string(),
  messages: z.array(
    z.looseObject({
      role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
      content: z.union([z.string(), z.null(), z.array(completionsPart)]).optional(),
    }),
  ),
  stream: z.boolean().optional(),
  store: notStored,
  tools: z.array(openAiTool).optional(),
  ...fields(
    'chat_template_args',
    'chat_template_kwargs',
    'enable_thinking',
    'frequency_penalty',
    'max_completion_tokens',
    'max_tokens',
    'min_p',
    'parallel_tool_calls',
    'presence_penalty',
    'prompt_cache_key',
    'prompt_cache_retention',
    'reasoning',
    'reasoning_effort',
    'repetition_penalty',
    'response_format',
    'seed',
    'stop',
    'stream_options',
    'temperature',
    'thinking',
    'thinking_budget',
    'thinking_budget_tokens',
    'thinking_token_budget',
    'tool_choice',
    'tool_stream',
    'top_k',
    'top_p',
    'verbosity',
  ),
});

const responsesPart = z.discriminatedUnion('type', [
  z.looseObject({ type: z.enum(['input_text', 'output_text', 'refusal', 'summary_text', 'reasoning_text']) }),
  z.looseObject({ type: z.literal('input_image'), image_url: dataUrl, file_id: z.undefined().optional() }),
]);
const responsesContent = z.union([z.string(), z.array(responsesPart)]);

const responsesItem = z.union([
  z.looseObject({
    type: z.literal('message').optional(),
    role: z.enum(['system', 'developer', 'user', 'assistant']),
    content: responsesContent,
  }),
  z.looseObject({ type: z.enum(['function_call', 'custom_tool_call', 'reasoning']) }),
  z.looseObject({
    type: z.enum(['function_call_output', 'custom_tool_call_output']),
    output: responsesContent,
  }),
]);

const responsesBody = z.strictObject({
  model: z.string(),
  input: z.union([z.string(), z.array(responsesItem)]),
  stream: z.boolean().optional(),
  store: notStored,
  tools: z.array(openAiTool).optional(),
  ...fields(
    'include',
    'instructions',
    'max_output_tokens',
    'parallel_tool_calls',
    'prompt_cache_key',
    'prompt_cache_options',
    'prompt_cache_retention',
    'reasoning',
    'temperature',
    'text',
    'tool_choice',
    'top_p',
    'truncation',
  ),
});

const anthropicSource = z.looseObject({ type: z.enum(['base64', 'text']) });
const anthropicPlainBlock = z.discriminatedUnion('type', [
  z.looseObject({ type: z.enum(['text', 'tool_use', 'thinking', 'redacted_thinking']) }),
  z.looseObject({ type: z.enum(['image', 'document']), source: anthropicSource }),
]);
const anthropicBlock = z.discriminatedUnion('type', [
  ...anthropicPlainBlock.options,
  z.looseObject({
    type: z.literal('tool_result'),
    content: z.union([z.string(), z.array(anthropicPlainBlock)]).optional(),
  }),
]);

const anthropicBody = z.strictObject({
  model: z.string(),
  messages: z.array(
    z.strictObject({
      role: z.enum(['user', 'assistant', 'system']),
      content: z.union([z.string(), z.array(anthropicBlock)]),
    }),
  ),
  stream: z.boolean().optional(),
  // A type other than `custom` is a tool that the provider runs.
  tools: z.array(z.looseObject({ type: z.literal('custom').optional(), name: z.string() })).optional(),
  ...fields(
    'cache_control',
    'max_tokens',
    'metadata',
    'output_config',
    'stop_sequences',
    'system',
    'temperature',
    'thinking',
    'tool_choice',
    'top_k',
    'top_p',
  ),
});

const googleFunctionResponse = z.strictObject({
  ...fields('id', 'name', 'response'),
  parts: z.array(z.strictObject(fields('inlineData'))).optional(),
});
const googlePart = z.strictObject({
  ...fields('text', 'thought', 'thoughtSignature', 'inlineData', 'functionCall'),
  functionResponse: googleFunctionResponse.optional(),
});
const googleContent = z.strictObject({ role: z.string().optional(), parts: z.array(googlePart) });

const googleBody = z.strictObject({
  contents: z.array(googleContent),
  systemInstruction: z.union([googleContent, z.string()]).optional(),
  tools: z
    .array(z.strictObject({ functionDeclarations: z.array(z.looseObject({ name: z.string() })) }))
    .optional(),
  ...fields('generationConfig', 'toolConfig', 'safetySettings'),
});

const bodySchemas = {
  'openai-completions': completionsBody,
  'openai-responses': responsesBody,
  'anthropic-messages': anthropicBody,
  'google-generative-ai': googleBody,
} as const;
