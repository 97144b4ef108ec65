import { CURRENT_SCHEMA_VERSION, readDialect, type Dialect } from './dialect.ts';
import { isRecord, itemsOf, membersOf } from './plain.ts';
import { API_KEY } from './schemas/integration.ts';

type Json = Record<string, unknown>;

/** A manifest in the other dialect, and what could not be said there. */
export interface Rewritten {
  readonly manifest: Json;
  readonly notes: readonly string[];
}

const VERSIONS: Readonly<Record<Dialect, string>> = { '0.x': CURRENT_SCHEMA_VERSION, '2.x': '2.0' };
const SCHEMA_ADDRESSES: Readonly<Record<Dialect, string>> = {
  '0.x': 'https://schemas.afps.dev/v0/',
  '2.x': 'https://afps.appstrate.dev/packages/schema/v2/',
};

/** Where a block of 0.x stands that 2.x cannot say. */
const KEPT_API_KEY = 'app.slipway/api';

/**
 * Writes a good manifest in another dialect, for readers that know only that one. What is spelled alike in
 * both, and what neither knows, stays as it is and where it is (reference: afps, section 0).
 */
export function rewriteDialect(manifest: Readonly<Json>, to: Dialect): Rewritten {
  const reading = readDialect(manifest['schema_version']);
  const from = reading.kind === 'read' ? reading.dialect : undefined;
  if (from === to || from === undefined) return { manifest: { ...manifest }, notes: [] };
  const notes: string[] = [];
  const result: Json = { ...manifest, schema_version: VERSIONS[to] };
  const { $schema } = manifest;
  if (typeof $schema === 'string' && $schema.startsWith(SCHEMA_ADDRESSES[from])) {
    result['$schema'] = SCHEMA_ADDRESSES[to] + $schema.slice(SCHEMA_ADDRESSES[from].length);
  }
  if (to === '2.x') {
    if (manifest['type'] === 'agent') nestConfigurations(result);
    if (manifest['type'] === 'integration') toApiSource(result, notes);
  } else {
    flattenDependencies(result, notes);
    if (manifest['type'] === 'integration') toNoSource(result);
  }
  return { manifest: result, notes };
}

/** In 2.x an integration's scopes and method stand beside its range; its tools stay in the map of old. */
function nestConfigurations(agent: Json): void {
  const dependencies = isRecord(agent['dependencies']) ? agent['dependencies'] : {};
  const configurations = new Map(membersOf(agent['integrations_configuration']));
  const rest: [string, unknown][] = [];
  const integrations = membersOf(dependencies['integrations']).map(([id, version]): [string, unknown] => {
    const configuration = configurations.get(id);
    if (!isRecord(configuration)) return [id, version];
    const { tools, ...beside } = configuration;
    if (tools !== undefined) rest.push([id, { tools }]);
    return [id, Object.keys(beside).length > 0 ? { version, ...beside } : version];
  });
  if (integrations.length > 0) {
    agent['dependencies'] = { ...dependencies, integrations: Object.fromEntries(integrations) };
  }
  if (rest.length > 0) agent['integrations_configuration'] = Object.fromEntries(rest);
  else delete agent['integrations_configuration'];
}

function toApiSource(integration: Json, notes: string[]): void {
  const { source } = integration;
  const auths = membersOf(integration['auths']).map(([key]) => key);
  if (isRecord(source) && source['kind'] === 'none') {
    const block = apiIn(integration);
    const opted = new Map(membersOf(block['auths']));
    const lists = auths.map((key) => protocolsIn(opted.get(key)));
    const protocols = [...new Set(lists.flat())];
    const { kind: _, ...others } = source;
    const api = protocols.length > 0 ? { upload_protocols: protocols } : {};
    integration['source'] = { kind: 'api', ...others, api };
    const isSame = auths.every((key, index) => opted.has(key) && lists[index]?.length === protocols.length);
    const { [API_KEY]: __, ...meta } = isRecord(integration['_meta']) ? integration['_meta'] : {};
    // Kept for the way back: the other dialect opens the API to every method alike.
    if (!isSame) meta[KEPT_API_KEY] = block;
    if (Object.keys(meta).length > 0) integration['_meta'] = meta;
    else delete integration['_meta'];
    if (!isSame)
      notes.push('There, every method may call the API and upload by every protocol; here not all may.');
  }
  const policies = membersOf(integration['tools_policy']).map(([tool, policy]): [string, unknown] => {
    const required = isRecord(policy) ? policy['required_scopes'] : undefined;
    if (!isRecord(policy) || !isRecord(required)) return [tool, policy];
    const scopes = membersOf(required);
    const { required_scopes: __, ...others } = policy;
    const [only] = scopes;
    if (only === undefined) return [tool, others];
    if (scopes.length === 1)
      return [tool, { ...others, required_scopes: only[1], required_auth_key: only[0] }];
    notes.push(`"${tool}" needs other scopes by each method; there it needs all of them.`);
    const all = new Set(scopes.flatMap(([, values]) => itemsOf(values)));
    return [tool, { ...others, required_scopes: [...all] }];
  });
  if (policies.length > 0) integration['tools_policy'] = Object.fromEntries(policies);
}

function flattenDependencies(manifest: Json, notes: string[]): void {
  const { dependencies } = manifest;
  if (!isRecord(dependencies)) return;
  const configurations = new Map(membersOf(manifest['integrations_configuration']));
  const flat: Json = { ...dependencies };
  for (const kind of ['skills', 'mcp_servers', 'integrations']) {
    const entries = membersOf(dependencies[kind]).map(([id, value]): [string, unknown] => {
      if (!isRecord(value)) return [id, value];
      const { version, ...beside } = value;
      if (kind === 'integrations' && manifest['type'] === 'agent') {
        const earlier = configurations.get(id);
        configurations.set(id, { ...(isRecord(earlier) ? earlier : {}), ...beside });
      } else if (Object.keys(beside).length > 0) {
        notes.push(
          `What stands beside the version of "${id}" has no place there: ${Object.keys(beside).join(', ')}.`,
        );
      }
      return [id, version];
    });
    if (entries.length > 0) flat[kind] = Object.fromEntries(entries);
  }
  manifest['dependencies'] = flat;
  if (configurations.size === 0) return;
  // Here a configuration needs its dependency; in 2.x it does not, and has no effect alone.
  const known = new Set(membersOf(flat['integrations']).map(([id]) => id));
  const kept = [...configurations].filter(([id]) => known.has(id));
  if (kept.length > 0) manifest['integrations_configuration'] = Object.fromEntries(kept);
  else delete manifest['integrations_configuration'];
}

function toNoSource(integration: Json): void {
  const { source, auths } = integration;
  if (isRecord(source) && source['kind'] === 'api') {
    const { api, kind: _, ...others } = source;
    const protocols = isRecord(api) ? itemsOf(api['upload_protocols']) : [];
    const entry = protocols.length > 0 ? { upload_protocols: protocols } : {};
    const opened = Object.fromEntries(membersOf(auths).map(([key]) => [key, entry]));
    const meta: Json = isRecord(integration['_meta']) ? { ...integration['_meta'] } : {};
    const kept = meta[KEPT_API_KEY];
    delete meta[KEPT_API_KEY];
    integration['source'] = { kind: 'none', ...others };
    integration['_meta'] = { ...meta, [API_KEY]: kept ?? { auths: opened } };
  }
  const oauthKeys = membersOf(auths)
    .filter(([, auth]) => isRecord(auth) && auth['type'] === 'oauth2')
    .map(([key]) => key);
  const policies = membersOf(integration['tools_policy']).map(([tool, policy]): [string, unknown] => {
    const scopes = isRecord(policy) ? policy['required_scopes'] : undefined;
    if (!isRecord(policy) || !Array.isArray(scopes)) return [tool, policy];
    const { required_auth_key: key, ...others } = policy;
    const keys = typeof key === 'string' ? [key] : oauthKeys;
    return [tool, { ...others, required_scopes: Object.fromEntries(keys.map((name) => [name, scopes])) }];
  });
  if (policies.length > 0) integration['tools_policy'] = Object.fromEntries(policies);
}

function protocolsIn(entry: unknown): readonly unknown[] {
  return isRecord(entry) ? itemsOf(entry['upload_protocols']) : [];
}

function apiIn(integration: Readonly<Json>): Json {
  const meta = integration['_meta'];
  const api = isRecord(meta) ? meta[API_KEY] : undefined;
  return isRecord(api) ? api : {};
}
