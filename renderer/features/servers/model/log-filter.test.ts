import { expect, it } from 'vitest';
import type { ProtocolEntry } from '#shared/ipc/server-routes.ts';
import { answersOf, filterLog, prettyText } from './log-filter.ts';

const entry = (sequence: number, more: Partial<ProtocolEntry>): ProtocolEntry => ({
  sequence,
  at: 0,
  direction: 'sent',
  kind: 'request',
  method: 'tools/call',
  size: 1,
  text: '{}',
  isCut: false,
  ...more,
});
const entries = [
  entry(1, { text: '{"name":"Find"}' }),
  entry(2, { kind: 'result', answers: 1, saysError: true, text: '{"isError":true}' }),
  entry(3, { kind: 'notification', method: 'notifications/progress' }),
  entry(4, { kind: 'error', answers: 9, method: 'prompts/get' }),
  entry(5, { kind: 'note', method: 'server', text: 'started' }),
];
const shown = (...given: [Parameters<typeof filterLog>[1], string]) =>
  filterLog(entries, ...given).map(({ sequence }) => sequence);

it('shows what is asked for, the newest first', () => {
  expect(shown('all', '')).toEqual([5, 4, 3, 2, 1]);
  // A result that says it is an error is one, whatever the protocol calls it.
  expect(shown('errors', '')).toEqual([4, 2]);
  expect(shown('calls', 'tools find')).toEqual([1]);
  expect(shown('notes', '')).toEqual([5]);
});

it('joins answers to requests, and indents only what is JSON in whole', () => {
  expect(answersOf(entries).get(1)?.sequence).toBe(2);
  expect(prettyText(entry(1, { text: '{"a":1}' }))).toBe('{\n  "a": 1\n}');
  expect(prettyText(entry(1, { text: '{"a":1', isCut: true }))).toBe('{"a":1');
});
