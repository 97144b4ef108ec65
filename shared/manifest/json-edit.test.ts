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
