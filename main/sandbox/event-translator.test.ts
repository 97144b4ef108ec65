import type { AgentSessionEvent } from '@earendil-works/pi-coding-agent';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sandboxEventSchema } from '#shared/events/run-event.ts';
import { EventTranslator, showResult } from './event-translator.ts';

function translator(now = () => 0) {
  return new EventTranslator({
    sourceOf: (tool) => (tool === 'bash' ? 'sandbox' : 'other'),
    contextWindow: 1000,
    shownResultBytes: 100,
    now,
  });
}

/** Pi's events as this program gets them; what is left out of their types is not read. */
function piEvent(event: { type: string } & Record<string, unknown>): AgentSessionEvent {
  return event as unknown as AgentSessionEvent;
}

function assistant(content: unknown[], rest: Record<string, unknown> = {}) {
  const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
  return { role: 'assistant', content, stopReason: 'stop', usage, ...rest };
}

describe('EventTranslator', () => {
  it('counts turns over the whole run, retries and later prompts included', () => {
    const events = translator();
    const turns = Array.from({ length: 3 }, () => events.translate(piEvent({ type: 'turn_start' })));
    expect(turns.flat()).toEqual([1, 2, 3].map((turn) => ({ type: 'turn.started', turn })));
    expect(events.turns).toBe(3);
  });

  it('reports a message with its text, its thinking and its error', () => {
    const events = translator();
    events.translate(piEvent({ type: 'turn_start' }));
    const content = [
      { type: 'thinking', thinking: 'Hm. ' },
      { type: 'text', text: 'One' },
      { type: 'toolCall', id: 'x', name: 'bash', arguments: {} },
      { type: 'text', text: ' two' },
    ];
    const message = assistant(content, { stopReason: 'error', errorMessage: 'It broke' });
    expect(events.translate(piEvent({ type: 'message_end', message }))).toEqual([
      {
        type: 'message.ended',
        turn: 1,
        text: 'One two',
        thinking: 'Hm. ',
        stopReason: 'error',
        errorMessage: 'It broke',
      },
    ]);
    expect(events.lastMessage).toMatchObject({ stopReason: 'error', errorMessage: 'It broke' });
    expect(
      events.translate(piEvent({ type: 'message_end', message: { role: 'user', content: 'x' } })),
    ).toEqual([]);
  });

  it('lets no model flood the record with one message', () => {
    const events = translator();
    events.translate(piEvent({ type: 'turn_start' }));
    const update = { type: 'text_delta', delta: 'y'.repeat(100_000) };
    const deltas = Array.from({ length: 10 }, () =>
      events.translate(piEvent({ type: 'message_update', assistantMessageEvent: update })),
    ).flat();
    const total = deltas.reduce(
      (sum, event) => sum + (event.type === 'message.delta' ? event.text.length : 0),
      0,
    );
    expect(total).toBe(256 * 1024);
    const message = assistant([{ type: 'text', text: 'y'.repeat(1_000_000) }]);
    expect(JSON.stringify(events.translate(piEvent({ type: 'message_end', message }))).length).toBeLessThan(
      270_000,
    );
  });

  it('measures a tool and reports what it was', () => {
    let time = 5;
    const events = translator(() => time);
    events.translate(piEvent({ type: 'turn_start' }));
    const call = { toolCallId: 'c', toolName: 'bash' };
    expect(
      events.translate(piEvent({ type: 'tool_execution_start', ...call, args: { command: 'ls' } })),
    ).toEqual([
      {
        type: 'tool.started',
        turn: 1,
        callId: 'c',
        tool: 'bash',
        source: 'sandbox',
        arguments: { command: 'ls' },
      },
    ]);
    time = 12;
    const result = { content: [{ type: 'text', text: 'é'.repeat(100) }], details: {} };
    expect(
      events.translate(piEvent({ type: 'tool_execution_end', ...call, result, isError: false })),
    ).toEqual([
      {
        type: 'tool.ended',
        callId: 'c',
        tool: 'bash',
        isError: false,
        content: [{ type: 'text', text: 'é'.repeat(50) }],
        truncated: true,
        bytes: 200,
        estimatedTokens: 29,
        durationMs: 7,
      },
    ]);
  });

  it('shows the end of what a tool prints', () => {
    const content = [{ type: 'text', text: `${'a'.repeat(5000)}the end` }];
    const [event] = translator().translate(
      piEvent({
        type: 'tool_execution_update',
        toolCallId: 'c',
        toolName: 'bash',
        partialResult: { content },
      }),
    );
    expect(event).toMatchObject({
      type: 'tool.progress',
      callId: 'c',
      text: expect.stringMatching(/^a{2041}the end$/),
    });
  });

  it('reports a compaction that happened, and none that did not', () => {
    const end = { type: 'compaction_end', reason: 'threshold', aborted: false, willRetry: false };
    const result = { summary: '', firstKeptEntryId: '', tokensBefore: 900, estimatedTokensAfter: 200 };
    expect(translator().translate(piEvent({ ...end, result }))).toEqual([
      { type: 'context.compacted', reason: 'threshold', tokensBefore: 900, tokensAfter: 200 },
    ]);
    expect(translator().translate(piEvent({ ...end, result: undefined }))).toEqual([]);
  });

  it('makes valid events of the strangest usage', () => {
    const number = fc.oneof(fc.double(), fc.constantFrom(undefined, null));
    const usage = fc.record({ input: number, output: number, cacheRead: number, cacheWrite: number });
    fc.assert(
      fc.property(usage, (value) => {
        const events = translator();
        events.translate(piEvent({ type: 'turn_start' }));
        const message = assistant([], { usage: value });
        for (const event of events.translate(piEvent({ type: 'turn_end', message, toolResults: [] }))) {
          expect(sandboxEventSchema.safeParse(event)).toMatchObject({ success: true });
        }
      }),
    );
  });
});

describe('showResult', () => {
  const block = fc.oneof(
    fc.string({ unit: 'grapheme' }).map((text) => ({ type: 'text', text })),
    fc.base64String().map((data) => ({ type: 'image', data, mimeType: 'image/png' })),
    fc.constantFrom({ type: 'unknown' }, null),
  );

  it('keeps within its bytes and tells the true size', () => {
    fc.assert(
      fc.property(fc.array(block), fc.nat(200), (content, maxBytes) => {
        const shown = showResult({ content, details: undefined }, maxBytes);
        const texts = content.flatMap((one) => (one !== null && 'text' in one ? [one.text] : []));
        const images = content.flatMap((one) => (one !== null && 'data' in one ? [one.data] : []));
        const whole =
          Buffer.byteLength(texts.join('')) +
          images.reduce((sum, data) => sum + Buffer.from(data, 'base64').length, 0);
        expect(shown.bytes).toBe(whole);
        const shownBytes = shown.content.reduce(
          (sum, one) => sum + (one.type === 'text' ? Buffer.byteLength(one.text) : 0),
          0,
        );
        expect(shownBytes).toBeLessThanOrEqual(maxBytes);
        expect(shown.truncated).toBe(shownBytes < Buffer.byteLength(texts.join('')));
      }),
    );
  });

  it.each([undefined, null, 'a plain text', { content: 'text' }, { content: [undefined] }])(
    'takes %j for nothing',
    (result) => {
      expect(showResult(result, 100)).toEqual({
        content: [],
        truncated: false,
        bytes: 0,
        estimatedTokens: 0,
      });
    },
  );

  it('names the resources a result refers to', () => {
    const details = { resources: [{ uri: 'file:///a', title: 'A' }, { uri: 'file:///b' }] };
    expect(showResult({ content: [], details }, 100).content).toEqual([
      { type: 'resource', uri: 'file:///a', title: 'A' },
      { type: 'resource', uri: 'file:///b' },
    ]);
  });
});
