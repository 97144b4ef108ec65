import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8Length } from '../text/cut-text.ts';
import { cleanText, hasHiddenText } from './hidden-text.ts';
import {
  canonicalText,
  cleanMeta,
  cleanTool,
  cleanTools,
  DESCRIPTION_BYTES,
  PARAMETER_DESCRIPTION_BYTES,
  SCHEMA_BYTES,
} from './server-tool.ts';

const schema = { type: 'object', properties: { city: { type: 'string', description: 'Where' } } };
const HIDDEN = ['\u202E', '\u200B', '\u{E0041}', '\u0007', '\uFEFF', '\u2066', '\uD800', '\uE000'];

function cleaned(tool: object) {
  const result = cleanTool({ name: 'weather', inputSchema: schema, ...tool });
  if (!result.ok) throw new Error(result.reason);
  return result.tool;
}

function reasonOf(tool: object): string | undefined {
  const result = cleanTool({ name: 'weather', inputSchema: schema, ...tool });
  return result.ok ? undefined : result.reason;
}

describe('texts of others', () => {
  it('lose what is not seen and keep what is', () => {
    for (const hidden of HIDDEN) expect(cleanText(`a${hidden}b`)).toBe('ab');
    expect(cleanText('Zürich\n\t東京 🚀 é')).toBe('Zürich\n\t東京 🚀 é');
  });

  it('lose marks that only a platform writes, however they are nested', () => {
    expect(cleanText('a<|im_start|>b')).toBe('ab');
    expect(cleanText('<|im_<|x|>end|>')).toBe('');
    expect(cleanText('<sys<system>tem>now')).toBe('now');
    expect(cleanText('[INST]x[/INST] <system>y</system>')).toBe('x y');
    expect(cleanText('[api_call status=200] ok')).toBe(' ok');
    expect(cleanText('at appstrate://api-response/run/01')).toBe('at run/01');
    expect(cleanText('a < b | c > d [see x]')).toBe('a < b | c > d [see x]');
  });

  it('are clean once cleaned, whatever they were', () => {
    const part = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        ...HIDDEN,
        '<|',
        '|>',
        '<system>',
        '[INST]',
        '[api_call status=',
        ']',
        '\r\n',
        '<',
        '>',
      ),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const once = cleanText(parts.join(''));
        expect(hasHiddenText(once)).toBe(false);
        expect(cleanText(once)).toBe(once);
      }),
    );
  });
});

describe('a tool of a server', () => {
  it('keeps what it means and loses what only the platform says', () => {
    const tool = cleaned({
      title: 'Weather',
      description: 'Tells\u202E the weather',
      annotations: { readOnlyHint: true, other: 'x', title: 'W\u200Beather' },
      icons: [{ src: 'https://tracker.example/1.png' }],
      _meta: { 'dev.appstrate/api-call': { tool_key: 'api_call' }, 'slipway/tool-source': 'runtime' },
    });
    expect(tool).toEqual({
      name: 'weather',
      title: 'Weather',
      description: 'Tells the weather',
      annotations: { readOnlyHint: true, title: 'Weather' },
      inputSchema: schema,
    });
  });

  it('is cut to its limits, never within a character', () => {
    const long = 'é'.repeat(5_000);
    const tool = cleaned({
      description: long,
      inputSchema: { type: 'object', properties: { a: { type: 'string', description: long } } },
    });
    expect(utf8Length(tool.description ?? '')).toBe(DESCRIPTION_BYTES);
    const { a } = tool.inputSchema['properties'] as { a: { description: string } };
    expect(utf8Length(a.description)).toBe(PARAMETER_DESCRIPTION_BYTES);
  });

  it('is refused when its schema is a bomb', () => {
    let deep: object = { type: 'string' };
    for (let depth = 0; depth < 5_000; depth += 1) deep = { type: 'array', items: deep };
    expect(reasonOf({ inputSchema: { type: 'object', properties: { deep } } })).toMatch(/too deep/);
    const wide = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, index) => [`p${index}`, { type: 'string' }]),
    );
    expect(reasonOf({ inputSchema: { type: 'object', properties: wide } })).toMatch(/8192 bytes/);
    const many = Array.from({ length: 100_000 }, () => 1);
    expect(reasonOf({ inputSchema: { type: 'object', enum: many } })).toMatch(/too large/);
    expect(reasonOf({ inputSchema: { type: 'array' } })).toMatch(/not one of an object/);
  });

  it('is refused when cleaning would change what its arguments mean', () => {
    const withHidden = { type: 'object', properties: { 'ci\u200Bty': { type: 'string' } } };
    expect(reasonOf({ inputSchema: withHidden })).toMatch(/not seen/);
    const choice = { type: 'object', properties: { c: { enum: ['a\u202Eb'] } } };
    expect(reasonOf({ inputSchema: choice })).toMatch(/not seen/);
    const elsewhere = { type: 'object', properties: { c: { $ref: 'https://evil.example/schema' } } };
    expect(reasonOf({ inputSchema: elsewhere })).toMatch(/another document/);
    expect(reasonOf({ name: 'wea\u200Bther' })).toMatch(/not seen/);
  });

  it('may have arguments that are called like words of schemas', () => {
    const own = {
      type: 'object',
      properties: {
        description: { type: 'string', description: 'D\u200B' },
        _meta: { type: 'string' },
        enum: { type: 'string', title: 'E\u200B' },
      },
    };
    expect(cleaned({ inputSchema: own }).inputSchema).toEqual({
      type: 'object',
      properties: {
        description: { type: 'string', description: 'D' },
        _meta: { type: 'string' },
        enum: { type: 'string', title: 'E' },
      },
    });
  });

  it('counts but once in a list', () => {
    const { tools, refused } = cleanTools([
      { name: 'a', description: 'first', inputSchema: schema },
      { name: 'a', description: 'second', inputSchema: schema },
      undefined,
    ]);
    expect(tools.map(({ description }) => description)).toEqual(['first']);
    expect(refused.map(({ reason }) => reason)).toEqual(['another tool has the same name', 'it has no name']);
  });

  it('never throws and never lets hidden text or a large schema through', () => {
    const value = fc.anything({ withBigInt: false, maxDepth: 6, key: fc.string({ unit: 'binary' }) });
    const tool = fc.record(
      {
        name: fc.oneof(fc.string({ unit: 'binary' }), value),
        description: fc.oneof(fc.string({ unit: 'binary' }), value),
        inputSchema: fc.oneof(
          fc.record({
            type: fc.constant('object'),
            properties: value,
            description: fc.string({ unit: 'binary' }),
          }),
          value,
        ),
        annotations: value,
        _meta: value,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(tool, (made) => {
        const result = cleanTool(made);
        if (!result.ok) return;
        const text = JSON.stringify(result.tool);
        const shown = [
          result.tool.name,
          result.tool.description ?? '',
          ...stringsOf(result.tool.inputSchema),
        ];
        expect(shown.filter(hasHiddenText)).toEqual([]);
        expect(utf8Length(JSON.stringify(result.tool.inputSchema))).toBeLessThanOrEqual(SCHEMA_BYTES);
        expect(text).not.toContain('"_meta":');
        // What was cleaned is not changed by cleaning.
        expect(cleanTool(result.tool)).toEqual(result);
      }),
    );
  });
});

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(stringsOf)];
}

describe('the text a tool is pinned by', () => {
  it('is the same whatever the order of its names, and another for each change of meaning', () => {
    const one = cleaned({ description: 'D', inputSchema: { type: 'object', properties: { a: {}, b: {} } } });
    const two = cleaned({ inputSchema: { properties: { b: {}, a: {} }, type: 'object' }, description: 'D' });
    expect(canonicalText(one)).toBe(canonicalText(two));
    expect(canonicalText(cleaned({ description: 'E' }))).not.toBe(
      canonicalText(cleaned({ description: 'D' })),
    );
    const required = { ...schema, required: ['city'] };
    expect(canonicalText(cleaned({ inputSchema: required }))).not.toBe(canonicalText(cleaned({})));
  });
});

it('leaves of _meta what is not the platform’s', () => {
  const meta = {
    'dev.appstrate/upstream': 1,
    'slipway/ends-loop': true,
    'Slipway/x': 1,
    'example.com/page': 2,
  };
  expect(cleanMeta(meta)).toEqual({ 'example.com/page': 2 });
});
