import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import type { Application } from '#main/app/application.ts';
import type { ServerSession } from '#shared/ipc/server-routes.ts';
import { importPackage } from '#test/support/import-package.ts';
import { formsOf, searchFolder, searchText } from '#test/support/search.ts';
import { packNpmServer, packOwnServer } from '#test/support/server-bundles.ts';
import { WholeApplication } from '#test/support/whole-application.ts';

const CANARY = 'canary-5d0e7f21bb904c1f8a33';
/** What stands for this computer in a sidecar; the integration names it, as an author must. */
const HOST = 'host.docker.internal';
const never = new AbortController().signal;

async function until(
  { servers }: Application,
  id: string,
  state: ServerSession['state'],
): Promise<ServerSession> {
  const { promise, resolve } = Promise.withResolvers<ServerSession>();
  const look = (): void => {
    const session = servers.state().sessions.find((one) => one.id === id);
    if (session?.state === state || session?.state === 'closed') resolve(session);
  };
  const stop = servers.onState(look);
  look();
  return promise.finally(stop);
}

it('gives a server that is called by hand what a run gives it, and leaves nothing of it', async () => {
  const heard: string[] = [];
  const service = createServer((request, response) => {
    heard.push(`${request.url} ${String(request.headers['x-token'])}`);
    response.end('from the service');
  }).listen(0, '0.0.0.0');
  await once(service, 'listening');
  const { port } = service.address() as AddressInfo;
  await using whole = await WholeApplication.open();
  const { application } = whole;
  const { servers, packages, connections, secrets } = application;
  await secrets.unlock('a passphrase of this test');
  const ledger = await packOwnServer('ledger.py');
  const common = {
    manifest_version: '0.3',
    version: '1.2.0',
    description: 'A server.',
    author: { name: 'Test' },
  };
  await importPackage(
    packages,
    'ledger.mcpb',
    {
      ...common,
      name: 'Ledger',
      server: { type: 'python', entry_point: ledger.entryPoint, mcp_config: { command: 'python', args: [] } },
    },
    ledger.files,
  );
  await importPackage(packages, 'books.afps', {
    name: '@test/books',
    version: '1.0.0',
    schema_version: '0.2',
    type: 'integration',
    display_name: 'Books',
    source: { kind: 'local', server: { name: '@test/ledger', version: '^1.0.0' } },
    auths: {
      key: {
        type: 'api_key',
        credentials: { schema: { type: 'object', properties: { api_key: { type: 'string' } } } },
        delivery: { env: { LEDGER_TOKEN: { value: '{$credential.api_key}' } } },
        authorized_uris: [`http://${HOST}:${port}/open/**`],
      },
    },
  });
  const { id: connectionId } = await connections.create({
    integrationId: '@test/books',
    authKey: 'key',
    fields: { api_key: CANARY },
  });
  const books = await servers.open('@test/books', connectionId);
  expect(await until(application, books, 'connected')).toMatchObject({ state: 'connected' });
  const call = async (name: string, given: Record<string, unknown>) =>
    JSON.stringify(await servers.request(books, { kind: 'tool', name, arguments: given }, never));
  expect(await call('told', {})).toContain('[secret]');
  expect(await call('fetch', { url: `http://${HOST}:${port}/open/a` })).toContain('200 from the service');
  expect(await call('fetch', { url: `http://${HOST}:${port}/closed/a` })).toContain('403 ');
  expect(heard).toEqual([`/open/a ${CANARY}`]);

  // The package alone: without an account, and so without a way out.
  const alone = await servers.open('@test/ledger', undefined);
  expect(await until(application, alone, 'connected')).toMatchObject({ state: 'connected' });
  expect((await servers.list(alone, 'tools', never)).items.map(({ name }) => name)).toEqual([
    'add',
    'told',
    'fetch',
  ]);
  await servers.close(alone);

  const files = await packNpmServer('@modelcontextprotocol/server-filesystem');
  await importPackage(
    packages,
    'filesystem.mcpb',
    {
      ...common,
      name: 'filesystem',
      server: {
        type: 'node',
        entry_point: files.entryPoint,
        mcp_config: {
          command: 'node',
          args: [`\${__dirname}/${files.entryPoint}`, '${user_config.folders}'],
        },
      },
      user_config: { folders: { type: 'directory', title: 'Folders', multiple: true, required: true } },
      _meta: { 'dev.appstrate/workspace': { mount: '/data', access: 'rw' } },
    },
    files.files,
  );
  const disk = await servers.open('@test/filesystem', undefined);
  expect(await until(application, disk, 'connected')).toMatchObject({ state: 'connected' });
  const note = { path: '/data/note.txt', content: 'by hand' };
  const written = await servers.request(disk, { kind: 'tool', name: 'write_file', arguments: note }, never);
  expect(written.result['isError']).not.toBe(true);

  const said = [books, disk].map((id) => servers.exportLog(id).text).join('');
  expect(said).toContain('"method":"tools/call"');
  const needles = { canary: formsOf(CANARY) };
  expect(await searchText(said + JSON.stringify(servers.state()), needles)).toEqual([]);
  expect((await searchFolder(whole.folder, needles)).found).toEqual([]);
  await servers.close(books);
  await servers.close(disk);
  expect(await whole.containers()).toEqual(new Map());
  expect(await whole.volumes()).toEqual([]);
  await new Promise((resolve) => service.close(resolve));
});
