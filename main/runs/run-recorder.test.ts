import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase, type Database } from '#main/store/index.ts';
import { NO_USAGE } from '#shared/models/model.ts';
import type { RunSummary } from '#shared/runs/run.ts';
import { RunRecorder, type RecorderListener } from './run-recorder.ts';
import { RunRepository } from './run-repository.ts';

const summary: RunSummary = {
  id: 'run_1',
  agentId: '@a/b',
  agentVersion: '1.0.0',
  agentName: 'B',
  status: 'running',
  model: { providerId: 'walkthrough', modelId: 'walkthrough' },
  modelName: 'Walkthrough',
  trigger: 'app',
  createdAt: 1000,
  timeoutSeconds: 300,
  usage: NO_USAGE,
  hasOutput: false,
  fileCount: 0,
  lastSequence: 0,
};

let folder: string;
let database: Database;
let repository: RunRepository;
const silent: RecorderListener = {
  eventsWritten: () => undefined,
  summaryChanged: () => undefined,
  writeFailed: (_run, error) => {
    throw error;
  },
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-runs-'));
  database = openDatabase(folder);
  repository = new RunRepository(database);
  repository.insert({
    summary,
    input: { a: 1 },
    inputFiles: [],
    manifestText: '{}',
    promptText: 'p',
    outputSchema: undefined,
    instanceId: 'i',
  });
});
afterEach(() => {
  database[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

describe('RunRecorder', () => {
  it('tells of events only when another reader of the database would find them', () => {
    const seen: number[] = [];
    const recorder = new RunRecorder(repository, summary, {
      ...silent,
      eventsWritten: (runId) => seen.push(repository.events(runId, 0, 100).length),
    });
    recorder.append({ type: 'log.written', level: 'info', message: 'one' });
    recorder.append({ type: 'log.written', level: 'info', message: 'two' });
    expect(seen).toEqual([]);
    recorder.flush();
    expect(seen).toEqual([2]);
  });

  it('numbers events without a gap and never reopens an ended run', () => {
    const recorder = new RunRecorder(repository, summary, silent, () => 5000);
    for (let index = 0; index < 5; index += 1) recorder.append({ type: 'turn.started', turn: index + 1 });
    recorder.end({ status: 'cancelled' });
    recorder.append({ type: 'turn.started', turn: 9 });
    recorder.update({ status: 'running' });
    recorder.end({ status: 'success' });
    recorder.flush();
    const events = repository.events(summary.id, 0, 100);
    expect(events.map((event) => event.sequence)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(events.at(-1)?.data).toMatchObject({ type: 'run.ended', status: 'cancelled', durationMs: 4000 });
    expect(repository.summary(summary.id)).toMatchObject({
      status: 'cancelled',
      endedAt: 5000,
      lastSequence: 6,
    });
  });

  /** The repository, as long as the disk takes what it writes. */
  function flakyRepository(disk: { isFull: boolean }): RunRepository {
    return new Proxy(repository, {
      get(target, name) {
        if (name === 'saveSummary' && disk.isFull) {
          return () => {
            throw new Error('disk full');
          };
        }
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }

  it('loses nothing when a write fails and the next one succeeds', () => {
    const disk = { isFull: true };
    const recorder = new RunRecorder(flakyRepository(disk), summary, silent);
    recorder.append({ type: 'turn.started', turn: 1 });
    recorder.saveOutput({ rows: 3 });
    expect(() => recorder.flush()).toThrow('disk full');
    expect(repository.events(summary.id, 0, 10)).toEqual([]);
    disk.isFull = false;
    recorder.append({ type: 'turn.started', turn: 2 });
    recorder.flush();
    expect(repository.events(summary.id, 0, 10).map((event) => event.sequence)).toEqual([1, 2]);
    expect(repository.detail(summary.id)).toMatchObject({
      output: { rows: 3 },
      summary: { hasOutput: true },
    });
  });

  it('writes a verdict later that could not be written at once, so that no ended run looks alive', () => {
    vi.useFakeTimers();
    try {
      const disk = { isFull: true };
      const failures: unknown[] = [];
      const recorder = new RunRecorder(flakyRepository(disk), summary, {
        ...silent,
        writeFailed: (_run, error) => failures.push(error),
      });
      recorder.end({ status: 'success' });
      vi.advanceTimersByTime(5_000);
      expect(repository.summary(summary.id).status).toBe('running');
      expect(failures.length).toBeGreaterThan(1);
      disk.isFull = false;
      vi.advanceTimersByTime(5_000);
      expect(repository.summary(summary.id).status).toBe('success');
      expect(repository.events(summary.id, 0, 10).at(-1)?.data).toMatchObject({ type: 'run.ended' });
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('RunRepository', () => {
  it('pages runs without skipping or repeating one', () => {
    for (let index = 2; index <= 7; index += 1) {
      repository.insert({
        // The third and fourth newest began in one moment, where the page ends.
        summary: { ...summary, id: `run_${index}`, createdAt: 1000 * (index === 4 ? 5 : index) },
        input: {},
        inputFiles: [],
        manifestText: '{}',
        promptText: '',
        outputSchema: undefined,
        instanceId: 'i',
      });
    }
    const first = repository.list({ limit: 3 });
    const second = repository.list({ limit: 10, before: first.runs.at(-1)! });
    expect([...first.runs, ...second.runs].map((run) => run.id)).toEqual([
      'run_7',
      'run_6',
      'run_5',
      'run_4',
      'run_3',
      'run_2',
      'run_1',
    ]);
    expect([first.hasMore, second.hasMore]).toEqual([true, false]);
  });

  it('removes a run with its events and files', () => {
    const recorder = new RunRecorder(repository, summary, silent);
    recorder.append({ type: 'turn.started', turn: 1 });
    recorder.saveOutputFile({ path: 'a.md', size: 1, mediaType: 'text/markdown', modifiedAt: 1, kept: true });
    recorder.end({ status: 'success' });
    repository.remove(summary.id);
    expect(repository.events(summary.id, 0, 10)).toEqual([]);
    expect(repository.outputFiles(summary.id)).toEqual([]);
    expect(() => repository.summary(summary.id)).toThrow(/No run has the id/);
  });
});
