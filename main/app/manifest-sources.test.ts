import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Connections } from '#main/connections/index.ts';
import { silentLogger } from '#main/logging/logger.ts';
import { openLibraries } from '#test/support/open-libraries.ts';
import { agentManifestOf, LibraryIntegrations } from './manifest-sources.ts';

const samplesFolder = join(import.meta.dirname, '..', 'library', 'samples');

it('says of every integration of the catalogue what connecting it takes', async () => {
  await using libraries = await openLibraries({ samplesFolder });
  const { packages } = libraries;
  using integrations = new LibraryIntegrations(packages);
  await using connections = new Connections({
    database: libraries.database,
    secrets: libraries.secrets,
    integrations,
    outbound: { send: () => Promise.reject(new Error('Nothing may be asked for this')) },
    logger: silentLogger,
    protect: () => undefined,
    dataDirectory: libraries.dataDirectory,
  });
  const entries = await packages.catalogue();
  const [first] = entries;
  expect(await integrations.get(first?.id ?? '')).toBeUndefined();
  const dumb: string[] = [];
  for (const { id } of entries) {
    const { name } = await packages.addFromCatalogue(id);
    const { auths } = await connections.describe(name);
    // Each way leads somewhere: to an app to register, or to fields to fill in.
    const leads = auths.every((auth) => auth.client?.redirectUri !== undefined || auth.fields.length > 0);
    const hides = auths.every(({ way, fields }) => way === 'sign_in' || fields.some(({ secret }) => secret));
    if (auths.length === 0 || !leads || !hides) dumb.push(name);
  }
  expect(dumb).toEqual([]);
  expect(entries.length).toBeGreaterThan(50);
}, 120_000);

it('reads what an agent needs from the library', async () => {
  await using libraries = await openLibraries({ samplesFolder });
  const [agent] = await libraries.agents.list();
  expect(await agentManifestOf(libraries.agents, agent?.id ?? '')).toMatchObject({
    type: 'agent',
    name: agent?.id,
  });
  await expect(agentManifestOf(libraries.agents, '@no/agent')).rejects.toThrow(/@no\/agent/);
});
