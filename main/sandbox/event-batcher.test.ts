import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SandboxEvent } from '#shared/events/run-event.ts';
import { EventBatcher } from './event-batcher.ts';

const delta = (text: string, turn = 1): SandboxEvent => ({
  type: 'message.delta',
  turn,
  channel: 'text',
  text,
});
const progress = (callId: string, text: string): SandboxEvent => ({ type: 'tool.progress', callId, text });
const turn = (number: number): SandboxEvent => ({ type: 'turn.started', turn: number });

/** A reader that takes a batch only when told to. */
function slowReader() {
  const batches: SandboxEvent[][] = [];
  let release: () => void = () => undefined;
  const batcher = new EventBatcher((batch) => {
    batches.push(batch);
    return new Promise((resolve) => {
      release = resolve;
    });
  });
  return { batcher, batches, release: () => release() };
}

describe('EventBatcher', () => {
  it('loses nothing, keeps the order, and says each text once', async () => {
    const event = fc.oneof(
      fc
        .record({ text: fc.string({ minLength: 1 }), turn: fc.integer({ min: 1, max: 2 }) })
        .map((value) => delta(value.text, value.turn)),
      fc.tuple(fc.constantFrom('a', 'b'), fc.string()).map(([callId, text]) => progress(callId, text)),
      fc.integer({ min: 1, max: 9 }).map(turn),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(event, fc.boolean())), async (events) => {
        const sent: SandboxEvent[] = [];
        using batcher = new EventBatcher(async (batch) => {
          await Promise.resolve();
          sent.push(...batch);
        });
        for (const [one, pause] of events) {
          batcher.add(one);
          if (pause) await Promise.resolve();
        }
        await batcher.flush();
        const given = events.map(([one]) => one);
        const read = (list: SandboxEvent[], number: number) =>
          list.map((one) => (one.type === 'message.delta' && one.turn === number ? one.text : '')).join('');
        expect(read(sent, 1)).toBe(read(given, 1));
        expect(read(sent, 2)).toBe(read(given, 2));
        const rest = (list: SandboxEvent[]) => list.filter((one) => one.type === 'turn.started');
        expect(rest(sent)).toEqual(rest(given));
        const last = (list: SandboxEvent[]) =>
          ['a', 'b'].map((callId) =>
            list.findLast((one) => one.type === 'tool.progress' && one.callId === callId),
          );
        expect(last(sent)).toEqual(last(given));
      }),
    );
  });

  it('gathers while a batch is on its way, so that a slow reader gets fewer and fuller ones', async () => {
    const { batcher, batches, release } = slowReader();
    batcher.add(turn(1));
    await Promise.resolve();
    for (let index = 0; index < 1000; index += 1) {
      batcher.add(delta('x'));
      batcher.add(progress('a', `${index}`));
    }
    const flushed = batcher.flush();
    release();
    await new Promise(setImmediate);
    release();
    await flushed;
    expect(batches).toHaveLength(2);
    expect(batches[1]?.filter((event) => event.type === 'tool.progress')).toEqual([progress('a', '999')]);
  });

  it('waits with a delta and not with the end of a turn', async () => {
    const batches: SandboxEvent[][] = [];
    using batcher = new EventBatcher(async (batch) => void batches.push(batch));
    batcher.add(delta('a'));
    batcher.add(delta('b'));
    await Promise.resolve();
    expect(batches).toEqual([]);
    batcher.add(turn(2));
    await new Promise(setImmediate);
    expect(batches).toEqual([[delta('ab'), turn(2)]]);
  });

  it('never makes a message much longer than its limit', async () => {
    const sizes: number[] = [];
    using batcher = new EventBatcher(async (batch) => void sizes.push(JSON.stringify(batch).length));
    for (let index = 0; index < 100; index += 1) {
      batcher.add({ type: 'message.ended', turn: 1, text: 'x'.repeat(100_000), stopReason: 'stop' });
    }
    await batcher.flush();
    expect(Math.max(...sizes)).toBeLessThan(1_200_000);
    expect(sizes.length).toBeGreaterThan(9);
  });
});
