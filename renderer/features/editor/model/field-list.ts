import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { isRecord, itemsOf, membersOf } from '#shared/manifest/plain.ts';
import { EXAMPLES_KEY } from '#shared/manifest/schemas/agent.ts';
import { at } from './agent-value.ts';
import type { ManifestEdits, ManifestValue } from './manifest-document.ts';

/** The kinds of values the field editor offers; `other` is what only JSON can say. */
export const FIELD_KINDS = [
  'text',
  'number',
  'integer',
  'boolean',
  'choice',
  'file',
  'files',
  'list',
  'object',
  'other',
] as const;
export type FieldKind = (typeof FIELD_KINDS)[number];

/** One value an agent asks for or gives back, as far as the form shows it. */
export interface SchemaField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  /** The field's JSON Schema; undefined when it is no object, such as `true`. */
  readonly schema: Readonly<Record<string, unknown>> | undefined;
  /** Keywords of its schema that the form does not show. */
  readonly kept: readonly string[];
}

export interface FieldList {
  readonly fields: readonly SchemaField[];
  /** Keywords of the whole schema that the form does not show. */
  readonly kept: readonly string[];
  /** Why the form cannot show the fields, if it cannot. */
  readonly obstacle?: string | undefined;
}

export type WrapperName = 'input' | 'output';

/** Keywords each kind has a control for, beside those of every kind. */
const SHOWN: Readonly<Record<FieldKind, readonly string[]>> = {
  text: ['format', 'minLength', 'maxLength', 'pattern'],
  number: ['minimum', 'maximum', 'multipleOf'],
  integer: ['minimum', 'maximum', 'multipleOf'],
  boolean: [],
  choice: ['enum'],
  file: ['format', 'contentMediaType'],
  files: ['items', 'minItems', 'maxItems'],
  list: ['minItems', 'maxItems', 'uniqueItems'],
  object: [],
  other: [],
};
const SHOWN_ALWAYS = ['type', 'title', 'description', 'default'];
const ROOT_SHOWN = ['type', 'properties', 'required'];

/** The fields of `input` or `output`, in the order a form shows them. */
export function readFields(manifest: ManifestValue, wrapper: WrapperName): FieldList {
  const value = manifest[wrapper];
  if (value === undefined) return { fields: [], kept: [] };
  const schema = isRecord(value) ? value['schema'] : undefined;
  if (!isRecord(schema)) {
    return { fields: [], kept: [], obstacle: `"${wrapper}" has no JSON Schema object under "schema".` };
  }
  const { properties } = schema;
  if (properties !== undefined && !isRecord(properties)) {
    return { fields: [], kept: [], obstacle: `"${wrapper}.schema.properties" is not an object.` };
  }
  const required = itemsOf(schema['required']);
  const fields = membersOf(properties).map(([name, field]) =>
    readField(name, field, required.includes(name)),
  );
  const order = isRecord(value) ? itemsOf(value['property_order']) : [];
  const place = new Map(order.map((name, index) => [name, index]));
  const placed = (field: SchemaField): number => place.get(field.name) ?? Number.POSITIVE_INFINITY;
  return {
    fields: fields.toSorted((a, b) => (placed(a) === placed(b) ? 0 : placed(a) - placed(b))),
    kept: Object.keys(schema).filter((keyword) => !ROOT_SHOWN.includes(keyword)),
  };
}

function readField(name: string, schema: unknown, isRequired: boolean): SchemaField {
  if (!isRecord(schema)) return { name, kind: 'other', isRequired, schema: undefined, kept: [] };
  const kind = kindOf(schema);
  const shown = new Set([...SHOWN_ALWAYS, ...SHOWN[kind]]);
  const kept = Object.keys(schema).filter((keyword) => !shown.has(keyword));
  if (kind === 'list' && schema['items'] !== undefined && !isPlainItems(schema['items']))
    return { name, kind, isRequired, schema, kept };
  return {
    name,
    kind,
    isRequired,
    schema,
    kept: kind === 'list' ? kept.filter((keyword) => keyword !== 'items') : kept,
  };
}

function kindOf(schema: Readonly<Record<string, unknown>>): FieldKind {
  const { type, format, contentMediaType, items } = schema;
  switch (type) {
    case 'string':
      if (format === 'uri' && typeof contentMediaType === 'string') return 'file';
      return Array.isArray(schema['enum']) && schema['enum'].every((value) => typeof value === 'string')
        ? 'choice'
        : 'text';
    case 'number':
    case 'integer':
    case 'boolean':
    case 'object':
      return type;
    case 'array':
      return isRecord(items) && kindOf(items) === 'file' ? 'files' : 'list';
    default:
      return 'other';
  }
}

/** Items of which the form shows everything: only a type. */
export function isPlainItems(items: unknown): items is { type: string } {
  return (
    isRecord(items) &&
    Object.keys(items).length === 1 &&
    ['string', 'number', 'integer', 'boolean'].includes(String(items['type']))
  );
}

export function fieldPath(wrapper: WrapperName, name: string, ...rest: string[]): string[] {
  return [wrapper, 'schema', 'properties', name, ...rest];
}

/** Edits that set a keyword of a field; undefined removes it. */
export function setKeyword(
  manifest: ManifestValue,
  wrapper: WrapperName,
  name: string,
  keyword: string,
  value: unknown,
): ManifestEdits {
  const path = fieldPath(wrapper, name, keyword);
  if (value === undefined) {
    return at(manifest, path) === undefined ? [] : [{ pointer: pointerOf(path), remove: true }];
  }
  return [{ pointer: pointerOf(path), value }];
}

/** Edits that make a field required, or no longer. */
export function setRequired(
  manifest: ManifestValue,
  wrapper: WrapperName,
  name: string,
  isRequired: boolean,
): ManifestEdits {
  const pointer = pointerOf([wrapper, 'schema', 'required']);
  const required = at(manifest, [wrapper, 'schema', 'required']);
  const index = itemsOf(required).indexOf(name);
  if (isRequired === index >= 0) return [];
  if (!isRequired) return [{ pointer: `${pointer}/${index}`, remove: true }];
  return Array.isArray(required) ? [{ pointer: `${pointer}/-`, value: name }] : [{ pointer, value: [name] }];
}

/** Keywords that only mean something for the kind they belong to, so that a change of kind removes them. */
const OF_FILES = ['format', 'contentMediaType'];

/** Edits that make a field another kind. What the new kind has no use for, but others may, is kept. */
export function setKind(
  manifest: ManifestValue,
  wrapper: WrapperName,
  field: SchemaField,
  kind: FieldKind,
): ManifestEdits {
  if (kind === field.kind || kind === 'other') return [];
  const { name, schema = {} } = field;
  const set = (keyword: string, value: unknown): ManifestEdits =>
    setKeyword(manifest, wrapper, name, keyword, value);
  if (field.schema === undefined) {
    return [{ pointer: pointerOf(fieldPath(wrapper, name)), value: newSchema(kind) }];
  }
  const dropped = [
    ...(field.kind === 'file' ? OF_FILES : []),
    ...(field.kind === 'files' ? ['items'] : []),
    ...(field.kind === 'choice' ? ['enum'] : []),
  ];
  const added = Object.entries(newSchema(kind)).filter(
    ([keyword]) => keyword === 'type' || dropped.includes(keyword) || !Object.hasOwn(schema, keyword),
  );
  const addedKeywords = new Set(added.map(([keyword]) => keyword));
  const isFile = (candidate: FieldKind): boolean => candidate === 'file' || candidate === 'files';
  return [
    ...dropped.filter((keyword) => !addedKeywords.has(keyword)).flatMap((keyword) => set(keyword, undefined)),
    ...added.flatMap(([keyword, value]) => set(keyword, value)),
    ...(isFile(field.kind) && !isFile(kind) ? removeFrom(manifest, wrapper, 'file_constraints', name) : []),
  ];
}

/** The schema a new field of a kind begins with. */
export function newSchema(kind: FieldKind): Record<string, unknown> {
  const file = { type: 'string', format: 'uri', contentMediaType: 'application/octet-stream' };
  switch (kind) {
    case 'text':
    case 'other':
      return { type: 'string' };
    case 'choice':
      return { type: 'string', enum: ['first', 'second'] };
    case 'file':
      return file;
    case 'files':
      return { type: 'array', items: file };
    case 'list':
      return { type: 'array', items: { type: 'string' } };
    case 'object':
      return { type: 'object' };
    case 'number':
    case 'integer':
    case 'boolean':
      return { type: kind };
  }
}

/** Edits that add a field at the end, making the wrapper when there is none. */
export function addField(
  manifest: ManifestValue,
  wrapper: WrapperName,
  name: string,
  kind: FieldKind,
): ManifestEdits {
  const field = newSchema(kind);
  if (manifest[wrapper] === undefined) {
    return [
      { pointer: `/${wrapper}`, value: { schema: { type: 'object', properties: { [name]: field } } } },
      ...outputTool(manifest, wrapper),
    ];
  }
  const order = at(manifest, [wrapper, 'property_order']);
  return [
    { pointer: pointerOf(fieldPath(wrapper, name)), value: field },
    ...(Array.isArray(order) ? [{ pointer: `/${wrapper}/property_order/-`, value: name }] : []),
    ...outputTool(manifest, wrapper),
  ];
}

/** An output that is asked for needs the tool to give it. */
function outputTool(manifest: ManifestValue, wrapper: WrapperName): ManifestEdits {
  if (wrapper !== 'output') return [];
  const tools = manifest['runtime_tools'];
  if (tools === undefined) return [{ pointer: '/runtime_tools', value: ['output'] }];
  return Array.isArray(tools) && !tools.includes('output')
    ? [{ pointer: '/runtime_tools/-', value: 'output' }]
    : [];
}

/** Edits that remove a field wherever the wrapper names it. */
export function removeField(manifest: ManifestValue, wrapper: WrapperName, name: string): ManifestEdits {
  const order = itemsOf(at(manifest, [wrapper, 'property_order'])).indexOf(name);
  return [
    { pointer: pointerOf(fieldPath(wrapper, name)), remove: true },
    ...setRequired(manifest, wrapper, name, false),
    ...(order >= 0 ? [{ pointer: `/${wrapper}/property_order/${order}`, remove: true }] : []),
    ...removeFrom(manifest, wrapper, 'file_constraints', name),
    ...removeFrom(manifest, wrapper, 'ui_hints', name),
    ...(wrapper === 'input' ? removeExamples(manifest, name) : []),
  ];
}

/** The example of a field goes with it. */
function removeExamples(manifest: ManifestValue, name: string): ManifestEdits {
  return ['input', 'files']
    .map((map) => ['_meta', EXAMPLES_KEY, map, name])
    .filter((path) => at(manifest, path) !== undefined)
    .map((path) => ({ pointer: pointerOf(path), remove: true }));
}

function removeFrom(
  manifest: ManifestValue,
  wrapper: WrapperName,
  map: 'file_constraints' | 'ui_hints',
  name: string,
): ManifestEdits {
  const path = [wrapper, map, name];
  return at(manifest, path) === undefined ? [] : [{ pointer: pointerOf(path), remove: true }];
}

/** Edits that show the fields in another order; the schema itself keeps its own. */
export function setOrder(wrapper: WrapperName, names: readonly string[]): ManifestEdits {
  return [{ pointer: `/${wrapper}/property_order`, value: [...names] }];
}

/** Edits of what stands beside the schema for a field: limits of its files, its placeholder. */
export function setBeside(
  manifest: ManifestValue,
  wrapper: WrapperName,
  [map, name, member]: readonly ['file_constraints' | 'ui_hints', string, string],
  value: unknown,
): ManifestEdits {
  if (value !== undefined) return [{ pointer: pointerOf([wrapper, map, name, member]), value }];
  const members = at(manifest, [wrapper, map, name]);
  if (!isRecord(members) || !Object.hasOwn(members, member)) return [];
  const isLast = Object.keys(members).length === 1;
  return [{ pointer: pointerOf(isLast ? [wrapper, map, name] : [wrapper, map, name, member]), remove: true }];
}

/** Why a field may not have a name; undefined when it may. */
export function nameFault(name: string, taken: readonly string[]): string | undefined {
  if (name.trim() === '') return 'Give the field a name.';
  if (name === '__proto__') return 'A field may not be named "__proto__".';
  if (taken.includes(name)) return `There is already a field "${name}".`;
  return undefined;
}
