import { createParser } from 'eventsource-parser';
import { z } from 'zod';
import type { ModelApi } from '#shared/models/model.ts';

/** Tokens of one answer. The counts are disjoint. */
export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Part of `cacheWrite` kept for an hour, which Anthropic bills at twice the input price. */
  readonly longCacheWrite: number;
}

/** What a response turned out to be, once it has ended. */
export interface MeterReading {
  /** Absent when the provider told nothing. */
  readonly tokens: TokenCounts | undefined;
  /** US dollars, where the provider bills and tells them itself. */
  readonly reportedCost: number | undefined;
  /** Whether more was billed than the list price of `tokens`, such as for a faster service tier. */
  readonly isDearer: boolean;
  /** Whether the answer reached its end as its API marks it. */
  readonly isComplete: boolean;
  /** An error the provider sent within the answer. */
  readonly error: string | undefined;
}

const count = z.number().nonnegative().nullish().catch(undefined);

/**
 * Reads the usage out of one answer as its bytes pass. It never holds a byte back; what it does not
 * understand it leaves out.
 */
export class ResponseMeter {
  readonly #reader: AnswerReader;
  readonly #decoder = new TextDecoder();
  readonly #parser;
  readonly #isStream: boolean;
  #document: string | undefined = '';
  #isReadable = true;

  constructor(api: ModelApi, isStream: boolean) {
    this.#reader = readers[api]();
    this.#isStream = isStream;
    this.#parser = createParser({
      maxBufferSize: MAX_EVENT_CHARACTERS,
      onEvent: ({ data }) => this.#readText(data),
      onError: ({ type }) => {
        // Past this error the parser has dropped what it held and would misread the rest.
        if (type === 'max-buffer-size-exceeded') this.#isReadable = false;
      },
    });
  }

  push(bytes: Uint8Array): void {
    if (!this.#isReadable) return;
    const text = this.#decoder.decode(bytes, { stream: true });
    if (this.#isStream) {
      this.#parser.feed(text);
      return;
    }
    this.#document += text;
    if ((this.#document?.length ?? 0) > MAX_EVENT_CHARACTERS) {
      this.#document = undefined;
      this.#isReadable = false;
    }
  }

  /** The reading, of everything that came. */
  end(): MeterReading {
    if (this.#isReadable && this.#isStream) this.#parser.feed(`${this.#decoder.decode()}\n\n`);
    else if (this.#isReadable && this.#document) this.#readText(this.#document);
    const reading = this.#reader.reading();
    // A single document needs no mark at its end: that it parsed is enough.
    return this.#isStream ? reading : { ...reading, isComplete: this.#hasParsed };
  }

  #hasParsed = false;

  #readText(text: string): void {
    if (text === '[DONE]') {
      this.#reader.done();
      return;
    }
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return;
    }
    this.#hasParsed = true;
    this.#reader.read(value, this.#isStream);
  }
}

/** No event of a provider is larger; a whole answer with images may be. */
const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024;

interface AnswerReader {
  /** Takes one event of a stream, or the whole document. */
  read(value: unknown, isStream: boolean): void;
  /** The `[DONE]` that ends OpenAI's streams. */
  done(): void;
  reading(): MeterReading;
}

const readers: Readonly<Record<ModelApi, () => AnswerReader>> = {
  'openai-completions': completionsReader,
  'openai-responses': responsesReader,
  'anthropic-messages': anthropicReader,
  'google-generative-ai': googleReader,
};

const completionsUsage = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  prompt_tokens_details: z
    .object({ cached_tokens: count, cache_write_tokens: count })
    .nullish()
    .catch(undefined),
  /** DeepSeek's and Moonshot's places for the same number. */
  prompt_cache_hit_tokens: count,
  cached_tokens: count,
  /** OpenRouter's bill, in dollars. */
  cost: count,
  is_byok: z.boolean().nullish().catch(undefined),
});

const completionsEvent = z.object({
  usage: completionsUsage.nullish().catch(undefined),
  choices: z
    .array(
      z.object({ finish_reason: z.string().nullish(), usage: completionsUsage.nullish().catch(undefined) }),
    )
    .catch([]),
  error: z.unknown().optional(),
  service_tier: z.string().nullish().catch(undefined),
});

function completionsReader(): AnswerReader {
  let usage: z.infer<typeof completionsUsage> | undefined;
  let isComplete = false;
  let isDearer = false;
  let error: string | undefined;
  return {
    read(value) {
      const event = completionsEvent.safeParse(value).data;
      if (!event) return;
      const choice = event.choices[0];
      usage = event.usage ?? choice?.usage ?? usage;
      if (choice?.finish_reason) isComplete = true;
      if (event.service_tier === 'priority') isDearer = true;
      error = errorText(event.error) ?? error;
    },
    done() {
      isComplete = true;
    },
    reading() {
      const cacheRead =
        usage?.prompt_tokens_details?.cached_tokens ??
        usage?.prompt_cache_hit_tokens ??
        usage?.cached_tokens ??
        0;
      const cacheWrite = usage?.prompt_tokens_details?.cache_write_tokens ?? 0;
      const isTold = usage !== undefined && (usage.prompt_tokens ?? usage.completion_tokens ?? null) !== null;
      return {
        tokens: isTold
          ? {
              input: Math.max(0, (usage?.prompt_tokens ?? 0) - cacheRead - cacheWrite),
              output: usage?.completion_tokens ?? 0,
              cacheRead,
              cacheWrite,
              longCacheWrite: 0,
            }
          : undefined,
        // With the author's own upstream key the figure is OpenRouter's fee alone.
        reportedCost: usage?.is_byok === true ? undefined : (usage?.cost ?? undefined),
        isDearer,
        isComplete,
        error,
      };
    },
  };
}

const responsesObject = z.object({
  status: z.string().nullish(),
  usage: z
    .object({
      input_tokens: count,
      output_tokens: count,
      input_tokens_details: z
        .object({ cached_tokens: count, cache_write_tokens: count })
        .nullish()
        .catch(undefined),
    })
    .nullish()
    .catch(undefined),
  error: z.unknown().optional(),
  service_tier: z.string().nullish().catch(undefined),
});
const responsesEvent = z.object({
  type: z.string(),
  response: responsesObject.optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  error: z.unknown().optional(),
});

function responsesReader(): AnswerReader {
  let last: z.infer<typeof responsesObject> | undefined;
  let isComplete = false;
  let error: string | undefined;
  return {
    read(value, isStream) {
      if (!isStream) {
        last = responsesObject.safeParse(value).data;
        error = errorText(last?.error);
        return;
      }
      const event = responsesEvent.safeParse(value).data;
      if (!event) return;
      if (event.type === 'error') error = event.message ?? errorText(event.error) ?? 'error';
      if (!/^response\.(completed|incomplete|failed)$/.test(event.type)) return;
      isComplete = true;
      last = event.response;
      if (event.type === 'response.failed') error = errorText(event.response?.error) ?? 'response.failed';
    },
    done() {},
    reading() {
      const usage = last?.usage;
      const cacheRead = usage?.input_tokens_details?.cached_tokens ?? 0;
      const cacheWrite = usage?.input_tokens_details?.cache_write_tokens ?? 0;
      return {
        tokens: usage
          ? {
              input: Math.max(0, (usage.input_tokens ?? 0) - cacheRead - cacheWrite),
              output: usage.output_tokens ?? 0,
              cacheRead,
              cacheWrite,
              longCacheWrite: 0,
            }
          : undefined,
        reportedCost: undefined,
        isDearer: last?.service_tier === 'priority',
        isComplete,
        error,
      };
    },
  };
}

const anthropicUsage = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
  cache_creation: z.object({ ephemeral_1h_input_tokens: count }).nullish().catch(undefined),
  service_tier: z.string().nullish().catch(undefined),
  /** Set by OpenRouter only. */
  cost: count,
  is_byok: z.boolean().nullish().catch(undefined),
});
type AnthropicUsage = z.infer<typeof anthropicUsage>;
const anthropicEvent = z.object({
  type: z.string(),
  message: z.object({ usage: anthropicUsage.nullish() }).optional().catch(undefined),
  usage: anthropicUsage.nullish().catch(undefined),
  error: z.unknown().optional(),
});

function anthropicReader(): AnswerReader {
  let usage: AnthropicUsage | undefined;
  let hasFinalUsage = false;
  let isComplete = false;
  let error: string | undefined;
  const merge = (next: AnthropicUsage | null | undefined) => {
    if (!next) return;
    // Fields that a later event leaves out keep their earlier value.
    const told = Object.entries(next).filter(([, value]) => value !== null && value !== undefined);
    usage = { ...usage, ...Object.fromEntries(told) };
  };
  return {
    read(value) {
      const event = anthropicEvent.safeParse(value).data;
      if (!event) return;
      if (event.type === 'message_start') merge(event.message?.usage);
      if (event.type === 'message_delta' || event.type === 'message') {
        merge(event.usage);
        hasFinalUsage ||= event.usage?.output_tokens !== undefined && event.usage.output_tokens !== null;
      }
      if (event.type === 'message_stop') isComplete = true;
      if (event.type === 'error') error = errorText(event.error) ?? 'error';
    },
    done() {},
    reading() {
      return {
        // The output count of `message_start` is a beginning, not a total.
        tokens:
          usage && hasFinalUsage
            ? {
                input: usage.input_tokens ?? 0,
                output: usage.output_tokens ?? 0,
                cacheRead: usage.cache_read_input_tokens ?? 0,
                cacheWrite: usage.cache_creation_input_tokens ?? 0,
                longCacheWrite: usage.cache_creation?.ephemeral_1h_input_tokens ?? 0,
              }
            : undefined,
        reportedCost: usage?.is_byok === true ? undefined : (usage?.cost ?? undefined),
        isDearer: usage?.service_tier === 'priority',
        isComplete,
        error,
      };
    },
  };
}

const googleEvent = z.object({
  usageMetadata: z
    .object({
      promptTokenCount: count,
      candidatesTokenCount: count,
      thoughtsTokenCount: count,
      cachedContentTokenCount: count,
      toolUsePromptTokenCount: count,
    })
    .nullish()
    .catch(undefined),
  candidates: z.array(z.object({ finishReason: z.string().nullish() })).catch([]),
  promptFeedback: z.object({ blockReason: z.string().nullish() }).nullish().catch(undefined),
  error: z.unknown().optional(),
});

function googleReader(): AnswerReader {
  let usage: z.infer<typeof googleEvent>['usageMetadata'];
  let isComplete = false;
  let error: string | undefined;
  return {
    read(value) {
      const event = googleEvent.safeParse(value).data;
      if (!event) return;
      usage = event.usageMetadata ?? usage;
      if (event.candidates[0]?.finishReason || event.promptFeedback?.blockReason) isComplete = true;
      error = errorText(event.error) ?? error;
    },
    done() {},
    reading() {
      const cacheRead = usage?.cachedContentTokenCount ?? 0;
      return {
        tokens:
          usage && isComplete
            ? {
                input: Math.max(
                  0,
                  (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0) - cacheRead,
                ),
                output: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
                cacheRead,
                cacheWrite: 0,
                longCacheWrite: 0,
              }
            : undefined,
        reportedCost: undefined,
        isDearer: false,
        isComplete,
        error,
      };
    },
  };
}

const errorShape = z.union([
  z.string().min(1),
  z.object({ message: z.string().min(1) }).transform(({ message }) => message),
  z.object({ error: z.string().min(1) }).transform(({ error }) => error),
  z.object({ detail: z.string().min(1) }).transform(({ detail }) => detail),
]);

/** The sentence in an error as the providers write them. */
export function errorText(value: unknown): string | undefined {
  return errorShape.safeParse(value).data;
}
