import type { ConnectionService } from '#main/connections/index.ts';
import type { RunnableAgent, RunPackage } from '#main/library/library.ts';
import { checkLaunchable, entryPointOf, planLaunch, type SettingValue } from '#shared/mcp-bundle/launch.ts';
import { compareVersions, isInRange } from '#shared/manifest/identity.ts';
import type { IntegrationManifest } from '#shared/manifest/model/integration.ts';
import type { McpServerManifest } from '#shared/manifest/model/mcp-server.ts';
import { ProblemError } from '#shared/problem.ts';
import type { RunIntegration } from '#shared/protocol/integrations.ts';
import { readBundle } from './bundle-archive.ts';
import type { LocalServerPlan } from './local-servers.ts';

export interface ServerPlanServices {
  readonly connections: Pick<ConnectionService, 'credentials'>;
  /** What a person has told a server, by its package's name; from the vault. */
  readonly settings: (packageName: string) => Promise<Readonly<Record<string, SettingValue>>>;
}

/** A local integration of a run, with the connections that are bound to it. */
export interface LocalIntegration {
  readonly integration: IntegrationManifest;
  readonly connections: RunIntegration['connections'];
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
    locals.map(async ({ integration, connections }) => {
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
            });
          },
        };
      });
    }),
  );
  return plans.flat();
}

/** What the server of a local integration is told when it asks for roots; undefined when it shares nothing. */
export function rootsOf(
  agent: Pick<RunnableAgent, 'packages'>,
  integration: IntegrationManifest,
): readonly { readonly uri: string; readonly name: string }[] | undefined {
  const { workspace } = serverPackageOf(agent, integration).manifest;
  return workspace && [{ uri: `file://${encodeURI(workspace.mount)}`, name: 'workspace' }];
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
