import type { ConnectionService, RunConnection } from '#main/connections/index.ts';
import type { RunnableAgent } from '#main/library/library.ts';
import type { ChosenConnections } from '#shared/ipc/connection-routes.ts';
import type { IntegrationManifest } from '#shared/manifest/model/integration.ts';
import { ProblemError } from '#shared/problem.ts';
import type { RunIntegration, SidecarLimits, SidecarNetwork } from '#shared/protocol/integrations.ts';
import { planRunIntegrations } from '#shared/tools/run-integrations.ts';
import { readSidecarLimits } from '#shared/tools/sidecar-limits.ts';
import { NamingError } from '#shared/tools/tool-names.ts';

/** What a run needs of the app to call services. */
export interface IntegrationServices {
  readonly connections: Pick<ConnectionService, 'bind' | 'choose' | 'credentials' | 'onCredentialChange'>;
  /** The author's way to the internet, asked for when a run begins. */
  readonly network: () => SidecarNetwork;
  /** Where the author's `SIDECAR_*` limits are read. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** What a run may call, and whose accounts it uses for it; fixed when the run is queued. */
export interface BoundIntegrations {
  readonly plan: readonly RunIntegration[];
  readonly limits: SidecarLimits;
  readonly warnings: RunnableAgent['warnings'];
}

/** Names of the services that a run has calls for. */
export function calledServices({ plan }: Pick<BoundIntegrations, 'plan'>): string[] {
  return plan
    .filter(({ apis, connections }) => apis.length > 0 && connections.length > 0)
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
 * @throws ProblemError `missing_integration_connection`, `no_tools_selected`, `sidecar_settings_invalid`
 */
export async function bindIntegrations(
  agent: RunnableAgent,
  chosen: ChosenConnections | 'none' | undefined,
  { connections, environment }: Pick<IntegrationServices, 'connections' | 'environment'>,
): Promise<BoundIntegrations> {
  const { limits, ignored } = readSidecarLimits(environment);
  const warnings = ignored.map(({ variable, reason }) => ({
    code: 'sidecar_setting_ignored',
    title: 'A limit was left as it is',
    detail: `${variable}: ${reason}`,
  }));
  if (chosen === 'none' || Object.keys(agent.dependencies.integrations).length === 0) {
    return { plan: [], limits, warnings };
  }
  const integrations = integrationsOf(agent);
  const bound = await connections.bind(agent.id, { ...agent, integrations }, chosen);
  const plan = planOf(agent, integrations, bound);
  for (const { id, displayName, apis, connections: own } of plan) {
    // One without a connection is not needed: nothing of it was chosen.
    if (own.length > 0 && apis.length === 0 && integrations.get(id)?.source.kind === 'none') {
      throw noTools(id, displayName);
    }
  }
  return { plan, limits, warnings };
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
