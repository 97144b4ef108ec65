import { isRecord, itemsOf, membersOf } from './plain.ts';

/** A place at which one schema takes less than another, and the keyword by which it does. */
export interface Narrowing {
  /** Names of the fields on the way, joined by dots; `[]` stands for the items of a list, '' for the whole. */
  readonly field: string;
  readonly keyword: string;
}

type Schema = Readonly<Record<string, unknown>>;

const LOWER_LIMITS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'];
const UPPER_LIMITS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'];
/** Keywords of which can only be told whether they are the same. */
const OPAQUE = [
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  '$ref',
  '$dynamicRef',
  '$defs',
  'definitions',
  'patternProperties',
  'propertyNames',
  'dependentRequired',
  'dependentSchemas',
  'prefixItems',
  'contains',
  'minContains',
  'maxContains',
  'unevaluatedItems',
  'unevaluatedProperties',
  'uniqueItems',
  'pattern',
  'format',
  'multipleOf',
  'contentMediaType',
  'contentEncoding',
];

/**
 * Where a value that fits `given` may be refused by `asked`; none when each such value is taken. What cannot
 * be told counts as refused, so that no narrowing is passed over.
 */
export function narrowings(given: unknown, asked: unknown, field = ''): Narrowing[] {
  if (asked === undefined || asked === true || isSame(given, asked)) return [];
  if (!isRecord(asked)) return [{ field, keyword: 'false' }];
  const wide: Schema = isRecord(given) ? given : {};
  const keywords = [
    ...(losesType(wide['type'], asked['type']) ? ['type'] : []),
    ...(losesValue(wide, asked) ? ['enum'] : []),
    ...LOWER_LIMITS.filter((keyword) => isStricter(asked[keyword], wide[keyword])),
    ...UPPER_LIMITS.filter((keyword) => isStricter(wide[keyword], asked[keyword], asked[keyword])),
    ...OPAQUE.filter((keyword) => asked[keyword] !== undefined && !isSame(asked[keyword], wide[keyword])),
  ];
  return [
    ...keywords.map((keyword) => ({ field, keyword })),
    ...ofFields(wide, asked, field),
    ...narrowings(wide['items'], asked['items'], `${field}[]`),
  ];
}

/** Fields that `before` names and `after` does not, those within others included. */
export function droppedFields(before: unknown, after: unknown, field = ''): string[] {
  if (!isRecord(before) || !isRecord(after)) return [];
  const kept = new Map(membersOf(after['properties']));
  const own = membersOf(before['properties']).flatMap(([name, inner]) => {
    const path = within(field, name);
    return kept.has(name) ? droppedFields(inner, kept.get(name), path) : [path];
  });
  return [...own, ...droppedFields(before['items'], after['items'], `${field}[]`)];
}

function ofFields(wide: Schema, asked: Schema, field: string): Narrowing[] {
  const promised = new Set(itemsOf(wide['required']));
  const missing = itemsOf(asked['required']).filter((name) => !promised.has(name));
  const known = new Map(membersOf(wide['properties']));
  // A field of which nothing was said could hold anything, but nobody was told to give it.
  const shared = membersOf(asked['properties']).filter(([name]) => known.has(name));
  const [others, askedOthers] = [wide['additionalProperties'], asked['additionalProperties']];
  return [
    ...missing.map((name) => ({ field: within(field, String(name)), keyword: 'required' })),
    ...shared.flatMap(([name, inner]) => narrowings(known.get(name), inner, within(field, name))),
    ...(askedOthers === false
      ? others === false
        ? []
        : [{ field, keyword: 'additionalProperties' }]
      : narrowings(others === false ? askedOthers : others, askedOthers, within(field, '*'))),
  ];
}

/** An integer is a number too. */
function losesType(given: unknown, asked: unknown): boolean {
  if (asked === undefined) return false;
  if (given === undefined) return true;
  const allowed = new Set([asked].flat());
  return [given].flat().some((type) => !allowed.has(type) && !(type === 'integer' && allowed.has('number')));
}

function losesValue(given: Schema, asked: Schema): boolean {
  const allowed = valuesOf(asked);
  if (allowed === undefined) return false;
  return valuesOf(given)?.some((value) => !allowed.some((other) => isSame(value, other))) ?? true;
}

function valuesOf(schema: Schema): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema['const']];
  return Array.isArray(schema['enum']) ? schema['enum'] : undefined;
}

/** Whether `limit`, where there is one, lies above the other limit, or stands where there was none. */
function isStricter(limit: unknown, other: unknown, added: unknown = limit): boolean {
  if (typeof added !== 'number') return false;
  return typeof limit !== 'number' || typeof other !== 'number' || limit > other;
}

function within(field: string, name: string): string {
  return field === '' ? name : `${field}.${name}`;
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
