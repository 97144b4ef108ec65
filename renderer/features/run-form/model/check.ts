import { Validator, type OutputUnit } from '@cfworker/json-schema';
import type { Problem } from '#shared/problem.ts';
import type { CollectedForm, FormErrors } from './collect.ts';
import type { FormField } from './fields.ts';

type Schema = Record<string, unknown>;

/** Keywords that only say that something inside them failed. */
const SUMMARIES = new Set(['properties', 'items', 'prefixItems', 'allOf', '$ref', 'oneOf', 'anyOf']);
/** Those, and what the form reports itself. */
const WRAPPERS = new Set([
  ...SUMMARIES,
  'if',
  'then',
  'else',
  'additionalProperties',
  'patternProperties',
  'required',
  'dependentSchemas',
]);

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
  for (const unit of validate(withoutFiles(schema, fields), input)) {
    const pointer = unit.instanceLocation.replace(/^#/, '');
    const isRaw = [...raw].some((prefix) => isWithin(pointer, prefix));
    const shown = isRaw ? !SUMMARIES.has(unit.keyword) : !WRAPPERS.has(unit.keyword);
    if (!shown || !isOfChosenAlternative(unit, pointer, alternatives)) continue;
    const rule = lookUp(schema, unit.keywordLocation);
    if (unit.keyword === 'type' && rule === 'null') continue;
    const text = describeError(unit, rule);
    const known = errors.get(pointer) ?? [];
    if (!known.includes(text)) errors.set(pointer, [...known, text]);
  }
  return errors;
}

function validate(schema: Schema, input: unknown): readonly OutputUnit[] {
  try {
    return new Validator(schema, '2020-12', false).validate(input).errors;
  } catch {
    // A schema that the validator cannot take is reported by main, with its place in the manifest.
    return [];
  }
}

/** Of a failed choice the validator tells the faults of every alternative; only the chosen one's matter. */
function isOfChosenAlternative(
  unit: OutputUnit,
  pointer: string,
  alternatives: ReadonlyMap<string, number>,
): boolean {
  const branches = [...unit.keywordLocation.matchAll(/\/(?:oneOf|anyOf)\/(\d+)(?=\/|$)/g)];
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

function describeError(unit: OutputUnit, rule: unknown): string {
  const value = typeof rule === 'string' ? rule : JSON.stringify(rule);
  switch (unit.keyword) {
    case 'minimum':
      return `Must be ${value} or more.`;
    case 'maximum':
      return `Must be ${value} or less.`;
    case 'exclusiveMinimum':
      return `Must be more than ${value}.`;
    case 'exclusiveMaximum':
      return `Must be less than ${value}.`;
    case 'multipleOf':
      return `Must be a multiple of ${value}.`;
    case 'minLength':
      return `Needs at least ${value} ${value === '1' ? 'character' : 'characters'}.`;
    case 'maxLength':
      return `Can have at most ${value} characters.`;
    case 'minItems':
      return `Needs at least ${value} ${value === '1' ? 'entry' : 'entries'}.`;
    case 'maxItems':
      return `Can have at most ${value} ${value === '1' ? 'entry' : 'entries'}.`;
    case 'uniqueItems':
      return 'Each entry may stand only once.';
    case 'pattern':
      return `Must match the pattern ${value}.`;
    case 'format':
      return describeFormat(value);
    case 'type':
      return `Must be of type ${Array.isArray(rule) ? rule.join(' or ') : value}.`;
    case 'enum':
      return 'Choose one of the options.';
    case 'false':
      return 'Is not a property of the input.';
    default:
      return unit.error;
  }
}

function describeFormat(format: string): string {
  const words: Record<string, string> = {
    email: 'Must be an e-mail address.',
    uri: 'Must be a full address, such as https://example.org.',
    date: 'Must be a date, such as 2026-01-31.',
    'date-time': 'Must be a date and time with its zone.',
    time: 'Must be a time.',
  };
  return words[format] ?? `Must have the format “${format}”.`;
}

function lookUp(schema: Schema, keywordLocation: string): unknown {
  let value: unknown = schema;
  for (const part of keywordLocation.replace(/^#\/?/, '').split('/')) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[key];
    // The validator's path goes on inside of what a reference names.
    if (key === '$ref' && typeof value === 'string') value = lookUp(schema, value);
  }
  return value;
}
