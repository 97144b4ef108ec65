import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { highlightJson } from './json-tokens.ts';

describe('highlightJson', () => {
  it('never loses or invents a character, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const tokens = highlightJson(text);
        expect(tokens.map((token) => token.text).join('')).toBe(text);
        expect(new Set(tokens.map((token) => token.start)).size).toBe(tokens.length);
      }),
    );
  });

  it('tells keys from strings, and does not look for numbers inside strings', () => {
    const kinds = highlightJson('{"a 1": "b: 2", "c": -1.5e3, "d": null}')
      .filter((token) => token.kind !== 'plain')
      .map(({ kind, text }) => `${kind} ${text}`);
    expect(kinds).toEqual([
      'key "a 1"',
      'string "b: 2"',
      'key "c"',
      'number -1.5e3',
      'key "d"',
      'literal null',
    ]);
  });
});
