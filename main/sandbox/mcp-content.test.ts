import type { ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodedLength, toModelResult } from './mcp-content.ts';

const link = { type: 'resource_link', uri: 'file:///a.json', name: 'a.json' } as const;

describe('toModelResult', () => {
  it.each<[string, ContentBlock, object[]]>([
    ['a text', { type: 'text', text: 'x' }, [{ type: 'text', text: 'x' }]],
    [
      'an image',
      { type: 'image', data: 'AA==', mimeType: 'image/png' },
      [{ type: 'image', data: 'AA==', mimeType: 'image/png' }],
    ],
    [
      'a sound',
      { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
      [{ type: 'text', text: '[Audio, audio/wav, 3 bytes: cannot be heard here]' }],
    ],
    ['a bare link', link, [{ type: 'text', text: '[Resource "a.json" at file:///a.json]' }]],
    [
      'a link with facts',
      { ...link, title: 'All A', mimeType: 'application/json', size: 5, description: 'Rows' },
      [{ type: 'text', text: '[Resource "All A" at file:///a.json: application/json, 5 bytes, Rows]' }],
    ],
    [
      'an embedded text',
      { type: 'resource', resource: { uri: 'file:///a', text: 'inside' } },
      [
        { type: 'text', text: '[Resource file:///a]' },
        { type: 'text', text: 'inside' },
      ],
    ],
    [
      'an embedded image',
      { type: 'resource', resource: { uri: 'file:///a', mimeType: 'image/png', blob: 'AAAA' } },
      [
        { type: 'text', text: '[Resource file:///a]' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ],
    ],
    [
      'embedded bytes',
      { type: 'resource', resource: { uri: 'file:///a', mimeType: 'application/zip', blob: 'AAAA' } },
      [{ type: 'text', text: '[Resource file:///a, application/zip, 3 bytes: not shown]' }],
    ],
  ])('maps %s', (_what, block, content) => {
    expect(toModelResult({ content: [block] }).content).toEqual(content);
  });

  it('gives structured content where there is no other, and never nothing', () => {
    expect(toModelResult({ content: [], structuredContent: { a: 1 } }).content).toEqual([
      { type: 'text', text: '{\n  "a": 1\n}' },
    ]);
    expect(toModelResult({ content: [] }).content).toEqual([{ type: 'text', text: '(no content)' }]);
  });

  it('tells which resources a result refers to', () => {
    expect(
      toModelResult({ content: [link, { type: 'resource', resource: { uri: 'x:y', text: '' } }] }).resources,
    ).toEqual([{ uri: 'file:///a.json', title: 'a.json' }, { uri: 'x:y' }]);
  });
});

it('knows the length of base64 without decoding it', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(decodedLength(Buffer.from(bytes).toString('base64'))).toBe(bytes.length);
    }),
  );
});
