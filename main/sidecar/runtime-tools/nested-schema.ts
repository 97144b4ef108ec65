/** Keywords whose value is data, so that a `$ref` in it refers to nothing. */
const DATA_KEYWORDS: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);
/** Keywords whose value maps names of the author's choice to schemas. */
const MAP_KEYWORDS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/**
 * A copy of a schema that means the same when it stands at `pointer` inside another one: references to
 * the document's root are turned to where it now is.
 */
export function nestSchema(
  schema: Readonly<Record<string, unknown>>,
  pointer: string,
): Record<string, unknown> {
  const { $schema: _dialect, ...body } = schema;
  return nestObject(body, pointer);
}

function nestObject(schema: Readonly<Record<string, unknown>>, pointer: string): Record<string, unknown> {
  // A schema with a name of its own is a document of its own, with its own root.
  if (typeof schema['$id'] === 'string') return schema;
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (key === '$ref' && typeof value === 'string') return [key, movedReference(value, pointer)];
    if (DATA_KEYWORDS.has(key)) return [key, value];
    if (MAP_KEYWORDS.has(key) && isObject(value)) {
      return [
        key,
        Object.fromEntries(Object.entries(value).map(([name, part]) => [name, nest(part, pointer)])),
      ];
    }
    return [key, nest(value, pointer)];
  });
  return Object.fromEntries(entries);
}

function nest(value: unknown, pointer: string): unknown {
  if (Array.isArray(value)) return value.map((part) => nest(part, pointer));
  return isObject(value) ? nestObject(value, pointer) : value;
}

/** Only JSON pointers move; a name such as `#address` is found wherever its anchor stands. */
function movedReference(reference: string, pointer: string): string {
  return reference === '#' || reference.startsWith('#/') ? `#${pointer}${reference.slice(1)}` : reference;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
