import { CURRENT_SCHEMA_VERSION, type Dialect, type PackageType } from '#shared/manifest/dialect.ts';
import type { IntegrationManifest } from '#shared/manifest/model/integration.ts';
import type { McpServerManifest } from '#shared/manifest/model/mcp-server.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import { manifestJsonSchema } from '#shared/manifest/schemas/index.ts';
import { toolCatalogOf } from '#shared/manifest/tool-catalog.ts';
import type { EditorLibrary, LibraryPackage } from '../ports.ts';
import { FIELD_MEANINGS } from './field-meanings.ts';
import { RUNTIME_TOOL_CHOICES } from './platform-tools.ts';

type JsonSchema = Record<string, unknown>;

/**
 * The JSON Schema that completes and explains a manifest as it is typed: the shape of its type, what each
 * field means, and the values the library knows. It only helps; what is wrong is told by the validator.
 */
export function editorSchema(type: PackageType, dialect: Dialect, library: EditorLibrary): JsonSchema {
  const schema = structuredClone(manifestJsonSchema(type, dialect));
  addMeanings(schema, FIELD_MEANINGS);
  suggest(
    schema,
    ['schema_version'],
    [{ value: CURRENT_SCHEMA_VERSION, description: 'The format of today.' }],
  );
  addDependencies(schema, library);
  if (type === 'agent') {
    suggest(
      schema,
      ['runtime_tools', '[]'],
      RUNTIME_TOOL_CHOICES.map(({ name, description }) => ({ value: name, description })),
    );
    addChoices(schema, library);
  }
  return schema;
}

interface Suggestion {
  readonly value: string;
  readonly description: string;
}

/** Meanings take the place of the short hints that messages are made of, which then follow them. */
function addMeanings(schema: JsonSchema, meanings: Readonly<Record<string, string>>): void {
  for (const [path, meaning] of Object.entries(meanings)) {
    const target = find(schema, path.split('.'));
    if (target === undefined) continue;
    const { description } = target;
    const form = typeof description === 'string' ? `\n\nGive ${description}.` : '';
    target['description'] = `${meaning}${form}`;
  }
}

function suggest(schema: JsonSchema, path: readonly string[], suggestions: readonly Suggestion[]): void {
  const target = find(schema, path);
  if (target !== undefined) Object.assign(target, enumOf(suggestions));
}

function enumOf(suggestions: readonly Suggestion[]): JsonSchema {
  return {
    enum: suggestions.map(({ value }) => value),
    enumDescriptions: suggestions.map(({ description }) => description),
  };
}

/** The schema of a member, of a map's values with `*`, or of a list's items with `[]`. */
function find(schema: JsonSchema, path: readonly string[]): JsonSchema | undefined {
  let current: unknown = schema;
  for (const step of path) {
    if (!isRecord(current)) return undefined;
    if (step === '*') current = current['additionalProperties'];
    else if (step === '[]') current = current['items'];
    else current = isRecord(current['properties']) ? current['properties'][step] : undefined;
  }
  return isRecord(current) ? current : undefined;
}

const DEPENDENCY_TYPES = [
  ['skills', 'skill'],
  ['mcp_servers', 'mcp-server'],
  ['integrations', 'integration'],
] as const;

function addDependencies(schema: JsonSchema, { packages }: EditorLibrary): void {
  for (const [map, type] of DEPENDENCY_TYPES) {
    const target = find(schema, ['dependencies', map]);
    if (target === undefined) continue;
    const known = packages.filter((candidate) => candidate.type === type);
    target['properties'] = Object.fromEntries(known.map((candidate) => [candidate.name, rangeOf(candidate)]));
  }
}

function rangeOf({ displayName, description, versions }: LibraryPackage): JsonSchema {
  const [newest] = versions;
  const ranges = versions.flatMap((version): Suggestion[] => [
    { value: `^${version}`, description: `${version} and what is compatible with it` },
    { value: version, description: `exactly ${version}` },
  ]);
  return {
    type: 'string',
    description: [displayName, description].filter(Boolean).join('\n\n'),
    ...(newest === undefined ? {} : { default: `^${newest}` }),
    ...enumOf([...ranges, { value: '*', description: 'any version' }]),
  };
}

function addChoices(schema: JsonSchema, library: EditorLibrary): void {
  const target = find(schema, ['integrations_configuration']);
  const choice = find(schema, ['integrations_configuration', '*']);
  if (target === undefined || choice === undefined) return;
  const servers = new Map(library.packages.map(({ name, manifest }) => [name, manifest]));
  const known = library.packages.filter(({ type }) => type === 'integration');
  target['properties'] = Object.fromEntries(
    known.map(({ name, displayName, manifest }) => {
      if (manifest?.type !== 'integration') return [name, { ...choice, description: displayName }];
      const { source } = manifest;
      const server = source.kind === 'local' ? servers.get(source.server.name) : undefined;
      return [
        name,
        {
          ...choice,
          description: displayName,
          properties: choicesOf(manifest, server?.type === 'mcp-server' ? server : undefined, library),
        },
      ];
    }),
  );
}

function choicesOf(
  integration: IntegrationManifest,
  server: McpServerManifest | undefined,
  library: EditorLibrary,
): JsonSchema {
  const live = library.liveTools?.[integration.name] ?? [];
  const { names } = toolCatalogOf(integration, server);
  const tools = [...new Set([...names, ...live.map(({ name }) => name)])].map((name): Suggestion => {
    const told = live.find((tool) => tool.name === name) ?? server?.tools.find((tool) => tool.name === name);
    return { value: name, description: told?.description ?? '' };
  });
  const scopes = Object.values(integration.auths).flatMap(({ scopeCatalog }) => scopeCatalog);
  const auths = Object.entries(integration.auths);
  return {
    tools: {
      description: FIELD_MEANINGS['integrations_configuration.*.tools'],
      anyOf: [
        { type: 'array', items: { type: 'string', ...enumOf(tools) } },
        ...(integration.allowsUndeclaredTools
          ? [{ const: '*', description: 'every tool of the server' }]
          : []),
      ],
    },
    scopes: {
      description: FIELD_MEANINGS['integrations_configuration.*.scopes'],
      type: 'array',
      items: {
        type: 'string',
        ...enumOf(
          scopes.map(({ value, label, description }) => ({ value, description: `${label}. ${description}` })),
        ),
      },
    },
    auth_key: {
      description: FIELD_MEANINGS['integrations_configuration.*.auth_key'],
      type: 'string',
      ...enumOf(auths.map(([value, { type }]) => ({ value, description: type }))),
    },
  };
}
