import { describe, expect, test } from 'vitest';
import { NO_USAGE } from '../models/model.ts';
import type { RunEvent, RunEventData } from '../events/run-event.ts';
import { differencesOf } from './differences.ts';

const events = (...data: RunEventData[]): RunEvent[] =>
  data.map((each, index) => ({ sequence: index + 1, at: index, data: each }));
const started = (callId: string, tool: string): RunEventData => ({
  type: 'tool.started',
  turn: 1,
  callId,
  tool,
  source: 'sandbox',
  arguments: { path: tool },
});
const ended = (callId: string, text: string, durationMs = 1): RunEventData => ({
  type: 'tool.ended',
  callId,
  tool: 'read',
  isError: false,
  content: [{ type: 'text', text }],
  truncated: false,
  bytes: text.length,
  estimatedTokens: 1,
  durationMs,
});
const kept = (path: string, sha256: string): RunEventData => ({
  type: 'file.kept',
  path,
  size: 1,
  mediaType: 'text/plain',
  sha256,
});
const over = (status: 'success' | 'failed', code?: string): RunEventData => ({
  type: 'run.ended',
  status,
  usage: NO_USAGE,
  durationMs: 1,
  ...(code !== undefined && { problem: { code, title: 't', detail: 'd' } }),
});

describe('two runs', () => {
  test('are equal whatever their times, ids by chance and the order in which calls of a turn end', () => {
    const one = events(
      started('a', 'x'),
      started('b', 'y'),
      ended('a', '1'),
      ended('b', '2', 9),
      over('success'),
    );
    const other = events(
      started('c', 'x'),
      started('d', 'y'),
      ended('d', '2'),
      ended('c', '1', 7),
      over('success'),
    );
    expect(differencesOf(one, other)).toEqual([]);
  });

  test('are equal when the same files are there in the end, however they came about', () => {
    const one = events(kept('a', '1'), kept('a', '2'), kept('b', '3'), { type: 'file.removed', path: 'b' });
    const other = events(kept('a', '2'));
    expect(differencesOf(one, other)).toEqual([]);
  });

  test('part where a call is answered otherwise', () => {
    const [difference, ...more] = differencesOf(
      events(started('a', 'x'), ended('a', '1')),
      events(started('a', 'x'), ended('a', '2')),
    );
    expect(more).toEqual([]);
    expect(difference).toMatchObject({
      part: 'conversation',
      before: { tool: 'x', content: [{ text: '1' }] },
      after: { tool: 'x', content: [{ text: '2' }] },
    });
  });

  test('part where one has what the other has not', () => {
    expect(differencesOf(events(kept('a', '1')), events())).toEqual([
      { part: 'files', before: { path: 'a', sha256: '1' } },
    ]);
    expect(
      differencesOf(events(), events({ type: 'log.written', level: 'info', message: 'm' })),
    ).toMatchObject([{ part: 'told', after: { message: 'm' } }]);
  });

  test('part in how they end, by the code and not the sentence', () => {
    expect(differencesOf(events(over('failed', 'a')), events(over('failed', 'a')))).toEqual([]);
    expect(differencesOf(events(over('success')), events(over('failed', 'a')))).toMatchObject([
      { part: 'end', before: { status: 'success' }, after: { status: 'failed', code: 'a' } },
    ]);
  });
});
