import { Validator } from '@cfworker/json-schema';
import { describe, expect, it } from 'vitest';
import { sampleValues } from './sample-values.ts';

const schema = {
  type: 'object',
  properties: {
    team: { type: 'string', minLength: 30 },
    short: { type: 'string', maxLength: 3 },
    mail: { type: 'string', format: 'email' },
    since: { type: 'string', format: 'date' },
    tone: { enum: ['plain', 'warm'] },
    count: { type: 'integer', minimum: 7, multipleOf: 5 },
    share: { type: 'number', exclusiveMaximum: 0 },
    over: { type: 'integer', exclusiveMinimum: 9 },
    flag: { type: ['boolean', 'null'] },
    list: { type: 'array', minItems: 2, items: { $ref: '#/$defs/entry' } },
    either: { oneOf: [{ type: 'null' }, { type: 'string' }] },
    given: { type: 'string', default: 'as given' },
    table: { type: 'string', format: 'uri', contentMediaType: 'text/csv' },
    constructor: { type: 'string' },
  },
  required: ['team', 'list'],
  $defs: { entry: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] } },
};

describe('sample values', () => {
  it('fit the schema they are made for, and bring no file', () => {
    const values = sampleValues(schema);
    expect(new Validator(schema as never, '2020-12').validate(values).errors).toEqual([]);
    expect(Object.keys(values)).toEqual(Object.keys(schema.properties).filter((name) => name !== 'table'));
    expect(values).toMatchObject({
      tone: 'plain',
      given: 'as given',
      count: 10,
      list: [{ id: 1 }, { id: 1 }],
    });
  });

  it('end, whatever a schema refers to and however long it wants a text', () => {
    const ring = {
      type: 'object',
      properties: { self: { $ref: '#' }, loop: { $ref: '#/properties/loop' }, away: { $ref: 'https://x' } },
    };
    expect(JSON.stringify(sampleValues(ring)).length).toBeLessThan(200);
    const long = {
      type: 'object',
      properties: { a: { type: 'string', minLength: 1e9 }, b: { items: {}, type: 'array', minItems: 1e9 } },
    };
    expect(JSON.stringify(sampleValues(long)).length).toBeLessThan(3_000);
  });
});
