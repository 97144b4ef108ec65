import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MeterReading } from './response-meter.ts';
import { costOf, UsageLedger } from './usage-ledger.ts';

const prices = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75, tiers: [] };
const dearer = { inputTokensAbove: 200_000, input: 6, output: 22.5, cacheRead: 0.6, cacheWrite: 7.5 };
const dearest = { inputTokensAbove: 500_000, input: 12, output: 45, cacheRead: 1.2, cacheWrite: 15 };
const tokens = { input: 1000, output: 100, cacheRead: 2000, cacheWrite: 400, longCacheWrite: 0 };

function reading(change: Partial<MeterReading> = {}): MeterReading {
  return { tokens, reportedCost: undefined, isDearer: false, isComplete: true, error: undefined, ...change };
}

describe('costOf', () => {
  it('bills each of the four counts at its price', () => {
    expect(costOf(tokens, prices)).toBeCloseTo((3000 + 1500 + 600 + 1500) / 1e6, 12);
    expect(costOf({ ...tokens, longCacheWrite: 100 }, prices)).toBeCloseTo(
      (3000 + 1500 + 600 + 1125 + 600) / 1e6,
      12,
    );
  });

  it('bills all of a long request at the price of its tier, whatever their order', () => {
    const cost = (input: number) =>
      costOf(
        { input, output: 0, cacheRead: 0, cacheWrite: 0, longCacheWrite: 0 },
        { ...prices, tiers: [dearest, dearer] },
      );
    expect([200_000, 200_001, 500_001].map((input) => cost(input) / (input / 1e6))).toEqual([
      expect.closeTo(3),
      expect.closeTo(6),
      expect.closeTo(12),
    ]);
  });
});

describe('UsageLedger', () => {
  const run = (known: typeof prices | undefined, ...readings: MeterReading[]) => {
    const ledger = new UsageLedger(known);
    for (const item of readings) ledger.beginAnswer()(item);
    return ledger.usage;
  };

  it.each([
    ['priced', prices, [reading()]],
    ['priced', prices, []],
    ['unpriced', undefined, []],
    ['unpriced', undefined, [reading()]],
    ['unpriced', undefined, [reading({ tokens: undefined })]],
    ['partial', prices, [reading(), reading({ tokens: undefined })]],
    ['partial', prices, [reading({ isDearer: true })]],
    ['priced', undefined, [reading({ reportedCost: 0.5 })]],
    ['partial', undefined, [reading({ reportedCost: 0.5 }), reading()]],
  ] as const)('is %s with prices %j', (expected, known, readings) => {
    expect(run(known, ...readings).pricing).toBe(expected);
  });

  it('takes the provider’s own bill over the list', () => {
    expect(run(prices, reading({ reportedCost: 0.5 })).cost).toBe(0.5);
  });

  it('is a floor while an answer is under way, and counts a refusal without a bill', () => {
    const ledger = new UsageLedger(prices);
    ledger.addRefusal();
    expect(ledger.usage).toMatchObject({ modelRequests: 1, cost: 0, pricing: 'priced' });
    const finish = ledger.beginAnswer();
    expect(ledger.usage).toMatchObject({ modelRequests: 2, pricing: 'partial' });
    finish(reading());
    expect(ledger.usage.pricing).toBe('priced');
  });

  it('never goes down', () => {
    const counts = fc.record({
      input: fc.nat(),
      output: fc.nat(),
      cacheRead: fc.nat(),
      cacheWrite: fc.nat(),
      longCacheWrite: fc.constant(0),
    });
    fc.assert(
      fc.property(fc.array(fc.option(counts, { nil: undefined })), (all) => {
        const ledger = new UsageLedger(prices);
        let before = ledger.usage;
        for (const item of all) {
          ledger.beginAnswer()(reading({ tokens: item }));
          const after = ledger.usage;
          expect(after.cost).toBeGreaterThanOrEqual(before.cost);
          expect(after.inputTokens).toBeGreaterThanOrEqual(before.inputTokens);
          before = after;
        }
      }),
    );
  });
});
