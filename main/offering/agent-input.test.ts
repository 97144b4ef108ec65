import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { readToolInput, toolInputOf } from './agent-input.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    table: { type: 'string', format: 'uri', contentMediaType: 'text/csv', title: 'Table' },
    more: {
      type: 'array',
      items: { type: 'string', format: 'uri', contentMediaType: 'application/octet-stream' },
      maxItems: 3,
    },
  },
  required: ['table'],
};

describe('an agent’s input as a tool’s', () => {
  it('takes the content of files, since a client has no files to name', () => {
    expect(toolInputOf(SCHEMA)).toMatchObject({
      type: 'object',
      required: ['table'],
      properties: {
        title: { type: 'string' },
        table: { type: 'array', title: 'Table', minItems: 1, maxItems: 1, items: { required: ['name'] } },
        more: { type: 'array', maxItems: 3 },
      },
    });
    expect(toolInputOf(undefined)).toEqual({ type: 'object', properties: {} });
  });

  it('is parted into values and files of their fields, text and bytes alike', async () => {
    const { input, files } = readToolInput(SCHEMA, {
      title: 'Dues',
      table: [{ name: 'a.csv', text: 'a,ü\n' }],
      more: [{ name: 'b.bin', base64: '/wA=' }],
    });
    expect(input).toEqual({ title: 'Dues' });
    expect(files).toMatchObject([
      { field: 'table', originalName: 'a.csv', size: 5 },
      { field: 'more', originalName: 'b.bin', size: 2 },
    ]);
    expect(await text(await (files[0] ?? { open: () => Promise.reject(new Error('none')) }).open())).toBe(
      'a,ü\n',
    );
  });

  it.each([
    ['a path', 'C:\\secret.csv'],
    ['no content', [{ name: 'a.csv' }]],
    ['two contents', [{ name: 'a.csv', text: 'a', base64: 'YQ==' }]],
    ['bytes that are none', [{ name: 'a.csv', base64: 'ü' }]],
    ['a place of its own', [{ name: 'a.csv', path: '/etc/passwd', text: 'a' }]],
  ])('refuses %s in the place of a file', (_what, table) => {
    expect(() => readToolInput(SCHEMA, { table })).toThrow(
      expect.objectContaining({
        problem: expect.objectContaining({ code: 'input_invalid', pointer: '/table' }),
      }),
    );
  });
});
