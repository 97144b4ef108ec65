import { describe, expect, it } from 'vitest';
import { CALL_SCHEMA } from '#shared/tools/api-call-schema.ts';
import { currentForm, fieldsOf, missingArguments, readArguments, withArgument } from './argument-fields.ts';

const fields = fieldsOf(CALL_SCHEMA);
const named = (name: string) => fields.find((field) => field.name === name);

describe('the fields of api_call', () => {
  it('are those of its schema, each typed in as it is', () => {
    expect(fields.map(({ name, kind }) => [name, kind])).toEqual([
      ['target', 'text'],
      ['method', 'choice'],
      ['headers', 'pairs'],
      ['body', 'forms'],
      ['substituteBody', 'boolean'],
      ['responseMode', 'group'],
    ]);
    expect(named('method')).toMatchObject({ fallback: 'GET', options: expect.arrayContaining(['DELETE']) });
    expect(named('target')?.isRequired).toBe(true);
  });

  it('offer each form of a body once, and know which one a value has', () => {
    const body = named('body');
    if (body?.kind !== 'forms') throw new Error('A body has forms');
    const labelOf = (value: unknown) => currentForm(body.forms, value)?.label;
    expect(body.forms.map(({ label }) => label)).toEqual([
      'text',
      'fromFile',
      'fromBytes',
      'multipart',
      'JSON object',
      'JSON array',
    ]);
    expect(['', { fromFile: 'a' }, { multipart: [] }, { a: 1 }, [], undefined].map(labelOf)).toEqual([
      'text',
      'fromFile',
      'multipart',
      'JSON object',
      'JSON array',
      undefined,
    ]);
    // A form begins as a value of its own kind; else choosing it would choose another.
    for (const form of body.forms) expect(labelOf(form.initial)).toBe(form.label);
    expect(body.forms.find(({ label }) => label === 'fromBytes')?.initial).toEqual({
      fromBytes: '',
      encoding: 'base64',
    });
  });
});

it('an argument is set in its place, and left out when nothing is in it', () => {
  const given = { target: 'a', method: 'GET' };
  expect(Object.entries(withArgument(given, 'target', 'b'))).toEqual([
    ['target', 'b'],
    ['method', 'GET'],
  ]);
  expect(withArgument(given, 'method', undefined)).toEqual({ target: 'a' });
  expect(missingArguments(fields, { target: '' })).toEqual(['target']);
});

it('arguments in JSON are an object, or it is said what is wrong', () => {
  expect(readArguments('{"a":1}')).toEqual({ a: 1 });
  expect(readArguments('[1]')).toBe('Arguments are a JSON object.');
  expect(typeof readArguments('{"a":')).toBe('string');
});

it('a schema that nobody foresaw is typed in as JSON, never left out', () => {
  const odd = fieldsOf({
    properties: { a: { anyOf: [] }, b: {}, c: { type: 'array' }, d: { enum: [1, 2] } },
  });
  expect(odd.map(({ kind }) => kind)).toEqual(['json', 'json', 'json', 'json']);
});
