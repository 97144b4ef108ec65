import type { ErrorObject } from 'ajv/dist/2020.js';
import mime from 'mime';
import { fileFieldsOf, type FileField } from '#shared/manifest/input-fields.ts';
import { pointerOf, stepsOf } from '#shared/manifest/json-pointer.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import { ProblemError, type Problem } from '#shared/problem.ts';
import { CheckTooSlowError, createAjv, withinTimeLimit } from './json-schema.ts';
import type { RunnableAgent } from './library.ts';

/** What a run's check needs to know of a file. */
export interface GivenFile {
  readonly field: string | undefined;
  readonly originalName: string;
  /** Bytes. */
  readonly size: number;
}

export interface CheckedInput<File extends GivenFile> {
  /** The values, converted to the types of the schema and filled with its defaults; without files. */
  readonly input: Record<string, unknown>;
  /** The files in the order given, each with the field it fills; undefined for one beside the form. */
  readonly files: readonly { readonly file: File; readonly field: string | undefined }[];
}

type Cause = NonNullable<Problem['causes']>[number];
type InputDeclaration = Pick<RunnableAgent, 'inputSchema' | 'fileConstraints'>;

/**
 * Holds a run's values and files against the agent's input schema: defaults filled in, text converted to
 * the type asked for, an empty text in a required field taken as missing (reference: afps, section 12).
 * A file without a field goes to the first field that has room for it and accepts its type.
 * @throws ProblemError `input_invalid` with a cause for each value and file that is wrong.
 */
export function validateRunInput<File extends GivenFile>(
  agent: InputDeclaration,
  input: Readonly<Record<string, unknown>>,
  files: readonly File[],
): CheckedInput<File> {
  const fields = new Map(fileFieldsOf(agent.inputSchema).map((field) => [field.name, field]));
  const assigned = assignFiles(files, [...fields.values()], agent.fileConstraints);
  const causes = fileCauses(assigned, fields, agent.fileConstraints);

  const values = withoutEmptyTexts(structuredClone({ ...input }), agent.inputSchema);
  for (const name of fields.keys()) {
    if (!Object.hasOwn(values, name)) continue;
    const detail = `"${name}" takes a file, not a value. Give it as a file.`;
    causes.push({ code: 'file_as_value', detail, pointer: pointerOf([name]) });
    delete values[name];
  }
  causes.push(...valueCauses(agent.inputSchema, values, assigned, fields));
  if (causes.length > 0) throw inputInvalid(causes);
  for (const name of fields.keys()) delete values[name];
  return { input: values, files: assigned };
}

function assignFiles<File extends GivenFile>(
  files: readonly File[],
  fields: readonly FileField[],
  constraints: InputDeclaration['fileConstraints'],
): { file: File; field: string | undefined }[] {
  const counts = new Map<string, number>();
  const take = (field: string): void => void counts.set(field, (counts.get(field) ?? 0) + 1);
  for (const { field } of files) if (field !== undefined) take(field);

  return files.map((file) => {
    if (file.field !== undefined) return { file, field: file.field };
    const open = fields.filter(
      ({ name, maxFiles }) =>
        (counts.get(name) ?? 0) < maxFiles && acceptsFile(constraints[name]?.accept, file.originalName),
    );
    const wanting = open.find(({ name, minFiles, required }) => {
      const count = counts.get(name) ?? 0;
      return (required || count > 0) && count < minFiles;
    });
    const field = (wanting ?? open[0])?.name;
    if (field !== undefined) take(field);
    return { file, field };
  });
}

function fileCauses(
  assigned: readonly { file: GivenFile; field: string | undefined }[],
  fields: ReadonlyMap<string, FileField>,
  constraints: InputDeclaration['fileConstraints'],
): Cause[] {
  const causes: Cause[] = [];
  for (const { file, field: name } of assigned) {
    if (name === undefined) continue;
    const pointer = pointerOf([name]);
    if (!fields.has(name)) {
      const names = [...fields.keys()].map((field) => `"${field}"`).join(', ');
      const detail = `The agent has no file field "${name}". ${names === '' ? 'It takes no files by name.' : `Its file fields: ${names}.`}`;
      causes.push({ code: 'file_field_unknown', detail, pointer });
      continue;
    }
    const { accept, maxSize } = constraints[name] ?? {};
    if (!acceptsFile(accept, file.originalName)) {
      const detail = `"${file.originalName}" is not of a type that "${name}" takes: ${accept}.`;
      causes.push({ code: 'file_type', detail, pointer });
    }
    if (maxSize !== undefined && file.size > maxSize) {
      const detail = `"${file.originalName}" has ${file.size} bytes; "${name}" takes at most ${maxSize}.`;
      causes.push({ code: 'file_too_large', detail, pointer });
    }
  }
  for (const { name, minFiles, maxFiles } of fields.values()) {
    const count = assigned.filter(({ field }) => field === name).length;
    if (count > maxFiles) {
      const detail = `"${name}" takes ${counted(maxFiles)}; ${count} were given.`;
      causes.push({ code: 'file_too_many', detail, pointer: pointerOf([name]) });
    } else if (count > 0 && count < minFiles) {
      const detail = `"${name}" needs at least ${counted(minFiles)}; ${count} given.`;
      causes.push({ code: 'file_too_few', detail, pointer: pointerOf([name]) });
    }
  }
  return causes;
}

function counted(files: number): string {
  return files === 1 ? 'one file' : `${files} files`;
}

/** Whether a file's name fits a list such as `.csv,text/*`, as browsers read it. */
export function acceptsFile(accept: string | undefined, fileName: string): boolean {
  const wanted = (accept ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.trim());
  const parts = wanted.filter((part) => part !== '');
  if (parts.length === 0) return true;
  const name = fileName.toLowerCase();
  const mediaType = mime.getType(name);
  if (mediaType === null && parts.every((part) => part.includes('/'))) return true;
  return parts.some((part) => {
    if (part.startsWith('.')) return name.endsWith(part);
    if (part === '*/*') return true;
    return part.endsWith('/*') ? mediaType?.startsWith(part.slice(0, -1)) === true : mediaType === part;
  });
}

/** A form sends an empty text for a field nobody filled. */
function withoutEmptyTexts(
  values: Record<string, unknown>,
  schema: InputDeclaration['inputSchema'],
): Record<string, unknown> {
  const properties = isRecord(schema?.['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema?.['required']) ? schema['required'] : [];
  for (const [name, value] of Object.entries(values)) {
    if (value !== '') continue;
    if (required.includes(name) || !takesEmptyText(properties[name])) delete values[name];
  }
  return values;
}

function takesEmptyText(property: unknown): boolean {
  if (!isRecord(property)) return true;
  if (!['string', undefined].includes(property['type'] as string | undefined)) return false;
  return !['format', 'enum', 'const', 'pattern', 'minLength'].some((keyword) => keyword in property);
}

function valueCauses(
  schema: InputDeclaration['inputSchema'],
  values: Record<string, unknown>,
  assigned: readonly { field: string | undefined }[],
  fields: ReadonlyMap<string, FileField>,
): Cause[] {
  if (schema === undefined) return [];
  // A file stands as its address in the values, so that conditions over file fields hold as well.
  for (const { name, multiple } of fields.values()) {
    const addresses = assigned.filter(({ field }) => field === name).map((_, index) => `document://${index}`);
    if (addresses.length > 0) values[name] = multiple ? addresses : addresses[0];
  }
  const ajv = createAjv({ coerceTypes: true, useDefaults: true, validateSchema: false, meta: false });
  try {
    const validate = ajv.compile(schema);
    if (withinTimeLimit(() => validate(values))) return [];
    return causesOf(validate.errors ?? [], fields);
  } catch (error) {
    if (error instanceof CheckTooSlowError) {
      const detail =
        'Checking the values took too long: a pattern in the input schema never comes to an end on them.';
      return [{ code: 'check_too_slow', detail, pointer: '' }];
    }
    if (!(error instanceof Error)) throw error;
    const detail = `The input schema cannot be used: ${error.message}.`;
    return [{ code: 'schema_invalid', detail, pointer: '' }];
  }
}

function causesOf(errors: readonly ErrorObject[], fields: ReadonlyMap<string, FileField>): Cause[] {
  const causes = new Map<string, Cause>();
  for (const error of errors) {
    // The union says it; its branches and the condition that led there would only repeat it.
    if (/\/(anyOf|oneOf)\/\d+\//.test(error.schemaPath) || error.keyword === 'if') continue;
    const cause = causeOf(error, fields);
    if (cause !== undefined) causes.set(`${cause.pointer ?? ''} ${cause.detail}`, cause);
  }
  return [...causes.values()];
}

function causeOf(error: ErrorObject, fields: ReadonlyMap<string, FileField>): Cause | undefined {
  const params: Record<string, unknown> = error.params;
  const place = error.instancePath;
  const field = stepsOf(place)[0];
  // Counts and types of files were judged already, in words that fit files.
  if (field !== undefined && fields.has(field)) return undefined;
  if (error.keyword === 'required') {
    const name = String(params['missingProperty']);
    const pointer = place + pointerOf([name]);
    return place === '' && fields.has(name)
      ? { code: 'file_missing', detail: `A file for "${name}" is missing.`, pointer }
      : { code: 'value_missing', detail: `${named(pointer)} is missing.`, pointer };
  }
  if (error.keyword === 'additionalProperties' || error.keyword === 'unevaluatedProperties') {
    const name = String(params['additionalProperty'] ?? params['unevaluatedProperty']);
    const pointer = place + pointerOf([name]);
    return { code: 'value_unknown', detail: `${named(pointer)} is not one of the fields.`, pointer };
  }
  return { code: 'value_invalid', detail: `${named(place)} ${sentenceFor(error)}.`, pointer: place };
}

function sentenceFor({ keyword, params, message }: ErrorObject): string {
  const { type, allowedValues, allowedValue, limit, format, multipleOf } = params as Record<string, unknown>;
  switch (keyword) {
    case 'type':
      return `must be ${[type].flat().map(kindOf).join(' or ')}`;
    case 'enum':
      return `must be one of ${(allowedValues as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(allowedValue)}`;
    case 'minimum':
      return `must be at least ${String(limit)}`;
    case 'maximum':
      return `must be at most ${String(limit)}`;
    case 'exclusiveMinimum':
      return `must be more than ${String(limit)}`;
    case 'exclusiveMaximum':
      return `must be less than ${String(limit)}`;
    case 'multipleOf':
      return `must be a multiple of ${String(multipleOf)}`;
    case 'minLength':
      return `must have at least ${String(limit)} characters`;
    case 'maxLength':
      return `must have at most ${String(limit)} characters`;
    case 'minItems':
      return `must have at least ${String(limit)} items`;
    case 'maxItems':
      return `must have at most ${String(limit)} items`;
    case 'uniqueItems':
      return 'must not have the same item twice';
    case 'format':
      return `must be a valid ${String(format)}`;
    case 'pattern':
      return `must match the pattern ${String((params as { pattern: unknown }).pattern)}`;
    case 'anyOf':
    case 'oneOf':
      return 'has none of the forms it may have';
    default:
      return message ?? 'is not allowed';
  }
}

function kindOf(type: unknown): string {
  const kinds: Record<string, string> = {
    string: 'text',
    number: 'a number',
    integer: 'a whole number',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object',
    null: 'null',
  };
  return kinds[String(type)] ?? String(type);
}

function named(pointer: string): string {
  return pointer === '' ? 'The input' : `"${stepsOf(pointer).join('.')}"`;
}

function inputInvalid(causes: Cause[]): ProblemError {
  const [first] = causes;
  const rest = causes.length > 1 ? ` (and ${causes.length - 1} more)` : '';
  return new ProblemError({
    code: 'input_invalid',
    title: 'The input does not fit the agent',
    detail: `${first?.detail ?? ''}${rest}`,
    ...(first?.pointer === undefined ? {} : { pointer: first.pointer }),
    action: 'Correct the input and run the agent again.',
    causes,
  });
}
