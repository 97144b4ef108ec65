import { describe, expect, it } from 'vitest';
import { CheckTooSlowError, createSchemaChecker, withinTimeLimit } from './json-schema.ts';

describe('checking a JSON Schema', () => {
  const checker = createSchemaChecker();

  it.each([
    [{ type: 'text' }, '/type', /one of array/],
    [{ properties: { a: 5 } }, '/properties/a', /object or boolean/],
    [{ required: 'a' }, '/required', /array/],
    [{ allOf: [{ type: ['string', 'x'] }] }, '/allOf/0/type/1', /one of/],
    [{ properties: { a: { pattern: '(' } } }, '/properties/a/pattern', /regular expression/],
    [{ patternProperties: { '[': {} } }, '/patternProperties/[', /regular expression/],
    [{ properties: { a: { $ref: 'https://x.dev/s' } } }, '/properties/a/$ref', /nothing is fetched/],
    [{ items: { $ref: '#/$defs/a~1b' }, $defs: { ab: {} } }, '/items/$ref', /nothing at/],
    [{ enum: [] }, '', /non-empty/],
  ])('%j is at fault', (schema, pointer, message) => {
    const faults = checker.faultsOf(schema);
    expect(faults.map((fault) => fault.pointer)).toEqual([pointer]);
    expect(faults[0]?.message).toMatch(message);
  });

  it('takes unknown keywords and formats, references inside, and data that looks like a schema', () => {
    const schema = {
      $id: 'https://x.dev/own',
      type: 'object',
      properties: {
        a: { $ref: '#/$defs/item' },
        b: { format: 'color', 'x-widget': 1, default: { $ref: 'https://x.dev/s', pattern: '(' } },
        $ref: { const: { $ref: 'https://x.dev/s' } },
      },
      $defs: { item: { type: 'array', items: { $ref: '#' } } },
    };
    expect(checker.faultsOf(schema)).toEqual([]);
    expect(checker.faultsOf({ ...schema })).toEqual([]);
  });

  it('refuses a schema of so many parts that compiling it would hold the app', () => {
    const schemaOf = (count: number) => ({
      properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, {}])),
    });
    expect(checker.faultsOf(schemaOf(1_000))).toEqual([]);
    expect(checker.faultsOf(schemaOf(20_000))).toMatchObject([
      { message: expect.stringMatching(/too many to check/) as string },
    ]);
  });

  it('ends a check that backtracks without end', () => {
    expect(() => withinTimeLimit(() => /^(a+)+$/.test(`${'a'.repeat(60)}!`))).toThrow(CheckTooSlowError);
    expect(withinTimeLimit(() => 5)).toBe(5);
  });
});
