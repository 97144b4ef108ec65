import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText } from '../mcp/hidden-text.ts';
import { fencedJson } from './fenced-json.ts';

const contentOf = (fenced: string) => fenced.split('\n').slice(1, -1).join('\n');

describe('a value between fences', () => {
  it('is the same value, with nothing that is not seen and no mark of a platform', () => {
    const marks = fc.constantFrom(
      '<|im_start|>',
      '</system>',
      '[INST]',
      '<<SYS>>',
      '[api_call status=200]',
      'appstrate://api-response/',
      '\u200B',
      '\u202E',
      '\uD800',
      '\u{E0041}',
      '\\',
      '"',
      '`'.repeat(7),
      '<',
      '|',
    );
    const text = fc.array(fc.oneof(marks, fc.string({ maxLength: 4 })), { maxLength: 8 });
    fc.assert(
      fc.property(
        text.map((parts) => parts.join('')),
        (content) => {
          const fenced = fencedJson({ [content]: [content] });
          const json = contentOf(fenced);
          expect(JSON.parse(json)).toEqual({ [content]: [content] });
          expect(cleanText(json)).toBe(json);
          expect(json).not.toContain(fenced.split('\n').at(-1));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is not a hundred times as long for its line breaks', () => {
    const deep = JSON.parse(`${'['.repeat(60)}${'1,'.repeat(20_000)}1${']'.repeat(60)}`) as unknown;
    expect(fencedJson(deep).length).toBeLessThan(50_000);
    expect(fencedJson({ a: [1, { b: 2 }] })).toContain('\n  "a": [');
  });

  it('may have any number of back-ticks', () => {
    expect(fencedJson('` '.repeat(400_000)).startsWith('```json\n')).toBe(true);
  });
});
