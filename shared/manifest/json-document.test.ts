import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonDocument, type JsonFault, MAX_JSON_CHARACTERS, MAX_JSON_DEPTH } from './json-document.ts';
import { pointerOf, type JsonPath } from './json-pointer.ts';

function read(text: string): JsonDocument {
  const document = JsonDocument.read(text);
  if (!(document instanceof JsonDocument)) throw new Error(`not read: ${JSON.stringify(document)}`);
  return document;
}

function faults(text: string) {
  const document = JsonDocument.read(text);
  return document instanceof JsonDocument ? [] : document;
}

/** What the engine's own parser makes of a text. */
function engineReads(text: string): { value: unknown } | 'not JSON' {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return 'not JSON';
  }
}

/** A text refused for its keys or its depth is JSON all the same. */
function outcomeOf(found: readonly JsonFault[], theirs: { value: unknown } | 'not JSON') {
  return found.some((fault) => fault.code === 'json_syntax') ? 'not JSON' : theirs;
}

/** JSON texts and texts close to JSON. */
const nearJson = fc.oneof(
  fc.json(),
  fc.string({ unit: 'binary' }),
  fc
    .tuple(
      fc.json(),
      fc.nat(),
      fc.nat(4),
      fc.constantFrom('', ',', '}', '"', '//x', '\u0000', '\uFEFF', '1e', '\\u12'),
    )
    .map(([text, at, cut, put]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + put + text.slice(place + cut);
    }),
);

function everyPath(value: unknown, path: JsonPath = []): JsonPath[] {
  if (Array.isArray(value)) {
    return [path, ...value.flatMap((item, index) => everyPath(item, [...path, index]))];
  }
  if (typeof value === 'object' && value !== null) {
    return [path, ...Object.entries(value).flatMap(([name, item]) => everyPath(item, [...path, name]))];
  }
  return [path];
}

/** The text from a place on, found by counting lines the slow way. */
function textFrom(text: string, line: number, column: number): string {
  const lines = text.split(/(?<=\r\n|\r(?!\n)|\n)/);
  return lines
    .slice(line - 1)
    .join('')
    .slice(column - 1);
}

describe('reading a JSON text', () => {
  it('takes what JSON takes and nothing else, whatever the text', () => {
    fc.assert(
      fc.property(nearJson, (text) => {
        const theirs = engineReads(text.replace(/^\uFEFF/, ''));
        const result = JsonDocument.read(text);
        const ours = result instanceof JsonDocument ? { value: result.value } : outcomeOf(result, theirs);
        expect(ours).toStrictEqual(theirs);
      }),
      { numRuns: 2000 },
    );
  });

  it('places every fault inside the text', () => {
    fc.assert(
      fc.property(nearJson, (text) => {
        const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
        for (const fault of faults(text)) {
          expect(fault.line).toBeLessThanOrEqual(lines.length);
          expect(fault.column).toBeLessThanOrEqual((lines[fault.line - 1]?.length ?? 0) + 2);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('finds each value where it stands, with any indentation and line ends', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 4 }),
        fc.constantFrom(0, 2, '\t'),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.boolean(),
        (value, indent, lineEnd, mark) => {
          const text = JSON.stringify(value, null, indent).replaceAll('\n', lineEnd);
          const document = JsonDocument.read((mark ? '\uFEFF' : '') + text);
          if (!(document instanceof JsonDocument)) return;
          for (const path of everyPath(document.value)) {
            const { line, column } = document.position(pointerOf(path));
            const found = path.reduce(
              (at, step) => (at as Record<string | number, unknown>)[step],
              document.value,
            );
            const first = JSON.stringify(found).charAt(0);
            expect(textFrom(text, line, column).charAt(0)).toBe(first);
          }
        },
      ),
    );
  });

  it('points at the container when the member is missing, and at the name when asked', () => {
    const document = read('{\n  "auths": {\n    "a/b": { "type": 5 }\n  }\n}');
    expect(document.position('/auths/a~1b/delivery/http')).toEqual({ line: 3, column: 12 });
    expect(document.position('/auths/a~1b/type')).toEqual({ line: 3, column: 22 });
    expect(document.position('/auths/a~1b', 'key')).toEqual({ line: 3, column: 5 });
    expect(document.position('', 'key')).toEqual({ line: 1, column: 1 });
  });

  it.each([
    ['{ "a": 1, }', 1, 11, /comma before this \}/],
    ['[1,\n]', 2, 1, /comma before this \]/],
    ['{ "a": 1 // why\n}', 1, 10, /no comments/],
    ["{ 'a': 1 }", 1, 3, /double quotes/],
    ['{ "a" 1 }', 1, 7, /colon/],
    ['{ "a": 1 "b": 2 }', 1, 10, /comma/],
    ['{ "a": 1', 1, 9, /brace/],
    ['{} {}', 1, 4, /more text/],
    ['', 1, 1, /empty|value/],
    ['"a\tb"', 1, 1, /control character/],
  ])('says what is wrong with %j', (text, line, column, message) => {
    expect(faults(text)[0]).toMatchObject({ code: 'json_syntax', line, column });
    expect(faults(text)[0]?.message).toMatch(message);
  });

  it('reports a member given twice at its second place and names the first', () => {
    const [fault] = faults('{\n "a": 1,\n "b": { "x": 1, "x": 2 }\n}');
    expect(fault).toMatchObject({ code: 'json_duplicate_key', pointer: '/b/x', line: 3, column: 17 });
    expect(fault?.message).toContain('line 3');
  });

  it('tells the first of many that are given twice, not thousands', () => {
    const faults = JsonDocument.read(`{${Array.from({ length: 5000 }, () => '"a": 1').join(',')}}`);
    expect(faults).toHaveLength(10);
  });

  it('refuses a member that could change the prototype of what reads it', () => {
    expect(faults('{"auths":{"__proto__":{}}}')[0]).toMatchObject({
      code: 'json_unsafe_key',
      pointer: '/auths/__proto__',
    });
  });

  it('stops before a text that would exhaust the stack or the memory', () => {
    const deep = '['.repeat(200_000);
    expect(faults(deep)[0]).toMatchObject({ code: 'json_limit', column: MAX_JSON_DEPTH + 1 });
    const level = MAX_JSON_DEPTH;
    expect(faults('['.repeat(level) + ']'.repeat(level))).toEqual([]);
    expect(faults(JSON.stringify('x'.repeat(MAX_JSON_CHARACTERS)))[0]?.code).toBe('json_limit');
    expect(faults(JSON.stringify('[{'.repeat(1000)))).toEqual([]);
  });
});

it('refuses half of a character, which would be another one in the file, and takes it as an escape', () => {
  expect(faults('{\n  "a": "😀 x\ud83d"\n}')).toMatchObject([
    { code: 'json_syntax', line: 2, column: 13, message: expect.stringContaining('\\ud83d') as string },
  ]);
  expect(read('{"a": "\\ud83d 😀"}').value).toEqual({ a: '\ud83d 😀' });
});
