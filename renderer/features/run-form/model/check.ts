import { findSchemaFaults, type SchemaFault } from '#renderer/schema/schema-faults.ts';
import type { Problem } from '#shared/problem.ts';
import type { CollectedForm, FormErrors } from './collect.ts';
import type { FormField } from './fields.ts';

type Schema = Record<string, unknown>;

/** Keywords that only sum up what others say, or that the form reports itself. */
const UNSAID = new Set([
  'if',
  'then',
  'else',
  'oneOf',
  'anyOf',
  'additionalProperties',
  'patternProperties',
  'required',
  'dependentSchemas',
]);
/** Of a value typed as JSON no control of the form says anything. */
const UNSAID_OF_RAW = new Set(['oneOf', 'anyOf', 'additionalProperties']);

/**
 * Holds an input against the agent's schema, without the file fields, which main fills in. Errors stand at
 * the field they are about. Main checks again: this is for the person, not for safety.
 */
export function checkInput(
  schema: Schema,
  fields: readonly FormField[],
  { input, alternatives, raw }: Pick<CollectedForm, 'input' | 'alternatives' | 'raw'>,
): FormErrors {
  const errors = new Map<string, string[]>();
  for (const fault of findSchemaFaults(withoutFiles(schema, fields), input)) {
    const { pointer, keyword, rule, text } = fault;
    const isRaw = [...raw].some((prefix) => isWithin(pointer, prefix));
    if ((isRaw ? UNSAID_OF_RAW : UNSAID).has(keyword)) continue;
    if (!isOfChosenAlternative(fault, alternatives) || (keyword === 'type' && rule === 'null')) continue;
    const known = errors.get(pointer) ?? [];
    if (!known.includes(text)) errors.set(pointer, [...known, text]);
  }
  return errors;
}

/** Of a failed choice the validator tells the faults of every alternative; only the chosen one's matter. */
function isOfChosenAlternative(
  { pointer, keywordLocation }: SchemaFault,
  alternatives: ReadonlyMap<string, number>,
): boolean {
  const branches = [...keywordLocation.matchAll(/\/(?:oneOf|anyOf)\/(\d+)(?=\/|$)/g)];
  const branch = branches.at(-1)?.[1];
  if (branch === undefined) return true;
  const choices = [...alternatives].filter(([prefix]) => isWithin(pointer, prefix));
  const nearest = choices.sort(([a], [b]) => b.length - a.length)[0];
  return nearest === undefined || nearest[1] === Number(branch);
}

function isWithin(pointer: string, prefix: string): boolean {
  return pointer === prefix || pointer.startsWith(`${prefix}/`);
}

/** What main said of the fields, by pointer; `rest` has what belongs to none. */
export function placeCauses(
  problem: Problem,
  pointers: (pointer: string) => boolean,
): { errors: FormErrors; rest: NonNullable<Problem['causes']> } {
  const errors = new Map<string, string[]>();
  const rest: NonNullable<Problem['causes']> = [];
  for (const cause of problem.causes ?? (problem.pointer ? [problem] : [])) {
    const { pointer, detail } = cause;
    if (pointer !== undefined && pointers(pointer))
      errors.set(pointer, [...(errors.get(pointer) ?? []), detail]);
    else rest.push(cause);
  }
  return { errors, rest };
}

/** Both sets of errors; where both speak of one place, the first has the word. */
export function mergeErrors(first: FormErrors, second: FormErrors): FormErrors {
  const merged = new Map(second);
  for (const [pointer, errors] of first) merged.set(pointer, errors);
  return merged;
}

function withoutFiles(schema: Schema, fields: readonly FormField[]): Schema {
  const files = new Set(fields.filter((field) => field.kind === 'file').map((field) => field.key));
  if (files.size === 0) return schema;
  const properties = Object.entries(schema['properties'] ?? {}).filter(([name]) => !files.has(name));
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return {
    ...schema,
    properties: Object.fromEntries(properties),
    required: required.filter((name) => !files.has(String(name))),
  };
}
