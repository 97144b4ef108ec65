import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findLink } from './deep-link.ts';

test('finds a link among the arguments of a second start, and nothing in others', () => {
  expect(findLink(['/opt/Slipway', '--flag', 'slipway://open/agent'])?.host).toBe('open');
  const strangers = [
    'slipway:',
    'slipway:open',
    'https://slipway://x',
    '--x=slipway://a',
    'slipway://[',
    `slipway://${'a'.repeat(5000)}`,
  ];
  expect(strangers.filter((text) => findLink([text]))).toEqual([]);
});

test('never throws, and gives no other scheme, whatever the system hands over', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (candidates) => {
      const link = findLink(candidates.map((text) => `slipway://${text}`));
      expect(['slipway:', undefined]).toContain(link?.protocol);
    }),
  );
});
