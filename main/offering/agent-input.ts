import { Readable } from 'node:stream';
import { z } from 'zod';
import type { InputFile } from '#main/runs/run-service.ts';
import { fileFieldsOf } from '#shared/manifest/input-fields.ts';
import { pointerOf } from '#shared/manifest/json-pointer.ts';
import { ProblemError } from '#shared/problem.ts';

/** A file as a client gives it: it has no files of this computer to name. */
const givenFileSchema = z.strictObject({
  name: z.string().min(1).max(255),
  text: z.string().optional(),
  base64: z.base64().optional(),
});

const FILE_SCHEMA = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'Name of the file, with its ending.' },
    text: { type: 'string', description: 'Its text; or else base64.' },
    base64: { type: 'string', contentEncoding: 'base64', description: 'Its bytes, where it is no text.' },
  },
  required: ['name'],
  additionalProperties: false,
} as const;

/** The agent's input as a tool's: a field that takes files becomes a list of them. */
export function toolInputOf(inputSchema: Readonly<Record<string, unknown>> | undefined): {
  [key: string]: unknown;
  type: 'object';
} {
  const properties = { ...z.record(z.string(), z.unknown()).catch({}).parse(inputSchema?.['properties']) };
  for (const { name, minFiles, maxFiles } of fileFieldsOf(inputSchema)) {
    const { title, description } = z
      .looseObject({ title: z.string().optional(), description: z.string().optional() })
      .catch({})
      .parse(properties[name]);
    properties[name] = {
      type: 'array',
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      items: FILE_SCHEMA,
      ...(minFiles > 0 && { minItems: minFiles }),
      ...(Number.isFinite(maxFiles) && { maxItems: maxFiles }),
    };
  }
  return { ...inputSchema, type: 'object', properties };
}

/** Parts what a client gave into values and files. @throws ProblemError `input_invalid`. */
export function readToolInput(
  inputSchema: Readonly<Record<string, unknown>> | undefined,
  given: Readonly<Record<string, unknown>>,
): { readonly input: Record<string, unknown>; readonly files: readonly InputFile[] } {
  const input = { ...given };
  const files: InputFile[] = [];
  for (const { name: field } of fileFieldsOf(inputSchema)) {
    if (!Object.hasOwn(input, field)) continue;
    const parsed = z.array(givenFileSchema).safeParse(input[field]);
    if (!parsed.success) throw fileInvalid(field, z.prettifyError(parsed.error));
    delete input[field];
    for (const { name, text, base64 } of parsed.data) {
      if ((text === undefined) === (base64 === undefined))
        throw fileInvalid(field, `"${name}" needs either text or base64.`);
      const bytes = text === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text);
      files.push({
        field,
        originalName: name,
        size: bytes.length,
        open: () => Promise.resolve(Readable.from([bytes])),
      });
    }
  }
  return { input, files };
}

function fileInvalid(field: string, why: string): ProblemError {
  return new ProblemError({
    code: 'input_invalid',
    title: 'The input does not fit',
    detail: `"${field}" takes a list of files, each with its name and its text or base64: ${why}`,
    pointer: pointerOf([field]),
  });
}
