import { describe, expect, it } from 'vitest';
import type { AgentDetail } from '#shared/ipc/routes.ts';
import { checkInput, placeCauses } from './check.ts';
import { collectForm } from './collect.ts';
import { accepts, startForm, type Draft, type DraftOf } from './draft.ts';
import { describeForm, humanize, type FormField } from './fields.ts';

type Input = NonNullable<AgentDetail['input']>;

function input(properties: Record<string, unknown>, more: Partial<Input> & { schema?: object } = {}): Input {
  const { schema, ...rest } = more;
  return {
    schema: { type: 'object', properties, ...schema },
    fileConstraints: {},
    hints: {},
    order: [],
    ...rest,
  };
}

/** Fills the form with drafts, collects it and holds it against its schema, as the screen does. */
function fill(definition: Input, drafts: Record<string, Draft> = {}, values: Record<string, unknown> = {}) {
  const fields = describeForm(definition);
  const start = startForm(fields, values);
  const form: DraftOf<'group'> = { kind: 'group', fields: { ...start.fields, ...drafts } };
  const collected = collectForm(fields, form);
  return { ...collected, checked: checkInput(definition.schema, fields, collected) };
}

const text = (value: string): Draft => ({ kind: 'text', text: value });
const kinds = (fields: readonly FormField[]) => fields.map(({ key, kind }) => `${key}:${kind}`);

describe('describeForm', () => {
  it('keeps the author’s order first, then the rest, and ignores names that are not there', () => {
    const definition = input(
      { a: { type: 'string' }, b: { type: 'integer' }, c: { type: 'boolean' } },
      { order: ['c', 'gone', 'a'] },
    );
    expect(kinds(describeForm(definition))).toEqual(['c:boolean', 'a:text', 'b:number']);
  });

  it('gives each kind of schema the control that fits it', () => {
    const fields = describeForm(
      input({
        mail: { type: 'string', format: 'email' },
        page: { type: 'string', format: 'uri' },
        file: { type: 'string', format: 'uri', contentMediaType: 'text/csv' },
        files: {
          type: 'array',
          maxItems: 3,
          items: { type: 'string', format: 'uri', contentMediaType: 'application/pdf' },
        },
        one: { enum: ['x', 'y'] },
        many: { type: 'array', items: { type: 'string', enum: ['x', 'y'] } },
        list: { type: 'array', items: { type: 'object', properties: { n: { type: 'number' } } } },
        free: { type: 'object' },
        any: {},
        nullable: { type: ['integer', 'null'] },
        tuple: { type: 'array', prefixItems: [{ type: 'string' }] },
      }),
    );
    expect(kinds(fields)).toEqual([
      'mail:text',
      'page:text',
      'file:file',
      'files:file',
      'one:choice',
      'many:choices',
      'list:list',
      'free:json',
      'any:json',
      'nullable:number',
      'tuple:json',
    ]);
    expect(fields[2]).toMatchObject({ maxFiles: 1, accept: 'text/csv' });
    expect(fields[3]).toMatchObject({ maxFiles: 3, minFiles: 0 });
  });

  it('follows local references and ends on one that refers to itself', () => {
    const fields = describeForm(
      input(
        { tree: { $ref: '#/$defs/node' }, loop: { $ref: '#/$defs/loop' } },
        {
          schema: {
            $defs: {
              node: {
                type: 'object',
                properties: { name: { type: 'string' }, child: { $ref: '#/$defs/node' } },
              },
              loop: { $ref: '#/$defs/loop' },
            },
          },
        },
      ),
    );
    expect(kinds(fields)).toEqual(['tree:group', 'loop:json']);
    let depth = 0;
    let field: FormField | undefined = fields[0];
    while (field?.kind === 'group') {
      depth += 1;
      field = field.fields.find(({ key }) => key === 'child');
    }
    expect(field?.kind).toBe('json');
    expect(depth).toBeLessThan(10);
  });

  it('turns names into words', () => {
    expect(['maxRows', 'max_rows', 'csv'].map(humanize)).toEqual(['Max rows', 'Max rows', 'Csv']);
  });
});

describe('collectForm', () => {
  it('leaves out what was not entered, and says what is required', () => {
    const definition = input(
      { name: { type: 'string' }, note: { type: 'string' }, on: { type: 'boolean' } },
      { schema: { required: ['name'] } },
    );
    const result = fill(definition);
    expect(result.input).toEqual({});
    expect([...result.errors]).toEqual([['/name', ['This is required.']]]);
    expect(fill(definition, { name: text('x') }).input).toEqual({ name: 'x' });
  });

  it('leaves out an optional group as a whole, but not one in which something was entered', () => {
    const definition = input({
      limits: {
        type: 'object',
        required: ['rows', 'strict'],
        properties: { rows: { type: 'integer' }, strict: { type: 'boolean' }, note: { type: 'string' } },
      },
    });
    expect(fill(definition)).toMatchObject({ input: {}, errors: new Map() });
    const begun = fill(definition, {
      limits: {
        kind: 'group',
        fields: {
          rows: { kind: 'number', text: '' },
          strict: { kind: 'boolean', value: undefined },
          note: text('hello'),
        },
      },
    });
    expect([...begun.errors.keys()]).toEqual(['/limits/rows']);
  });

  it('keeps the places of a list when one of its entries is wrong', () => {
    const definition = input({ rows: { type: 'array', items: { type: 'integer' } } });
    const items = ['1', 'x', '3'].map((value, id) => ({
      id,
      draft: { kind: 'number', text: value } as const,
    }));
    const result = fill(definition, { rows: { kind: 'list', items } });
    expect([...result.errors.keys()]).toEqual(['/rows/1']);
    expect(result.input).toEqual({ rows: [1, null, 3] });
  });

  it('escapes names in pointers', () => {
    const result = fill(input({ 'a/b~c': { type: 'string' } }, { schema: { required: ['a/b~c'] } }));
    expect([...result.errors.keys()]).toEqual(['/a~1b~0c']);
  });

  it('counts only files that main has taken, and never puts them into the input', () => {
    const definition = input(
      { csv: { type: 'string', format: 'uri', contentMediaType: 'text/csv' } },
      { schema: { required: ['csv'] } },
    );
    const file = { id: 1, name: 'a.csv', size: 3, progress: undefined };
    const source = { kind: 'registered', handle: 'h' } as const;
    const failed = fill(definition, {
      csv: { kind: 'file', files: [{ ...file, source: undefined, error: 'Too large' }] },
    });
    expect([...failed.errors.keys()]).toEqual(['/csv']);
    const given = fill(definition, { csv: { kind: 'file', files: [{ ...file, source, error: undefined }] } });
    expect(given).toMatchObject({
      input: {},
      errors: new Map(),
      checked: new Map(),
      files: [{ field: 'csv', name: 'a.csv', source }],
    });
  });

  it('starts from the values of an earlier run and gives them back', () => {
    const definition = input({
      name: { type: 'string' },
      tags: { type: 'array', items: { type: 'string', enum: ['a', 'b', 'c'] } },
      rows: { type: 'array', items: { type: 'object', properties: { n: { type: 'number' } } } },
      free: { type: 'object' },
      target: {
        oneOf: [
          { type: 'object', required: ['mail'], properties: { mail: { type: 'string' } } },
          { type: 'object', required: ['path'], properties: { path: { type: 'string' } } },
        ],
      },
    });
    const values = {
      name: 'x',
      tags: ['b', 'c'],
      rows: [{ n: 1.5 }, { n: 2 }],
      free: { deep: [1, null] },
      target: { path: '/tmp' },
    };
    expect(fill(definition, {}, values)).toMatchObject({
      input: values,
      errors: new Map(),
      checked: new Map(),
    });
  });

  it('gives a date and time its zone, which the browser’s control leaves out', () => {
    const definition = input({ at: { type: 'string', format: 'date-time' } });
    const result = fill(definition, { at: text('2026-03-01T10:30') });
    expect(result.checked).toEqual(new Map());
    expect(new Date(String(result.input['at'])).getTime()).toBe(new Date('2026-03-01T10:30').getTime());
  });
});

describe('checkInput', () => {
  it('says at each field what the schema says against it, through references too', () => {
    const definition = input(
      {
        name: { type: 'string', minLength: 3 },
        count: { $ref: '#/$defs/count' },
        code: { type: 'string', pattern: '^[A-Z]+$' },
        mail: { type: 'string', format: 'email' },
        rows: { type: 'array', items: { type: 'object', properties: { n: { type: 'number', maximum: 5 } } } },
      },
      { schema: { $defs: { count: { type: 'integer', minimum: 1 } } } },
    );
    const result = fill(
      definition,
      { count: { kind: 'number', text: '0' } },
      { name: 'ab', code: 'abc', mail: 'nobody', rows: [{ n: 1 }, { n: 9 }] },
    );
    expect(Object.fromEntries(result.checked)).toEqual({
      '/name': ['Needs at least 3 characters.'],
      '/count': ['Must be 1 or more.'],
      '/code': ['Must match the pattern ^[A-Z]+$.'],
      '/mail': ['Must be an e-mail address.'],
      '/rows/1/n': ['Must be 5 or less.'],
    });
  });

  it('speaks only of the alternative that was chosen', () => {
    const definition = input({
      target: {
        oneOf: [
          {
            title: 'Mail',
            type: 'object',
            required: ['mail'],
            properties: { mail: { type: 'string', minLength: 3 } },
          },
          { title: 'Port', type: 'object', required: ['port'], properties: { port: { type: 'integer' } } },
        ],
      },
    });
    const result = fill(definition, {}, { target: { mail: 'x' } });
    expect(Object.fromEntries(result.checked)).toEqual({ '/target/mail': ['Needs at least 3 characters.'] });
  });

  it('tells what a value typed as JSON misses, as no control of the form can', () => {
    const definition = input({
      free: { type: 'object', allOf: [{ required: ['a'] }], properties: { a: { type: 'number' } } },
    });
    const result = fill(definition, { free: { kind: 'json', text: '{"b":1}' } });
    expect([...result.checked.keys()]).toEqual(['/free']);
  });

  it('leaves a broken schema to main instead of failing the form', () => {
    const definition = input({ a: { type: 'string', pattern: '(' } });
    expect(fill(definition, { a: text('x') }).checked).toEqual(new Map());
  });
});

describe('placeCauses', () => {
  it('puts main’s causes at their fields and keeps the rest', () => {
    const placed = placeCauses(
      {
        code: 'input_invalid',
        title: 'Input',
        detail: 'Two things',
        causes: [
          { code: 'a', detail: 'too big', pointer: '/csv' },
          { code: 'b', detail: 'no disk' },
        ],
      },
      (pointer) => pointer.startsWith('/csv'),
    );
    expect(placed.errors).toEqual(new Map([['/csv', ['too big']]]));
    expect(placed.rest).toEqual([{ code: 'b', detail: 'no disk' }]);
  });
});

describe('accepts', () => {
  it.each([
    ['.csv', 'Sales 2026.CSV', '', true],
    ['.csv,text/csv', 'a.txt', 'text/csv', true],
    ['image/*', 'a.png', 'image/png', true],
    ['image/*', 'a.pdf', 'application/pdf', false],
    ['.csv', 'a.txt', '', false],
    // No type is known and no extension is asked for: main looks at the bytes.
    ['application/x-thing', 'thing', '', true],
    ['', 'anything', '', true],
  ])('%s takes %s (%s): %s', (accept, name, type, verdict) => {
    expect(accepts(accept, { name, type })).toBe(verdict);
  });
});
