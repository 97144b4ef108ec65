import { call, turn, type Script } from '../turn.ts';
import { bash, log } from './steps.ts';

const EXPLANATION =
  'The walkthrough is a script for the sample agents, not a language model, so it cannot do this agent’s work. ' +
  'To run the agent, add a model in Settings, Models: a provider’s key, or a local server such as Ollama.';

/** What the walkthrough does for an agent it has no script for: it looks around, says so, and ends. */
export const unknownAgent: Script = function* (context) {
  const look = context.hasTool('ls')
    ? call('ls', { path: '.' })
    : context.hasTool('bash')
      ? bash('ls -la')
      : undefined;
  const logged = log(context, 'warn', EXPLANATION);
  if (look || logged) yield turn(EXPLANATION, logged, look);
  const data = context.hasTool('output') ? emptyOutput(context.schemaOf('output')) : undefined;
  if (data !== undefined) {
    yield turn('The result may be empty, so I hand over an empty one.', call('output', { data }));
  }
  return EXPLANATION;
};

/** A value that claims nothing and fits the schema of `output`'s `data`; `undefined` where none does. */
function emptyOutput(parameters: unknown): unknown {
  const data = propertiesOf(parameters)['data'];
  return data === undefined ? undefined : emptyValue(data);
}

function emptyValue(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema === true ? null : undefined;
  if (Object.keys(schema).some((keyword) => SETTLING.has(keyword))) return undefined;
  const types = 'type' in schema ? [schema.type].flat() : [];
  if (types.length === 0 || types.includes('null')) return null;
  if (types.includes('array')) return 'minItems' in schema && schema.minItems !== 0 ? undefined : [];
  if (!types.includes('object') || 'minProperties' in schema) return undefined;
  const required = 'required' in schema && Array.isArray(schema.required) ? schema.required : [];
  const properties = propertiesOf(schema);
  const entries = required.map((name: string) => [name, emptyValue(properties[name] ?? true)] as const);
  return entries.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(entries);
}

/** Keywords that say more of a value than its type, so that an empty one may not fit. */
const SETTLING = new Set([
  'enum',
  'const',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  '$ref',
  '$dynamicRef',
  'dependentRequired',
  'dependentSchemas',
  'contains',
]);

function propertiesOf(schema: unknown): Record<string, unknown> {
  const properties =
    typeof schema === 'object' && schema !== null && 'properties' in schema ? schema.properties : undefined;
  return typeof properties === 'object' && properties !== null ? (properties as Record<string, unknown>) : {};
}
