import { describe, expect, it } from 'vitest';
import { isQuickPattern } from './quick-patterns.ts';
import { findSchemaFaults } from './schema-faults.ts';

describe('a pattern is quick', () => {
  it.each([
    '^[a-z0-9-]+$',
    '^\\d{4}-\\d{2}$',
    '^(feat|fix)$',
    '^(?:v)?\\d+\\.\\d+\\.\\d+$',
    '[*+(|)]{2,3}',
    '\\(a\\)+',
  ])('%s', (pattern) => {
    expect(isQuickPattern(pattern)).toBe(true);
  });

  it.each([
    '^(a+)+$',
    '(a|a)*$',
    '^((a)*)*$',
    '(a|aa)+b',
    '(a{1,9}){1,99}$',
    '^(?:[a-z]+\\s?)+$',
    'a*a*a*a*b',
    '(a+)\\1',
  ])('not: %s', (pattern) => {
    expect(isQuickPattern(pattern)).toBe(false);
  });
});

it('a package’s pattern cannot hold the page', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string', pattern: '^(a+)+$', maxLength: 5 }, pattern: { type: 'string' } },
    patternProperties: { '^(b|b)*$': false },
  };
  const began = performance.now();
  const faults = findSchemaFaults(schema, { a: `${'a'.repeat(40)}!`, [`${'b'.repeat(40)}!`]: 1, pattern: 5 });
  expect(performance.now() - began).toBeLessThan(1_000);
  expect(faults.map(({ keyword, pointer }) => `${keyword} ${pointer}`)).toEqual([
    'maxLength /a',
    'type /pattern',
  ]);
});
