import { describe, expect, test } from 'vitest';
import { createInterpretingChecker } from './schema-checker.ts';

const checker = createInterpretingChecker();

describe('a JSON Schema', () => {
  test.each([
    [{ type: 'text' }, '/type'],
    [{ properties: { a: 5 } }, '/properties/a'],
    [{ properties: { 'a b': { items: { minLength: -1 } } } }, '/properties/a b/items/minLength'],
    [{ properties: { a: { required: 'b' } } }, '/properties/a/required'],
    [{ allOf: [] }, '/allOf'],
    [{ properties: { a: { pattern: '(' } } }, '/properties/a/pattern'],
    [{ properties: { a: { $ref: '#/$defs/none' } } }, '/properties/a/$ref'],
    [{ $ref: 'https://example.org/x.json' }, '/$ref'],
  ])('%j is faulty at %s', (schema, pointer) => {
    expect(checker.faultsOf(schema).map((fault) => fault.pointer)).toEqual([pointer]);
  });

  test.each([
    {},
    { type: ['string', 'null'], 'x-own': 1, format: 'anything' },
    { $defs: { a: { $ref: '#/$defs/a' } }, properties: { b: { $ref: '#/$defs/a' }, c: true } },
    {
      not: { properties: { a: { const: 1 } } },
      dependentRequired: { a: ['b'] },
      unevaluatedProperties: false,
    },
  ])('%j is good', (schema) => {
    expect(checker.faultsOf(schema)).toEqual([]);
  });
});
