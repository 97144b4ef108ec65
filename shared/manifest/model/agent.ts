import type { z } from 'zod';
import type { Dialect } from '../dialect.ts';
import type { RuntimeTool } from '../../protocol/sidecar.ts';
import { perDialect } from '../per-dialect.ts';
import { currentRuntimeTool } from '../runtime-tools.ts';
import { agentSchema } from '../schemas/agent.ts';
import type { schemaWrapper } from '../schemas/common.ts';
import { present, readIdentity, type PackageIdentity } from './identity.ts';

const shapeFor = perDialect(agentSchema);

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
  readonly runtimeTools: readonly RuntimeTool[];
  readonly integrationChoices: Readonly<Record<string, IntegrationChoice>>;
}

/** Reads an agent's manifest that has no error into the one model of all dialects. */
export function readAgent(value: unknown, dialect: Dialect): AgentManifest {
  const manifest = shapeFor(dialect).parse(value);
  const runtimeTools = new Set((manifest.runtime_tools ?? []).flatMap((id) => currentRuntimeTool(id) ?? []));
  return {
    type: 'agent',
    ...readIdentity(manifest, dialect),
    input: declarationOf(manifest.input),
    output: declarationOf(manifest.output),
    timeout: manifest.timeout,
    runtimeTools: [...runtimeTools],
    integrationChoices: choicesOf(manifest),
  };
}

type ParsedAgent = z.infer<ReturnType<typeof agentSchema>>;

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
