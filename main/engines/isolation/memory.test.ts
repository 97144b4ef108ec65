import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { IsolationMemory } from './memory.ts';

const passed = [{ id: 'a', title: 'A', passed: true, detail: '' }];
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-memory-'));
});
afterEach(() => rm(folder, { recursive: true }));

it('remembers a passed probe across starts, for that engine and image only', async () => {
  const file = join(folder, 'new', 'isolation.json');
  await new IsolationMemory(file).remember('engine 1 image 1', passed);
  const next = new IsolationMemory(file);
  expect(await next.recall('engine 1 image 1')).toEqual(passed);
  expect(await next.recall('engine 2 image 1')).toBeUndefined();
});

it('does not remember a failure, so that a repaired engine is seen', async () => {
  const memory = new IsolationMemory(join(folder, 'isolation.json'));
  await memory.remember('key', [...passed, { id: 'b', title: 'B', passed: false, detail: '' }]);
  expect(await memory.recall('key')).toBeUndefined();
});

it('probes anew where the file is damaged, instead of failing', async () => {
  const file = join(folder, 'isolation.json');
  await writeFile(file, '{"probes":{"key":[{"passed":"yes"}]}}');
  const memory = new IsolationMemory(file);
  expect(await memory.recall('key')).toBeUndefined();
  await memory.remember('key', passed);
  expect(await new IsolationMemory(file).recall('key')).toEqual(passed);
});
