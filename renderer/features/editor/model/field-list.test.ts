import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addField,
  FIELD_KINDS,
  nameFault,
  readFields,
  removeField,
  setBeside,
  setKeyword,
  setKind,
  setOrder,
  setRequired,
  type SchemaField,
} from './field-list.ts';
import { ManifestDocument, type ManifestEdits, type ManifestValue } from './manifest-document.ts';
import { renameField } from './rename-field.ts';

const MANIFEST = {
  input: {
    schema: {
      type: 'object',
      title: 'Everything',
      $defs: { address: { type: 'object', properties: { city: { type: 'string' } } } },
      properties: {
        where: { $ref: '#/$defs/address', description: 'Kept' },
        size: { type: 'string', enum: ['s', 'm'], 'x-own': true },
        level: { enum: [1, 2, null] },
        nested: { type: 'object', properties: { deep: { type: 'array', items: { oneOf: [{}] } } } },
        table: { type: 'string', format: 'uri', contentMediaType: 'text/csv' },
        always: true,
      },
      required: ['size', 'table'],
      allOf: [{ if: {}, else: false }],
    },
    property_order: ['table', 'size'],
    file_constraints: { table: { accept: '.csv', 'x-own': 1 } },
    ui_hints: { size: { placeholder: 'A size' } },
    _meta: { 'own/wrapper': { keep: true } },
  },
  _meta: { 'app.slipway/examples': { files: { table: ['a.csv'] }, input: { size: 's' } } },
};

function after(
  edits: (manifest: ManifestValue) => ManifestEdits,
  manifest: ManifestValue = MANIFEST,
): typeof MANIFEST {
  const document = new ManifestDocument(JSON.stringify(manifest, null, 2));
  expect(document.edit(edits(manifest))).toBeUndefined();
  return JSON.parse(document.text.text) as typeof MANIFEST;
}

const field = (name: string, manifest: ManifestValue = MANIFEST) =>
  readFields(manifest, 'input').fields.find((candidate) => candidate.name === name)!;

describe('reading', () => {
  test('every field is there, those that are ordered first', () => {
    expect(readFields(MANIFEST, 'input').fields.map(({ name, kind }) => `${name}: ${kind}`)).toEqual([
      'table: file',
      'size: choice',
      'where: other',
      'level: other',
      'nested: object',
      'always: other',
    ]);
  });

  test('what the form does not show is named', () => {
    expect(readFields(MANIFEST, 'input').kept).toEqual(['title', '$defs', 'allOf']);
    expect(field('where').kept).toEqual(['$ref']);
    expect(field('size').kept).toEqual(['x-own']);
    expect(field('nested').kept).toEqual(['properties']);
  });

  test('a bare schema is no wrapper, and the reason is told', () => {
    expect(readFields({ input: { type: 'object' } }, 'input').obstacle).toContain('"input"');
  });
});

describe('editing', () => {
  test('a keyword changes that keyword', () => {
    const result = after((manifest) => setKeyword(manifest, 'input', 'where', 'description', 'New'));
    expect(result).toEqual({
      ...MANIFEST,
      input: {
        ...MANIFEST.input,
        schema: {
          ...MANIFEST.input.schema,
          properties: {
            ...MANIFEST.input.schema.properties,
            where: { $ref: '#/$defs/address', description: 'New' },
          },
        },
      },
    });
  });

  test('another kind drops what only the old one means and keeps the rest', () => {
    const text = after((manifest) => setKind(manifest, 'input', field('table'), 'text'));
    expect(text.input.schema.properties.table).toEqual({ type: 'string' });
    expect(text.input.file_constraints).toEqual({});
    const number = after((manifest) => setKind(manifest, 'input', field('size'), 'number'));
    expect(number.input.schema.properties.size).toEqual({ type: 'number', 'x-own': true });
    const file = after((manifest) => setKind(manifest, 'input', field('where'), 'file'));
    expect(file.input.schema.properties.where).toMatchObject({ $ref: '#/$defs/address', format: 'uri' });
  });

  test('a kind of its own survives being looked at: the same kind changes nothing', () => {
    for (const { name, kind } of readFields(MANIFEST, 'input').fields) {
      expect(setKind(MANIFEST, 'input', field(name), kind)).toEqual([]);
    }
  });

  test('an output field brings the tool that answers', () => {
    expect(after((manifest) => addField(manifest, 'output', 'sum', 'number'))).toMatchObject({
      output: { schema: { type: 'object', properties: { sum: { type: 'number' } } } },
      runtime_tools: ['output'],
    });
  });

  test('a removed field is nowhere named any more', () => {
    const result = after((manifest) => removeField(manifest, 'input', 'table'));
    const { schema, ...beside } = result.input;
    expect(JSON.stringify(schema)).not.toContain('table');
    expect(beside).toEqual({
      property_order: ['size'],
      file_constraints: {},
      ui_hints: MANIFEST.input.ui_hints,
      _meta: MANIFEST.input._meta,
    });
  });

  test('required goes on and off without touching the others', () => {
    expect(after((manifest) => setRequired(manifest, 'input', 'where', true)).input.schema.required).toEqual([
      'size',
      'table',
      'where',
    ]);
    expect(after((manifest) => setRequired(manifest, 'input', 'size', false)).input.schema.required).toEqual([
      'table',
    ]);
  });

  test('an emptied limit leaves no empty object', () => {
    const edits = (manifest: ManifestValue) =>
      setBeside(manifest, 'input', ['ui_hints', 'size', 'placeholder'], undefined);
    expect(after(edits).input.ui_hints).toEqual({});
  });

  test('the order of the form is not the order of the schema', () => {
    const result = after(() => setOrder('input', ['size', 'table']));
    expect(Object.keys(result.input.schema.properties)).toEqual(
      Object.keys(MANIFEST.input.schema.properties),
    );
    expect(
      readFields(result, 'input')
        .fields.slice(0, 2)
        .map(({ name }) => name),
    ).toEqual(['size', 'table']);
  });
});

test('a renamed field keeps its place and its name changes everywhere', () => {
  const text = JSON.stringify(MANIFEST, null, 2);
  const renamed = renameField(text, 'input', 'table', 'rows "1"');
  expect(renamed).toBe(text.replaceAll('"table"', '"rows \\"1\\""'));
  expect(renameField(renamed, 'input', 'rows "1"', 'table')).toBe(text);
});

test('names that two readers would take differently are refused', () => {
  expect(nameFault('a', ['a'])).toBeDefined();
  expect(nameFault(' ', [])).toBeDefined();
  expect(nameFault('__proto__', [])).toBeDefined();
  expect(nameFault('b', ['a'])).toBeUndefined();
});

test('no sequence of field edits loses what the form does not show', () => {
  const name = fc.constantFrom('where', 'nested', 'level', 'size', 'table', 'always');
  const kind = fc.constantFrom(...FIELD_KINDS);
  type Edit = (manifest: ManifestValue) => ManifestEdits;
  const existing = (
    target: string,
    edit: (manifest: ManifestValue, found: SchemaField) => ManifestEdits,
  ): Edit => {
    return (manifest) => edit(manifest, field(target, manifest));
  };
  const edit: fc.Arbitrary<Edit> = fc.oneof(
    fc
      .tuple(name, kind)
      .map(([target, to]) => existing(target, (manifest, found) => setKind(manifest, 'input', found, to))),
    fc
      .tuple(name, fc.string())
      .map(([target, text]) =>
        existing(target, (manifest, found) =>
          found.schema === undefined ? [] : setKeyword(manifest, 'input', target, 'description', text),
        ),
      ),
    fc.tuple(name, fc.boolean()).map(
      ([target, isRequired]): Edit =>
        (manifest) =>
          setRequired(manifest, 'input', target, isRequired),
    ),
    fc.tuple(fc.constantFrom('a/b', 'c~d', 'é'), kind).map(
      ([added, of]): Edit =>
        (manifest) =>
          addField(manifest, 'input', added, of),
    ),
  );
  fc.assert(
    fc.property(fc.array(edit, { maxLength: 15 }), (sequence) => {
      const text = JSON.stringify(MANIFEST);
      const document = new ManifestDocument(text, () => 0);
      for (const next of sequence) {
        const reading = document.read();
        if (reading.state !== 'read') throw new Error('An edit broke the JSON');
        expect(document.edit(next(reading.value))).toBeUndefined();
      }
      const { input, _meta } = JSON.parse(document.text.text) as typeof MANIFEST;
      expect(_meta).toEqual(MANIFEST._meta);
      expect(input._meta).toEqual(MANIFEST.input._meta);
      expect(input.schema).toMatchObject({ title: 'Everything', $defs: MANIFEST.input.schema.$defs });
      expect(input.schema.allOf).toEqual(MANIFEST.input.schema.allOf);
      expect(input.schema.properties.where).toMatchObject({ $ref: '#/$defs/address' });
      expect(input.schema.properties.nested).toMatchObject({
        properties: MANIFEST.input.schema.properties.nested.properties,
      });
      expect(input.schema.properties.size).toMatchObject({ 'x-own': true });
      while (document.text.canUndo) document.text.undo();
      expect(document.text.text).toBe(text);
    }),
  );
});
