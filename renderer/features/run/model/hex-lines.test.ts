import { expect, it } from 'vitest';
import { hexLines } from './hex-lines.ts';

it('shows whole and half lines in one shape, and no byte that would break it', () => {
  const bytes = Uint8Array.from([
    ...new TextEncoder().encode('%PDF-1.7\n'),
    0,
    255,
    127,
    31,
    32,
    126,
    128,
    65,
  ]);
  const [first = '', second = ''] = hexLines(bytes).split('\n');
  expect(first).toBe('00000000  25 50 44 46 2d 31 2e 37  0a 00 ff 7f 1f 20 7e 80  %PDF-1.7..... ~.');
  expect(second).toBe(`00000010  ${'41'.padEnd(48)}  A`);
  expect(hexLines(new Uint8Array())).toBe('');
});
