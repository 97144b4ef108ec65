import { describe, expect, test } from 'vitest';
import { hasEnded, nextEnd } from './connection.ts';

describe('when accounts end by themselves', () => {
  const now = 1_000;

  test('is when the first of those ends that nobody can renew, and that has not ended yet', () => {
    const ends = [
      { renewable: false, expiresAt: 3_000 },
      { renewable: false, expiresAt: 2_000 },
      { renewable: true, expiresAt: 1_100 },
      { renewable: false, expiresAt: 900 },
      { renewable: false, expiresAt: undefined },
    ];
    expect(nextEnd(ends, now)).toBe(2_000);
  });

  test('is never for those that are renewed, do not end, or have', () => {
    expect(nextEnd([{ renewable: true, expiresAt: 2_000 }], now)).toBeUndefined();
    expect(nextEnd([{ renewable: false, expiresAt: now }], now)).toBeUndefined();
    expect(nextEnd([], now)).toBeUndefined();
  });

  test('is the moment at which one counts as ended, not the one after', () => {
    const account = { state: 'connected', renewable: false, expiresAt: 2_000 } as const;
    const end = nextEnd([account], now);
    expect(end).toBe(2_000);
    expect(hasEnded(account, 1_999)).toBe(false);
    expect(hasEnded(account, 2_000)).toBe(true);
  });
});
