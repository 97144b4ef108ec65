import { dependenciesOf } from './dependencies.ts';
import type { AgentManifest } from './model/agent.ts';
import type { AuthMethod, IntegrationManifest } from './model/integration.ts';
import type { McpServerManifest } from './model/mcp-server.ts';
import { isRecord, membersOf } from './plain.ts';
import { toolCatalogOf } from './tool-catalog.ts';
import type { PackageManifest } from './validate.ts';

/** In the order in which a person should read them. */
export const REACH_KINDS = ['host', 'credential', 'scope', 'tool', 'script', 'dependency'] as const;
export type ReachKind = (typeof REACH_KINDS)[number];

/** One thing that a package may use, touch or run, and why. */
export interface ReachItem {
  readonly kind: ReachKind;
  /** What it is: a host, a scope, a tool, a path. Unique within its kind and the package it is reached through. */
  readonly subject: string;
  /** Why, as the end of a sentence about the package. */
  readonly reason: string;
  /** What stands behind the subject, such as a script's digest: another value is another thing. */
  readonly mark?: string;
  /** The package it needs that has this reach; absent for what is its own. */
  readonly through?: string;
}

/** A package as far as its reach goes. */
export interface ReachSource {
  readonly manifest: PackageManifest;
  /** Its files, each with the digest of its content. */
  readonly files: readonly { readonly path: string; readonly digest: string }[];
  /** The server of a local integration, when it is at hand: the tools are in its manifest. */
  readonly server?: McpServerManifest | undefined;
}

const ANY_HOST = 'any host';
const ANY_TOOL = 'any tool of the server';

/** All that a package may reach by itself, without what the packages it needs reach. */
export function reachOf({ manifest, files, server }: ReachSource): ReachItem[] {
  const dependencies = dependenciesOf(manifest).map(({ kind, name, range }): ReachItem => ({
    kind: 'dependency',
    subject: name,
    reason: `uses this ${kind}, version ${range || '*'}`,
    mark: range,
  }));
  const items = [...reachOfType(manifest, server), ...scriptsIn(manifest, files), ...dependencies];
  return uniqueReach(items).sort((a, b) => REACH_KINDS.indexOf(a.kind) - REACH_KINDS.indexOf(b.kind));
}

function reachOfType(manifest: PackageManifest, server: McpServerManifest | undefined): ReachItem[] {
  switch (manifest.type) {
    case 'agent':
      return agentReach(manifest);
    case 'integration':
      return integrationReach(manifest, server);
    case 'mcp-server':
      return serverReach(manifest);
    case 'skill':
      return [];
  }
}

/** What tells one thing from another in a list of reach. */
export function reachKey({ kind, subject, through = '' }: ReachItem): string {
  return `${through} ${kind} ${subject}`;
}

/** Each thing once, with all the grounds there are for it. */
export function uniqueReach(items: readonly ReachItem[]): ReachItem[] {
  const unique = new Map<string, ReachItem>();
  for (const item of items) {
    const key = reachKey(item);
    const earlier = unique.get(key);
    if (earlier === undefined) unique.set(key, item);
    else if (earlier.mark !== undefined && item.mark !== undefined) unique.set(key, merged(earlier, item));
  }
  return [...unique.values()];
}

/** One subject with two grounds, such as a host that two methods of signing in may reach. */
function merged(a: ReachItem, b: ReachItem): ReachItem {
  const marks = new Set([...(a.mark ?? '').split('\n'), ...(b.mark ?? '').split('\n')]);
  const reason = a.reason.includes(b.reason) ? a.reason : `${a.reason}; ${b.reason}`;
  return { ...a, reason, mark: [...marks].sort().join('\n') };
}

function agentReach(agent: AgentManifest): ReachItem[] {
  const items: ReachItem[] = agent.runtimeTools.map((id) => ({
    kind: 'tool',
    subject: id,
    reason: 'gives this runtime tool to the model',
  }));
  for (const name of Object.keys(agent.dependencies.integrations)) {
    const { tools, scopes = [], authKey } = agent.integrationChoices[name] ?? {};
    if (tools === undefined) {
      const reason = 'chooses no tools, so the integration gives its own default';
      items.push({ kind: 'tool', subject: `${name}: its default tools`, reason });
    } else if (tools === '*') {
      items.push({ kind: 'tool', subject: `${name}: ${ANY_TOOL}`, reason: 'takes every tool there is' });
    } else {
      for (const tool of tools) {
        items.push({ kind: 'tool', subject: `${name}: ${tool}`, reason: 'gives this tool to the model' });
      }
    }
    for (const scope of scopes) {
      items.push({ kind: 'scope', subject: `${name}: ${scope}`, reason: 'asks for this scope itself' });
    }
    if (authKey !== undefined) {
      items.push({
        kind: 'credential',
        subject: `${name}: ${authKey}`,
        reason: 'signs in by this method only',
      });
    }
  }
  return items;
}

function integrationReach(
  integration: IntegrationManifest,
  server: McpServerManifest | undefined,
): ReachItem[] {
  const items: ReachItem[] = [];
  const catalog = toolCatalogOf(integration, server);
  for (const name of catalog.names) items.push({ kind: 'tool', subject: name, reason: 'offers this tool' });
  if (catalog.isOpen && !(integration.source.kind === 'local' && server === undefined)) {
    items.push({ kind: 'tool', subject: ANY_TOOL, reason: 'lists no tools, or allows others than it lists' });
  }
  if (integration.source.kind === 'remote') {
    const host = hostOf(integration.source.url);
    const mark = integration.source.url;
    items.push({ kind: 'host', subject: host, reason: 'sends every tool call to this MCP server', mark });
  }
  for (const [key, auth] of Object.entries(integration.auths)) items.push(...authReach(key, auth));
  for (const [tool, scopes] of Object.entries(integration.toolScopes)) {
    for (const [key, values] of Object.entries(scopes)) {
      for (const scope of values) {
        items.push({ kind: 'scope', subject: `${key}: ${scope}`, reason: `needs it for ${tool}` });
      }
    }
  }
  return items;
}

function authReach(key: string, auth: AuthMethod): ReachItem[] {
  const items: ReachItem[] = [];
  for (const uri of auth.authorizedUris) {
    const reason = `may send the credential "${key}" to ${uri}`;
    items.push({ kind: 'host', subject: hostOf(uri), reason, mark: `${key} ${uri}` });
  }
  if (auth.allowsAllUris) {
    items.push({ kind: 'host', subject: ANY_HOST, reason: `may call any address with "${key}"`, mark: key });
  }
  for (const endpoint of ['issuer', 'authorizationEndpoint', 'tokenEndpoint', 'userinfoEndpoint'] as const) {
    const url = auth[endpoint];
    if (url === undefined) continue;
    items.push({ kind: 'host', subject: hostOf(url), reason: `signs in there ("${key}")`, mark: url });
  }
  const login = auth.connect?.login;
  if (login !== undefined) {
    const reason = `sends what you type to sign in there ("${key}")`;
    items.push({ kind: 'host', subject: hostOf(login.request.url), reason, mark: login.request.url });
  }
  for (const scope of auth.defaultScopes) {
    items.push({ kind: 'scope', subject: `${key}: ${scope}`, reason: 'asks for it at every sign-in' });
  }
  const properties = isRecord(auth.credentialsSchema) ? auth.credentialsSchema['properties'] : undefined;
  const fields = membersOf(properties).map(([name]) => name);
  const credentials =
    fields.length > 0 ? fields.map((field) => `${key}: ${field}`) : [`${key}: ${auth.type}`];
  const ways = deliveryOf(auth);
  for (const subject of credentials) {
    items.push({ kind: 'credential', subject, reason: `gets it ${ways}`, mark: ways });
  }
  return items;
}

function deliveryOf({ delivery }: AuthMethod): string {
  const ways = [
    ...(delivery.http === undefined ? [] : [`in the ${delivery.http.in} ${delivery.http.name} of requests`]),
    ...Object.keys(delivery.env ?? {}).map((name) => `as the variable ${name} of its server`),
    ...Object.keys(delivery.files ?? {}).map((path) => `as the file ${path} of its server`),
  ];
  return ways.join(', ');
}

function serverReach(server: McpServerManifest): ReachItem[] {
  const command = [server.command, ...server.arguments].join(' ');
  const items: ReachItem[] = [
    { kind: 'script', subject: command, reason: `starts this program on ${server.runtime}` },
    ...server.tools.map(({ name }): ReachItem => ({
      kind: 'tool',
      subject: name,
      reason: 'offers this tool',
    })),
  ];
  for (const [variable, value] of Object.entries(server.environment)) {
    for (const [, key = ''] of value.matchAll(/\$\{user_config\.([^}]*)\}/g)) {
      const reason = `gets what you fill in as the variable ${variable}`;
      items.push({ kind: 'credential', subject: key, reason });
    }
  }
  if (server.workspace !== undefined) {
    const access = server.workspace.access === 'rw' ? 'reads and changes' : 'reads';
    const reason = `${access} the files of a run at ${server.workspace.mount}`;
    items.push({ kind: 'script', subject: 'the workspace of runs', reason, mark: server.workspace.access });
  }
  return items;
}

const SCRIPT_EXTENSIONS =
  /\.(?:[cm]?[jt]sx?|py|sh|bash|zsh|fish|ps1|bat|cmd|rb|pl|php|lua|jar|exe|dll|so|dylib|node|wasm|bin)$/i;

/** Files of a package that are code, or may be run as such. */
function scriptsIn(manifest: PackageManifest, files: ReachSource['files']): ReachItem[] {
  const entryPoint = manifest.type === 'mcp-server' ? manifest.entryPoint.replace(/^\.\//, '') : undefined;
  return files
    .filter(({ path }) => path === entryPoint || path.startsWith('scripts/') || SCRIPT_EXTENSIONS.test(path))
    .map(({ path, digest }) => ({
      kind: 'script',
      subject: path,
      reason: path === entryPoint ? 'runs this file as its server' : 'brings this code',
      mark: digest,
    }));
}

/** The host of an address or of a pattern of addresses; the text itself where it has none. */
export function hostOf(uri: string): string {
  const [, authority] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(uri) ?? [];
  const host = (authority ?? uri).replace(/^[^@]*@/, '').toLowerCase();
  return host === '*' || host === '**' ? ANY_HOST : host;
}
