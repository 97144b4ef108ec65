import { apiToolAliases, apiToolName } from './api-tools.ts';
import type { IntegrationManifest } from './model/integration.ts';
import type { McpServerManifest } from './model/mcp-server.ts';

/** What an author may choose of an integration (reference: afps, section 9). */
export interface ToolCatalog {
  /** Names to choose from, without the namespace. */
  readonly names: readonly string[];
  /** Whether there may be tools beyond the names: a remote server that lists none, or any tool is allowed. */
  readonly isOpen: boolean;
  /** Names that may not be chosen though a server may have them. */
  readonly hidden: ReadonlySet<string>;
}

/** The catalog of an integration; of a local one, the tools are those its server's manifest lists. */
export function toolCatalogOf(integration: IntegrationManifest, server?: McpServerManifest): ToolCatalog {
  const { source, apiAuths } = integration;
  const keys = Object.keys(apiAuths);
  // Hiding the call hides its upload; hiding only the upload leaves the call.
  const hidden = new Set(
    integration.hiddenTools.map((name) =>
      name.startsWith('api_upload') ? name : (apiCallOf(name, keys) ?? name),
    ),
  );
  for (const { connect } of Object.values(integration.auths)) {
    if (typeof connect?.tool?.name === 'string') hidden.add(connect.tool.name);
  }
  const declared =
    source.kind === 'local'
      ? (server?.tools ?? []).map(({ name }) => name)
      : Object.keys(integration.toolScopes);
  const api = keys.map((key) => apiToolName('api_call', key, keys));
  const isUnknown = source.kind !== 'none' && declared.length === 0;
  return {
    names: [...new Set([...declared, ...api])].filter((name) => !hidden.has(name)),
    isOpen: isUnknown || (integration.allowsUndeclaredTools && source.kind !== 'none'),
    hidden,
  };
}

/** The tool of the catalog a name in a selection stands for; undefined when there is none. */
export function catalogToolOf(
  name: string,
  catalog: ToolCatalog,
  integration: IntegrationManifest,
): string | undefined {
  const tool = apiCallOf(name, Object.keys(integration.apiAuths)) ?? name;
  if (catalog.hidden.has(tool)) return undefined;
  return catalog.names.includes(tool) || catalog.isOpen ? tool : undefined;
}

/** `api_call` and its upload are granted and hidden as a pair; the call stands for both. */
function apiCallOf(name: string, keys: readonly string[]): string | undefined {
  const key = keys.find((candidate) => apiToolAliases(candidate, keys).includes(name));
  return key === undefined ? undefined : apiToolName('api_call', key, keys);
}
