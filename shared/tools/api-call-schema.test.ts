import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { CALL_SCHEMA } from './api-call-schema.ts';

const accepts = new Ajv2020({ strict: false, validateFormats: false }).compile(CALL_SCHEMA);

it.each([
  'text',
  { fromFile: 'a.txt' },
  { fromBytes: 'AA==', encoding: 'base64' },
  { multipart: [{ name: 'a', value: 'b' }] },
  { multipart: [{ name: 'a', fromFile: 'b.txt' }] },
  { multipart: [{ name: 'a', filename: 'b', bytes: 'AA==', encoding: 'base64' }] },
  { any: 'object' },
  ['list'],
  null,
])('takes the body %j, which a client that checks arguments must not refuse', (body) => {
  expect(accepts({ target: 'https://api.example.com/', method: 'POST', body })).toBe(true);
});

it('refuses what no form has', () => {
  expect(accepts({ target: 'x', body: 7 })).toBe(false);
  expect(accepts({ target: 'x', timeout: 7 })).toBe(false);
  expect(accepts({})).toBe(false);
});
