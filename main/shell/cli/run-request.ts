import { createReadStream } from 'node:fs';
import { access, constants, readFile, stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import type { InputFile } from '#main/runs/run-service.ts';
import { JsonDocument } from '#shared/manifest/json-document.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import { ProblemError } from '#shared/problem.ts';
import { MAX_TIMEOUT_SECONDS } from '#shared/runs/run.ts';

/**
 * Reads the values of a run: a JSON object in a file, or from the standard input for `-`.
 * @throws ProblemError `input_unreadable`, `input_not_json` with its place, `input_not_object`.
 */
export async function readInput(
  source: string | undefined,
  standardInput: Readable,
): Promise<Record<string, unknown>> {
  if (source === undefined) return {};
  const name = source === '-' ? 'standard input' : source;
  const content = await readSource(source, standardInput);
  const document = JsonDocument.read(content);
  if (!(document instanceof JsonDocument)) {
    const [fault] = document;
    throw new ProblemError({
      code: 'input_not_json',
      title: 'The input is not JSON',
      detail: fault?.message ?? 'It cannot be read.',
      file: name,
      ...(fault && { line: fault.line, column: fault.column }),
    });
  }
  if (!isRecord(document.value)) {
    throw new ProblemError({
      code: 'input_not_object',
      title: 'The input is not an object',
      detail: 'A JSON object is expected, with a member for each field of the agent.',
      file: name,
    });
  }
  return document.value;
}

async function readSource(source: string, standardInput: Readable): Promise<string> {
  try {
    return source === '-' ? await text(standardInput) : await readFile(source, 'utf8');
  } catch (error) {
    throw unreadable(source, error);
  }
}

/**
 * Makes a run's file of what `--file` says: a path, or `field=path` for a certain input field. A path that
 * exists is taken whole, so that a name may have an equals sign in it.
 * @throws ProblemError `input_unreadable`.
 */
export async function readFileOption(option: string): Promise<InputFile> {
  const [, field, path] = /^([A-Za-z_][\w-]*)=(.+)$/s.exec(option) ?? [];
  const whole = await fileAt(option, undefined).catch((error: unknown) => error);
  if (!(whole instanceof Error)) return whole as InputFile;
  if (field === undefined || path === undefined) throw whole;
  return fileAt(path, field);
}

async function fileAt(given: string, field: string | undefined): Promise<InputFile> {
  const path = resolve(given);
  try {
    const information = await stat(path);
    // Before it is opened: a pipe would wait for its writer.
    if (!information.isFile()) throw Object.assign(new Error('Not a file'), { code: 'EISDIR' });
    // A file that may not be read is found now, before anything is run.
    await access(path, constants.R_OK);
    return {
      field,
      originalName: basename(path),
      size: information.size,
      open: () => Promise.resolve(createReadStream(path)),
    };
  } catch (error) {
    throw unreadable(given, error);
  }
}

/** @throws ProblemError `timeout_invalid`. */
export function readTimeout(option: string | undefined): number | undefined {
  if (option === undefined) return undefined;
  const seconds = Number(option);
  if (/^\d{1,6}(\.\d{1,3})?$/.test(option) && seconds > 0 && seconds <= MAX_TIMEOUT_SECONDS) return seconds;
  throw new ProblemError({
    code: 'timeout_invalid',
    title: 'No such time limit',
    detail: `--timeout takes seconds, more than 0 and at most ${MAX_TIMEOUT_SECONDS}, not "${option}".`,
  });
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'There is no such file',
  EISDIR: 'It is not a file',
  EACCES: 'This user may not read it',
};

function unreadable(path: string, error: unknown): ProblemError {
  const { code = '' } = error as NodeJS.ErrnoException;
  const reason = REASONS[code] ?? `It cannot be read (${code || 'unknown reason'})`;
  return new ProblemError(
    { code: 'input_unreadable', title: 'File not read', detail: `${reason}: ${path}`, file: path },
    { cause: error },
  );
}
