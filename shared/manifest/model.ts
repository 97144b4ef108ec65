import type { z } from 'zod';
import type { Dialect, PackageType } from './dialect.ts';
import { cleanVersion, likelyDisplayName } from './identity.ts';
import { currentRuntimeTool } from './runtime-tools.ts';
import { agentSchema } from './schemas/agent.ts';
import type { schemaWrapper } from './schemas/common.ts';

/** Ranges of versions by scoped name. */
export type Ranges = Readonly<Record<string, string>>;

export interface Dependencies {
  readonly skills: Ranges;
  readonly mcpServers: Ranges;
  readonly integrations: Ranges;
}

/** What every package says of itself, whichever dialect it is written in. */
export interface PackageIdentity {
  readonly type: PackageType;
  readonly dialect: Dialect;
  readonly name: string;
  readonly version: string;
  readonly displayName: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly dependencies: Dependencies;
}

/** Values an agent asks for or gives back. */
export interface SchemaDeclaration {
  readonly schema: Readonly<Record<string, unknown>>;
  readonly fileConstraints: Readonly<Record<string, { readonly accept?: string; readonly maxSize?: number }>>;
  readonly hints: Readonly<Record<string, { readonly placeholder?: string }>>;
  readonly order: readonly string[];
}

/** What an agent takes of an integration; absent tools mean the integration's own choice. */
export interface IntegrationChoice {
  readonly tools?: readonly string[] | '*';
  readonly scopes?: readonly string[];
  readonly authKey?: string;
}

export interface AgentManifest extends PackageIdentity {
  readonly type: 'agent';
  readonly input: SchemaDeclaration | undefined;
  readonly output: SchemaDeclaration | undefined;
  /** Seconds, as the author wrote them. */
  readonly timeout: number | undefined;
  /** Known ids under their names of today, each once, in the author's order. */
  readonly runtimeTools: readonly string[];
  readonly integrationChoices: Readonly<Record<string, IntegrationChoice>>;
}

type DependencyMap = Readonly<Record<string, string | { version: string }>> | undefined;

function rangesOf(map: DependencyMap): Ranges {
  const entries = Object.entries(map ?? {});
  return Object.fromEntries(
    entries.map(([id, range]) => [id, typeof range === 'string' ? range : range.version]),
  );
}

/** Reads an agent's manifest that has no error into the one model of all dialects. */
export function readAgent(value: unknown, dialect: Dialect): AgentManifest {
  const manifest = agentSchema(dialect).parse(value);
  const runtimeTools = new Set((manifest.runtime_tools ?? []).flatMap((id) => currentRuntimeTool(id) ?? []));
  return {
    type: 'agent',
    ...identityOf(manifest, dialect),
    input: declarationOf(manifest.input),
    output: declarationOf(manifest.output),
    timeout: manifest.timeout,
    runtimeTools: [...runtimeTools],
    integrationChoices: choicesOf(manifest),
  };
}

type ParsedAgent = z.infer<ReturnType<typeof agentSchema>>;

function identityOf(
  manifest: Pick<
    ParsedAgent,
    'name' | 'version' | 'display_name' | 'description' | 'keywords' | 'dependencies'
  >,
  dialect: Dialect,
): Omit<PackageIdentity, 'type'> {
  return {
    dialect,
    name: manifest.name,
    version: cleanVersion(manifest.version) ?? manifest.version,
    displayName: manifest.display_name ?? likelyDisplayName(manifest.name),
    description: manifest.description ?? '',
    keywords: manifest.keywords ?? [],
    dependencies: {
      skills: rangesOf(manifest.dependencies?.skills),
      mcpServers: rangesOf(manifest.dependencies?.mcp_servers),
      integrations: rangesOf(manifest.dependencies?.integrations),
    },
  };
}

function declarationOf(wrapper: z.infer<typeof schemaWrapper> | undefined): SchemaDeclaration | undefined {
  if (wrapper === undefined) return undefined;
  const constraints = Object.entries(wrapper.file_constraints ?? {});
  const hints = Object.entries(wrapper.ui_hints ?? {});
  return {
    schema: wrapper.schema,
    fileConstraints: Object.fromEntries(
      constraints.map(([field, { accept, max_size: maxSize }]) => [field, present({ accept, maxSize })]),
    ),
    hints: Object.fromEntries(hints.map(([field, { placeholder }]) => [field, present({ placeholder })])),
    order: wrapper.property_order ?? [],
  };
}

/** The 2.x form keeps an integration's configuration beside its range; there it wins field by field. */
function choicesOf(manifest: ParsedAgent): Record<string, IntegrationChoice> {
  const choices: Record<string, IntegrationChoice> = {};
  for (const [id, configuration] of Object.entries(manifest.integrations_configuration ?? {})) {
    const { tools, scopes, auth_key: authKey } = configuration;
    choices[id] = present({ tools, scopes, authKey });
  }
  for (const [id, dependency] of Object.entries(manifest.dependencies?.integrations ?? {})) {
    if (typeof dependency === 'string') continue;
    const { scopes, auth_key: authKey } = dependency;
    choices[id] = { ...choices[id], ...present({ scopes, authKey }) };
  }
  return choices;
}

/** The members that have a value. */
function present<T extends Record<string, unknown>>(
  members: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
