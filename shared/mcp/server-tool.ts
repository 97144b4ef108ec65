import { RESERVED_META_KEYS } from '../protocol/api-tools.ts';
import { cutText, utf8Length } from '../text/cut-text.ts';
import { cleanText, hasHiddenText } from './hidden-text.ts';

/** A tool as a server describes it, after cleaning. */
export interface ServerToolDefinition {
  /** As the server calls it. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema | undefined;
  readonly annotations?: Readonly<Record<string, boolean | string>> | undefined;
}

type JsonSchema = Readonly<Record<string, unknown>> & { readonly type: 'object' };

/** A tool that is not offered, and why. */
export interface RefusedTool {
  /** Cleaned and cut, for a person. */
  readonly name: string;
  readonly reason: string;
}

export type CleanedTool =
  { readonly ok: true; readonly tool: ServerToolDefinition } | ({ readonly ok: false } & RefusedTool);

/** Limits of a descriptor (reference: sidecar, section 3.7), in bytes of UTF-8. */
export const DESCRIPTION_BYTES = 2048;
export const PARAMETER_DESCRIPTION_BYTES = 512;
export const SCHEMA_BYTES = 8192;
export const SCHEMA_DEPTH = 64;
/** Values of a schema that are looked at before it is given up; what fits into its bytes has fewer. */
const SCHEMA_VALUES = 20_000;
const NAME_CHARACTERS = 128;
const TITLE_BYTES = 128;

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;
/** Words of a schema that only explain, and so may be changed. */
const EXPLAINING: ReadonlySet<string> = new Set(['description', 'title', '$comment']);
/** Words under which names are the author's own, not the schema's. */
const NAMING: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependentRequired',
]);
/** Words whose values are data: nothing in them explains. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'required']);

/** Whether a key of `_meta` is the platform's own, which no server may write. */
export function isReservedMetaKey(key: string): boolean {
  return RESERVED_META_KEYS.includes(key) || /^(slipway|dev\.appstrate|dev\.afps)\//i.test(key);
}

/** What a server says of itself beside a result, without what only the platform may say. */
export function cleanMeta(meta: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !isReservedMetaKey(key)));
}

/**
 * Reads a tool of a server's list. Texts are cleaned and cut; a tool whose schema is too large, too deep or
 * holds what cannot be cleaned without changing what it means is refused. `_meta`, icons and unknown fields
 * are left behind.
 */
export function cleanTool(value: unknown): CleanedTool {
  const tool = isRecord(value) ? value : {};
  const { name, title, description, inputSchema, outputSchema, annotations } = tool;
  if (typeof name !== 'string' || name === '') return refused('', 'it has no name');
  if (name.length > NAME_CHARACTERS) return refused(name, 'its name is too long');
  if (hasHiddenText(name) || /[\n\t]/.test(name))
    return refused(name, 'its name has characters that are not seen');
  try {
    const input = cleanSchema(inputSchema, 'the schema of its arguments');
    const output =
      outputSchema === undefined ? undefined : cleanSchema(outputSchema, 'the schema of its results');
    const bytes = [input, output].reduce(
      (sum, schema) => sum + (schema === undefined ? 0 : utf8Length(JSON.stringify(schema))),
      0,
    );
    if (bytes > SCHEMA_BYTES) return refused(name, `its schemas take more than ${SCHEMA_BYTES} bytes`);
    return {
      ok: true,
      tool: {
        name,
        ...textField('title', title, TITLE_BYTES),
        ...textField('description', description, DESCRIPTION_BYTES),
        inputSchema: input,
        ...(output !== undefined && { outputSchema: output }),
        ...annotationsOf(annotations),
      },
    };
  } catch (error) {
    if (error instanceof Refused) return refused(name, error.message);
    throw error;
  }
}

/** Reads a list of tools; of two with one name the first counts. */
export function cleanTools(values: readonly unknown[]): {
  readonly tools: readonly ServerToolDefinition[];
  readonly refused: readonly RefusedTool[];
} {
  const tools = new Map<string, ServerToolDefinition>();
  const refusals: RefusedTool[] = [];
  for (const value of values) {
    const cleaned = cleanTool(value);
    if (!cleaned.ok) refusals.push({ name: cleaned.name, reason: cleaned.reason });
    else if (tools.has(cleaned.tool.name)) {
      refusals.push({ name: cleaned.tool.name, reason: 'another tool has the same name' });
    } else tools.set(cleaned.tool.name, cleaned.tool);
  }
  return { tools: [...tools.values()], refused: refusals };
}

/**
 * A definition as one text that is the same whenever it means the same: names in order, no space. What pins
 * a tool is the hash of this.
 */
export function canonicalText(tool: ServerToolDefinition): string {
  return JSON.stringify(sorted(tool));
}

class Refused extends Error {}

function cleanSchema(value: unknown, label: string): JsonSchema {
  if (!isRecord(value)) throw new Refused(`${label} is missing`);
  if (value['type'] !== 'object') throw new Refused(`${label} is not one of an object`);
  let left = SCHEMA_VALUES;
  const clean = (part: unknown, depth: number, place: 'schema' | 'names' | 'data', key = ''): unknown => {
    left -= 1;
    if (left < 0) throw new Refused(`${label} is too large`);
    if (depth > SCHEMA_DEPTH) throw new Refused(`${label} is nested too deep`);
    if (typeof part === 'string') {
      if (place === 'schema' && EXPLAINING.has(key)) {
        return cutText(cleanText(part), PARAMETER_DESCRIPTION_BYTES).text;
      }
      if (hasHiddenText(part)) throw new Refused(`${label} has characters that are not seen`);
      if (place === 'schema' && /^\$(ref|dynamicRef|recursiveRef)$/.test(key) && !part.startsWith('#')) {
        throw new Refused(`${label} refers to another document`);
      }
      return part;
    }
    if (Array.isArray(part)) return part.map((item) => clean(item, depth + 1, place));
    if (!isRecord(part)) return part;
    const cleaned: [string, unknown][] = [];
    for (const [name, item] of Object.entries(part)) {
      if (hasHiddenText(name)) throw new Refused(`${label} has a name with characters that are not seen`);
      if (place === 'data') cleaned.push([name, clean(item, depth + 1, 'data')]);
      else if (place === 'names') cleaned.push([name, clean(item, depth + 1, 'schema', '')]);
      else if (name !== '_meta') cleaned.push([name, clean(item, depth + 1, placeOf(name), name)]);
    }
    return Object.fromEntries(cleaned);
  };
  return clean(value, 1, 'schema') as JsonSchema;
}

function placeOf(word: string): 'schema' | 'names' | 'data' {
  if (NAMING.has(word)) return 'names';
  return DATA.has(word) ? 'data' : 'schema';
}

function textField<Name extends string>(
  name: Name,
  value: unknown,
  maxBytes: number,
): { readonly [Key in Name]?: string } {
  if (typeof value !== 'string') return {};
  const text = cutText(cleanText(value), maxBytes).text.trim();
  return (text === '' ? {} : { [name]: text }) as { readonly [Key in Name]?: string };
}

function annotationsOf(value: unknown): Pick<ServerToolDefinition, 'annotations'> {
  if (!isRecord(value)) return {};
  const hints = HINTS.flatMap((hint): [string, boolean | string][] => {
    const said = value[hint];
    return typeof said === 'boolean' ? [[hint, said]] : [];
  });
  const { title } = textField('title', value['title'], TITLE_BYTES);
  if (title !== undefined) hints.push(['title', title]);
  return hints.length === 0 ? {} : { annotations: Object.fromEntries(hints) };
}

function refused(name: string, reason: string): CleanedTool {
  const shown = cutText(cleanText(name).replaceAll(/\s+/g, ' ').trim(), NAME_CHARACTERS).text;
  return { ok: false, name: shown || '(no name)', reason };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, sorted(value[key])]),
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
