import fc from 'fast-check';
import { expect, it } from 'vitest';
import { hideSecrets, hideSecretsInPassing } from './text-bytes.ts';

const SECRETS = new Map([
  ['secret-token-1-and-more', 'refresh'],
  ['secret-token-1', 'access_token'],
  ['p/ss w"rd-12', 'password'],
  ['short', 'too_short'],
]);

const part = fc.oneof(
  fc.constantFrom(...SECRETS.keys(), 'secret-token-', encodeURIComponent('p/ss w"rd-12'), 'p/ss w\\"rd-12'),
  fc.string({ maxLength: 12 }),
);

it('hides in pieces what it hides in the whole, wherever the pieces end', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(part, { maxLength: 8 }),
      fc.array(fc.nat({ max: 40 }), { maxLength: 12 }),
      async (parts, lengths) => {
        const bytes = Buffer.from(parts.join(''));
        const pieces: Buffer[] = [];
        let start = 0;
        for (const length of lengths) pieces.push(bytes.subarray(start, (start += length)));
        pieces.push(bytes.subarray(start));
        const passed: Buffer[] = [];
        const source = (async function* () {
          yield* pieces;
        })();
        for await (const piece of hideSecretsInPassing(source, SECRETS)) passed.push(piece);
        const whole = hideSecrets({ pieces: [bytes], size: bytes.length }, SECRETS);
        expect(Buffer.concat(passed).toString()).toBe(Buffer.concat(whole.pieces).toString());
      },
    ),
  );
});
