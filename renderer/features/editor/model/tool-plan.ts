import { apiToolAliases, apiToolName } from '#shared/manifest/api-tools.ts';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import type { IntegrationManifest } from '#shared/manifest/model/integration.ts';
import type { McpServerManifest } from '#shared/manifest/model/mcp-server.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import { currentRuntimeTool } from '#shared/manifest/runtime-tools.ts';
import { catalogToolOf, toolCatalogOf, type ToolCatalog } from '#shared/manifest/tool-catalog.ts';
import { definitionTokens } from '#shared/tools/definition-costs.ts';
import { estimateTokens } from '#shared/tools/token-estimate.ts';
import {
  assignNamespaces,
  nameServerTools,
  NamingError,
  qualifiedToolName,
} from '#shared/tools/tool-names.ts';
import { packageOf, type EditorLibrary, type LiveTool } from '../ports.ts';
import { at, choiceOf, rangesOf, removal, runtimeToolsOf } from './agent-value.ts';
import type { ManifestEdits, ManifestValue } from './manifest-document.ts';
import {
  ALWAYS_SERVED,
  API_TOOLS,
  RUNTIME_TOOL_CHOICES,
  SANDBOX_TOOLS,
  UNKNOWN_TOOL_TOKENS,
  type PlatformTool,
} from './platform-tools.ts';

/** A tool an agent has or could have. */
export interface PlannedTool {
  /** What a selection calls it. */
  readonly id: string;
  /** What the model calls it; a call and its upload are two. */
  readonly wireNames: readonly string[];
  readonly description: string;
  readonly schema?: Readonly<Record<string, unknown>> | undefined;
  /** Scopes it needs, by authentication method. */
  readonly scopes: readonly { readonly authKey: string; readonly scopes: readonly string[] }[];
  readonly isChosen: boolean;
  /** It is given whatever is chosen, so it cannot be unticked. */
  readonly isFixed: boolean;
  /** Estimated tokens of its definition in the model's context. */
  readonly tokens: number;
  /** Whether the estimate is made without knowing the definition. */
  readonly isGuess: boolean;
  /** Of a skill: the versions an agent that takes it begins with. */
  readonly range?: string | undefined;
}

/** How an integration's tools are chosen. */
export type SelectionMode = 'default' | 'chosen' | 'none' | 'all';

/** Tools of one origin. */
export interface ToolSource {
  readonly kind: 'sandbox' | 'runtime' | 'integration' | 'skill' | 'mcp-server';
  /** Name of the package; the kind for what needs none. */
  readonly id: string;
  readonly title: string;
  readonly tools: readonly PlannedTool[];
  /** Only for integrations. */
  readonly selection?: IntegrationSelection | undefined;
  /** Names that are chosen and that stand for no tool. */
  readonly strays: readonly string[];
  /** Why nothing is known of its tools, when that is so. */
  readonly unknown?: string | undefined;
}

export interface IntegrationSelection {
  readonly mode: SelectionMode;
  /** What it means, in words. */
  readonly meaning: string;
  readonly allowsAll: boolean;
  /** Whether there may be tools that no list names. */
  readonly isOpen: boolean;
  readonly defaults: readonly string[] | '*';
}

export interface ToolPlan {
  readonly sources: readonly ToolSource[];
  /** Tools the model is offered. */
  readonly count: number;
  readonly tokens: number;
  /** Whether some of the count or cost is only known when the servers run. */
  readonly isEstimate: boolean;
}

/** All tools of an agent and those it could have, from its manifest and the library. */
export function planTools(manifest: ManifestValue, library: EditorLibrary): ToolPlan {
  const integrations = rangesOf(manifest, 'integrations').map(([name]) => name);
  const servers = rangesOf(manifest, 'mcp_servers').map(([name]) => name);
  const namespaces = namespacesOf([...integrations, ...servers]);
  const sources: ToolSource[] = [
    sandboxSource(),
    runtimeSource(manifest),
    ...integrations.map((name) =>
      kept(library, name, [namespaces.get(name), choiceOf(manifest, name)], () =>
        integrationSource(name, namespaces.get(name) ?? name, manifest, library),
      ),
    ),
    skillSource(manifest, library),
    ...servers.map((name) => serverSource(name, namespaces.get(name) ?? name, library)),
  ];
  const chosen = sources.flatMap(({ tools }) => tools.filter(({ isChosen }) => isChosen));
  return {
    sources,
    count: chosen.reduce((sum, { wireNames }) => sum + wireNames.length, 0),
    tokens: chosen.reduce((sum, { tokens }) => sum + tokens, 0),
    isEstimate:
      chosen.some(({ isGuess }) => isGuess) ||
      sources.some(
        ({ unknown, selection }) => unknown !== undefined || (selection?.mode === 'all' && selection.isOpen),
      ),
  };
}

/** Sources of the last plan by library and package: one tick changes one of them. */
const sourcesOf = new WeakMap<
  EditorLibrary,
  Map<string, { readonly key: string; readonly source: ToolSource }>
>();

/** The source made last of the same, as the same object; else a new one. */
function kept(library: EditorLibrary, name: string, of: unknown, make: () => ToolSource): ToolSource {
  const sources = sourcesOf.get(library) ?? new Map<string, { key: string; source: ToolSource }>();
  sourcesOf.set(library, sources);
  const key = JSON.stringify(of);
  const known = sources.get(name);
  if (known?.key === key) return known.source;
  const source = make();
  sources.set(name, { key, source });
  return source;
}

function namespacesOf(names: readonly string[]): ReadonlyMap<string, string> {
  try {
    return assignNamespaces(names);
  } catch (error) {
    // A name that gives no namespace is a finding of the validator.
    if (error instanceof NamingError) return new Map();
    throw error;
  }
}

function sandboxSource(): ToolSource {
  return {
    kind: 'sandbox',
    id: 'sandbox',
    title: 'Sandbox',
    tools: SANDBOX_TOOLS.map(fixedTool),
    strays: [],
  };
}

function fixedTool({ name, description, tokens }: PlatformTool): PlannedTool {
  return {
    id: name,
    wireNames: [name],
    description,
    scopes: [],
    isChosen: true,
    isFixed: true,
    tokens,
    isGuess: false,
  };
}

function runtimeSource(manifest: ManifestValue): ToolSource {
  const ids = runtimeToolsOf(manifest);
  const chosen = new Set<string>(ids.flatMap((id) => currentRuntimeTool(id) ?? []));
  const choices = RUNTIME_TOOL_CHOICES.map(({ name, description, tokens }): PlannedTool => ({
    ...fixedTool({ name, description, tokens: name === 'output' ? outputTokens(manifest) : tokens }),
    isChosen: chosen.has(name),
    isFixed: false,
  }));
  return {
    kind: 'runtime',
    id: 'runtime',
    title: 'Platform',
    tools: [...choices, ...ALWAYS_SERVED.map(fixedTool)],
    strays: ids.filter((id) => currentRuntimeTool(id) === undefined),
  };
}

/** The tool carries the schema of the result. */
function outputTokens(manifest: ManifestValue): number {
  const schema = at(manifest, ['output', 'schema']);
  return definitionTokens('output', JSON.stringify(isRecord(schema) ? schema : { type: 'object' }));
}

function integrationSource(
  name: string,
  namespace: string,
  manifest: ManifestValue,
  library: EditorLibrary,
): ToolSource {
  const known = packageOf(library, name, 'integration');
  const title = known?.displayName ?? name;
  const integration = known?.manifest?.type === 'integration' ? known.manifest : undefined;
  if (integration === undefined) {
    const unknown = known
      ? 'Its tools are not known yet: the package is loading, or has faults.'
      : 'The library does not have this integration, so its tools are not known.';
    return { kind: 'integration', id: name, title, tools: [], strays: [], unknown };
  }
  const server = serverOf(integration, library);
  const catalog = toolCatalogOf(integration, server);
  const choice = choiceOf(manifest, name);
  const selected = choice.tools ?? integration.defaultTools;
  const isChosen = (tool: string): boolean =>
    selected === '*' || selected.some((entry) => catalogToolOf(entry, catalog, integration) === tool);
  const live = library.liveTools?.[name] ?? [];
  const names = [...new Set([...catalog.names, ...live.map((tool) => tool.name)])].filter(
    (tool) => !catalog.hidden.has(tool),
  );
  const strays =
    selected === '*'
      ? []
      : selected.filter((entry) => catalogToolOf(entry, catalog, integration) === undefined);
  // A selection may name tools of an open server that no list has.
  const others =
    selected === '*' || !catalog.isOpen ? [] : selected.filter((entry) => !strays.includes(entry));
  const all = [
    ...names,
    ...others
      .map((entry) => catalogToolOf(entry, catalog, integration) ?? entry)
      .filter((tool) => !names.includes(tool)),
  ];
  const wireNames = wireNamesOf(namespace, [...new Set(all)], integration, catalog);
  return {
    kind: 'integration',
    id: name,
    title,
    tools: [...new Set(all)].map((tool) =>
      integrationTool(tool, wireNames.get(tool) ?? [], isChosen(tool), integration, server, live),
    ),
    strays,
    selection: {
      ...modeOf(choice.tools, integration),
      allowsAll: integration.allowsUndeclaredTools,
      isOpen: catalog.isOpen,
      defaults: integration.defaultTools,
    },
  };
}

function serverOf(integration: IntegrationManifest, library: EditorLibrary): McpServerManifest | undefined {
  if (integration.source.kind !== 'local') return undefined;
  const manifest = packageOf(library, integration.source.server.name, 'mcp-server')?.manifest;
  return manifest?.type === 'mcp-server' ? manifest : undefined;
}

function modeOf(
  tools: readonly string[] | '*' | undefined,
  { defaultTools }: IntegrationManifest,
): { mode: SelectionMode; meaning: string } {
  if (tools === '*') return { mode: 'all', meaning: 'Every tool its server has when a run starts.' };
  if (tools === undefined) {
    const meaning =
      defaultTools === '*'
        ? 'Nothing is chosen, so the agent gets the integration’s default: every tool.'
        : defaultTools.length === 0
          ? 'Nothing is chosen, and the integration has no default: the agent gets no tool.'
          : `Nothing is chosen, so the agent gets the integration’s default: ${defaultTools.join(', ')}.`;
    return { mode: 'default', meaning };
  }
  return tools.length === 0
    ? { mode: 'none', meaning: 'The list is empty: the agent gets no tool, and cannot be published so.' }
    : { mode: 'chosen', meaning: 'Only what is ticked. The integration’s default no longer counts.' };
}

/** The pair of an authentication method counts as one for a selection and as two for the model. */
function wireNamesOf(
  namespace: string,
  tools: readonly string[],
  { apiAuths }: IntegrationManifest,
  catalog: ToolCatalog,
): Map<string, string[]> {
  const keys = Object.keys(apiAuths);
  const pairs = new Map(
    keys.map((key) => {
      const upload = apiToolName('api_upload', key, keys);
      const hasUpload = (apiAuths[key] ?? []).length > 0 && !catalog.hidden.has(upload);
      return [apiToolName('api_call', key, keys), hasUpload ? [upload] : []] as const;
    }),
  );
  const trusted = [...pairs].flatMap(([call, uploads]) => [call, ...uploads]);
  const natives = tools.filter((tool) => !pairs.has(tool));
  const names = new Map<string, string[]>(
    [...pairs].map(([call, uploads]) => [
      call,
      [call, ...uploads].map((tool) => qualifiedToolName(namespace, tool)),
    ]),
  );
  for (const { serverName, name } of nameServerTools(namespace, natives, trusted))
    names.set(serverName, [name]);
  return names;
}

function integrationTool(
  id: string,
  wireNames: readonly string[],
  isChosen: boolean,
  integration: IntegrationManifest,
  server: McpServerManifest | undefined,
  live: readonly LiveTool[],
): PlannedTool {
  const scopes = Object.entries(integration.toolScopes[id] ?? {}).map(([authKey, values]) => ({
    authKey,
    scopes: values,
  }));
  const base = { id, wireNames, scopes, isChosen, isFixed: false };
  const keys = Object.keys(integration.apiAuths);
  const authKey = keys.find((key) => apiToolName('api_call', key, keys) === id);
  if (authKey !== undefined) {
    const hasUpload = wireNames.length > 1;
    return {
      ...base,
      description: `${API_TOOLS.api_call}${hasUpload ? ` With it comes its upload: ${API_TOOLS.api_upload}` : ''}`,
      tokens: apiTokens(integration, authKey, wireNames),
      isGuess: false,
    };
  }
  const told = live.find(({ name }) => name === id);
  const description = told?.description ?? server?.tools.find(({ name }) => name === id)?.description ?? '';
  return { ...base, description, ...costOf(wireNames[0] ?? id, description, told) };
}

/** A call names the addresses it may go to, and an upload its protocols. */
function apiTokens(
  { displayName, auths, apiAuths }: IntegrationManifest,
  authKey: string,
  [call = '', upload]: readonly string[],
): number {
  const addresses = auths[authKey]?.authorizedUris.join(', ') ?? '';
  const protocols = JSON.stringify(apiAuths[authKey] ?? []);
  return (
    definitionTokens('api_call', call + displayName + addresses) +
    (upload === undefined ? 0 : definitionTokens('api_upload', upload + displayName + protocols))
  );
}

function costOf(
  name: string,
  description: string,
  live: LiveTool | undefined,
): Pick<PlannedTool, 'tokens' | 'isGuess' | 'schema'> {
  if (live?.inputSchema === undefined) {
    return { tokens: UNKNOWN_TOOL_TOKENS + estimateTokens(description), isGuess: true };
  }
  const definition = JSON.stringify({ name, description, input_schema: live.inputSchema });
  return { tokens: estimateTokens(definition), isGuess: false, schema: live.inputSchema };
}

/** Skills are no tools, but each costs the line the model knows it by. */
function skillSource(manifest: ManifestValue, library: EditorLibrary): ToolSource {
  const chosen = rangesOf(manifest, 'skills').map(([name]) => name);
  const known = library.packages.filter(({ type }) => type === 'skill');
  const names = new Set([...chosen, ...known.map(({ name }) => name)]);
  const tools = [...names].map((name): PlannedTool => {
    const skill = known.find((candidate) => candidate.name === name);
    const { description = '', versions: [newest] = [] } = skill ?? {};
    return {
      id: name,
      wireNames: [],
      description,
      scopes: [],
      isChosen: chosen.includes(name),
      isFixed: false,
      range: newest === undefined ? '*' : `^${newest}`,
      tokens: estimateTokens(`${name}: ${description}`),
      isGuess: false,
    };
  });
  return { kind: 'skill', id: 'skills', title: 'Skills', tools, strays: [] };
}

function serverSource(name: string, namespace: string, library: EditorLibrary): ToolSource {
  const known = packageOf(library, name, 'mcp-server');
  const manifest = known?.manifest?.type === 'mcp-server' ? known.manifest : undefined;
  const live = library.liveTools?.[name] ?? [];
  const declared = [...(manifest?.tools ?? []), ...live].map((tool) => tool.name);
  const tools = nameServerTools(namespace, [...new Set(declared)]).map(
    ({ serverName, name: wireName }): PlannedTool => {
      const told = live.find((tool) => tool.name === serverName);
      const description =
        told?.description ?? manifest?.tools.find((tool) => tool.name === serverName)?.description ?? '';
      return {
        id: serverName,
        wireNames: [wireName],
        description,
        scopes: [],
        isChosen: true,
        isFixed: true,
        ...costOf(wireName, description, told),
      };
    },
  );
  return {
    kind: 'mcp-server',
    id: name,
    title: known?.displayName ?? name,
    tools,
    strays: [],
    unknown: tools.length > 0 ? undefined : 'It lists no tools; they are known when it runs.',
  };
}

/**
 * Edits that tick or untick tools of an integration. The first makes a list of what was the default, so
 * that nothing is lost or won by it; the order of a list that is there stays.
 */
export function setTools(
  manifest: ManifestValue,
  source: ToolSource,
  integration: IntegrationManifest,
  ids: readonly string[],
  isChosen: boolean,
): ManifestEdits {
  const name = source.id;
  const chosen = choiceOf(manifest, name).tools;
  const current = chosen ?? integration.defaultTools;
  const list = current === '*' ? source.tools.map(({ id }) => id) : current;
  const keys = Object.keys(integration.apiAuths);
  const namesOf = (id: string): readonly string[] => {
    const key = keys.find((candidate) => apiToolName('api_call', candidate, keys) === id);
    return key === undefined ? [id] : apiToolAliases(key, keys);
  };
  const path = ['integrations_configuration', name, 'tools'];
  if (isChosen) {
    const added = ids.filter((id) => !list.some((entry) => namesOf(id).includes(entry)));
    if (added.length === 0 && Array.isArray(chosen)) return [];
    if (Array.isArray(chosen)) return added.map((value) => ({ pointer: `${pointerOf(path)}/-`, value }));
    return [{ pointer: pointerOf(path), value: [...list, ...added] }];
  }
  const removed = new Set(ids.flatMap(namesOf));
  if (!Array.isArray(chosen))
    return [{ pointer: pointerOf(path), value: list.filter((id) => !removed.has(id)) }];
  // From the end, so that no removal moves the next.
  return list
    .map((id, index) => ({ id, pointer: `${pointerOf(path)}/${index}`, remove: true }))
    .filter(({ id }) => removed.has(id))
    .map(({ pointer, remove }) => ({ pointer, remove }))
    .toReversed();
}

/** Edits that choose how an integration's tools are chosen. */
export function setMode(
  manifest: ManifestValue,
  source: ToolSource,
  integration: IntegrationManifest,
  mode: SelectionMode,
): ManifestEdits {
  const path = ['integrations_configuration', source.id, 'tools'];
  const pointer = pointerOf(path);
  switch (mode) {
    case 'default':
      return removal(manifest, path);
    case 'none':
      return [{ pointer, value: [] }];
    case 'all':
      return [{ pointer, value: '*' }];
    case 'chosen': {
      const { defaultTools } = integration;
      const current = source.tools.filter(({ isChosen }) => isChosen).map(({ id }) => id);
      return [
        { pointer, value: current.length > 0 ? current : defaultTools === '*' ? [] : [...defaultTools] },
      ];
    }
  }
}
