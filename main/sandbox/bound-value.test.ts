import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundValue, cutWithMark } from './bound-value.ts';

function textBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, part) => sum + textBytes(part), 0);
}

describe('boundValue', () => {
  it('leaves alone what fits', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(boundValue(value, 1_000_000)).toEqual(value);
      }),
    );
  });

  it('keeps the texts of any value within the limit, marks aside', () => {
    const value = fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' });
    fc.assert(
      fc.property(value, fc.integer({ min: 0, max: 200 }), (json, maxBytes) => {
        const withoutMarks = JSON.parse(
          JSON.stringify(boundValue(json, maxBytes)).replaceAll(/… \[\d+ more bytes not shown\]/g, ''),
        ) as unknown;
        expect(textBytes(withoutMarks)).toBeLessThanOrEqual(maxBytes);
      }),
    );
  });

  it('cuts the long text and keeps the short one, in whatever order they come', () => {
    const content = 'x'.repeat(100_000);
    expect(boundValue({ content, path: 'outputs/a.txt' }, 1000)).toEqual({
      content: expect.stringMatching(/^x{987}… \[99013 more bytes not shown\]$/),
      path: 'outputs/a.txt',
    });
  });

  it('ends, and stays small, with what has no end of parts or depth', () => {
    let deep: unknown = 'bottom';
    for (let level = 0; level < 10_000; level += 1) deep = { deep };
    const wide = Array.from({ length: 100_000 }, (_, index) => index);
    const bounded = boundValue({ deep, wide, keys: { ['k'.repeat(10_000)]: 1 } }, 1000);
    expect(JSON.stringify(bounded).length).toBeLessThan(20_000);
    expect(JSON.stringify(bounded)).toContain('more not shown');
    expect(JSON.stringify(bounded)).toContain('too deep');
  });

  it('takes an own key of a dangerous name for what it is', () => {
    const value = JSON.parse('{"__proto__":{"polluted":true}}') as unknown;
    const bounded = boundValue(value, 100) as object;
    expect(JSON.stringify(bounded)).toBe('{"__proto__":{"polluted":true}}');
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('cutWithMark', () => {
  it('says how much is missing', () => {
    expect(cutWithMark('ééé', 5)).toBe('éé… [2 more bytes not shown]');
    expect(cutWithMark('ééé', 6)).toBe('ééé');
  });
});
