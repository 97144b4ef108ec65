import { expect, it } from 'vitest';
import { MemorySecretStore } from '#main/secrets/memory-secret-store.ts';
import { readMcpServer } from '#shared/manifest/model/mcp-server.ts';
import { ProblemError } from '#shared/problem.ts';
import { ServerSettings } from './server-settings.ts';

const server = readMcpServer(
  {
    name: '@acme/server',
    version: '1.0.0',
    type: 'mcp-server',
    schema_version: '0.2',
    manifest_version: '0.3',
    server: { type: 'node', entry_point: 'a.js', mcp_config: { command: 'node' } },
    user_config: {
      key: { type: 'string', title: 'Key', sensitive: true, required: true },
      folders: { type: 'directory', title: 'Folders', multiple: true },
      size: { type: 'number', title: 'Size', min: 1, max: 9 },
      fast: { type: 'boolean', title: 'Fast' },
    },
  },
  '0.x',
);

function open() {
  const secrets = new MemorySecretStore();
  const known: string[] = [];
  return { secrets, known, settings: new ServerSettings(secrets, (secret) => known.push(secret)) };
}

it('keeps all in the vault, and shows no secret', async () => {
  const { settings, secrets, known } = open();
  expect((await settings.show(server)).missing).toEqual(['key']);
  const shown = await settings.save(server, { key: 'sesame', folders: ['/a'], size: '3', fast: true });
  expect(shown).toEqual({ values: { folders: ['/a'], size: 3, fast: true }, kept: ['key'], missing: [] });
  expect(known).toEqual(['sesame']);
  expect(await secrets.names()).toEqual(['server-settings/@acme/server']);
  expect(await settings.get('@acme/server')).toMatchObject({ key: 'sesame' });
});

it('leaves a secret that a form does not send as it was, until it is taken away', async () => {
  const { settings } = open();
  await settings.save(server, { key: 'sesame', size: 3 });
  await settings.save(server, { size: 4 });
  expect(await settings.get('@acme/server')).toEqual({ key: 'sesame', size: 4 });
  await settings.save(server, { key: null });
  expect(await settings.get('@acme/server')).toEqual({});
});

it.each([
  [{ size: 'many' }],
  [{ size: 0 }],
  [{ size: 10 }],
  [{ fast: 'yes' }],
  [{ key: ['a', 'b'] }],
  [{ key: 'a\u0000b' }],
])('refuses %j, and keeps what was there', async (given) => {
  const { settings } = open();
  await settings.save(server, { key: 'sesame' });
  await expect(settings.save(server, given)).rejects.toThrow(ProblemError);
  expect(await settings.get('@acme/server')).toEqual({ key: 'sesame' });
});
