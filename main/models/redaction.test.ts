import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactKey, StreamRedactor } from './redaction.ts';

const KEY = 'sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz';
const key = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'B', '0', '-'), minLength: 8, maxLength: 40 });

describe('redactKey', () => {
  it.each([
    [`Bad key ${KEY}.`, 'Bad key [key].'],
    [`Bad key: ${KEY.slice(0, 14)}****${KEY.slice(-4)}.`, 'Bad key: [key].'],
    [`Bad key: ${KEY.slice(0, 10)}...`, 'Bad key: [key]'],
    [`ends in ${KEY.slice(-9)}`, 'ends in [key]'],
    [`${KEY}${KEY}`, '[key][key]'],
    ['nothing to hide: sk-ant', 'nothing to hide: sk-ant'],
  ])('turns %j into %j', (text, expected) => {
    expect(redactKey(text, KEY)).toBe(expected);
  });

  it('leaves texts alone for servers that take no key, or a word', () => {
    expect(redactKey('An error in ollama', undefined)).toBe('An error in ollama');
    expect(redactKey('a b c', 'a')).toBe('a b c');
  });

  it('leaves no part of a key that would give it away', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 16 }),
        fc.string(),
        fc.string(),
        fc.nat(40),
        (secret, before, after, length) => {
          const shown = redactKey(`${before}${secret.slice(0, 8 + length)}${after}${secret}`, secret);
          expect(shown).not.toContain(secret);
        },
      ),
    );
  });
});

describe('StreamRedactor', () => {
  it('takes the key out wherever a stream is cut, and changes nothing else', () => {
    const part = fc.oneof(fc.constant('KEY'), fc.constant('START'), fc.string());
    fc.assert(
      fc.property(
        key,
        fc.array(part),
        fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
        (secret, parts, sizes) => {
          const text = parts
            .map((item) => (item === 'KEY' ? secret : item === 'START' ? secret.slice(0, 5) : item))
            .join('');
          const bytes = Buffer.from(text);
          const redactor = new StreamRedactor(secret);
          const passed: Uint8Array[] = [];
          for (let at = 0; at < bytes.length;) {
            const size = sizes.next().value as number;
            passed.push(redactor.push(bytes.subarray(at, at + size)));
            at += size;
          }
          passed.push(redactor.end());
          expect(Buffer.concat(passed).toString()).toBe(bytes.toString().replaceAll(secret, '[key]'));
        },
      ),
    );
  });

  it('holds nothing back where no key can begin', () => {
    const redactor = new StreamRedactor(KEY);
    const event = Buffer.from('data: {"choices":[]}\n\n');
    expect(redactor.push(event)).toEqual(event);
    expect(redactor.end()).toHaveLength(0);
  });
});
