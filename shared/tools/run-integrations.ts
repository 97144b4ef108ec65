import { apiToolAliases, apiToolName } from '../manifest/api-tools.ts';
import type { IntegrationChoice } from '../manifest/model/agent.ts';
import type { AuthMethod, IntegrationManifest } from '../manifest/model/integration.ts';
import { catalogToolOf, toolCatalogOf } from '../manifest/tool-catalog.ts';
import type { ApiAuth, BoundConnection, RunIntegration, RunServer } from '../protocol/integrations.ts';
import { distinctLabels } from './connection-parameter.ts';
import { httpDeliveryOf } from './http-delivery.ts';
import { assignNamespaces } from './tool-names.ts';
import { isUploadProtocol } from './upload-protocols.ts';

/** One integration of an agent, with what the run binds to it. */
export interface PlannedIntegration {
  readonly integration: IntegrationManifest;
  readonly choice: IntegrationChoice | undefined;
  readonly connections: readonly BoundConnection[];
}

/**
 * What the sidecar is told of a run's integrations: the calls the agent may make, under their names.
 * @param planned in the order of the agent's manifest, on which names depend
 * @throws NamingError
 */
export function planRunIntegrations(planned: readonly PlannedIntegration[]): RunIntegration[] {
  const namespaces = assignNamespaces(planned.map(({ integration }) => integration.name));
  return planned.map(({ integration, choice, connections }) => {
    const labels = distinctLabels(connections.map(({ label }) => label));
    const server = serverOf(integration, choice);
    return {
      id: integration.name,
      displayName: integration.displayName,
      namespace: namespaces.get(integration.name) ?? '',
      apis: apisOf(integration, choice),
      ...(server !== undefined && { server }),
      connections: connections.map((connection, index) => ({
        ...connection,
        label: labels[index] ?? connection.label,
      })),
    };
  });
}

/** The authentication methods whose `api_call` the agent has; its upload comes with it. */
function apisOf(integration: IntegrationManifest, choice: IntegrationChoice | undefined): ApiAuth[] {
  const catalog = toolCatalogOf(integration);
  const keys = Object.keys(integration.apiAuths);
  const wanted = choice?.tools ?? integration.defaultTools;
  const granted =
    wanted === '*'
      ? new Set(catalog.names)
      : new Set(wanted.map((name) => catalogToolOf(name, catalog, integration)));
  return keys.flatMap((authKey): ApiAuth[] => {
    const auth = integration.auths[authKey];
    const callTool = apiToolName('api_call', authKey, keys);
    const uploadTool = apiToolName('api_upload', authKey, keys);
    if (auth === undefined || catalog.hidden.has(callTool) || !granted.has(callTool)) return [];
    const uploadProtocols = (integration.apiAuths[authKey] ?? []).filter(isUploadProtocol);
    const delivery = httpDeliveryOf(auth);
    return [
      {
        authKey,
        callTool,
        ...(uploadProtocols.length > 0 && !catalog.hidden.has(uploadTool) && { uploadTool }),
        uploadProtocols,
        authorizedUris: [...auth.authorizedUris],
        allowsAllUris: auth.allowsAllUris,
        ...(delivery !== undefined && { delivery }),
        ...(auth.type === 'mtls' && { showsCertificate: true }),
        canRefresh: canRefresh(auth),
      },
    ];
  });
}

/** Only a method that main can sign in with again by itself has another credential to give. */
function canRefresh({ type, connect }: AuthMethod): boolean {
  return type === 'oauth2' || connect !== undefined;
}

/** The integration's MCP server, where the agent has chosen any of its tools. */
function serverOf(
  integration: IntegrationManifest,
  choice: IntegrationChoice | undefined,
): RunServer | undefined {
  const { source } = integration;
  if (source.kind === 'none') return undefined;
  const { hidden } = toolCatalogOf(integration);
  const keys = Object.keys(integration.apiAuths);
  const isOwn = new Set(keys.flatMap((key) => apiToolAliases(key, keys)));
  const wanted = choice?.tools ?? integration.defaultTools;
  const tools = wanted === '*' ? wanted : wanted.filter((name) => !isOwn.has(name) && !hidden.has(name));
  if (tools.length === 0) return undefined;
  const chosen = { tools: tools === '*' ? tools : [...tools], hidden: [...hidden] };
  // Who starts it knows what it shares, and by which ways it gets out.
  if (source.kind === 'local') return { source: { kind: 'local', ways: {} }, ...chosen };
  const auths = Object.entries(integration.auths).map(([key, auth]) => {
    const delivery = httpDeliveryOf(auth);
    return [
      key,
      {
        ...(delivery !== undefined && { delivery }),
        ...(auth.type === 'mtls' && { showsCertificate: true }),
        canRefresh: canRefresh(auth),
      },
    ] as const;
  });
  const { url, transport } = source;
  return { source: { kind: 'remote', url, transport, auths: Object.fromEntries(auths) }, ...chosen };
}
