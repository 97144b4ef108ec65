import { expect, it } from 'vitest';
import { formatCalls, outcomeOf, type RecordedCall } from './recorded-call.ts';

const call: RecordedCall = {
  sequence: 1,
  at: 0,
  tool: 'mail__api_call',
  integrationId: '@acme/mail',
  connectionId: 'c1',
  connectionLabel: 'Work',
  method: 'GET',
  url: 'https://api.example.com/v1',
  status: 200,
  rule: 'https://api.example.com/**',
  bytesSent: 0,
  bytesReceived: 12,
  durationMs: 3.4,
};

it('writes CSV that no spreadsheet runs, and that reads back', () => {
  const odd = { ...call, connectionLabel: '=HYPERLINK("x"),\n1', status: 0, code: 'blocked_target' as const };
  const lines = formatCalls([call, odd], 'csv').split('\r\n');
  expect(lines[0]).toBe(
    'time,integration,connection,tool,method,url,status,code,rule,bytes_sent,bytes_received,duration_ms',
  );
  expect(lines[1]).toBe(
    "1970-01-01T00:00:00.000Z,'@acme/mail,Work,mail__api_call,GET,https://api.example.com/v1,200,,https://api.example.com/**,0,12,3",
  );
  expect(lines[2]).toContain(`,"'=HYPERLINK(""x""),\n1",`);
  expect(lines).toHaveLength(4);
});

it('writes one JSON value for each call', () => {
  const text = formatCalls([call, call], 'jsonl');
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([call, call]);
  expect(formatCalls([], 'jsonl')).toBe('');
});

it.each([
  [0, 'unsent'],
  [204, 'answered'],
  [399, 'answered'],
  [400, 'rejected'],
  [503, 'rejected'],
])('takes %i for %s', (status, outcome) => expect(outcomeOf({ status })).toBe(outcome));
