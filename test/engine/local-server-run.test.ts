import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { startModelProvider } from '#test/peers/model-provider.ts';
import { openTestClient } from '#test/support/engine-harness.ts';
import { importPackage } from '#test/support/import-package.ts';
import { formsOf, searchFolder, searchText } from '#test/support/search.ts';
import { packNpmServer, packOwnServer } from '#test/support/server-bundles.ts';
import { WholeApplication, turn } from '#test/support/whole-application.ts';

const CANARY = 'canary-91c4d7e2ab3f4058b6e1';
/** What stands for this computer in a sidecar; the integration names it, as an author must. */
const HOST = 'host.docker.internal';

const integrationManifest = (name: string, server: string, auth: Record<string, unknown>) => ({
  name,
  version: '1.0.0',
  schema_version: '0.2',
  type: 'integration',
  display_name: name,
  source: { kind: 'local', server: { name: server, version: '^1.0.0' } },
  allow_undeclared_tools: true,
  default_tools: '*',
  auths: { key: auth },
});

it('uses servers in containers of their own, whose secrets are found nowhere, and leaves none of them', async () => {
  const heard: string[] = [];
  const service = createServer((request, response) => {
    heard.push(`${request.method} ${request.url} ${String(request.headers['x-token'])}`);
    response.end('from the service');
  }).listen(0, '0.0.0.0');
  await once(service, 'listening');
  const { port } = service.address() as AddressInfo;
  await using provider = await startModelProvider({ vendor: 'compatible' });
  await using whole = await WholeApplication.open();
  const { application } = whole;
  await application.secrets.unlock('a passphrase of this test');
  const model = await whole.addProvider(provider.baseUrl);

  const ledger = await packOwnServer('ledger.py');
  await importPackage(
    application.packages,
    'ledger.mcpb',
    {
      manifest_version: '0.3',
      name: 'Ledger',
      version: '1.2.0',
      description: 'Keeps a sum.',
      author: { name: 'Test' },
      server: { type: 'python', entry_point: ledger.entryPoint, mcp_config: { command: 'python', args: [] } },
      tools: [{ name: 'add' }, { name: 'told' }, { name: 'fetch' }],
    },
    ledger.files,
  );
  await importPackage(
    application.packages,
    'ledger.afps',
    integrationManifest('@test/books', '@test/ledger', {
      type: 'api_key',
      credentials: { schema: { type: 'object', properties: { api_key: { type: 'string' } } } },
      delivery: { env: { LEDGER_TOKEN: { value: '{$credential.api_key}' } } },
      authorized_uris: [`http://${HOST}:${port}/open/**`],
    }),
  );
  const files = await packNpmServer('@modelcontextprotocol/server-filesystem');
  await importPackage(
    application.packages,
    'filesystem.mcpb',
    {
      manifest_version: '0.3',
      name: 'filesystem',
      version: '1.0.0',
      description: 'Reads and writes files.',
      author: { name: 'Test' },
      server: {
        type: 'node',
        entry_point: files.entryPoint,
        mcp_config: {
          command: 'node',
          args: [`\${__dirname}/${files.entryPoint}`, '${user_config.allowed_directories}'],
        },
      },
      user_config: {
        allowed_directories: { type: 'directory', title: 'Allowed folders', multiple: true, required: true },
      },
      _meta: { 'dev.appstrate/workspace': { mount: '/data', access: 'rw' } },
    },
    files.files,
  );
  await importPackage(
    application.packages,
    'files.afps',
    integrationManifest('@test/files', '@test/filesystem', {
      type: 'custom',
      credentials: { schema: { type: 'object', properties: { note: { type: 'string' } } } },
      delivery: { env: { NOTE: { value: '{$credential.note}' } } },
      authorized_uris: ['https://nowhere.example/**'],
    }),
  );
  const { connections } = application;
  await connections.create({
    integrationId: '@test/books',
    authKey: 'key',
    fields: { api_key: CANARY },
    label: 'Mine',
  });
  await connections.create({
    integrationId: '@test/files',
    authKey: 'key',
    fields: { note: 'none' },
    label: 'Here',
  });

  const call = (tool: string, input: unknown) => turn([{ tool, input }]);
  provider.answer(
    call('test_books__add', { number: 7 }),
    call('test_books__told', {}),
    call('test_books__fetch', { url: `http://${HOST}:${port}/open/a` }),
    call('test_books__fetch', { url: `http://${HOST}:${port}/closed/a` }),
    call('test_books__fetch', { url: 'http://169.254.169.254/latest' }),
    call('test_files__write_file', { path: '/data/outputs/note.txt', content: 'written by a server' }),
    turn('Done.'),
  );
  const agent = await whole.writeAgent({
    dependencies: { integrations: { '@test/books': '^1.0.0', '@test/files': '^1.0.0' } },
    integrations_configuration: { '@test/books': { tools: '*' }, '@test/files': { tools: '*' } },
  });
  const runId = await whole.start(agent, model);
  let inspected = '';
  await whole.event(runId, (data) => data.type === 'tool.ended');
  {
    using client = await openTestClient();
    const runners = await client.docker.listContainers({
      filters: { label: [`app.slipway.run=${runId}`] },
    });
    expect(runners).toHaveLength(2);
    for (const { Id } of runners) inspected += JSON.stringify(await client.docker.getContainer(Id).inspect());
  }
  const { detail, events } = await whole.record(runId);
  expect(detail.summary.problem).toBeUndefined();
  expect(detail.summary.status).toBe('success');
  const results = events.flatMap(({ data }) =>
    data.type === 'tool.ended' ? [JSON.stringify(data.content)] : [],
  );
  expect(results[0]).toContain('7');
  expect(results[1]).toContain('LEDGER_TOKEN');
  expect(results[1]).toContain('[secret]');
  expect(results[2]).toContain('200 from the service');
  expect(results[3]).toContain('403 ');
  expect(results[4]).toContain('403 ');
  // The service itself has the real one.
  expect(heard).toEqual([`GET /open/a ${CANARY}`]);
  const note = await application.runs.openOutput(runId, 'note.txt');
  expect(String(await buffer(note.stream()))).toBe('written by a server');
  const { calls } = application.runs.calls(runId, {}, { after: 0, limit: 100 });
  expect(calls.map(({ status, code }) => code ?? status)).toEqual([
    200,
    'unauthorized_target',
    'unauthorized_target',
  ]);
  expect(JSON.stringify(events)).toContain('ledger: ready with [secret]');

  const needles = { canary: formsOf(CANARY) };
  const said = JSON.stringify([events, detail, calls, provider.requests, inspected]);
  expect(await searchText(said, needles)).toEqual([]);
  expect((await searchFolder(whole.folder, needles)).found).toEqual([]);
  expect(await whole.containers()).toEqual(new Map());
  expect(await whole.volumes()).toEqual([]);
  await new Promise((resolve) => service.close(resolve));
});
