import type { IntegrationManifest } from '#shared/manifest/model/integration.ts';
import type { McpServerManifest } from '#shared/manifest/model/mcp-server.ts';

/** Where connections get the manifests of integrations from. */
export interface IntegrationSource {
  /** The integration as it is to be used now; undefined when the author does not have it. */
  get(id: string): Promise<IntegrationManifest | undefined>;
  /** A local MCP server by its package's name; none where there is no library of them. */
  server?(name: string): Promise<McpServerManifest | undefined>;
}
