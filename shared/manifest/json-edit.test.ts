import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editJson } from './json-edit.ts';

const manifest =
  '\uFEFF{\r\n\t"b": 1,\r\n\t"x-own": {"keep":  [1,2]},\r\n\t"tools": [\r\n\t\t"log"\r\n\t]\r\n}\r\n';

describe('editing a JSON text', () => {
  it('changes only what it was asked to, in the style of the text', () => {
    expect(editJson(manifest, [{ pointer: '/b', value: 2 }])).toBe(manifest.replace('"b": 1', '"b": 2'));
    expect(editJson(manifest, [{ pointer: '/tools/-', value: 'output' }])).toBe(
      manifest.replace('"log"\r\n', '"log",\r\n\t\t"output"\r\n'),
    );
    expect(editJson(manifest, [{ pointer: '/new/inner', value: 1 }])).toContain(
      '],\r\n\t"new": {\r\n\t\t"inner": 1\r\n\t}\r\n}\r\n',
    );
  });

  it('removes members and items, leaving a document that reads', () => {
    const text = editJson(manifest, [
      { pointer: '/b', remove: true },
      { pointer: '/tools/0', remove: true },
    ]);
    expect(JSON.parse(text.slice(1))).toEqual({ 'x-own': { keep: [1, 2] }, tools: [] });
  });

  it('takes a digit as a name in an object and as an index in a list', () => {
    expect(
      JSON.parse(
        editJson('{"a":{"0":1},"b":[1]}', [
          { pointer: '/a/0', value: 2 },
          { pointer: '/b/0', value: 2 },
        ]),
      ),
    ).toEqual({
      a: { 0: 2 },
      b: [2],
    });
  });

  it.each([
    ['{"a":[1,2]}', { pointer: '/a/1', remove: true }, '{"a":[1]}'],
    ['{"a":["x","y"]}', { pointer: '/a/1', remove: true }, '{"a":["x"]}'],
    ['{\n  "a": ["x", "y"]\n}', { pointer: '/a/1', remove: true }, '{\n  "a": ["x"]\n}'],
    ['{\n  "a": ["x", "y"]\n}', { pointer: '/a/0', remove: true }, '{\n  "a": ["y"]\n}'],
    ['{\n  "a": [\n    "x"\n  ]\n}', { pointer: '/a/0', remove: true }, '{\n  "a": []\n}'],
    ['{\n  "a": 1,\n  "b": {"c": 1}\n}', { pointer: '/a', remove: true }, '{\n  "b": {"c": 1}\n}'],
    ['{\n  "a": 1,\n  "b": 2\n}', { pointer: '/b', remove: true }, '{\n  "a": 1\n}'],
    ['{"a":[1]}', { pointer: '/a/7', remove: true }, '{"a":[1]}'],
    ['{"a":1}', { pointer: '/b/c', remove: true }, '{"a":1}'],
    ['{\n  "a": ["x"]\n}', { pointer: '/a/-', value: 'y' }, '{\n  "a": ["x", "y"]\n}'],
    ['{\n  "a": []\n}', { pointer: '/a/-', value: 'y' }, '{\n  "a": ["y"]\n}'],
    ['{\n  "o": { "p": 1 }\n}', { pointer: '/o/q', value: [2] }, '{\n  "o": { "p": 1, "q": [2] }\n}'],
    ['{\n  "o": {}\n}', { pointer: '/o/p', value: 1 }, '{\n  "o": {\n    "p": 1\n  }\n}'],
    ['{\n  "a": 1\n}', { pointer: '/t', value: ['x', 'y'] }, '{\n  "a": 1,\n  "t": ["x", "y"]\n}'],
    ['{"a":1}', { pointer: '/b/-', value: 2 }, '{"a":1,"b":[2]}'],
  ])('%j by %j is %j', (text, edit, expected) => {
    expect(editJson(text, [edit])).toBe(expected);
  });

  it('removes what it was asked to, wherever it stands and however it is laid out', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue({ maxDepth: 2 }), { minLength: 1, maxLength: 5 }),
        fc.nat(),
        fc.constantFrom(0, 2, '\t'),
        (list, pick, indent) => {
          const source = JSON.parse(JSON.stringify(list)) as unknown[];
          const index = pick % source.length;
          const named = Object.fromEntries(source.map((value, place) => [`m${place}`, value]));
          const edited = editJson(JSON.stringify({ list: source, named, end: 1 }, null, indent), [
            { pointer: `/list/${index}`, remove: true },
            { pointer: `/named/m${index}`, remove: true },
          ]);
          const { [`m${index}`]: _removed, ...rest } = named;
          expect(JSON.parse(edited)).toEqual({ list: source.toSpliced(index, 1), named: rest, end: 1 });
        },
      ),
    );
  });

  it('puts nothing into a value that holds none', () => {
    expect(() => editJson('{"a":"text"}', [{ pointer: '/a/b', value: 1 }])).toThrow('string');
  });

  it('reads back with exactly the one member changed and the order kept', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().filter((name) => name !== '__proto__'),
          fc.jsonValue({ maxDepth: 3 }),
          { minKeys: 1 },
        ),
        fc.nat(),
        fc.jsonValue({ maxDepth: 2 }),
        fc.constantFrom(0, 2, 4, '\t'),
        (record, pick, value, indent) => {
          const source = JSON.parse(JSON.stringify(record)) as Record<string, unknown>;
          const names = Object.keys(source);
          const name = names[pick % names.length] ?? '';
          const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
          const edited = editJson(JSON.stringify(source, null, indent), [{ pointer, value }]);
          const expected = JSON.stringify({ ...source, [name]: value });
          expect(JSON.stringify(JSON.parse(edited))).toBe(expected);
        },
      ),
    );
  });
});
