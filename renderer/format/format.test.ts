import { describe, expect, it } from 'vitest';
import {
  formatBytes,
  formatCost,
  formatDuration,
  formatElapsed,
  formatOffset,
  formatRelative,
  formatTokens,
  shorten,
} from './format.ts';

describe('formatDuration', () => {
  it.each([
    [0, '0 ms'],
    [999.4, '999 ms'],
    // Rounding must not print "1000 ms" or "60.0 s".
    [999.6, '1.0 s'],
    [59_949, '59.9 s'],
    [59_960, '1 min'],
    [65_000, '1 min 05 s'],
    [3_599_700, '1 h'],
    [7_380_000, '2 h 03 min'],
    [-5, '0 ms'],
  ])('writes %d ms as %s', (milliseconds, text) => expect(formatDuration(milliseconds)).toBe(text));
});

describe('formatElapsed', () => {
  it.each([
    [59_999, '0:59'],
    [60_000, '1:00'],
    [3_727_000, '1:02:07'],
  ])('writes %d ms as %s', (milliseconds, text) => expect(formatElapsed(milliseconds)).toBe(text));
});

describe('formatOffset', () => {
  it.each([
    [-40, '0:00.0'],
    [59_990, '0:59.9'],
    [60_000, '1:00.0'],
  ])('writes %d ms as %s', (milliseconds, text) => expect(formatOffset(milliseconds)).toBe(text));
});

describe('formatBytes', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [99_940, '99.9 kB'],
    [99_960, '100 kB'],
    [999_400, '999 kB'],
    // Rounding must not print "1000 kB".
    [999_600, '1.0 MB'],
    [100_000_000, '100 MB'],
    [2_147_483_648, '2.1 GB'],
  ])('writes %d bytes as %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));
});

describe('formatTokens', () => {
  it.each([
    [999, '999'],
    [12_440, '12.4k'],
    [999_960, '1.0M'],
  ])('writes %d tokens as %s', (tokens, text) => expect(formatTokens(tokens)).toBe(text));
});

describe('formatCost', () => {
  it('never shows an unknown price as zero, and a part as a floor', () => {
    expect(formatCost({ cost: 0, pricing: 'unpriced' })).toBe('—');
    expect(formatCost({ cost: 0.01234, pricing: 'partial' })).toBe('≥ $0.0123');
    expect(formatCost({ cost: 0, pricing: 'priced' })).toBe('$0');
    expect(formatCost({ cost: 0.00001, pricing: 'priced' })).toBe('$0.0000');
  });
});

describe('formatRelative', () => {
  it('says how long ago it was in the largest unit that fits', () => {
    const now = Date.UTC(2026, 10, 30, 12);
    expect(formatRelative(now - 20_000, now)).toBe('just now');
    expect(formatRelative(now - 5 * 60_000, now)).toBe('5 minutes ago');
    expect(formatRelative(now - 26 * 3_600_000, now)).toBe('yesterday');
  });
});

describe('shorten', () => {
  it('never cuts a character in half', () => {
    expect(shorten('🚢🚢🚢', 2)).toBe('🚢…');
    expect(shorten('abc', 3)).toBe('abc');
  });
});
