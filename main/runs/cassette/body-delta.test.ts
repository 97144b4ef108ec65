import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyDelta, deltaOf } from './body-delta.ts';

describe('what a request has anew', () => {
  test('gives the request again with the one before it, whatever the two are', () => {
    const bytes = fc.uint8Array({ maxLength: 40 }).map((value) => Buffer.from(value));
    fc.assert(
      fc.property(bytes, bytes, bytes, bytes, (start, one, other, end) => {
        const previous = Buffer.concat([start, one, end]);
        const next = Buffer.concat([start, other, end]);
        expect(applyDelta(previous, deltaOf(previous, next))).toEqual(next);
      }),
    );
  });

  test('is only what was added to a conversation between its head and its tools', () => {
    const turns = (count: number) =>
      Buffer.from(
        JSON.stringify({ messages: Array(count).fill('x'.repeat(1000)), tools: ['y'.repeat(5000)] }),
      );
    expect(deltaOf(turns(20), turns(21)).middle.length).toBeLessThan(1100);
  });

  test('is refused over a request that is too short to be the one before', () => {
    const delta = deltaOf(Buffer.from('abcdef'), Buffer.from('abcXdef'));
    expect(() => applyDelta(Buffer.from('abc'), delta)).toThrow(RangeError);
  });
});
