import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openDatabase, type Database } from '#main/store/index.ts';
import { NO_USAGE } from '#shared/models/model.ts';
import type { RunSummary } from '#shared/runs/run.ts';
import { ForeignRuns } from './foreign-runs.ts';
import { RunRecorder } from './run-recorder.ts';
import { RunRepository } from './run-repository.ts';

let folder: string;
let ours: Database;
let theirs: Database;
let live: boolean;
let told: string[];
let foreign: ForeignRuns;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-foreign-'));
  ours = openDatabase(folder);
  theirs = openDatabase(folder);
  live = true;
  told = [];
  foreign = new ForeignRuns({
    repository: new RunRepository(ours),
    instances: {
      instanceId: 'ours',
      hostId: 'host',
      isLive: () => live,
      [Symbol.dispose]: () => undefined,
    },
    onForeignChange: (listener) => ours.onForeignChange(listener),
    eventsWritten: (id) => told.push(`events ${id}`),
    changed: ({ id, status }) => told.push(`${status} ${id}`),
    removed: (id) => told.push(`removed ${id}`),
    abandoned: () => told.push('abandoned'),
  });
});
afterEach(() => {
  vi.useRealTimers();
  foreign[Symbol.dispose]();
  ours[Symbol.dispose]();
  theirs[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

function begin(database: Database, id: string, instanceId: string): RunRecorder {
  const summary: RunSummary = {
    id,
    agentId: '@a/b',
    agentVersion: '1.0.0',
    agentName: 'B',
    status: 'running',
    model: { providerId: 'walkthrough', modelId: 'walkthrough' },
    modelName: 'Walkthrough',
    trigger: 'cli',
    createdAt: Date.now() + 1,
    timeoutSeconds: 300,
    usage: NO_USAGE,
    hasOutput: false,
    fileCount: 0,
    lastSequence: 0,
  };
  const repository = new RunRepository(database);
  const facts = { input: {}, inputFiles: [], manifestText: '{}', promptText: '', outputSchema: undefined };
  repository.insert({ summary, ...facts, instanceId });
  return new RunRecorder(repository, summary, {
    eventsWritten: () => undefined,
    summaryChanged: () => undefined,
    writeFailed: (_run, error) => {
      throw error;
    },
  });
}

test('tells of a run of another process, of its events and of its end', async () => {
  const recorder = begin(theirs, 'run_1', 'theirs');
  await vi.waitFor(() => expect(told).toEqual(['events run_1', 'running run_1']));
  recorder.append({ type: 'log.written', level: 'info', message: 'hello' });
  recorder.flush();
  await vi.waitFor(() => expect(told.filter((line) => line === 'events run_1').length).toBeGreaterThan(1));
  recorder.end({ status: 'success' });
  await vi.waitFor(() => expect(told).toContain('success run_1'));
  new RunRepository(theirs).remove('run_1');
});

test('tells of a run that was removed while it was followed', async () => {
  begin(theirs, 'run_1', 'theirs');
  await vi.waitFor(() => expect(told).toContain('running run_1'));
  new RunRepository(theirs).remove('run_1');
  await vi.waitFor(() => expect(told).toContain('removed run_1'));
});

test('says nothing of what this process writes itself', async () => {
  begin(ours, 'run_ours', 'ours');
  begin(theirs, 'run_theirs', 'theirs');
  await vi.waitFor(() => expect(told).toContain('running run_theirs'));
  expect(told.filter((line) => line.endsWith('run_ours'))).toEqual([]);
});

test('notices that the process of an unfinished run has died', async () => {
  begin(theirs, 'run_1', 'theirs');
  await vi.waitFor(() => expect(told).toContain('running run_1'));
  live = false;
  await vi.waitFor(() => expect(told).toContain('abandoned'), { timeout: 10_000 });
});
