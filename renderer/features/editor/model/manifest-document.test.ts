import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { ManifestDocument } from './manifest-document.ts';

const TEXT = `{
    "type": "agent",
    "x-own": { "keep": [1, 2.50, "\\u00e9"] },
    "name": "@you/report",
    "version": "1.0.0"
}
`;

describe('the form’s edits', () => {
  test('change the place they are about, in the author’s own layout, and nothing else', () => {
    const document = new ManifestDocument(TEXT);
    expect(document.edit([{ pointer: '/name', value: '@you/other' }])).toBeUndefined();
    expect(document.text.text).toBe(TEXT.replace('@you/report', '@you/other'));
    document.edit([{ pointer: '/timeout', value: 60 }]);
    expect(document.text.text).toContain('"version": "1.0.0",\n    "timeout": 60\n}\n');
    document.text.undo();
    document.text.undo();
    expect(document.text.text).toBe(TEXT);
  });

  test('to one field are one step while they follow each other', () => {
    const document = new ManifestDocument(TEXT, () => 0);
    for (const value of ['R', 'Re', 'Rep']) {
      document.edit([{ pointer: '/display_name', value }], { key: 'display_name' });
    }
    document.text.undo();
    expect(document.text.text).toBe(TEXT);
  });

  test('are refused with the reason where a container is no container', () => {
    const document = new ManifestDocument('{"dependencies": "none"}');
    expect(document.edit([{ pointer: '/dependencies/skills/@a~1b', value: '*' }])).toContain(
      '"dependencies"',
    );
    expect(document.text.text).toBe('{"dependencies": "none"}');
  });

  test('are refused while the text is no JSON, and what it said last is still shown', () => {
    const document = new ManifestDocument(TEXT);
    document.text.type([{ offset: TEXT.length - 2, length: 1, text: '' }]);
    expect(document.read()).toMatchObject({ state: 'broken', last: { name: '@you/report' } });
    expect(document.edit([{ pointer: '/name', value: '@you/other' }])).toContain('JSON');
    document.text.undo();
    expect(document.read()).toMatchObject({ state: 'read', value: { name: '@you/report' } });
  });

  test('never choose between two members of one name', () => {
    const document = new ManifestDocument('{"name": "a", "name": "b"}');
    expect(document.edit([{ pointer: '/name', value: 'c' }])).toContain('JSON');
  });
});

type Action =
  | { kind: 'set'; field: number; value: unknown }
  | { kind: 'remove'; field: number }
  | { kind: 'type'; at: number; text: string }
  | { kind: 'undo' }
  | { kind: 'redo' };

const FIELDS = [
  ['name'],
  ['timeout'],
  ['dependencies', 'skills', '@a/b'],
  ['input', 'schema', 'properties', 'a/b~c'],
  ['runtime_tools'],
];
const json = fc.jsonValue({ maxDepth: 2 });
const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), field: fc.nat(FIELDS.length - 1), value: json }),
  fc.record({ kind: fc.constant('remove' as const), field: fc.nat(FIELDS.length - 1) }),
  fc.record({
    kind: fc.constant('type' as const),
    at: fc.nat(),
    text: fc.constantFrom(' ', '\n', '"', '{', ',', 'x'),
  }),
  fc.record({ kind: fc.constant('undo' as const) }),
  fc.record({ kind: fc.constant('redo' as const) }),
);

const layouts = [
  (value: unknown) => JSON.stringify(value),
  (value: unknown) => JSON.stringify(value, null, 2),
  (value: unknown) => `${JSON.stringify(value, null, '\t').replaceAll('\n', '\r\n')}\r\n`,
];

test('any sequence of edits in either view keeps what is unknown, and undo returns the exact text', () => {
  const start = fc
    .tuple(
      fc.dictionary(fc.stringMatching(/^x-[a-z]{1,4}$/), json, { maxKeys: 4 }),
      fc.nat(layouts.length - 1),
    )
    .map(([unknown, layout]) => ({
      unknown,
      text: layouts[layout]!({ ...unknown, name: '@a/b', _meta: { 'c/d': unknown } }),
    }));
  fc.assert(
    fc.property(start, fc.array(action, { maxLength: 25 }), ({ unknown, text }, actions) => {
      const document = new ManifestDocument(text, () => 0);
      for (const step of actions) {
        const before = document.text.text;
        switch (step.kind) {
          case 'set':
          case 'remove': {
            const edit = { pointer: pointerOf(FIELDS[step.field]!) };
            const refusal = document.edit([
              step.kind === 'set' ? { ...edit, value: step.value } : { ...edit, remove: true },
            ]);
            if (refusal !== undefined && document.text.text !== before) throw new Error(refusal);
            break;
          }
          case 'type':
            document.text.type([{ offset: step.at % (before.length + 1), length: 0, text: step.text }]);
            // Typed nonsense is taken back for good, so that the rest is still about the same JSON.
            if (document.read().state === 'broken' || !isSame(document, before)) {
              document.text.undo();
              document.text.type([{ offset: before.length, length: 0, text: '\n' }]);
            }
            break;
          case 'undo':
          case 'redo':
            document.text[step.kind]();
            break;
        }
        const reading = document.read();
        if (reading.state === 'broken') continue;
        expect(reading.value).toEqual(JSON.parse(document.text.text));
        for (const [key, value] of Object.entries(unknown)) expect(reading.value[key]).toEqual(plain(value));
        expect(reading.value['_meta']).toEqual({ 'c/d': plain(unknown) });
        const order = Object.keys(reading.value).filter((key) => key.startsWith('x-'));
        expect(order).toEqual(Object.keys(plain(unknown) as object));
      }
      while (document.text.canUndo) document.text.undo();
      expect(document.text.text).toBe(text);
    }),
  );
});

function isSame(document: ManifestDocument, before: string): boolean {
  return JSON.stringify(JSON.parse(document.text.text)) === JSON.stringify(JSON.parse(before));
}

/** As JSON writes and reads it: -0 is 0. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

test('takes no value that could not be read again', () => {
  const document = new ManifestDocument('{"type": "agent"}');
  const value: unknown = JSON.parse('{"__proto__": 1}');
  expect(document.edit([{ pointer: '/x', value }])).toContain('__proto__');
  const deep = JSON.parse('['.repeat(80) + ']'.repeat(80)) as unknown;
  expect(document.edit([{ pointer: '/x', value: deep }])).toContain('64 deep');
  expect(document.text.text).toBe('{"type": "agent"}');
  expect(document.text.canUndo).toBe(false);
});
