import { Validator, type OutputUnit } from '@cfworker/json-schema';
import { isRecord } from '#shared/manifest/plain.ts';
import { withQuickPatterns } from './quick-patterns.ts';

export interface SchemaFault {
  /** JSON pointer into the value (RFC 6901). */
  readonly pointer: string;
  readonly keyword: string;
  /** Where in the schema the rule stands, with the references it was reached by. */
  readonly keywordLocation: string;
  /** What the rule asks for. */
  readonly rule: unknown;
  /** A sentence for a person. */
  readonly text: string;
}

/** Keywords that only say that something inside of them failed. */
const SUMMARIES: ReadonlySet<string> = new Set(['properties', 'items', 'prefixItems', 'allOf', '$ref']);

/**
 * What a JSON Schema (2020-12) says against a value, but for patterns that might not end. Nothing is
 * compiled, as the page's policy asks. A schema that the validator cannot take gives no faults: main reports
 * it, with its place in the manifest.
 */
export function findSchemaFaults(schema: Record<string, unknown>, value: unknown): SchemaFault[] {
  let units: readonly OutputUnit[];
  try {
    units = new Validator(withQuickPatterns(schema), '2020-12', false).validate(value).errors;
  } catch {
    return [];
  }
  return units.flatMap(({ keyword, keywordLocation, instanceLocation, error }) => {
    if (SUMMARIES.has(keyword)) return [];
    const rule = lookUp(schema, keywordLocation);
    const pointer = instanceLocation.replace(/^#/, '');
    return [{ pointer, keyword, keywordLocation, rule, text: describe(keyword, rule, error) }];
  });
}

function describe(keyword: string, rule: unknown, fallback: string): string {
  const value = typeof rule === 'string' ? rule : JSON.stringify(rule);
  switch (keyword) {
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
      return 'Must be one of the allowed values.';
    case 'const':
      return `Must be ${value}.`;
    case 'false':
      return 'Is not allowed here.';
    default:
      return fallback;
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

function lookUp(schema: Record<string, unknown>, keywordLocation: string): unknown {
  let value: unknown = schema;
  for (const part of keywordLocation.replace(/^#\/?/, '').split('/')) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) value = value[Number(key)];
    else if (isRecord(value)) value = value[key];
    else return undefined;
    // The validator's path goes on inside of what a reference names.
    if (key === '$ref' && typeof value === 'string') value = lookUp(schema, value);
  }
  return value;
}
