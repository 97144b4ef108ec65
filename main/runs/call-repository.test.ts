import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase, type Database } from '#main/store/index.ts';
import type { RecordedCall } from '#shared/runs/recorded-call.ts';
import type { CallRepository } from './call-repository.ts';
import { RunRepository } from './run-repository.ts';

let folder: string;
let database: Database;
let runs: RunRepository;
let calls: CallRepository;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-calls-'));
  database = openDatabase(folder);
  runs = new RunRepository(database);
  ({ calls } = runs);
  for (const id of ['run_1', 'run_2']) {
    database.run(
      `INSERT INTO run (id, agent_id, created_at, status, instance_id, summary, input, input_files, manifest_text,
         prompt_text) VALUES (?, 'a', 0, 'success', 'i', '{}', '{}', '[]', '{}', '')`,
      id,
    );
  }
});
afterEach(() => {
  database[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

function call(sequence: number, change: Partial<RecordedCall> = {}): RecordedCall {
  return {
    sequence,
    at: 1000 + sequence,
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
    durationMs: 3.25,
    ...change,
  };
}

const all = { after: 0, limit: 100 };
const sequences = (found: { calls: RecordedCall[] }) => found.calls.map(({ sequence }) => sequence);

it('gives back what was kept, of one run, and forgets it with the run', () => {
  const { rule: _rule, ...refused } = call(2, { status: 0, code: 'blocked_target' });
  calls.append('run_1', call(1));
  calls.append('run_1', refused);
  calls.append('run_2', call(1));
  expect(calls.list('run_1', {}, all)).toEqual({ calls: [call(1), refused], total: 2 });
  runs.remove('run_1');
  expect(calls.list('run_1', {}, all).total).toBe(0);
  expect(calls.list('run_2', {}, all).total).toBe(1);
});

it('filters by outcome, integration and text, in which a wildcard stands for itself', () => {
  calls.append('run_1', call(1));
  calls.append('run_1', call(2, { status: 404, url: 'https://api.example.com/100%_sure' }));
  calls.append('run_1', call(3, { status: 0, code: 'upstream_timeout' }));
  calls.append('run_1', call(4, { integrationId: '@acme/drive', connectionLabel: 'Home', method: 'POST' }));
  const found = (filter: Parameters<CallRepository['list']>[1]) =>
    sequences(calls.list('run_1', filter, all));
  expect(found({ outcome: 'answered' })).toEqual([1, 4]);
  expect(found({ outcome: 'rejected' })).toEqual([2]);
  expect(found({ outcome: 'unsent' })).toEqual([3]);
  expect(found({ integrationId: '@acme/drive' })).toEqual([4]);
  expect(found({ text: 'hom' })).toEqual([4]);
  expect(found({ text: 'timeout' })).toEqual([3]);
  expect(found({ text: '100%_S' })).toEqual([2]);
  expect(found({ text: '%' })).toEqual([2]);
  expect(found({ text: String.raw`\ ' OR 1=1` })).toEqual([]);
  expect(found({ text: ' ', outcome: 'answered', integrationId: '@acme/mail' })).toEqual([1]);
});

it('pages without losing or repeating one, and counts all that fit', () => {
  for (let index = 1; index <= 25; index += 1) calls.append('run_1', call(index));
  const seen: number[] = [];
  for (let after = 0; ; after = seen.at(-1) ?? 0) {
    const page = calls.list('run_1', {}, { after, limit: 10 });
    expect(page.total).toBe(25);
    if (page.calls.length === 0) break;
    seen.push(...sequences(page));
  }
  expect(seen).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
});
