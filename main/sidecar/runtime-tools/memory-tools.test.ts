import { describe, expect, it } from 'vitest';
import { ProblemError } from '#shared/problem.ts';
import { linkedPeers } from '../test-support/sidecar-server.ts';
import { createRuntimeTools } from './runtime-tools.ts';

const context = { signal: new AbortController().signal };

function toolsOver(peers: ReturnType<typeof linkedPeers>) {
  const tools = createRuntimeTools({ runtimeTools: ['note', 'pin', 'publish_file'] }, peers.sidecar);
  return (name: string, input: unknown) =>
    tools.find(({ definition }) => definition.name === name)!.call(input, context);
}

describe('note and pin', () => {
  it('are the author’s own unless it is said that they are shared', async () => {
    using peers = linkedPeers();
    const asked: unknown[] = [];
    peers.main.handle('addNote', (input) => {
      asked.push(input);
      return Promise.resolve({ count: 3, limit: 100 });
    });
    peers.main.handle('setPin', (input) => {
      asked.push(input);
      return Promise.resolve({});
    });
    const call = toolsOver(peers);
    expect(await call('note', { content: 'a' })).toEqual({
      content: [{ type: 'text', text: 'Noted. The memory has 3 of 100 notes.' }],
    });
    await call('pin', { key: 'checkpoint', content: null, scope: 'shared' });
    expect(asked).toEqual([
      { content: 'a', scope: 'actor' },
      { key: 'checkpoint', content: null, scope: 'shared' },
    ]);
  });

  it.each([
    ['note', {}],
    ['note', { content: '' }],
    ['note', { content: 'a', scope: 'everyone' }],
    ['note', { content: 'a', extra: 1 }],
    ['pin', { key: 'Upper', content: 1 }],
    ['pin', { key: 'a'.repeat(65), content: 1 }],
    ['pin', { key: '', content: 1 }],
    ['pin', { key: 'a' }],
    ['pin', { key: 'a', content: JSON.parse('['.repeat(30_000) + ']'.repeat(30_000)) as unknown }],
    ['publish_file', {}],
    ['publish_file', { path: 'a', presentation: 'secondary' }],
  ])('%s refuses %# and asks nothing of main', async (name, input) => {
    using peers = linkedPeers();
    expect(await toolsOver(peers)(name, input)).toMatchObject({ isError: true });
  });

  it('let main’s refusal through', async () => {
    using peers = linkedPeers();
    peers.main.handle('addNote', () =>
      Promise.reject(new ProblemError({ code: 'memory_full', title: 'Full', detail: 'No room.' })),
    );
    await expect(toolsOver(peers)('note', { content: 'a' })).rejects.toMatchObject({
      problem: { code: 'memory_full' },
    });
  });
});
