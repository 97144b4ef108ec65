import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findExampleStart } from '#main/app/example-start.ts';
import type { ReplayRequest } from '#main/runs/run-service.ts';
import { startModelProvider } from '#test/peers/model-provider.ts';
import { formsOf, searchText } from '#test/support/search.ts';
import { importPackage } from '#test/support/import-package.ts';
import { WholeApplication, turn } from '#test/support/whole-application.ts';

/** What stands for this computer in a sidecar. */
const HOST = 'host.docker.internal';
const KEY = 'canary-replay-5d1f0a77';
const WALKTHROUGH = { providerId: 'walkthrough', modelId: 'walkthrough' };

async function replay(whole: WholeApplication, request: Omit<ReplayRequest, 'trigger'>) {
  const { runs } = whole.application;
  const { id } = await runs.replay({ ...request, trigger: 'app' });
  const record = await whole.record(id);
  return { ...record, differences: runs.differences(id) };
}

describe('a replay', () => {
  it.each(['csv-report', 'fix-script', 'gather'])('of the sample %s comes out as it did', async (name) => {
    await using whole = await WholeApplication.open();
    const { library, runs } = whole.application;
    const agent = `@slipway/${name}`;
    const example = await findExampleStart(library, agent);
    const start = { agent, input: {}, files: [], ...example, model: WALKTHROUGH, trigger: 'app' as const };
    const { id } = await runs.start(start);
    const { detail } = await whole.record(id);
    expect(detail.summary.status).toBe('success');

    const again = await replay(whole, { runId: id, mode: 'recorded' });
    // A workbook has the time in it at which it was written.
    const others = again.differences.filter(({ after }) => !/\.xlsx"/.test(JSON.stringify(after)));
    expect(others).toEqual([]);
    expect(again.differences.length).toBe(name === 'gather' ? 1 : 0);
    expect(again.detail.summary).toMatchObject({
      status: 'success',
      replayOf: { runId: id, mode: 'recorded' },
    });
    expect(again.detail.output).toEqual(detail.output);
    expect(again.detail.outputFiles.map(({ path }) => path)).toEqual(
      detail.outputFiles.map(({ path }) => path),
    );
    expect(again.detail.summary.usage.cost).toBe(0);

    // Nothing is left to hold it against, which is not to differ in everything.
    await runs.remove(id);
    expect(() => runs.differences(again.detail.summary.id)).toThrow(`No run has the id "${id}"`);
  });

  it('asks no service and no model, which may be gone, and changes nothing that is remembered', async () => {
    await using service = await startService();
    await using whole = await WholeApplication.open();
    const { application } = whole;
    await application.secrets.unlock('a passphrase of this test');
    await importPackage(application.packages, 'service.afps', {
      name: '@test/service',
      version: '1.0.0',
      type: 'integration',
      schema_version: '0.2',
      display_name: 'Service',
      source: { kind: 'none' },
      default_tools: ['api_call'],
      auths: {
        key: {
          type: 'api_key',
          credentials: { schema: { type: 'object', properties: { api_key: { type: 'string' } } } },
          delivery: { http: { in: 'header', name: 'Authorization', value: '{$credential.api_key}' } },
          authorized_uris: [`http://${HOST}:${service.port}/**`],
        },
      },
      _meta: { 'dev.appstrate/api': { auths: { key: {} } } },
    });
    await application.connections.create({
      integrationId: '@test/service',
      authKey: 'key',
      fields: { api_key: KEY },
    });
    const agent = await whole.writeAgent({
      runtime_tools: ['log', 'note', 'pin'],
      dependencies: { integrations: { '@test/service': '^1.0.0' } },
    });
    const call = (path: string, rest: object = {}) => ({
      tool: 'test_service__api_call',
      input: { method: 'GET', target: `http://${HOST}:${service.port}${path}`, ...rest },
    });
    let runId: string;
    {
      await using provider = await startModelProvider({ vendor: 'compatible' });
      provider.answer(
        turn([
          call('/small'),
          call('/large'),
          call('/file', { responseMode: { toFile: 'outputs/got.bin' } }),
          { tool: 'note', input: { content: 'The harbour opens at six' } },
          { tool: 'pin', input: { key: 'checkpoint', content: { page: 7 } } },
          { tool: 'bash', input: { command: 'echo made > outputs/made.txt' } },
        ]),
        turn([
          call('/small'),
          call('/echo', { method: 'POST', body: { fromFile: 'outputs/made.txt' } }),
          { tool: 'recall_memory', input: { q: 'harbour' } },
          { tool: 'bash', input: { command: 'sha256sum outputs/got.bin; ls resources' } },
        ]),
        turn('Done.'),
      );
      runId = await whole.start(agent, await whole.addProvider(provider.baseUrl));
      const { detail, events } = await whole.record(runId);
      expect(detail.summary.status).toBe('success');
      expect(events.filter(({ data }) => data.type === 'tool.ended' && data.isError)).toEqual([]);
      expect(events.filter(({ data }) => data.type === 'resource.spilled')).toHaveLength(1);
    }
    const asked = service.requests.length;
    expect(asked).toBe(5);
    await service[Symbol.asyncDispose]();
    await application.secrets.lock();
    const { agentId } = application.runs.get(runId).summary;
    const remembered = application.memory.read(agentId, { limit: 50 });

    const again = await replay(whole, { runId, mode: 'recorded' });
    expect(again.differences).toEqual([]);
    expect(again.detail.summary.status).toBe('success');
    const outputs = again.detail.outputFiles.map(({ path }) => path);
    expect(outputs).toEqual(['got.bin', 'made.txt']);
    expect(service.requests.length).toBe(asked);
    expect(application.memory.read(agentId, { limit: 50 })).toEqual(remembered);
    const cassette = await readFile(join(whole.folder, 'data', 'runs', runId, 'cassette.jsonl'), 'utf8');
    expect(await searchText(cassette, { key: formsOf(KEY) })).toEqual([]);

    await using other = await startModelProvider({ vendor: 'compatible' });
    const model = await whole.addProvider(other.baseUrl);
    other.answer(turn([call('/small')]), turn('Done with less.'));
    const live = await replay(whole, { runId, mode: 'live', agent, model });
    expect(live.detail.summary.status).toBe('success');
    expect(live.differences.length).toBeGreaterThan(0);
    const answered = live.events.find(({ data }) => data.type === 'tool.ended')?.data;
    expect(JSON.stringify(answered)).toContain('small answer');

    other.answer(turn([call('/other')]), turn('Never asked.'));
    const strayed = await replay(whole, { runId, mode: 'live', agent, model });
    expect(strayed.detail.summary).toMatchObject({
      status: 'failed',
      problem: {
        code: 'call_not_recorded',
        detail: expect.stringContaining('test_service__api_call') as string,
      },
    });
    expect(service.requests.length).toBe(asked);
  });
});

interface Service extends AsyncDisposable {
  readonly port: number;
  readonly requests: string[];
}

/** A service that answers little, much, and bytes. */
async function startService(): Promise<Service> {
  const requests: string[] = [];
  const answers: Readonly<Record<string, [string, string | Buffer]>> = {
    '/small': ['application/json', '{"say":"small answer"}'],
    '/large': ['application/json', JSON.stringify({ rows: 'x'.repeat(60_000) })],
    '/file': ['application/octet-stream', Buffer.alloc(40_000, 7)],
  };
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const [type, body] = answers[request.url ?? ''] ?? ['text/plain', `${request.headers.authorization}`];
    request.resume().once('end', () => response.writeHead(200, { 'content-type': type }).end(body));
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  let isClosed = false;
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    async [Symbol.asyncDispose]() {
      if (isClosed) return;
      isClosed = true;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
