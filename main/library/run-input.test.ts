import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ProblemError } from '#shared/problem.ts';
import { acceptsFile, validateRunInput } from './run-input.ts';

const file = { type: 'string', format: 'uri', contentMediaType: 'application/octet-stream' };

function agent(
  properties: Record<string, unknown>,
  more: Record<string, unknown> = {},
  fileConstraints = {},
) {
  return { inputSchema: { type: 'object', properties, ...more }, fileConstraints };
}

function named(originalName: string, field?: string, size = 10) {
  return { originalName, field, size };
}

function causesOf(...parameters: Parameters<typeof validateRunInput>) {
  try {
    validateRunInput(...parameters);
    return [];
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== 'input_invalid') throw error;
    return (error.problem.causes ?? []).map(({ code, pointer, detail }) => ({ code, pointer, detail }));
  }
}

describe('values of a run', () => {
  const typed = agent(
    {
      limit: { type: 'integer', minimum: 1, default: 10 },
      strict: { type: 'boolean' },
      title: { type: 'string', minLength: 2 },
      when: { type: 'string', format: 'date' },
      kind: { enum: ['sum', 'mean'] },
      nested: { type: 'object', properties: { deep: { type: 'number', default: 0.5 } } },
    },
    { required: ['title'], additionalProperties: false },
  );

  it('are converted to their types and filled with defaults, also inside objects', () => {
    const input = { title: 'Sales', strict: 'true', limit: '3', nested: {} };
    expect(validateRunInput(typed, input, []).input).toEqual({
      title: 'Sales',
      strict: true,
      limit: 3,
      nested: { deep: 0.5 },
    });
    expect(input).toEqual({ title: 'Sales', strict: 'true', limit: '3', nested: {} });
  });

  it.each([
    [{}, 'value_missing', '/title', /"title" is missing/],
    [{ title: '' }, 'value_missing', '/title', /is missing/],
    [{ title: 'x' }, 'value_invalid', '/title', /at least 2 characters/],
    [{ title: 'xx', limit: 'many' }, 'value_invalid', '/limit', /a whole number/],
    [{ title: 'xx', limit: 0 }, 'value_invalid', '/limit', /at least 1/],
    [{ title: 'xx', when: '2024-02-30' }, 'value_invalid', '/when', /valid date/],
    [{ title: 'xx', kind: 'max' }, 'value_invalid', '/kind', /one of "sum", "mean"/],
    [{ title: 'xx', tilte: 1 }, 'value_unknown', '/tilte', /not one of the fields/],
    [
      { title: 'xx', nested: { deep: [] } },
      'value_invalid',
      '/nested/deep',
      /"nested.deep" must be a number/,
    ],
  ])('%j is refused', (input, code, pointer, message) => {
    const causes = causesOf(typed, input, []);
    expect(causes).toMatchObject([{ code, pointer }]);
    expect(causes[0]?.detail).toMatch(message);
  });

  it('are all judged at once', () => {
    expect(causesOf(typed, { limit: 0, kind: 5 }, []).map(({ pointer }) => pointer)).toEqual([
      '/title',
      '/limit',
      '/kind',
    ]);
  });

  it('may be left empty where they are not needed', () => {
    expect(validateRunInput(typed, { title: 'ok', limit: '', when: '' }, []).input['limit']).toBe(10);
    const optionalText = agent({ note: { type: 'string' }, count: { type: ['integer', 'null'] } });
    expect(validateRunInput(optionalText, { note: '', count: '' }, []).input).toEqual({ note: '' });
  });

  it('pass through an agent that asks for nothing in particular', () => {
    const anything = { inputSchema: undefined, fileConstraints: {} };
    expect(validateRunInput(anything, { any: [1] }, [named('a')])).toEqual({
      input: { any: [1] },
      files: [{ file: named('a'), field: undefined }],
    });
  });

  it('cannot hold the app with a pattern that never ends', () => {
    const evil = agent({ a: { type: 'string', pattern: '^(a+)+$', default: `${'a'.repeat(60)}!` } });
    expect(causesOf(evil, {}, [])).toMatchObject([{ code: 'check_too_slow' }]);
  });

  it('never make the check throw anything but the problem, and never change what was given', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('limit', 'title', 'nested', 'other'), fc.jsonValue()),
        (input) => {
          const before = JSON.stringify(input);
          causesOf(typed, input, []);
          expect(JSON.stringify(input)).toBe(before);
        },
      ),
    );
  });
});

describe('files of a run', () => {
  const csv = { accept: '.csv,text/csv', maxSize: 100 };
  const takesFiles = agent(
    { extra: file, table: file, parts: { type: 'array', items: file, minItems: 2, maxItems: 3 } },
    { required: ['table'] },
    { table: csv },
  );

  it('are matched with their fields, values aside', () => {
    const files = [named('x.csv', 'table'), named('1.pdf', 'parts'), named('2.pdf', 'parts')];
    const checked = validateRunInput(takesFiles, { note: 1 }, files);
    expect(checked.input).toEqual({ note: 1 });
    expect(checked.files).toEqual(files.map((given) => ({ file: given, field: given.field })));
  });

  it('without a field go where they are needed, then where they fit, else beside the form', () => {
    const fields = (...names: string[]) =>
      validateRunInput(
        takesFiles,
        {},
        names.map((name) => named(name)),
      ).files.map(({ field }) => field);
    expect(fields('data.csv')).toEqual(['table']);
    expect(fields('notes.pdf', 'data.CSV')).toEqual(['extra', 'table']);
    const single = agent({ table: file }, {}, { table: csv });
    expect(
      validateRunInput(single, {}, [named('a.pdf'), named('b.csv')]).files.map(({ field }) => field),
    ).toEqual([undefined, 'table']);
  });

  it.each([
    ['none', [], [{ code: 'file_missing', pointer: '/table' }]],
    ['one of another type', [named('x.pdf', 'table')], [{ code: 'file_type', pointer: '/table' }]],
    ['one too large', [named('x.csv', 'table', 101)], [{ code: 'file_too_large', pointer: '/table' }]],
    [
      'two where one fits',
      [named('x.csv', 'table'), named('y.csv', 'table')],
      [{ code: 'file_too_many', pointer: '/table' }],
    ],
    [
      'too few',
      [named('x.csv', 'table'), named('y', 'parts')],
      [{ code: 'file_too_few', pointer: '/parts' }],
    ],
    [
      'too many',
      [named('x.csv', 'table'), ...['1', '2', '3', '4'].map((name) => named(name, 'parts'))],
      [{ code: 'file_too_many', pointer: '/parts' }],
    ],
    [
      'one for no field',
      [named('x.csv', 'table'), named('y', 'tabel')],
      [{ code: 'file_field_unknown', pointer: '/tabel' }],
    ],
  ])('are refused: %s', (_, files, expected) => {
    expect(causesOf(takesFiles, {}, files)).toMatchObject(expected);
  });

  it('are not taken as values', () => {
    expect(causesOf(takesFiles, { table: 'data:text/csv,a' }, [named('x.csv', 'table')])).toMatchObject([
      { code: 'file_as_value', pointer: '/table' },
    ]);
  });

  it('count in the conditions of the schema', () => {
    const either = agent(
      { table: file, text: { type: 'string' } },
      { if: { required: ['text'] }, else: { required: ['table'] } },
    );
    expect(causesOf(either, {}, [])).toMatchObject([{ code: 'file_missing', pointer: '/table' }]);
    expect(causesOf(either, { text: 'a' }, [])).toEqual([]);
    expect(causesOf(either, {}, [named('a', 'table')])).toEqual([]);
  });

  it.each([
    [undefined, 'a', true],
    ['', 'a', true],
    ['.csv', 'A.CSV', true],
    ['.csv', 'csv', false],
    ['image/*', 'a.png', true],
    ['image/*', 'a.pdf', false],
    ['application/pdf, .txt', 'a.pdf', true],
    ['application/pdf', 'no-extension', true],
    ['application/pdf,.txt', 'no-extension', false],
    ['*/*', 'a.weird', true],
    ['.tar.gz', 'x.tar.gz', true],
  ])('accept %j takes %j: %j', (accept, name, taken) => {
    expect(acceptsFile(accept, name)).toBe(taken);
  });
});
