import type { SidecarConfiguration } from '#shared/protocol/sidecar.ts';
import type { RunIntegration } from '#shared/protocol/integrations.ts';
import { DEFAULT_SIDECAR_LIMITS } from '#shared/tools/sidecar-limits.ts';
import { TokenBudget } from '#shared/tools/token-budget.ts';
import { ApiCallTool, DEFAULT_CALL_TIMES, type ApiCallServices } from './calls/api-call-tool.ts';
import { Credentials } from './calls/credentials.ts';
import { Limiter } from './calls/limiter.ts';
import { resolveWithSystem } from './network/connector.ts';
import { CheckedHttpClient } from './network/http-client.ts';
import { dialerFor } from './network/proxy-dialer.ts';
import { ResourceStore } from './spill/resource-store.ts';
import { Spiller } from './spill/spiller.ts';
import type { MainLink } from './stdio.ts';
import type { SidecarTool } from './tool-registry.ts';
import { createUploadTool } from './uploads/api-upload-tool.ts';
import { StagedBodies } from './uploads/staged-bodies.ts';

/** What a run with integrations has beside its runtime tools. */
export interface IntegrationTools {
  /** In the manifest's order. */
  readonly tools: readonly SidecarTool[];
  readonly resources: ResourceStore;
  readonly bodies: StagedBodies;
  /** Keeps what other tools say within the same budget. */
  readonly spiller: Spiller;
}

/** Makes the tools of a run's integrations. They live as long as the sidecar, which serves but one run. */
export function createIntegrationTools(
  configuration: SidecarConfiguration,
  integrations: readonly RunIntegration[],
  main: MainLink,
): IntegrationTools {
  const limits = configuration.limits ?? DEFAULT_SIDECAR_LIMITS;
  const resources = new ResourceStore(configuration.runId);
  const budget = new TokenBudget({
    inlineCapTokens: limits.inlineToolOutputTokens,
    runBudgetTokens: limits.runToolOutputBudgetTokens,
    ...configuration.model,
  });
  const bodies = new StagedBodies(limits.maxRequestBodyBytes);
  const spiller = new Spiller(resources, budget);
  const services: ApiCallServices = {
    limits,
    times: DEFAULT_CALL_TIMES,
    http: new CheckedHttpClient({
      resolve: resolveWithSystem,
      dial: dialerFor(configuration.network),
      certificateAuthorities: configuration.network?.certificateAuthorities ?? [],
    }),
    credentials: new Credentials(main),
    spiller,
    bodies,
    limiter: new Limiter(limits.apiCallConcurrency),
    onOutboundCall: (call) => void main.notify('outboundCall', { call }),
  };
  const tools = integrations.flatMap((integration) =>
    integration.apis.flatMap((auth): SidecarTool[] => {
      if (!integration.connections.some(({ authKey }) => authKey === auth.authKey)) return [];
      const upload = createUploadTool(integration, auth, limits);
      return [new ApiCallTool(integration, auth, services), ...(upload === undefined ? [] : [upload])];
    }),
  );
  return { tools, resources, bodies, spiller };
}
