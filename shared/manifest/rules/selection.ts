import { pointerOf, readablePath, type JsonPath } from '../json-pointer.ts';
import type { AgentManifest, IntegrationChoice } from '../model/agent.ts';
import type { IntegrationManifest } from '../model/integration.ts';
import type { McpServerManifest } from '../model/mcp-server.ts';
import { catalogToolOf, toolCatalogOf } from '../tool-catalog.ts';
import type { FindingList } from '../finding-list.ts';
import type { PackageLookup } from './common.ts';

/**
 * Holds what an agent takes of its integrations against them: reference section 19, A12. An integration
 * that is not at hand is left to the resolution of dependencies.
 */
export function checkSelection(agent: AgentManifest, packages: PackageLookup, findings: FindingList): void {
  for (const [id, range] of Object.entries(agent.dependencies.integrations)) {
    const integration = packages.integration(id, range);
    if (integration === undefined) continue;
    const { source } = integration;
    const server =
      source.kind === 'local' ? packages.mcpServer(source.server.name, source.server.version) : undefined;
    const choice = agent.integrationChoices[id] ?? {};
    checkTools(id, choice, integration, server, findings);
    checkPinnedScopes(agent, id, choice, integration, findings);
  }
}

function checkTools(
  id: string,
  { tools }: IntegrationChoice,
  integration: IntegrationManifest,
  server: McpServerManifest | undefined,
  findings: FindingList,
): void {
  const path: JsonPath =
    tools === undefined ? ['dependencies', 'integrations', id] : ['integrations_configuration', id, 'tools'];
  if (tools === '*') {
    if (integration.allowsUndeclaredTools) return;
    const message = `${id} does not allow "*". List the tools the agent is to have.`;
    findings.add('wildcard_not_authorized', path, message);
    return;
  }
  const selected = tools ?? integration.defaultTools;
  if (selected === '*') return;
  const catalog = toolCatalogOf(integration, server);
  const callable = selected.filter((name) => catalogToolOf(name, catalog, integration) !== undefined);
  if (tools !== undefined) {
    selected.forEach((name, index) => {
      if (callable.includes(name)) return;
      const place = [...path, index];
      const known = catalog.names.slice(0, 8).join(', ') || 'none';
      const message = `${id} has no tool "${name}". Its tools: ${known}${catalog.names.length > 8 ? ' …' : ''}.`;
      findings.add('unknown_tool', place, message, {
        fix: { title: `Remove "${name}"`, edits: [{ pointer: pointerOf(place), remove: true }] },
      });
    });
  }
  if (callable.length > 0) return;
  const message =
    tools === undefined
      ? `${id} gives no tool of its own accord. Choose some in ${readablePath(['integrations_configuration', id])}.`
      : `The agent takes no tool of ${id} that can be called. Choose one, or remove the integration.`;
  findings.add('no_tools_selected', path, message);
}

function checkPinnedScopes(
  agent: AgentManifest,
  id: string,
  { scopes = [] }: IntegrationChoice,
  integration: IntegrationManifest,
  findings: FindingList,
): void {
  const catalogs = Object.values(integration.auths).map((auth) => auth.scopeCatalog);
  if (catalogs.every((catalog) => catalog.length === 0)) return;
  const known = new Set(catalogs.flat().map((scope) => scope.value));
  const base =
    agent.dialect === '2.x' ? ['dependencies', 'integrations', id] : ['integrations_configuration', id];
  scopes.forEach((scope, index) => {
    if (known.has(scope)) return;
    const message = `${id} has no scope "${scope}" in its catalog.`;
    findings.add('scope_not_in_catalog', [...base, 'scopes', index], message);
  });
}
