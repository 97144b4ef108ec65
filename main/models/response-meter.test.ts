import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelApiSchema, type ModelApi } from '#shared/models/model.ts';
import { ResponseMeter } from './response-meter.ts';

function measure(api: ModelApi, isStream: boolean, ...texts: string[]) {
  const meter = new ResponseMeter(api, isStream);
  for (const text of texts) meter.push(Buffer.from(text));
  return meter.end();
}
const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const tokens = (input: number, output: number, cacheRead = 0, cacheWrite = 0, longCacheWrite = 0) => ({
  input,
  output,
  cacheRead,
  cacheWrite,
  longCacheWrite,
});

describe('ResponseMeter', () => {
  it.each([
    [{ prompt_tokens: 10, completion_tokens: 2 }, tokens(10, 2)],
    [
      {
        prompt_tokens: 10,
        completion_tokens: 2,
        prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 1 },
      },
      tokens(5, 2, 4, 1),
    ],
    [{ prompt_tokens: 10, completion_tokens: 2, prompt_cache_hit_tokens: 6 }, tokens(4, 2, 6)],
    [{ prompt_tokens: 10, completion_tokens: 2, cached_tokens: 6 }, tokens(4, 2, 6)],
    [
      { prompt_tokens: 3, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 9 } },
      tokens(0, 2, 9),
    ],
    [{ prompt_tokens: -5, completion_tokens: 'x' }, undefined],
    [{}, undefined],
  ])('reads the usage %j of a completion', (usage, expected) => {
    const told = measure(
      'openai-completions',
      true,
      event({ choices: [{ finish_reason: 'stop' }] }),
      event({ choices: [], usage }),
    );
    expect(told).toMatchObject({ tokens: expected, isComplete: true });
  });

  it('reads usage that stands in a choice', () => {
    const usage = { prompt_tokens: 10, completion_tokens: 2 };
    expect(
      measure('openai-completions', true, event({ choices: [{ finish_reason: 'stop', usage }] })).tokens,
    ).toEqual(tokens(10, 2));
  });

  it('takes OpenRouter’s bill, unless the author’s own key was billed', () => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, cost: 0.25 };
    const cost = (extra: object) =>
      measure('openai-completions', true, event({ choices: [], usage: { ...usage, ...extra } })).reportedCost;
    expect(cost({})).toBe(0.25);
    expect(cost({ is_byok: true })).toBeUndefined();
  });

  it('takes the last counts of Anthropic over its first', () => {
    const start = event({
      type: 'message_start',
      message: {
        usage: {
          input_tokens: 8,
          output_tokens: 1,
          cache_read_input_tokens: 5,
          cache_creation_input_tokens: 3,
          cache_creation: { ephemeral_1h_input_tokens: 2 },
        },
      },
    });
    const delta = event({ type: 'message_delta', usage: { output_tokens: 20, input_tokens: null } });
    const stop = event({ type: 'message_stop' });
    expect(measure('anthropic-messages', true, start, delta, stop)).toMatchObject({
      tokens: tokens(8, 20, 5, 3, 2),
      isComplete: true,
    });
    expect(measure('anthropic-messages', true, start)).toMatchObject({
      tokens: undefined,
      isComplete: false,
    });
    const document = JSON.stringify({ type: 'message', usage: { input_tokens: 8, output_tokens: 20 } });
    expect(measure('anthropic-messages', false, document)).toMatchObject({
      tokens: tokens(8, 20),
      isComplete: true,
    });
  });

  it('counts an incomplete and a failed response of OpenAI, and says which failed', () => {
    const response = {
      usage: { input_tokens: 10, output_tokens: 2, input_tokens_details: { cached_tokens: 4 } },
    };
    expect(measure('openai-responses', true, event({ type: 'response.incomplete', response }))).toMatchObject(
      { tokens: tokens(6, 2, 4), isComplete: true, error: undefined },
    );
    expect(
      measure(
        'openai-responses',
        true,
        event({ type: 'response.failed', response: { error: { message: 'No' } } }),
      ),
    ).toMatchObject({ isComplete: true, error: 'No' });
    expect(measure('openai-responses', true, event({ type: 'response.created', response }))).toMatchObject({
      tokens: undefined,
      isComplete: false,
    });
  });

  it('reads errors within a stream', () => {
    expect(
      measure(
        'anthropic-messages',
        true,
        'event: error\n',
        event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
      ).error,
    ).toBe('Overloaded');
    expect(measure('openai-responses', true, event({ type: 'error', message: 'No' })).error).toBe('No');
    expect(
      measure('google-generative-ai', true, event({ error: { code: 503, message: 'Busy' } })).error,
    ).toBe('Busy');
  });

  it('does not need a blank line after the last event', () => {
    expect(measure('openai-completions', true, 'data: [DONE]').isComplete).toBe(true);
  });

  it('throws on nothing, and gives only counts that can be added', () => {
    const anything = fc.oneof(
      fc.json(),
      fc.string(),
      fc.json().map((json) => `data: ${json}\n\n`),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...modelApiSchema.options),
        fc.boolean(),
        fc.array(anything),
        (api, isStream, texts) => {
          const { tokens: counts } = measure(api, isStream, ...texts);
          for (const value of Object.values(counts ?? {})) expect(value).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });
});
