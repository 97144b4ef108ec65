import { randomBytes } from 'node:crypto';
import type { ConnectionService } from '#main/connections/index.ts';
import type { RunnableAgent, RunPackage } from '#main/library/library.ts';
import { checkLaunchable, entryPointOf, planLaunch, type SettingValue } from '#shared/mcp-bundle/launch.ts';
import { compareVersions, isInRange } from '#shared/manifest/identity.ts';
import type { IntegrationManifest } from '#shared/manifest/model/integration.ts';
import type { McpServerManifest } from '#shared/manifest/model/mcp-server.ts';
import { ProblemError } from '#shared/problem.ts';
import type { LocalSource, RunIntegration, ServerWay } from '#shared/protocol/integrations.ts';
import { readBundle } from './bundle-archive.ts';
import type { LocalServerPlan } from './local-servers.ts';

export interface ServerPlanServices {
  readonly connections: Pick<ConnectionService, 'credentials'>;
  /** What a person has told a server, by its package's name; from the vault. */
  readonly settings: (packageName: string) => Promise<Readonly<Record<string, SettingValue>>>;
}

/** A local integration of a run, with the connections that are bound to it and the ways out of their servers. */
export interface LocalIntegration extends Pick<RunIntegration, 'connections'> {
  readonly integration: IntegrationManifest;
  readonly ways: Readonly<Record<string, ServerWay>>;
}

/**
 * What the sidecar is told of a local server besides its tools: what it shares, and where each connection's
 * server may go, which is where the author allows the credential to go.
 */
export function localSourceOf(
  agent: Pick<RunnableAgent, 'packages'>,
  integration: IntegrationManifest,
  connections: RunIntegration['connections'],
): LocalSource {
  const { workspace } = serverPackageOf(agent, integration).manifest;
  const ways = connections.flatMap(({ id, authKey }) => {
    const auth = integration.auths[authKey];
    if (auth === undefined || (auth.authorizedUris.length === 0 && !auth.allowsAllUris)) return [];
    const { authorizedUris, allowsAllUris } = auth;
    const token = randomBytes(24).toString('base64url');
    return [[id, { token, authorizedUris: [...authorizedUris], allowsAllUris }] as [string, ServerWay]];
  });
  return {
    kind: 'local',
    ways: Object.fromEntries(ways),
    ...(workspace && { roots: [{ uri: `file://${encodeURI(workspace.mount)}`, name: 'workspace' }] }),
  };
}

/**
 * The local servers of a run: one for each connection of each local integration. What can be known is checked
 * now, before anything is started; manifest and bytes are of one version.
 * @throws ProblemError `local_server_missing`, `bundle_…`, `server_…`, `delivery_…`
 */
export async function planLocalServers(
  agent: Pick<RunnableAgent, 'packages'>,
  locals: readonly LocalIntegration[],
  services: ServerPlanServices,
): Promise<LocalServerPlan[]> {
  const plans = await Promise.all(
    locals.map(async ({ integration, connections, ways }) => {
      if (integration.source.kind !== 'local' || connections.length === 0) return [];
      const { manifest, source } = serverPackageOf(agent, integration);
      const bundle = await readBundle(manifest.displayName, source, entryPointOf(manifest));
      return connections.map(({ id, authKey, label }): LocalServerPlan => {
        const delivery = integration.auths[authKey]?.delivery ?? { env: {} };
        checkLaunchable(manifest, delivery);
        return {
          connectionId: id,
          displayName:
            connections.length > 1 ? `${integration.displayName} (${label})` : integration.displayName,
          bundle,
          workspace: manifest.workspace,
          async launch(signal) {
            const [{ fields, publicFields }, settings] = await Promise.all([
              services.connections.credentials(id, 'initial', signal),
              services.settings(manifest.name),
            ]);
            return planLaunch({
              server: manifest,
              delivery,
              fields,
              publicFields,
              settings,
              workspace: manifest.workspace?.mount,
              egressToken: ways[id]?.token,
            });
          },
        };
      });
    }),
  );
  return plans.flat();
}

/** The highest version of the integration's server that the run has. */
function serverPackageOf(
  { packages }: Pick<RunnableAgent, 'packages'>,
  integration: IntegrationManifest,
): RunPackage & { readonly manifest: McpServerManifest } {
  const { source, displayName } = integration;
  if (source.kind !== 'local') throw new Error(`${integration.name} has no local server.`);
  const { name, version } = source.server;
  const [found] = packages
    .flatMap((entry) => {
      const { manifest } = entry;
      if (manifest.type !== 'mcp-server' || entry.name !== name || !isInRange(entry.version, version))
        return [];
      return [{ ...entry, manifest }];
    })
    .toSorted((a, b) => compareVersions(b.version, a.version));
  if (found !== undefined) return found;
  throw new ProblemError({
    code: 'local_server_missing',
    title: `The server of ${displayName} is not there`,
    detail: `${integration.name} runs the MCP server ${name}, version ${version || '*'}, which is not in your library.`,
    action: 'Import the server, then run the agent again.',
  });
}
