import type { SidecarConfiguration } from '#shared/protocol/sidecar.ts';
import type { RunIntegration } from '#shared/protocol/integrations.ts';
import { compileAuthorizedUris } from '#shared/tools/authorized-uris.ts';
import { DEFAULT_SIDECAR_LIMITS } from '#shared/tools/sidecar-limits.ts';
import { TokenBudget } from '#shared/tools/token-budget.ts';
import { ApiCallTool, DEFAULT_CALL_TIMES, type ApiCallServices } from './calls/api-call-tool.ts';
import { Credentials } from './calls/credentials.ts';
import { Limiter } from './calls/limiter.ts';
import { resolveWithSystem } from './network/connector.ts';
import { CheckedHttpClient } from './network/http-client.ts';
import { dialerFor } from './network/proxy-dialer.ts';
import type { ServedTools } from './served-tools.ts';
import { ResourceStore } from './spill/resource-store.ts';
import { Spiller } from './spill/spiller.ts';
import type { MainLink } from './stdio.ts';
import type { SidecarTool } from './tool-registry.ts';
import { createUploadTool } from './uploads/api-upload-tool.ts';
import { StagedBodies } from './uploads/staged-bodies.ts';

/** What a run with integrations has beside its runtime tools; those of MCP servers once they are open. */
export interface IntegrationTools extends ServedTools, AsyncDisposable {
  /**
   * Opens the MCP servers of all integrations at the same time, and the ways out of local ones, also of those
   * whose client is elsewhere. They end with the rest.
   * @returns their tools, in the manifest's order
   * @throws ProblemError of the first that cannot be used
   */
  openServers(signal: AbortSignal): Promise<readonly SidecarTool[]>;
}

/** What every call of a service needs, whoever asks for it. */
export type CallPath = Pick<ApiCallServices, 'limits' | 'times' | 'http' | 'credentials' | 'limiter'> &
  AsyncDisposable;

/** Makes the way that calls take to a service: checked connections, credentials of main, so many at a time. */
export function createCallPath(
  { limits = DEFAULT_SIDECAR_LIMITS, network }: Pick<SidecarConfiguration, 'limits' | 'network'>,
  main: MainLink,
): CallPath {
  const http = new CheckedHttpClient({
    resolve: resolveWithSystem,
    dial: dialerFor(network),
    certificateAuthorities: network?.certificateAuthorities ?? [],
  });
  const credentials = new Credentials(main);
  return {
    limits,
    times: DEFAULT_CALL_TIMES,
    http,
    credentials,
    limiter: new Limiter(limits.apiCallConcurrency),
    async [Symbol.asyncDispose]() {
      credentials[Symbol.dispose]();
      await http[Symbol.asyncDispose]();
    },
  };
}

/** Makes the tools of a run's integrations. In the sidecar they live as long as it, which serves one run. */
export function createIntegrationTools(
  configuration: Pick<SidecarConfiguration, 'runId' | 'limits' | 'network' | 'model' | 'egressSocketPath'>,
  integrations: readonly RunIntegration[],
  main: MainLink,
): IntegrationTools {
  const path = createCallPath(configuration, main);
  const { limits } = path;
  const resources = new ResourceStore(configuration.runId);
  const budget = new TokenBudget({
    inlineCapTokens: limits.inlineToolOutputTokens,
    runBudgetTokens: limits.runToolOutputBudgetTokens,
    ...configuration.model,
  });
  const bodies = new StagedBodies(limits.maxRequestBodyBytes);
  const spiller = new Spiller(resources, budget);
  const services: ApiCallServices = {
    ...path,
    spiller,
    bodies,
    onOutboundCall: (call) => void main.notify('outboundCall', { call }),
  };
  const tools = integrations.flatMap((integration) =>
    integration.apis.flatMap((auth): SidecarTool[] => {
      if (!integration.connections.some(({ authKey }) => authKey === auth.authKey)) return [];
      const upload = createUploadTool(integration, auth, limits);
      return [new ApiCallTool(integration, auth, services), ...(upload === undefined ? [] : [upload])];
    }),
  );
  const stack = new AsyncDisposableStack();
  stack.use(path);
  return {
    tools,
    resources,
    bodies,
    spiller,
    async openServers(signal) {
      await openWays(configuration, integrations, services, stack);
      const served = integrations.flatMap((integration) => {
        const { server, connections } = integration;
        return server === undefined || connections.length === 0 ? [] : [{ ...integration, server }];
      });
      if (served.length === 0) return [];
      const [{ openServer }, { LocalServerRelay }] = await Promise.all([
        import('./mcp-servers/open-server.ts'),
        import('./mcp-servers/relayed-transport.ts'),
      ]);
      const relay = new LocalServerRelay(main);
      const opened = await Promise.allSettled(
        served.map(async (integration) =>
          stack.use(
            await openServer(
              integration,
              {
                ...services,
                main,
                relay,
                internalHosts: configuration.network?.internalHosts ?? [],
                seesImages: configuration.model?.images ?? false,
              },
              signal,
            ),
          ),
        ),
      );
      return opened.flatMap((result) => {
        if (result.status === 'rejected') throw result.reason;
        return result.value.tools;
      });
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Opens the proxy of the run's local servers, where any has a way out. */
async function openWays(
  { egressSocketPath, network }: Pick<SidecarConfiguration, 'egressSocketPath' | 'network'>,
  integrations: readonly RunIntegration[],
  { onOutboundCall }: Pick<ApiCallServices, 'onOutboundCall'>,
  stack: AsyncDisposableStack,
): Promise<void> {
  const ways = integrations.flatMap(({ id, server }) =>
    server?.source.kind !== 'local'
      ? []
      : Object.entries(server.source.ways).map(([connectionId, way]) => ({
          integrationId: id,
          connectionId,
          token: way.token,
          policy: {
            authorizedUris: compileAuthorizedUris(way.authorizedUris),
            allowsAllUris: way.allowsAllUris,
          },
        })),
  );
  if (ways.length === 0 || egressSocketPath === undefined) return;
  const { openEgressProxy } = await import('./egress/egress-proxy.ts');
  const connector = { resolve: resolveWithSystem, dial: dialerFor(network), certificateAuthorities: [] };
  stack.use(await openEgressProxy({ socketPath: egressSocketPath, ways, connector, onOutboundCall }));
}
