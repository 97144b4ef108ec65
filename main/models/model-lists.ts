import { z } from 'zod';
import type { ProviderKind } from '#shared/models/model.ts';
import type { LiveModel } from './live-model.ts';

/** One request of a listing. */
export interface ListRequest {
  /** Relative to the provider's base address, or to its origin when it begins with `origin:`. */
  readonly path: string;
  /** Models the answer names that an agent could use. @throws when the answer is no list of models. */
  read(answer: unknown): LiveModel[];
  /** Path of the next page, where the answer has one. */
  next?(answer: unknown): string | undefined;
}

/** Fields of the vendors' documents vary in type between servers; what does not fit is left out. */
const positive = z.number().int().positive().optional().catch(undefined);
const name = z.string().min(1).optional().catch(undefined);

/** Requests that list a provider's models, best first: the next is tried where one is not known there. */
export const LIST_REQUESTS: Readonly<Record<Exclude<ProviderKind, 'walkthrough'>, readonly ListRequest[]>> = {
  anthropic: [{ path: '/v1/models?limit=1000', read: readAnthropic }],
  openai: [{ path: '/models', read: readOpenAi }],
  google: [{ path: '/models?pageSize=1000', read: readGoogle, next: nextGooglePage }],
  openrouter: [{ path: '/models', read: readOpenRouter }],
  ollama: [
    { path: 'origin:/api/tags', read: readOllama },
    { path: '/models', read: readCompatible },
  ],
  lmstudio: [
    { path: 'origin:/api/v0/models', read: readLmStudio },
    { path: '/models', read: readCompatible },
  ],
  'openai-compatible': [{ path: '/models', read: readCompatible }],
};

/** Request whose answer proves a key, where the list of models is open to everyone. */
export const KEY_CHECK_PATH: Partial<Record<ProviderKind, string>> = { openrouter: '/key' };

function readAnthropic(answer: unknown): LiveModel[] {
  const { data } = z
    .object({
      data: z.array(
        z.object({ id: z.string(), display_name: name, max_input_tokens: positive, max_tokens: positive }),
      ),
    })
    .parse(answer);
  return data.map((model) =>
    defined({
      id: model.id,
      name: model.display_name,
      contextWindow: model.max_input_tokens,
      maxTokens: model.max_tokens,
    }),
  );
}

/** Kinds of OpenAI models that hold no conversation with tools. */
const OPENAI_OTHER =
  /(^|-)(audio|realtime|transcribe|tts|image|embedding|moderation|search|instruct|whisper|dall-e|sora|codex-mini)(-|$)|^(babbage|davinci|whisper|tts|dall-e|sora|text-|omni-)/;

function readOpenAi(answer: unknown): LiveModel[] {
  return idList(answer).filter(
    ({ id }) => /^(gpt-|o\d|chatgpt-|chat-|ft:)/.test(id) && !OPENAI_OTHER.test(id),
  );
}

function idList(answer: unknown): LiveModel[] {
  return z
    .object({ data: z.array(z.object({ id: z.string().min(1) })) })
    .parse(answer)
    .data.map(({ id }) => ({ id }));
}

function readGoogle(answer: unknown): LiveModel[] {
  const { models } = z
    .object({
      models: z.array(
        z.object({
          name: z.string().startsWith('models/'),
          displayName: name,
          inputTokenLimit: positive,
          outputTokenLimit: positive,
          supportedGenerationMethods: z.array(z.string()).catch([]),
          thinking: z.boolean().optional().catch(undefined),
        }),
      ),
    })
    .parse(answer);
  return models
    .filter(
      (model) =>
        model.supportedGenerationMethods.includes('generateContent') &&
        !/(embedding|image|tts|audio|veo|imagen|live|aqa)/.test(model.name),
    )
    .map((model) =>
      defined({
        id: model.name.slice('models/'.length),
        name: model.displayName,
        contextWindow: model.inputTokenLimit,
        maxTokens: model.outputTokenLimit,
        reasoning: model.thinking,
        images: true,
      }),
    );
}

function nextGooglePage(answer: unknown): string | undefined {
  const token = z.object({ nextPageToken: z.string().min(1) }).safeParse(answer).data?.nextPageToken;
  return token && `/models?pageSize=1000&pageToken=${encodeURIComponent(token)}`;
}

/** Dollars for one token, as text; a router's price is -1. */
const dollars = z.coerce.number().nonnegative().optional().catch(undefined);

function readOpenRouter(answer: unknown): LiveModel[] {
  const { data } = z
    .object({
      data: z.array(
        z.object({
          id: z.string().min(1),
          name,
          context_length: positive,
          architecture: z
            .object({
              input_modalities: z.array(z.string()).catch([]),
              output_modalities: z.array(z.string()).catch([]),
            })
            .optional()
            .catch(undefined),
          top_provider: z.object({ max_completion_tokens: positive }).optional().catch(undefined),
          supported_parameters: z.array(z.string()).catch([]),
          pricing: z
            .object({
              prompt: dollars,
              completion: dollars,
              input_cache_read: dollars,
              input_cache_write: dollars,
            })
            .optional()
            .catch(undefined),
        }),
      ),
    })
    .parse(answer);
  return data
    .filter((model) => model.supported_parameters.includes('tools'))
    .map((model) => {
      const { prompt, completion, input_cache_read, input_cache_write } = model.pricing ?? {};
      return defined({
        id: model.id,
        name: model.name,
        contextWindow: model.context_length,
        maxTokens: model.top_provider?.max_completion_tokens,
        reasoning: model.supported_parameters.includes('reasoning'),
        images: model.architecture?.input_modalities.includes('image'),
        price:
          prompt === undefined || completion === undefined
            ? undefined
            : {
                input: perMillion(prompt),
                output: perMillion(completion),
                // Without a price of its own a cached token costs what any other does.
                cacheRead: perMillion(input_cache_read ?? prompt),
                cacheWrite: perMillion(input_cache_write ?? prompt),
              },
      });
    });
}

/** Rounded to a millionth of a cent, so that 0.0000002 does not become 0.19999999999999998. */
function perMillion(dollarsForOne: number): number {
  return Math.round(dollarsForOne * 1_000_000 * 100_000_000) / 100_000_000;
}

function readOllama(answer: unknown): LiveModel[] {
  const { models } = z
    .object({
      models: z.array(
        z.object({
          model: z.string().min(1).optional().catch(undefined),
          name: z.string().min(1),
          details: z
            .object({ family: z.string().optional().catch(undefined) })
            .optional()
            .catch(undefined),
        }),
      ),
    })
    .parse(answer);
  return models
    .filter((model) => !/bert|embed/i.test(`${model.name} ${model.details?.family ?? ''}`))
    .map((model) => ({ id: model.model ?? model.name, name: model.name }));
}

function readLmStudio(answer: unknown): LiveModel[] {
  const { data } = z
    .object({
      data: z.array(
        z.object({
          id: z.string().min(1),
          type: z.string().optional().catch(undefined),
          max_context_length: positive,
          loaded_context_length: positive,
        }),
      ),
    })
    .parse(answer);
  return data
    .filter((model) => model.type !== 'embeddings')
    .map((model) =>
      defined({
        id: model.id,
        contextWindow: model.loaded_context_length ?? model.max_context_length,
        images: model.type === undefined ? undefined : model.type === 'vlm',
      }),
    );
}

const compatibleModel = z.object({
  id: z.string().min(1),
  name,
  /** vLLM and SGLang; Groq; Mistral; OpenRouter and its like; llama.cpp. */
  max_model_len: positive,
  context_window: positive,
  max_context_length: positive,
  context_length: positive,
  meta: z.object({ n_ctx: positive, n_ctx_train: positive }).optional().catch(undefined),
  max_completion_tokens: positive,
});

function readCompatible(answer: unknown): LiveModel[] {
  // Together answers with the bare list.
  const list = z.union([
    z.array(compatibleModel),
    z.object({ data: z.array(compatibleModel) }).transform(({ data }) => data),
  ]);
  return list
    .parse(answer)
    .filter(({ id }) => !/embed|whisper|rerank|(^|-)tts(-|$)/i.test(id))
    .map((model) =>
      defined({
        id: model.id,
        name: model.name,
        contextWindow:
          model.max_model_len ??
          model.context_window ??
          model.max_context_length ??
          model.context_length ??
          model.meta?.n_ctx ??
          model.meta?.n_ctx_train,
        maxTokens: model.max_completion_tokens,
      }),
    );
}

/** The object without the fields that are `undefined`. */
function defined(
  model: { [Name in keyof LiveModel]: LiveModel[Name] | undefined } & { id: string },
): LiveModel {
  return Object.fromEntries(Object.entries(model).filter(([, value]) => value !== undefined)) as LiveModel;
}
