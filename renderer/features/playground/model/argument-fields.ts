import { isRecord } from '#shared/manifest/plain.ts';

type Schema = Readonly<Record<string, unknown>>;

interface Described {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
}

/** How one argument is typed in. */
export type ArgumentField = Described &
  (
    | { readonly kind: 'text' }
    /** Path of a file of the workspace. */
    | { readonly kind: 'file' }
    | { readonly kind: 'number' }
    | { readonly kind: 'boolean' }
    | { readonly kind: 'choice'; readonly options: readonly string[]; readonly fallback: string | undefined }
    /** Names with texts, of any number. */
    | { readonly kind: 'pairs' }
    | { readonly kind: 'group'; readonly fields: readonly ArgumentField[] }
    | { readonly kind: 'forms'; readonly forms: readonly ArgumentForm[] }
    /** Anything else, typed in as JSON. */
    | { readonly kind: 'json' }
  );

/** One of the forms that a value may have. */
export interface ArgumentForm {
  readonly label: string;
  readonly field: ArgumentField;
  /** What the form begins with. */
  readonly initial: unknown;
  readonly fits: (value: unknown) => boolean;
}

/** Properties that name a file of the workspace. */
const FILE_NAMES = new Set(['fromFile']);

/** The fields of a tool's arguments, in the schema's order. */
export function fieldsOf(schema: Schema): ArgumentField[] {
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  return Object.entries(properties).flatMap(([name, property]) => {
    if (!isRecord(property) || 'const' in property) return [];
    return [fieldOf(name, property, required.includes(name))];
  });
}

function fieldOf(name: string, schema: Schema, isRequired: boolean): ArgumentField {
  const description = typeof schema['description'] === 'string' ? schema['description'] : '';
  const base = { name, description, isRequired };
  const { type, enum: options, additionalProperties: others } = schema;
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(options) && options.every((option) => typeof option === 'string')) {
    const fallback = typeof schema['default'] === 'string' ? schema['default'] : undefined;
    return { ...base, kind: 'choice', options, fallback };
  }
  if (Array.isArray(alternatives) && alternatives.length > 0) {
    const forms = alternatives.filter(isRecord).flatMap((form) => formOf(name, form) ?? []);
    return { ...base, kind: 'forms', forms };
  }
  switch (type) {
    case 'string':
      return { ...base, kind: FILE_NAMES.has(name) ? 'file' : 'text' };
    case 'integer':
    case 'number':
      return { ...base, kind: 'number' };
    case 'boolean':
      return { ...base, kind: 'boolean' };
    case 'object':
      if (isRecord(schema['properties'])) return { ...base, kind: 'group', fields: fieldsOf(schema) };
      if (isRecord(others) && others['type'] === 'string') return { ...base, kind: 'pairs' };
      return { ...base, kind: 'json' };
    default:
      return { ...base, kind: 'json' };
  }
}

/** A form of a value; nothing for `null`, which is the same as none. */
function formOf(name: string, schema: Schema): ArgumentForm | undefined {
  const { type } = schema;
  if (type === 'null') return undefined;
  const field = fieldOf(name, schema, true);
  if (type === 'object' && isRecord(schema['properties'])) {
    const names = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
    const [key = ''] = names;
    return {
      label: key,
      field,
      initial: Object.fromEntries(
        names.map((each) => [each, initialOf((schema['properties'] as Schema)[each])]),
      ),
      fits: (value) => isRecord(value) && names.every((each) => each in value),
    };
  }
  if (type === 'object') return { label: 'JSON object', field, initial: {}, fits: isRecord };
  if (type === 'array') return { label: 'JSON array', field, initial: [], fits: Array.isArray };
  return { label: 'text', field, initial: '', fits: (value) => typeof value === 'string' };
}

function initialOf(schema: unknown): unknown {
  if (!isRecord(schema)) return null;
  if ('const' in schema) return schema['const'];
  return (
    { string: '', array: [], object: {}, boolean: false, integer: 0, number: 0 }[String(schema['type'])] ??
    null
  );
}

/** The form that a value has: the first that fits, as the more particular ones come first. */
export function currentForm(forms: readonly ArgumentForm[], value: unknown): ArgumentForm | undefined {
  if (value === undefined) return undefined;
  return forms.find(({ fits }) => fits(value));
}

/** The arguments with one of them set, or left out when it is undefined. */
export function withArgument(
  given: Readonly<Record<string, unknown>>,
  name: string,
  value: unknown,
): Record<string, unknown> {
  const { [name]: _before, ...others } = given;
  if (value === undefined) return others;
  // In its own place, so that the JSON does not jump while one types.
  return name in given
    ? Object.fromEntries(Object.entries(given).map(([key, kept]) => [key, key === name ? value : kept]))
    : { ...given, [name]: value };
}

/** Required arguments without a value. */
export function missingArguments(
  fields: readonly ArgumentField[],
  given: Readonly<Record<string, unknown>>,
): string[] {
  return fields
    .filter(({ name, isRequired }) => isRequired && (given[name] === undefined || given[name] === ''))
    .map(({ name }) => name);
}

/** Reads arguments typed in as JSON; a text says what is wrong. */
export function readArguments(text: string): Record<string, unknown> | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return error instanceof Error ? error.message : 'This is not JSON.';
  }
  return isRecord(value) ? value : 'Arguments are a JSON object.';
}
