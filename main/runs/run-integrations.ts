import type { ConnectionService, RunConnection, ToolReviewService } from '#main/connections/index.ts';
import type { RunnableAgent } from '#main/library/library.ts';
import type { ChosenConnections } from '#shared/ipc/connection-routes.ts';
import type { IntegrationManifest } from '#shared/manifest/model/integration.ts';
import { ProblemError } from '#shared/problem.ts';
import type { RunIntegration, SidecarLimits, SidecarNetwork } from '#shared/protocol/integrations.ts';
import { planRunIntegrations } from '#shared/tools/run-integrations.ts';
import { readSidecarLimits } from '#shared/tools/sidecar-limits.ts';
import { NamingError } from '#shared/tools/tool-names.ts';
import type { LocalServerPlan } from './runners/local-servers.ts';
import { localSourceOf, planLocalServers, type ServerPlanServices } from './runners/plan-servers.ts';

/** What a run needs of the app to call services. */
export interface IntegrationServices {
  readonly connections: Pick<ConnectionService, 'bind' | 'choose' | 'credentials' | 'onCredentialChange'>;
  /** What the author has accepted of the tools of MCP servers. */
  readonly toolReviews: Pick<ToolReviewService, 'review'>;
  /** The author's way to the internet, asked for when a run begins. */
  readonly network: () => SidecarNetwork;
  /** What the author has told local servers. */
  readonly serverSettings: ServerPlanServices['settings'];
  /** Where the author's `SIDECAR_*` limits are read. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What a run may call, and whose accounts it uses for it; fixed when the run is queued. */
export interface BoundIntegrations {
  readonly plan: readonly RunIntegration[];
  /** The MCP servers that run in containers of their own. */
  readonly servers: readonly LocalServerPlan[];
  readonly limits: SidecarLimits;
  /** Hosts on private networks at which MCP servers may be. */
  readonly internalHosts: readonly string[];
  readonly warnings: RunnableAgent['warnings'];
}

/** Names of the services that a run has calls for. */
export function calledServices({ plan }: Pick<BoundIntegrations, 'plan'>): string[] {
  return plan
    .filter(({ apis, server, connections }) => (apis.length > 0 || server) && connections.length > 0)
    .map(({ displayName }) => displayName);
}

/** Whether a run has any call to make, and so needs a way out for its sidecar. */
export function callsServices(bound: Pick<BoundIntegrations, 'plan'>): boolean {
  return calledServices(bound).length > 0;
}

/**
 * Binds the connections that a run takes, and plans the tools it gets for them. Everything stands in the
 * manifest's order, on which the names of the tools depend.
 * @param chosen `none` takes no integration at all
 * @throws ProblemError `missing_integration_connection`, `no_tools_selected`, `sidecar_settings_invalid`,
 * and what {@link planLocalServers} throws
 */
export async function bindIntegrations(
  agent: RunnableAgent,
  chosen: ChosenConnections | 'none' | undefined,
  {
    connections,
    environment,
    serverSettings,
  }: Pick<IntegrationServices, 'connections' | 'environment' | 'serverSettings'>,
): Promise<BoundIntegrations> {
  const { limits, ignored } = readSidecarLimits(environment);
  const warnings = ignored.map(({ variable, reason }) => ({
    code: 'sidecar_setting_ignored',
    title: 'A limit was left as it is',
    detail: `${variable}: ${reason}`,
  }));
  const internalHosts = readInternalHosts(environment);
  if (chosen === 'none' || Object.keys(agent.dependencies.integrations).length === 0) {
    return { plan: [], servers: [], limits, internalHosts, warnings };
  }
  const integrations = integrationsOf(agent);
  const bound = await connections.bind(agent.id, { ...agent, integrations }, chosen);
  const plan = planOf(agent, integrations, bound).map((planned) =>
    withLocalSource(agent, integrations, planned),
  );
  for (const { id, displayName, apis, server, connections: own } of plan) {
    // One without a connection is not needed: nothing of it was chosen.
    if (own.length > 0 && apis.length === 0 && server === undefined) throw noTools(id, displayName);
  }
  const locals = plan.flatMap(({ id, server, connections: own }) => {
    const integration = integrations.get(id);
    if (integration === undefined || server?.source.kind !== 'local') return [];
    return [{ integration, connections: own, ways: server.source.ways }];
  });
  const servers = await planLocalServers(agent, locals, { connections, settings: serverSettings });
  return { plan, servers, limits, internalHosts, warnings };
}

function withLocalSource(
  agent: RunnableAgent,
  integrations: ReadonlyMap<string, IntegrationManifest>,
  planned: RunIntegration,
): RunIntegration {
  const { id, server, connections } = planned;
  const integration = integrations.get(id);
  if (integration === undefined || server?.source.kind !== 'local' || connections.length === 0)
    return planned;
  return { ...planned, server: { ...server, source: localSourceOf(agent, integration, connections) } };
}

/** `EGRESS_ALLOW_INTERNAL_HOSTS`: names or addresses, with commas between them. */
export function readInternalHosts(environment: Readonly<Record<string, string | undefined>>): string[] {
  return (environment['EGRESS_ALLOW_INTERNAL_HOSTS'] ?? '')
    .split(',')
    .map((host) => host.trim().toLowerCase())
    .filter((host) => host !== '');
}

/** Integrations that were found for an agent, in the order of its manifest. */
function integrationsOf(agent: RunnableAgent): Map<string, IntegrationManifest> {
  const found = new Map<string, IntegrationManifest>();
  for (const id of Object.keys(agent.dependencies.integrations)) {
    for (const { manifest } of agent.packages) {
      if (manifest.type === 'integration' && manifest.name === id) found.set(id, manifest);
    }
  }
  return found;
}

function planOf(
  agent: RunnableAgent,
  integrations: ReadonlyMap<string, IntegrationManifest>,
  bound: readonly RunConnection[],
): RunIntegration[] {
  try {
    return planRunIntegrations(
      [...integrations].map(([id, integration]) => ({
        integration,
        choice: agent.integrationChoices[id],
        connections: bound
          .filter(({ integrationId }) => integrationId === id)
          .map(({ id: connectionId, authKey, label, account }) => ({
            id: connectionId,
            authKey,
            label,
            ...(account !== undefined && { account }),
          })),
      })),
    );
  } catch (error) {
    if (!(error instanceof NamingError)) throw error;
    throw new ProblemError(
      { code: 'tools_unnameable', title: 'A tool has no name', detail: error.message },
      { cause: error },
    );
  }
}

function noTools(id: string, name: string): ProblemError {
  return new ProblemError({
    code: 'no_tools_selected',
    title: `${name} has no tool for this agent`,
    detail: `The agent depends on ${id}, but no tool of it can be called: none is chosen, or those that are do not exist or are hidden.`,
    action: 'Choose its tools in the editor, or remove the dependency.',
    pointer: `/integrations_configuration/${id.replaceAll('~', '~0').replaceAll('/', '~1')}`,
  });
}
