import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { AUTH, ServiceBench } from '#main/sidecar/test-support/services.ts';
import { ScriptedModel } from './test-support/scripted-model.ts';
import { startTestRun } from './test-support/test-run.ts';

// Two real programs, as they run in their containers.
vi.setConfig({ testTimeout: 60_000 });

const bench = new ServiceBench();
afterEach(bench.close);

it('an agent calls a service through both programs, and sees neither credential nor large body', async () => {
  const service = await bench.service(({ url, headers }, response) => {
    response.setHeader('content-type', 'text/csv');
    response.end(url === '/large' ? `a;b\n${'x'.repeat(40_000)}` : `you are ${headers.authorization}`);
  });
  const target = (path: string) => `http://127.0.0.1:${service.port}${path}`;
  const call = (input: object) => ({ name: 'acme_service__api_call', input });
  const model = new ScriptedModel('openai-completions', [
    { calls: [call({ target: target('/me') })] },
    { calls: [call({ target: target('/large') })] },
    { calls: [call({ target: target('/large'), responseMode: { toFile: 'outputs/export.csv' } })] },
    { calls: [call({ target: 'http://169.254.169.254/latest' })] },
    { calls: [{ name: 'output', input: { data: {} } }] },
  ]);
  const audited: unknown[] = [];
  await using run = await startTestRun({
    send: async (request) => model.answer(request),
    sidecar: {
      integrations: [
        {
          id: '@acme/service',
          displayName: 'Service',
          namespace: 'acme_service',
          apis: [{ ...AUTH, authorizedUris: [`http://127.0.0.1:${service.port}/**`] }],
          connections: [{ id: 'c1', authKey: 'oauth', label: 'Work' }],
        },
      ],
    },
    prepare: async (_workspace, [, sidecar]) => {
      sidecar.peer.handle('credentials', async ({ connectionId }) => ({
        fields: { access_token: `secret-of-${connectionId}` },
        publicFields: [],
      }));
      sidecar.peer.on('outboundCall', ({ call: sent }) => audited.push(sent));
    },
  });
  expect(run.tools[0]).toMatchObject({ name: 'read' });
  expect(run.tools).toContainEqual(
    expect.objectContaining({ name: 'acme_service__api_call', source: 'integration' }),
  );
  await run.sandbox.peer.request('prompt', { text: 'Do it' });

  const results = run.events.flatMap((event) => (event.type === 'tool.ended' ? [event] : []));
  const shown = results.map(({ content }) =>
    content.map((block) => (block.type === 'text' ? block.text : block.type)),
  );
  expect(shown[0]).toEqual(['[api_call status=200]', 'you are Bearer {{access_token}}']);
  const [spilled = ''] = readdirSync(join(run.workspace, 'resources'));
  expect(shown[1]?.join('\n')).toContain(`resources/${spilled}`);
  expect(results[1]?.content).toContainEqual(
    expect.objectContaining({ type: 'resource', title: `resources/${spilled}` }),
  );
  expect(readFileSync(join(run.workspace, 'outputs', 'export.csv'), 'utf8')).toHaveLength(40_004);
  expect(shown[2]).toEqual(['{"kind":"file","path":"outputs/export.csv","size":40004,"status":200}']);
  expect(shown[3]?.[0]).toBe('[api_call status=0 code=unauthorized_target]');
  expect(results.map(({ isError }) => isError)).toEqual([false, false, false, true, false]);
  expect(audited).toHaveLength(4);
  expect(JSON.stringify([run.events, audited, model.requests])).not.toContain('secret-of');
});
