import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, test } from 'vitest';
import { CALL_OPTIONS_META_KEY, RESOURCE_PREFIX } from '#shared/protocol/api-tools.ts';
import { MAX_RECORDED_RESOURCE_BYTES, type RecordedToolCall } from '#shared/protocol/cassette.ts';
import { ResourceStore } from '../spill/resource-store.ts';
import type { MainLink } from '../stdio.ts';
import type { SidecarTool } from '../tool-registry.ts';
import { StagedBodies } from '../uploads/staged-bodies.ts';
import { callKey } from './call-key.ts';
import { recordedTool } from './recorded-tool.ts';
import { createReplayedTools } from './replayed-tools.ts';

const signal = new AbortController().signal;
const DEFINITION: SidecarTool['definition'] = { name: 'mail__api_call', inputSchema: { type: 'object' } };
const bodies = new StagedBodies(1024);

/** A run's recording in memory: what the sidecar told main, and what main answers from it. */
function recording() {
  const calls: RecordedToolCall[] = [];
  const main = {
    notify: (_method: string, { call }: { call: RecordedToolCall }) => {
      calls.push(structuredClone(call));
      return Promise.resolve();
    },
    request: (_method: string, { key }: { key: string }) => {
      const found = calls.find((call) => call.key === key);
      return found ? Promise.resolve(found.answer) : Promise.reject(new Error('not recorded'));
    },
  } as unknown as Pick<MainLink, 'notify' | 'request'>;
  return { calls, main };
}

function spillingTool(resources: ResourceStore, size: number): SidecarTool {
  return {
    definition: DEFINITION,
    call: () => {
      const { uri, name } = resources.put({
        name: 'answer',
        mediaType: 'text/plain',
        isText: true,
        pieces: [Buffer.alloc(size, 'a')],
        size,
      });
      return Promise.resolve({ content: [{ type: 'resource_link', uri, name }] } satisfies CallToolResult);
    },
  };
}

describe('a recorded tool', () => {
  test('is replayed with its stored results, under the addresses they had', async () => {
    const { calls, main } = recording();
    const resources = new ResourceStore('run-1');
    const live = recordedTool(spillingTool(resources, 5000), { resources, bodies }, main);
    const result = await live.call({ a: 1, b: 2 }, { signal });
    const uri = String(result.content[0]?.type === 'resource_link' && result.content[0].uri);
    expect(uri.startsWith(`${RESOURCE_PREFIX}run-1/`)).toBe(true);

    const { tools, resources: stored } = createReplayedTools(
      {},
      { runId: 'run-1', tools: [DEFINITION] },
      main,
    );
    expect(tools.map(({ definition }) => definition)).toEqual([DEFINITION]);
    expect(await tools[0]?.call({ b: 2, a: 1 }, { signal })).toEqual(result);
    expect(Buffer.concat(stored.find(uri)?.pieces.slice() ?? []).toString()).toBe('a'.repeat(5000));
    expect(calls[0]?.omittedBytes).toBeUndefined();
    await expect(tools[0]?.call({ a: 1 }, { signal })).rejects.toThrow('not recorded');
  });

  test('whose stored result is too large to be kept says how large', async () => {
    const { calls, main } = recording();
    const resources = new ResourceStore('run-1');
    const size = MAX_RECORDED_RESOURCE_BYTES + 1;
    await recordedTool(spillingTool(resources, size), { resources, bodies }, main).call({}, { signal });
    expect(calls).toMatchObject([{ omittedBytes: size, answer: { resources: [] } }]);
  });
});

describe('the key of a call', () => {
  const key = (input: unknown, options?: object, staged = bodies) =>
    callKey('t', input, { meta: options && { [CALL_OPTIONS_META_KEY]: options } }, staged);

  test('is that of all it asks, in any order', () => {
    expect(key({ a: 1, b: { c: [1, 2] } })).toBe(key({ b: { c: [1, 2] }, a: 1 }));
    expect(key({ a: [1, 2] })).not.toBe(key({ a: [2, 1] }));
    expect(key({ a: 1 })).not.toBe(key({ a: '1' }));
    expect(key({}, { body: 'stored' })).not.toBe(key({}));
    expect(key(undefined)).toBe(key({}));
  });

  test('is that of the bytes that were put before, and not of the name they were given', () => {
    const staged = new StagedBodies(1024);
    staged.put('one', Buffer.from('bytes'));
    staged.put('two', Buffer.from('bytes'));
    staged.put('three', Buffer.from('other'));
    expect(key({}, { bodyId: 'one' }, staged)).toBe(key({}, { bodyId: 'two' }, staged));
    expect(key({}, { bodyId: 'one' }, staged)).not.toBe(key({}, { bodyId: 'three' }, staged));
    expect(key({}, { bodyId: 'one' }, staged)).not.toBe(key({}, undefined, staged));
    expect(staged.take('one')?.toString()).toBe('bytes');
  });
});
