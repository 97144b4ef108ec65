import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cutText, utf8Length } from './cut-text.ts';

const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }));

it('counts the bytes an encoder makes, lone surrogates included', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(utf8Length(text)).toBe(Buffer.byteLength(text));
    }),
  );
  for (const text of ['\uD83D', '\uDEA2\uD83D', 'a\uD83Dé', '\uD83D\uD83D\uDEA2']) {
    expect(utf8Length(text)).toBe(Buffer.byteLength(text));
  }
});

it('cuts to the longest beginning that fits, within no character', () => {
  fc.assert(
    fc.property(anyText, fc.nat(40), (text, maxBytes) => {
      const cut = cutText(text, maxBytes);
      expect(text.startsWith(cut.text)).toBe(true);
      expect(Buffer.byteLength(cut.text)).toBeLessThanOrEqual(maxBytes);
      expect(cut.isCut).toBe(cut.text !== text);
      expect(cut.bytes).toBe(Buffer.byteLength(text));
      const rest = text.slice(cut.text.length);
      const next = rest === '' ? 'x'.repeat(maxBytes + 1) : String.fromCodePoint(rest.codePointAt(0) ?? 0);
      expect(Buffer.byteLength(cut.text + next)).toBeGreaterThan(maxBytes);
      expect(/^[\uDC00-\uDFFF]/.test(rest) && /[\uD800-\uDBFF]$/.test(cut.text)).toBe(false);
    }),
  );
});
