import { describe, expect, it } from 'vitest';
import { NO_USAGE } from '#shared/models/model.ts';
import type { RunSummary } from '#shared/runs/run.ts';
import { mergeRuns, newestFirst } from './app-store.ts';

function run(id: string, createdAt: number): RunSummary {
  return {
    id,
    agentId: '@slipway/a',
    agentVersion: '1.0.0',
    agentName: 'A',
    status: 'running',
    model: { providerId: 'p', modelId: 'm' },
    modelName: 'M',
    trigger: 'app',
    createdAt,
    timeoutSeconds: 300,
    usage: NO_USAGE,
    hasOutput: false,
    fileCount: 0,
    lastSequence: 0,
  };
}

describe('mergeRuns', () => {
  it('forgets on a reset what main no longer has, and keeps the rest on a change', () => {
    const first = mergeRuns(undefined, { kind: 'reset', runs: [run('a', 1), run('b', 2)] });
    const changed = mergeRuns(first, { kind: 'changed', runs: [run('c', 3)], removed: ['a'] });
    expect([...changed.keys()]).toEqual(['b', 'c']);
    expect([...first.keys()]).toEqual(['a', 'b']);
    expect([...mergeRuns(changed, { kind: 'reset', runs: [run('d', 4)] }).keys()]).toEqual(['d']);
  });

  it('orders runs of the same millisecond the same way every time', () => {
    const ids = newestFirst([run('a', 5), run('c', 9), run('b', 5)]).map(({ id }) => id);
    expect(ids).toEqual(['c', 'b', 'a']);
  });
});
