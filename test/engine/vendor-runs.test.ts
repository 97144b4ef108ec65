import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ProviderKind } from '#shared/models/model.ts';
import {
  cut,
  error,
  page,
  refuseKey,
  silence,
  stall,
  startModelProvider,
  stream,
  type Behaviour,
  type ModelProvider,
} from '#test/peers/model-provider.ts';
import { WholeApplication } from '#test/support/whole-application.ts';

/** A key that the strict fakes take in the vendor's own header only. */
const KEY = 'sk-a-key-of-the-vendors-tests';

interface Vendor {
  readonly kind: ProviderKind & ('anthropic' | 'google' | 'openai');
  readonly modelId: string;
  /** A turn with one call of `bash`, as the vendor streams it. */
  readonly call: readonly unknown[];
  /** A turn with one text and no call. */
  readonly text: readonly unknown[];
  /** How the vendor says that it is overloaded, before it streams. */
  readonly overloaded: Behaviour;
  /** The code that follows from it. */
  readonly overloadedCode: string;
}

const COMMAND = 'echo "from the sandbox: $((6 * 7))"';

function messages(content: object, delta: object, stopReason: string): unknown[] {
  return [
    {
      type: 'message_start',
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [],
        usage: { input_tokens: 10, output_tokens: 1 },
      },
    },
    { type: 'content_block_start', index: 0, content_block: content },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: stopReason }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ];
}

function generated(part: object): unknown[] {
  return [
    {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    },
  ];
}

const vendors: readonly Vendor[] = [
  {
    kind: 'anthropic',
    modelId: 'claude-sonnet-4-5',
    call: messages(
      { type: 'tool_use', id: 'toolu_1', name: 'bash', input: {} },
      { type: 'input_json_delta', partial_json: JSON.stringify({ command: COMMAND }) },
      'tool_use',
    ),
    text: messages({ type: 'text', text: '' }, { type: 'text_delta', text: 'Done.' }, 'end_turn'),
    overloaded: error(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    overloadedCode: 'model_server_error',
  },
  {
    kind: 'google',
    modelId: 'gemini-2.5-flash',
    call: generated({ functionCall: { name: 'bash', args: { command: COMMAND } } }),
    text: generated({ text: 'Done.' }),
    overloaded: error(429, { error: { code: 429, message: 'Overloaded', status: 'RESOURCE_EXHAUSTED' } }),
    overloadedCode: 'model_rate_limited',
  },
];

describe.each(vendors)('a run on $kind', (vendor) => {
  const { kind, modelId, call, text, overloaded, overloadedCode } = vendor;
  const [head] = text;
  const failures: [string, Behaviour, string, RegExp][] = [
    ['refuses the key', refuseKey(kind), 'model_key_refused', /40[01]/],
    ['is overloaded', overloaded, overloadedCode, /Overloaded/],
    [
      'has a fault',
      error(500, { error: { type: 'api_error', message: 'Oh no' } }),
      'model_server_error',
      /500/,
    ],
    ['answers a web page', page(200), 'model_failed', /web page/],
    ['breaks off', cut(...(kind === 'google' ? [] : [head])), 'model_failed', /broke|cut|ended/],
    ['says nothing at all', silence, 'model_failed', /sent nothing until the time limit/],
    [
      'says nothing any more',
      stall(...(kind === 'google' ? [] : [head])),
      'model_failed',
      /nothing more|stopped|silent|went on/,
    ],
  ];

  const stack = new AsyncDisposableStack();
  const applications = new Map<string, { whole: WholeApplication; runId: string }>();
  /** An application of its own for each, since a vendor has one address. */
  async function start(
    does: string,
    behaviours: readonly Behaviour[],
    timeouts = true,
  ): Promise<ModelProvider> {
    const provider = stack.use(await startModelProvider({ vendor: kind, key: KEY }));
    provider.answer(...behaviours);
    const whole = stack.use(
      await WholeApplication.open({
        modelAddresses: { [kind]: provider.baseUrl },
        ...(timeouts && { modelTimeouts: { headersMs: 600, idleMs: 600 } }),
      }),
    );
    await whole.application.secrets.keepInMemory();
    const { id: providerId } = await whole.application.models.save({ kind, key: KEY });
    const runId = await whole.start(await whole.writeAgent(), { providerId, modelId });
    applications.set(does, { whole, runId });
    return provider;
  }
  async function ended(does: string) {
    const { whole, runId } = applications.get(does) ?? {};
    if (!whole || runId === undefined) throw new Error(`No run was started that ${does}.`);
    const { detail, events } = await whole.record(runId);
    expect(events.at(-1)?.data).toMatchObject({ type: 'run.ended', status: detail.summary.status });
    // The verdict waits for no engine that is slow to remove things.
    const left = async () => [...(await whole.containers()).values(), ...(await whole.volumes())];
    await vi.waitFor(async () => expect(await left()).toEqual([]), { timeout: 30_000, interval: 200 });
    expect(JSON.stringify([detail, events])).not.toContain(KEY);
    return { ...detail.summary, events: events.map(({ data }) => data) };
  }
  let working: ModelProvider;
  beforeAll(async () => {
    // The first builds the image where it is not there yet; the others then find it.
    working = await start('works', [stream(...call), stream(...text)], false);
    await ended('works');
    // One application after another, since each sets this process's variables; their runs overlap.
    for (const [does, behaviour] of failures) await start(does, [behaviour]);
  });
  afterAll(() => stack.disposeAsync());

  it('plays the loop in its own wire format', async () => {
    const { status, usage, events } = await ended('works');
    expect(status).toBe('success');
    expect(usage).toMatchObject({ modelRequests: 2, inputTokens: 20, outputTokens: 10 });
    expect(JSON.stringify(events)).toContain('from the sandbox: 42');
    // The result reached the vendor in its own form too: the fake takes no other.
    expect(working.requests.at(-1)?.body).toContain('from the sandbox: 42');
  });

  it.each(failures)('that %s ends with a reason', async (does, _behaviour, code, reason) => {
    const { status, problem } = await ended(does);
    expect(status).toBe('failed');
    expect(problem?.code).toBe(code);
    expect(problem?.detail).toMatch(reason);
    expect(problem?.action).toBeTruthy();
  });

  it('that is silent until the time is up ends with the model named', async () => {
    const provider = stack.use(await startModelProvider({ vendor: kind, key: KEY }));
    provider.answer(silence);
    await using whole = await WholeApplication.open({ modelAddresses: { [kind]: provider.baseUrl } });
    await whole.application.secrets.keepInMemory();
    const { id: providerId } = await whole.application.models.save({ kind, key: KEY });
    const runId = await whole.start(await whole.writeAgent(), { providerId, modelId }, 3);
    const { detail } = await whole.record(runId);
    expect(detail.summary.status).toBe('timed_out');
    expect(detail.summary.problem?.detail).toContain(`${detail.summary.modelName} had sent nothing for`);
  });
});
