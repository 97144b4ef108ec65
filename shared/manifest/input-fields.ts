import { isRecord } from './plain.ts';

/** A field of an `input` schema that takes files: a URI with a media type, alone or as items of a list. */
export interface FileField {
  readonly name: string;
  /** Most files it takes; 1 for a field that is not a list. */
  readonly maxFiles: number;
  readonly minFiles: number;
  readonly required: boolean;
  /** Whether its value is a list. */
  readonly multiple: boolean;
  readonly mediaType: string;
}

/** The file fields of an `input` schema, in its order. */
export function fileFieldsOf(schema: unknown): FileField[] {
  if (!isRecord(schema) || !isRecord(schema['properties'])) return [];
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const fields: FileField[] = [];
  for (const [name, property] of Object.entries(schema['properties'])) {
    if (!isRecord(property)) continue;
    const multiple = property['type'] === 'array';
    const mediaType = fileMediaType(multiple ? property['items'] : property);
    if (mediaType === undefined) continue;
    const isRequired = required.includes(name);
    fields.push({
      name,
      multiple,
      mediaType,
      required: isRequired,
      minFiles: multiple ? countOr(property['minItems'], isRequired ? 1 : 0) : isRequired ? 1 : 0,
      maxFiles: multiple ? countOr(property['maxItems'], Number.POSITIVE_INFINITY) : 1,
    });
  }
  return fields;
}

function fileMediaType(schema: unknown): string | undefined {
  if (!isRecord(schema) || schema['type'] !== 'string' || schema['format'] !== 'uri') return undefined;
  const mediaType = schema['contentMediaType'];
  return typeof mediaType === 'string' ? mediaType : undefined;
}

function countOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' && value >= 0 ? value : otherwise;
}
