import { expect, it } from 'vitest';
import { protocolEntrySchema } from '#shared/ipc/server-routes.ts';
import { exportLines } from '#shared/mcp/protocol-lines.ts';
import { ProtocolLog } from './protocol-log.ts';

const request = (id: number | string, method = 'tools/call') => ({ jsonrpc: '2.0' as const, id, method });
const result = (id: number | string, value: object = {}) => ({
  jsonrpc: '2.0' as const,
  id,
  result: { ...value },
});

function open(redact = (text: string) => text) {
  let time = 0;
  const log = new ProtocolLog({ redact, onEntry: () => undefined, now: () => time });
  return { log, pass: (ms: number) => void (time += ms), all: () => log.after(0, 100_000) };
}

it('joins an answer to its request, with the time between, also when both sides use one id', () => {
  const { log, pass, all } = open();
  log.message('sent', request(1));
  pass(30);
  log.message('received', request(1, 'roots/list'));
  pass(12);
  log.message('sent', result(1));
  log.message('received', result(1, { isError: true, content: [] }));
  // As a text it is another id.
  log.message('received', result('1'));
  expect(all().map(({ kind, method, answers, durationMs }) => [kind, method, answers, durationMs])).toEqual([
    ['request', 'tools/call', undefined, undefined],
    ['request', 'roots/list', undefined, undefined],
    ['result', 'roots/list', 2, 12],
    ['result', 'tools/call', 1, 42],
    ['result', '', undefined, undefined],
  ]);
  expect(all()[3]?.saysError).toBe(true);
  for (const entry of all()) expect(protocolEntrySchema.parse(entry)).toEqual(entry);
});

it('waits no more for a request that was cancelled', () => {
  const { log, pass, all } = open();
  log.message('sent', request(7));
  pass(5);
  log.message('sent', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
  expect(all()[1]).toMatchObject({ kind: 'notification', answers: 1, durationMs: 5 });
  expect(log.isWaitedFor({ jsonrpc: '2.0', id: 7, error: { code: -32_000, message: '' } })).toBe(false);
});

it('gives what came after an entry also when the oldest are gone', () => {
  const { log } = open();
  for (let id = 0; id < 5_100; id += 1) log.message('sent', request(id));
  expect(log.last).toBe(5_100);
  expect(log.after(0, 2).map(({ sequence }) => sequence)).toEqual([101, 102]);
  expect(log.after(5_098, 10).map(({ sequence }) => sequence)).toEqual([5_099, 5_100]);
  expect(log.after(5_100, 10)).toEqual([]);
});

it('keeps the beginning of a long message, with its whole size, and no more than it has room for', () => {
  const { log, all } = open();
  const long = 'ä'.repeat(300_000);
  for (let id = 0; id < 100; id += 1) log.message('received', result(id, { long }));
  const [first] = all();
  expect(first).toMatchObject({ isCut: true });
  expect(first?.text).toHaveLength(256 * 1024);
  expect(first?.size).toBeGreaterThan(600_000);
  expect(all().length).toBeLessThanOrEqual(64);
});

it('is not filled by ids without end, and has no secret in one', () => {
  const { log, all } = open((text) => text.replaceAll('canary', 'hidden'));
  const id = `canary${'x'.repeat(1_000_000)}`;
  log.message('received', request(id, 'roots/list'));
  log.message('sent', result(id));
  for (const entry of all()) {
    expect(String(entry.id)).toHaveLength(200);
    expect(entry).not.toHaveProperty('answers');
    expect(JSON.stringify(entry)).not.toContain('canary');
  }
});

it('keeps what was said over the protocol when a server talks without end beside it', () => {
  const { log, pass, all } = open();
  log.message('sent', request(1));
  for (let line = 0; line < 100_000; line += 1) log.note('server', `line ${line}`);
  pass(1001);
  log.note('server', 'the last');
  expect(all()[0]).toMatchObject({ kind: 'request', method: 'tools/call' });
  expect(all()).toHaveLength(203);
  expect(all().slice(-2)).toMatchObject([{ text: '99800 more notes were left out.' }, { text: 'the last' }]);
});

it('takes a secret out before it cuts, so that no half of it is left', () => {
  const secret = 'canary-77aa81';
  const { log, all } = open((text) => text.replaceAll(secret, '[secret]'));
  const padding = 'x'.repeat(256 * 1024 - 60);
  log.message('sent', { ...request(1), params: { text: padding + secret } });
  log.note('server', `key ${secret}`);
  expect(JSON.stringify(all())).not.toContain('canary');
  expect(exportLines(all())).not.toContain('canary');
});

it('is exported as one JSON object a line, with messages as JSON', () => {
  const { log, all } = open();
  log.message('sent', request(1));
  log.note('server', 'line one\nline two');
  const lines = exportLines(all()).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { sequence: 1, direction: 'sent', message: { id: 1, method: 'tools/call' } },
    { sequence: 2, direction: 'note', text: 'line one\nline two' },
  ]);
});
