import { pointerOf, type JsonPath } from './json-pointer.ts';
import { isRecord, itemsOf, membersOf } from './plain.ts';

const SCHEMA_MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const SCHEMA_LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const SCHEMAS = [
  'items',
  'contains',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'contentSchema',
];

/** A schema and every schema within it, with their paths; data such as defaults and enums is not entered. */
export function* subschemasOf(
  schema: unknown,
  path: JsonPath = [],
): Generator<{ path: JsonPath; schema: Record<string, unknown> }> {
  if (!isRecord(schema)) return;
  yield { path, schema };
  for (const keyword of SCHEMAS) yield* subschemasOf(schema[keyword], [...path, keyword]);
  for (const keyword of SCHEMA_LISTS) {
    for (const [index, inner] of itemsOf(schema[keyword]).entries()) {
      yield* subschemasOf(inner, [...path, keyword, index]);
    }
  }
  for (const keyword of SCHEMA_MAPS) {
    for (const [name, inner] of membersOf(schema[keyword])) {
      yield* subschemasOf(inner, [...path, keyword, name]);
    }
  }
}

/** JSON pointers of the references that leave the schema. Nothing is fetched, so none can be followed. */
export function outsideReferencesOf(schema: unknown): string[] {
  const pointers: string[] = [];
  for (const { path, schema: inner } of subschemasOf(schema)) {
    for (const keyword of ['$ref', '$dynamicRef']) {
      const reference = inner[keyword];
      if (typeof reference === 'string' && !reference.startsWith('#'))
        pointers.push(pointerOf([...path, keyword]));
    }
  }
  return pointers;
}
