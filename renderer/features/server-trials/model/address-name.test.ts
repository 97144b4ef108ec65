import { expect, it } from 'vitest';
import { wordOfAddress } from './address-name.ts';

it('names a server after what tells it from others', () => {
  expect(wordOfAddress('https://mcp.linear.app/sse')).toBe('linear');
  expect(wordOfAddress(' https://mcp.tracker.example.com/v1 ')).toBe('tracker-example');
  expect(wordOfAddress('http://127.0.0.1:3001/mcp')).toBe('local-3001');
  expect(wordOfAddress('http://localhost/mcp')).toBe('local-80');
  expect(wordOfAddress('https://mcp.io')).toBe('mcp-io');
  expect(wordOfAddress('not yet')).toBe('');
});
