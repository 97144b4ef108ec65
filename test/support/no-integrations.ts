import type { BoundIntegrations, IntegrationServices } from '#main/runs/run-integrations.ts';
import { DEFAULT_SIDECAR_LIMITS } from '#shared/tools/sidecar-limits.ts';

/** What a run without any integration binds. */
export const NO_INTEGRATIONS: BoundIntegrations = {
  plan: [],
  servers: [],
  limits: DEFAULT_SIDECAR_LIMITS,
  internalHosts: [],
  warnings: [],
};

/** Services of an app in which nothing is connected; asking for a credential fails the test. */
export const NO_INTEGRATION_SERVICES: IntegrationServices = {
  connections: {
    bind: () => Promise.resolve([]),
    choose: () => undefined,
    credentials: () => Promise.reject(new Error('Nothing is connected in this test.')),
    onCredentialChange: () => () => undefined,
  },
  toolReviews: { review: () => [] },
  serverSettings: () => Promise.resolve({}),
  network: () => ({ noProxy: [], certificateAuthorities: [] }),
  environment: {},
};
