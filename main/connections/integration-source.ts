import type { IntegrationManifest } from '#shared/manifest/model/integration.ts';

/** Where connections get the manifests of integrations from. */
export interface IntegrationSource {
  /** The integration as it is to be used now; undefined when the author does not have it. */
  get(id: string): Promise<IntegrationManifest | undefined>;
}
