import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ModelDescription } from '#shared/models/model.ts';
import type { Problem } from '#shared/problem.ts';
import type { CassetteEntry } from './cassette-entry.ts';
import { CassetteWriter } from './cassette-writer.ts';
import { readCassette } from './read-cassette.ts';
import { Replay } from './replay.ts';

const MODEL: ModelDescription = {
  providerId: 'p',
  modelId: 'm',
  displayName: 'M',
  api: 'openai-completions',
  contextWindow: 1000,
  maxTokens: 100,
  reasoning: false,
  images: false,
};
const HEAD: CassetteEntry = {
  kind: 'head',
  version: 1,
  model: MODEL,
  systemPrompt: 'You are an agent.',
  runtimeTools: ['output'],
  timeoutSeconds: 60,
  skills: [],
  services: [],
  serviceNames: [],
  serviceNotes: [],
  memory: { pins: [], noteCount: 0 },
};
const call = (key: string, text: string, omittedBytes?: number): CassetteEntry => ({
  kind: 'call',
  tool: 'mail__api_call',
  key,
  answer: { result: { content: [{ type: 'text', text }] }, resources: [] },
  ...(omittedBytes !== undefined && { omittedBytes }),
});
const answer = (index: number, data: string): CassetteEntry => ({
  kind: 'model',
  index,
  path: '/chat/completions',
  request: { prefix: 0, suffix: 0, data: '' },
  answer: {
    kind: 'response',
    status: 200,
    headers: {},
    data: Buffer.from(data).toString('base64'),
    isCut: false,
  },
});

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-cassette-'));
  file = join(folder, 'run', 'cassette.jsonl');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function written(...entries: CassetteEntry[]): Promise<void> {
  const writer = new CassetteWriter(file, () => undefined);
  for (const entry of entries) writer.add(entry);
  await writer.close();
}

async function replayOf(...entries: CassetteEntry[]): Promise<Replay> {
  await written(HEAD, ...entries);
  return new Replay(await readCassette(file));
}

const textOf = (given: ReturnType<Replay['call']>) => given.result.content[0]?.['text'];

describe('a cassette', () => {
  test('is read as it was written, its requests in the order in which they were sent', async () => {
    await written(HEAD, answer(1, 'second'), call('a', 'one'), answer(0, 'first'));
    const cassette = await readCassette(file);
    expect(cassette.models.map(({ index }) => index)).toEqual([0, 1]);
    expect(cassette.calls).toEqual([call('a', 'one')]);
    expect(cassette.head).toEqual(HEAD);
    expect(cassette.stopped).toBeUndefined();
  });

  test('is for this person alone', async () => {
    await written(HEAD);
    expect((await stat(file)).mode & 0o077).toBe(0);
  });

  test('is kept to its size, ends with why, and says so once', async () => {
    const stopped = vi.fn<(problem: Problem) => void>();
    const writer = new CassetteWriter(file, stopped, 2000);
    writer.add(HEAD);
    for (let index = 0; index < 5; index += 1) writer.add(call('a', 'x'.repeat(1900)));
    await writer.close();
    expect(stopped).toHaveBeenCalledTimes(1);
    const cassette = await readCassette(file);
    expect(cassette.calls).toEqual([]);
    expect(cassette.stopped?.code).toBe('recording_full');
    expect((await stat(file)).size).toBeLessThan(2000);
  });

  test('that cannot be written stops nothing but itself', async () => {
    await writeFile(join(folder, 'run'), 'a file in the place of the folder');
    const stopped = vi.fn<(problem: Problem) => void>();
    const writer = new CassetteWriter(file, stopped);
    writer.add(HEAD);
    writer.add(call('a', 'x'));
    await writer.close();
    await expect.poll(() => stopped.mock.calls.length).toBe(1);
    expect(stopped.mock.calls[0]?.[0].code).toBe('recording_failed');
  });

  test('whose last line was cut by a kill is read up to it', async () => {
    await written(HEAD, call('a', 'one'), call('b', 'two'));
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.slice(0, -20));
    expect((await readCassette(file)).calls).toEqual([call('a', 'one')]);
  });

  test('that is damaged within is refused with the line', async () => {
    await written(HEAD, call('a', 'one'), call('b', 'two'));
    const lines = (await readFile(file, 'utf8')).split('\n');
    await writeFile(file, [lines[0], '{"kind":"cal', lines[2], ''].join('\n'));
    await expect(readCassette(file)).rejects.toMatchObject({
      problem: { code: 'recording_damaged', line: 2 },
    });
  });

  test('of another version, and none at all, are told apart', async () => {
    await written({ ...HEAD, version: 2 } as unknown as CassetteEntry, call('a', 'one'));
    await expect(readCassette(file)).rejects.toMatchObject({
      problem: { code: 'recording_damaged', line: 1 },
    });
    await rm(file);
    await expect(readCassette(file)).rejects.toMatchObject({ problem: { code: 'recording_missing' } });
  });
});

describe('a replay', () => {
  test('answers equal calls in their order, and again with the last', async () => {
    const replay = await replayOf(call('a', 'one'), call('b', 'other'), call('a', 'two'));
    const ask = (key: string) => textOf(replay.call({ tool: 'mail__api_call', key }));
    expect([ask('a'), ask('a'), ask('a'), ask('b')]).toEqual(['one', 'two', 'two', 'other']);
  });

  test('ends at a call that was not recorded, and says which', async () => {
    const replay = await replayOf(call('a', 'one'));
    expect(() => replay.call({ tool: 'mail__api_call', key: 'c' })).toThrow(/never called with these/);
    expect(() => replay.call({ tool: 'other', key: 'a' })).toThrow(/^other was never/);
    expect((await replay.missing).detail).toMatch(/^mail__api_call was never/);
  });

  test('ends at an answer that was too large to be recorded, with its size', async () => {
    const replay = await replayOf(call('a', 'one', 30 * 1024 * 1024));
    expect(() => replay.call({ tool: 'mail__api_call', key: 'a' })).toThrow(/30 MB/);
    expect((await replay.missing).code).toBe('call_not_recorded');
  });

  test('gives the model’s answers one by one, and ends where there are no more', async () => {
    const replay = await replayOf(answer(0, 'first'), {
      ...(answer(1, '') as Extract<CassetteEntry, { kind: 'model' }>),
      answer: { kind: 'failure', problem: { code: 'model_timeout', title: 'T', detail: 'd' } },
    });
    const first = replay.nextModelAnswer();
    expect(first.kind === 'response' && Buffer.from(first.body).toString()).toBe('first');
    expect(replay.nextModelAnswer()).toMatchObject({ kind: 'failure', problem: { code: 'model_timeout' } });
    expect(() => replay.nextModelAnswer()).toThrow('asked its model no more');
    expect((await replay.missing).code).toBe('recording_ended');
  });

  test('remembers what was remembered, with its refusals, and writes nothing', async () => {
    const replay = await replayOf(
      {
        kind: 'answer',
        method: 'addNote',
        key: '{"content":"n","scope":"actor"}',
        outcome: { kind: 'output', output: { count: 3, limit: 500 } },
        event: { type: 'memory.added', noteId: 'x', content: 'n', scope: 'actor' },
      },
      {
        kind: 'answer',
        method: 'recallMemory',
        key: '{"limit":5,"q":"tea"}',
        outcome: { kind: 'failure', problem: { code: 'memory_full', title: 'T', detail: 'no room' } },
      },
    );
    expect(replay.answer('addNote', { scope: 'actor', content: 'n' })).toMatchObject({
      output: { count: 3, limit: 500 },
      event: { noteId: 'x' },
    });
    expect(() => replay.answer('recallMemory', { q: 'tea', limit: 5 })).toThrow('no room');
    expect(() => replay.answer('runHistory', { limit: 1, fields: [] })).toThrow(/runHistory was never/);
  });
});
