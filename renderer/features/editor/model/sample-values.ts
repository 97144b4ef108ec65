import { isRecord, itemsOf, membersOf } from '#shared/manifest/plain.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Nesting beyond this is left out: a schema may refer to itself without end. */
const MAX_DEPTH = 5;
const MAX_FIELDS = 200;
const MAX_TEXT = 2_000;

const OF_FORMATS: Readonly<Record<string, string>> = {
  email: 'ada@example.com',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  date: '2026-01-31',
  'date-time': '2026-01-31T09:00:00Z',
  time: '09:00:00',
  color: '#3366cc',
  password: 'correct horse',
  uuid: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
};

/** Values for every field of a schema, as a person might give them; files are left out. */
export function sampleValues(schema: Schema): Record<string, unknown> {
  const value = sample(schema, { root: schema, depth: 0, name: '' });
  return isRecord(value) ? value : {};
}

interface Place {
  readonly root: Schema;
  readonly depth: number;
  /** Of the field, which says what a text may be about. */
  readonly name: string;
}

/** A value that fits a schema as far as its own keywords tell; undefined where there is none to give. */
function sample(given: unknown, place: Place): unknown {
  const schema = isRecord(given) ? resolve(given, place.root) : undefined;
  if (schema === undefined || place.depth > MAX_DEPTH) return undefined;
  const [example] = itemsOf(schema['examples']);
  const [choice] = itemsOf(schema['enum']);
  const told = [schema['const'], schema['default'], example, choice].find((value) => value !== undefined);
  if (told !== undefined) return told;
  const [alternative] = [...itemsOf(schema['oneOf']), ...itemsOf(schema['anyOf'])].filter(
    (option) => !isRecord(option) || option['type'] !== 'null',
  );
  if (alternative !== undefined) return sample(alternative, { ...place, depth: place.depth + 1 });
  switch (typeOf(schema)) {
    case 'string':
      return isFile(schema) ? undefined : sampleText(schema, place.name);
    case 'integer':
    case 'number':
      return sampleNumber(schema);
    case 'boolean':
      return true;
    case 'array':
      return sampleList(schema, place);
    case 'object':
      return Object.fromEntries(
        membersOf(schema['properties'])
          .slice(0, MAX_FIELDS)
          .map(([name, inner]) => [name, sample(inner, { ...place, depth: place.depth + 1, name })] as const)
          .filter(([name, value]) => value !== undefined && name !== '__proto__'),
      );
    default:
      return undefined;
  }
}

function sampleText(schema: Schema, name: string): string {
  const { format, minLength, maxLength } = schema;
  const known =
    typeof format === 'string' && Object.hasOwn(OF_FORMATS, format) ? OF_FORMATS[format] : undefined;
  if (known !== undefined) return known;
  const words = name.replaceAll(/[_-]+/g, ' ').trim() || 'text';
  const least = Math.min(typeof minLength === 'number' ? minLength : 0, MAX_TEXT);
  const most = typeof maxLength === 'number' ? maxLength : MAX_TEXT;
  return `Sample ${words}`.padEnd(least, '.').slice(0, Math.max(0, most));
}

function sampleNumber(schema: Schema): number {
  const numberOf = (keyword: string): number | undefined =>
    typeof schema[keyword] === 'number' ? schema[keyword] : undefined;
  const step = numberOf('multipleOf') ?? 1;
  const over = numberOf('exclusiveMinimum');
  const under = numberOf('exclusiveMaximum');
  const least = numberOf('minimum') ?? (over === undefined ? undefined : over + step);
  const most = numberOf('maximum') ?? (under === undefined ? undefined : under - step);
  const wanted = least ?? (most === undefined || most >= step ? step : most);
  // The next that is whole steps from nought.
  return Math.ceil(wanted / step) * step;
}

function sampleList(schema: Schema, place: Place): unknown[] | undefined {
  const { minItems } = schema;
  const count = Math.min(20, Math.max(1, typeof minItems === 'number' ? minItems : 1));
  const items = Array.from({ length: count }, () =>
    sample(schema['items'], { ...place, depth: place.depth + 1 }),
  ).filter((item) => item !== undefined);
  return items.length === 0 ? undefined : items;
}

function isFile(schema: Schema): boolean {
  return schema['format'] === 'uri' && typeof schema['contentMediaType'] === 'string';
}

function typeOf({ type, properties }: Schema): unknown {
  if (Array.isArray(type)) return type.find((name) => name !== 'null');
  return type ?? (isRecord(properties) ? 'object' : undefined);
}

/** Follows references inside of the schema; one that leads elsewhere or in a ring gives none. */
function resolve(schema: Schema, root: Schema): Schema | undefined {
  let current: unknown = schema;
  for (let hops = 0; hops < 16; hops += 1) {
    if (!isRecord(current)) return undefined;
    const { $ref: reference } = current;
    if (typeof reference !== 'string') return current;
    if (!reference.startsWith('#')) return undefined;
    current = reference
      .slice(1)
      .split('/')
      .slice(1)
      .reduce<unknown>((value, step) => {
        const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
        return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
      }, root);
  }
  return undefined;
}
