import { CURRENT_SCHEMA_VERSION, readDialect, type Dialect } from '#shared/manifest/dialect.ts';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import type { IntegrationChoice } from '#shared/manifest/model/agent.ts';
import { isRecord, itemsOf, membersOf } from '#shared/manifest/plain.ts';
import type { ManifestEdits, ManifestValue } from './manifest-document.ts';

/** Kinds of packages an agent depends on, as its manifest calls them. */
export type DependencyMap = 'skills' | 'mcp_servers' | 'integrations';

/** The dialect of a manifest that is being written; a version nobody knows counts as today's. */
export function dialectOf(manifest: ManifestValue): Dialect {
  const reading = readDialect(manifest['schema_version'] ?? CURRENT_SCHEMA_VERSION);
  return reading.kind === 'read' ? reading.dialect : '0.x';
}

/** The ranges of one kind of dependency, in the manifest's order; `undefined` for one that is no text. */
export function rangesOf(manifest: ManifestValue, map: DependencyMap): [string, string | undefined][] {
  const dependencies = isRecord(manifest['dependencies']) ? manifest['dependencies'] : {};
  return membersOf(dependencies[map]).map(([name, value]) => {
    const range = isRecord(value) ? value['version'] : value;
    return [name, typeof range === 'string' ? range : undefined];
  });
}

/** Edits that add a dependency, or change its range and nothing else of it. */
export function setRange(
  manifest: ManifestValue,
  map: DependencyMap,
  name: string,
  range: string,
): ManifestEdits {
  const dependencies = isRecord(manifest['dependencies']) ? manifest['dependencies'] : {};
  const current = isRecord(dependencies[map]) ? dependencies[map][name] : undefined;
  const path = ['dependencies', map, name, ...(isRecord(current) ? ['version'] : [])];
  return [{ pointer: pointerOf(path), value: range }];
}

/** Edits that take a dependency away, with what the manifest says of it alone and what is empty then. */
export function removeDependency(manifest: ManifestValue, map: DependencyMap, name: string): ManifestEdits {
  const edits = removal(manifest, ['dependencies', map, name]);
  const configurations = manifest['integrations_configuration'];
  const isConfigured =
    map === 'integrations' && isRecord(configurations) && Object.hasOwn(configurations, name);
  return isConfigured ? [...edits, ...removal(manifest, ['integrations_configuration', name])] : edits;
}

/**
 * Edits that remove a value, and every container that had nothing but it. Containers an author left empty
 * stay as they are.
 */
export function removal(manifest: ManifestValue, path: readonly string[]): ManifestEdits {
  let length = path.length;
  while (length > 1) {
    const parent = at(manifest, path.slice(0, length - 1));
    if (!isRecord(parent) || Object.keys(parent).length !== 1) break;
    length -= 1;
  }
  return at(manifest, path) === undefined
    ? []
    : [{ pointer: pointerOf(path.slice(0, length)), remove: true }];
}

/** What the manifest takes of an integration. Values of the wrong kind count as absent. */
export function choiceOf(manifest: ManifestValue, integration: string): IntegrationChoice {
  const configured = at(manifest, ['integrations_configuration', integration]);
  const configuration = isRecord(configured) ? configured : {};
  const depended = at(manifest, ['dependencies', 'integrations', integration]);
  const dependency = isRecord(depended) ? depended : {};
  const { tools } = configuration;
  const scopes = dependency['scopes'] ?? configuration['scopes'];
  const authKey = dependency['auth_key'] ?? configuration['auth_key'];
  return {
    ...(tools === '*' ? { tools } : Array.isArray(tools) ? { tools: textsOf(tools) } : {}),
    ...(Array.isArray(scopes) ? { scopes: textsOf(scopes) } : {}),
    ...(typeof authKey === 'string' ? { authKey } : {}),
  };
}

/** Where the manifest keeps what it takes of an integration: the 2.x form has most of it elsewhere. */
export function choicePath(
  manifest: ManifestValue,
  integration: string,
  field: 'tools' | 'scopes' | 'auth_key',
): string[] {
  const depended = at(manifest, ['dependencies', 'integrations', integration]);
  const isInDependency = field !== 'tools' && dialectOf(manifest) === '2.x' && isRecord(depended);
  return isInDependency
    ? ['dependencies', 'integrations', integration, field]
    : ['integrations_configuration', integration, field];
}

/** The ids in `runtime_tools`, as they are written. */
export function runtimeToolsOf(manifest: ManifestValue): string[] {
  return textsOf(itemsOf(manifest['runtime_tools']));
}

/** Edits that choose a runtime tool, or no longer do; the others keep their places. */
export function setRuntimeTool(manifest: ManifestValue, id: string, isChosen: boolean): ManifestEdits {
  const chosen = itemsOf(manifest['runtime_tools']);
  const index = chosen.indexOf(id);
  if (isChosen === index >= 0) return [];
  if (isChosen) {
    return Array.isArray(manifest['runtime_tools'])
      ? [{ pointer: '/runtime_tools/-', value: id }]
      : [{ pointer: '/runtime_tools', value: [id] }];
  }
  return chosen.length === 1
    ? [{ pointer: '/runtime_tools', remove: true }]
    : [{ pointer: `/runtime_tools/${index}`, remove: true }];
}

/** The value at a path of members and indexes; undefined where there is none. */
export function at(manifest: ManifestValue, path: readonly string[]): unknown {
  let value: unknown = manifest;
  for (const step of path) {
    const isInside = Array.isArray(value)
      ? /^\d+$/.test(step)
      : isRecord(value) && Object.hasOwn(value, step);
    if (!isInside) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return value;
}

/** The texts among the values of a list; none when it is no list. */
export function textsAt(manifest: ManifestValue, path: readonly string[]): string[] {
  return textsOf(itemsOf(at(manifest, path)));
}

function textsOf(values: readonly unknown[]): string[] {
  return values.filter((value): value is string => typeof value === 'string');
}
