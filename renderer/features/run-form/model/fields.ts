import type { AgentDetail } from '#shared/ipc/routes.ts';

type Schema = Record<string, unknown>;

interface FieldBase {
  readonly key: string;
  readonly label: string;
  readonly description: string | undefined;
  readonly required: boolean;
  readonly placeholder: string | undefined;
  /** Value the schema gives when the person gives none. */
  readonly default: unknown;
}

export type TextFormat = 'plain' | 'email' | 'url' | 'date' | 'date-time' | 'time' | 'password' | 'color';

export interface TextField extends FieldBase {
  readonly kind: 'text';
  readonly format: TextFormat;
  readonly multiline: boolean;
}

export interface NumberField extends FieldBase {
  readonly kind: 'number';
  readonly integer: boolean;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly step: number | undefined;
}

export interface BooleanField extends FieldBase {
  readonly kind: 'boolean';
}

export interface ChoiceOption {
  readonly value: unknown;
  readonly label: string;
}

export interface ChoiceField extends FieldBase {
  readonly kind: 'choice';
  readonly options: readonly ChoiceOption[];
}

/** Any number of the options. */
export interface ChoicesField extends FieldBase {
  readonly kind: 'choices';
  readonly options: readonly ChoiceOption[];
}

export interface ListField extends FieldBase {
  readonly kind: 'list';
  readonly item: FormField;
  readonly maxItems: number | undefined;
}

export interface GroupField extends FieldBase {
  readonly kind: 'group';
  readonly fields: readonly FormField[];
}

/** One of several forms, as `oneOf` and `anyOf` offer them. */
export interface VariantField extends FieldBase {
  readonly kind: 'variant';
  readonly variants: readonly {
    readonly title: string;
    readonly field: FormField;
    /** Its position among the schema's alternatives. */
    readonly index: number;
  }[];
}

export interface FileField extends FieldBase {
  readonly kind: 'file';
  /** Files it takes at most. */
  readonly maxFiles: number;
  readonly minFiles: number;
  /** Extensions and media types, as an HTML file input takes them. */
  readonly accept: string | undefined;
  /** Bytes of one file. */
  readonly maxSize: number | undefined;
}

/** A value that no control fits; it is typed as JSON. */
export interface JsonField extends FieldBase {
  readonly kind: 'json';
  readonly reason: string;
}

export type FormField =
  | TextField
  | NumberField
  | BooleanField
  | ChoiceField
  | ChoicesField
  | ListField
  | GroupField
  | VariantField
  | FileField
  | JsonField;

type InputDefinition = NonNullable<AgentDetail['input']>;

/** Nesting beyond this is typed as JSON; a schema may refer to itself without end. */
const MAX_DEPTH = 6;
/** Length from which a text deserves more than one line. */
const LONG_TEXT = 200;

/** The form of an agent's input: its fields in the author's order. */
export function describeForm(input: InputDefinition | undefined): FormField[] {
  if (!input) return [];
  const context: Context = { root: input.schema, input, depth: 0 };
  return describeProperties(resolve(input.schema, context), context, true);
}

interface Context {
  readonly root: Schema;
  readonly input: InputDefinition;
  readonly depth: number;
}

function describeProperties(schema: Schema, context: Context, top: boolean): FormField[] {
  const properties = asSchema(schema['properties']) ?? {};
  const required = new Set(asStrings(schema['required']));
  const names = Object.keys(properties);
  const first = top ? context.input.order.filter((name) => names.includes(name)) : [];
  const ordered = [...new Set([...first, ...names])];
  return ordered.flatMap((name) => {
    const property = properties[name];
    if (property === false) return [];
    return [describe(name, asSchema(property) ?? {}, required.has(name), context, top)];
  });
}

function describe(
  key: string,
  original: Schema,
  required: boolean,
  context: Context,
  top: boolean,
): FormField {
  const schema = resolve(original, context);
  const hints = top ? context.input.hints[key] : undefined;
  const base: FieldBase = {
    key,
    label: asText(schema['title']) ?? humanize(key),
    description: asText(schema['description']),
    required,
    placeholder: hints?.placeholder ?? exampleOf(schema),
    default: schema['default'],
  };
  if (context.depth >= MAX_DEPTH)
    return { ...base, kind: 'json', reason: 'It is nested too deeply for a form.' };
  const inner: Context = { ...context, depth: context.depth + 1 };

  if ('const' in schema) {
    return { ...base, kind: 'choice', options: [optionOf(schema['const'])], default: schema['const'] };
  }
  if (Array.isArray(schema['enum'])) {
    const options = schema['enum'].filter((value) => value !== null).map(optionOf);
    return { ...base, kind: 'choice', options };
  }
  const alternatives = asList(schema['oneOf']) ?? asList(schema['anyOf']);
  if (alternatives) return describeAlternatives(base, schema, alternatives, inner);
  if (schema['allOf'] !== undefined || schema['if'] !== undefined)
    return { ...base, kind: 'json', reason: 'Its schema combines several rules.' };

  switch (typeOf(schema)) {
    case 'string':
      return describeText(base, schema, context, top);
    case 'integer':
    case 'number':
      return {
        ...base,
        kind: 'number',
        integer: typeOf(schema) === 'integer',
        minimum: asNumber(schema['minimum']),
        maximum: asNumber(schema['maximum']),
        step: asNumber(schema['multipleOf']),
      };
    case 'boolean':
      return { ...base, kind: 'boolean' };
    case 'array':
      return describeArray(base, schema, inner, context, top);
    case 'object':
      if (asSchema(schema['properties']))
        return { ...base, kind: 'group', fields: describeProperties(schema, inner, false) };
      return { ...base, kind: 'json', reason: 'Its schema does not name its properties.' };
    default:
      return { ...base, kind: 'json', reason: 'Its schema allows values of several types.' };
  }
}

function describeText(base: FieldBase, schema: Schema, context: Context, top: boolean): FormField {
  const format = asText(schema['format']);
  if (top && isFile(schema)) {
    const constraints = context.input.fileConstraints[base.key];
    const { accept, maxSize } = constraints ?? {};
    const minFiles = base.required ? 1 : 0;
    return { ...base, kind: 'file', maxFiles: 1, minFiles, accept: accept ?? mediaOf(schema), maxSize };
  }
  const formats: Record<string, TextFormat> = {
    email: 'email',
    uri: 'url',
    url: 'url',
    date: 'date',
    'date-time': 'date-time',
    time: 'time',
    password: 'password',
    color: 'color',
  };
  const known = formats[format ?? ''] ?? 'plain';
  const multiline =
    known === 'plain' &&
    (format === 'textarea' ||
      (asNumber(schema['maxLength']) ?? 0) > LONG_TEXT ||
      (asNumber(schema['minLength']) ?? 0) > LONG_TEXT / 2 ||
      (asText(schema['default']) ?? '').includes('\n'));
  return { ...base, kind: 'text', format: known, multiline };
}

function describeArray(
  base: FieldBase,
  schema: Schema,
  inner: Context,
  context: Context,
  top: boolean,
): FormField {
  const items = asSchema(schema['items']);
  if (!items) return { ...base, kind: 'json', reason: 'Its schema does not say what its items are.' };
  const item = resolve(items, context);
  const minItems = asNumber(schema['minItems']) ?? 0;
  const maxItems = asNumber(schema['maxItems']);
  if (top && isFile(item)) {
    const { accept, maxSize } = context.input.fileConstraints[base.key] ?? {};
    const minFiles = Math.max(minItems, base.required ? 1 : 0);
    return {
      ...base,
      kind: 'file',
      maxFiles: maxItems ?? Number.POSITIVE_INFINITY,
      minFiles,
      accept: accept ?? mediaOf(item),
      maxSize,
    };
  }
  if (Array.isArray(item['enum'])) return { ...base, kind: 'choices', options: item['enum'].map(optionOf) };
  return { ...base, kind: 'list', item: describe('', items, true, inner, false), maxItems };
}

function describeAlternatives(
  base: FieldBase,
  schema: Schema,
  alternatives: readonly unknown[],
  inner: Context,
): FormField {
  const options = alternatives.flatMap((alternative, index) => {
    const own = resolve(asSchema(alternative) ?? {}, inner);
    return own['type'] === 'null' ? [] : [{ own, index }];
  });
  if (options.every(({ own }) => own['const'] !== undefined)) {
    const choices = options.map(({ own }) => ({
      value: own['const'],
      label: asText(own['title']) ?? labelOf(own['const']),
    }));
    return { ...base, kind: 'choice', options: choices };
  }
  // Rules that stand beside the choice hold for each of its options too.
  const { oneOf: _oneOf, anyOf: _anyOf, title: _title, description: _description, ...common } = schema;
  const variants = options.map(({ own, index }) => {
    const properties = { ...asSchema(common['properties']), ...asSchema(own['properties']) };
    const required = [...asStrings(common['required']), ...asStrings(own['required'])];
    const merged: Schema = {
      ...common,
      ...own,
      ...(Object.keys(properties).length > 0 && { properties, type: 'object' }),
      ...(required.length > 0 && { required }),
    };
    const title = asText(own['title']) ?? `${humanize(typeOf(own) ?? 'option')} ${index + 1}`;
    return { title, index, field: describe('', merged, true, inner, false) };
  });
  const [only] = variants;
  if (variants.length === 1 && only)
    return { ...only.field, ...base, default: base.default ?? only.field.default };
  return { ...base, kind: 'variant', variants };
}

/** Follows local references; a schema that refers elsewhere, or in a ring, is taken as empty. */
function resolve(schema: Schema, context: Context): Schema {
  let current = schema;
  for (let hops = 0; typeof current['$ref'] === 'string'; hops += 1) {
    const target = hops < 16 ? lookUp(context.root, current['$ref']) : undefined;
    if (!target) return {};
    const { $ref: _reference, ...beside } = current;
    current = { ...target, ...beside };
  }
  return current;
}

function lookUp(root: Schema, reference: string): Schema | undefined {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let value: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
    value = asSchema(value)?.[key];
  }
  return asSchema(value);
}

function isFile(schema: Schema): boolean {
  return schema['format'] === 'uri' && typeof schema['contentMediaType'] === 'string';
}

/** The schema's media type as a filter, unless it only says "some bytes". */
function mediaOf(schema: Schema): string | undefined {
  const media = asText(schema['contentMediaType']);
  return media === undefined || media === 'application/octet-stream' || media === '*/*' ? undefined : media;
}

function typeOf(schema: Schema): string | undefined {
  const { type } = schema;
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) {
    const others = type.filter((name) => name !== 'null');
    return others.length === 1 ? asText(others[0]) : undefined;
  }
  if (asSchema(schema['properties'])) return 'object';
  return undefined;
}

function optionOf(value: unknown): ChoiceOption {
  return { value, label: labelOf(value) };
}

function labelOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function exampleOf(schema: Schema): string | undefined {
  const [example] = asList(schema['examples']) ?? [];
  return typeof example === 'string' || typeof example === 'number' ? String(example) : undefined;
}

/** A property's name as words: `maxRows` and `max_rows` become `Max rows`. */
export function humanize(name: string): string {
  const words = name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return words === '' ? name : words[0]?.toUpperCase() + words.slice(1);
}

function asSchema(value: unknown): Schema | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : undefined;
}

function asList(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value : undefined;
}

function asStrings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
