import { findSchemaFaults } from '#renderer/schema/schema-faults.ts';
import { isRecord, itemsOf, membersOf } from '#shared/manifest/plain.ts';
import { pointerOf, stepsOf } from '#shared/manifest/json-pointer.ts';

export type OutputState = 'valid' | 'invalid' | 'missing' | 'absent' | 'extra' | 'unchecked';

export interface OutputRow {
  readonly field: string;
  readonly value: unknown;
  /** Type by the schema, or the value's own where the schema has none. */
  readonly type: string;
  readonly description: string | undefined;
  /** `missing` when it is required, `absent` when it may be left out, `extra` when no schema names it. */
  readonly state: OutputState;
  readonly errors: readonly string[];
}

/** An output held against its schema, field by field, in the schema's order. */
export function describeOutput(schema: Record<string, unknown> | undefined, output: unknown): OutputRow[] {
  const values = new Map(membersOf(output));
  if (!schema) {
    return [...values].map(([field, value]) => ({
      field,
      value,
      type: typeName(value),
      description: undefined,
      state: 'unchecked',
      errors: [],
    }));
  }
  const errors = errorsByField(schema, output);
  const required = new Set(itemsOf(schema['required']));
  const rows = membersOf(schema['properties']).map(([field, property]): OutputRow => {
    const own = errors.get(field) ?? [];
    const isThere = values.has(field);
    const state =
      own.length > 0 && isThere ? 'invalid' : isThere ? 'valid' : required.has(field) ? 'missing' : 'absent';
    return {
      field,
      value: values.get(field),
      type: schemaType(property) ?? (isThere ? typeName(values.get(field)) : ''),
      description:
        isRecord(property) && typeof property['description'] === 'string'
          ? property['description']
          : undefined,
      state,
      errors: isThere ? own : [],
    };
  });
  const named = new Set(rows.map(({ field }) => field));
  const extra = [...values].flatMap(([field, value]): OutputRow[] =>
    named.has(field)
      ? []
      : [
          {
            field,
            value,
            type: typeName(value),
            description: undefined,
            state: 'extra',
            errors: errors.get(field) ?? [],
          },
        ],
  );
  return [...rows, ...extra];
}

function errorsByField(schema: Record<string, unknown>, output: unknown): Map<string, string[]> {
  const errors = new Map<string, string[]>();
  for (const { pointer, keyword, text } of findSchemaFaults(schema, output)) {
    const [field, ...below] = stepsOf(pointer);
    if (field === undefined || keyword === 'additionalProperties') continue;
    const line = below.length > 0 ? `${pointerOf(below)}: ${text}` : text;
    errors.set(field, [...(errors.get(field) ?? []), line]);
  }
  return errors;
}

function schemaType(property: unknown): string | undefined {
  if (!isRecord(property)) return undefined;
  const { type, format } = property;
  if (typeof type === 'string') return typeof format === 'string' ? `${type}, ${format}` : type;
  if (Array.isArray(type)) return type.join(' or ');
  return Array.isArray(property['enum']) ? 'enum' : undefined;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** A list of objects as a table: the columns in the order they first appear. */
export function tableOf(
  value: unknown,
): { readonly columns: readonly string[]; readonly rows: readonly Record<string, unknown>[] } | undefined {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isRecord)) return undefined;
  const rows: readonly Record<string, unknown>[] = value;
  const columns = [...new Set(rows.slice(0, 200).flatMap((row) => Object.keys(row)))];
  return columns.length > 0 && columns.length <= 30 ? { columns, rows } : undefined;
}

/** Digits after the point that a cell of a table shows. */
const SHOWN_DIGITS = 6;

/** A number as a table shows it: whole numbers and small ones as they are, long fractions rounded. */
export function readableNumber(value: number): string {
  const exact = String(value);
  if (!Number.isFinite(value) || Number.isInteger(value) || exact.includes('e')) return exact;
  const rounded = Number(value.toFixed(SHOWN_DIGITS));
  // Rounding must not make a small number nothing.
  return Math.abs(value) < 0.001 ? exact : String(rounded);
}
