import vm from 'node:vm';
import addFormats from 'ajv-formats';
import { Ajv2020, type ErrorObject, type Options } from 'ajv/dist/2020.js';
import type { SchemaChecker, SchemaFault } from '#shared/manifest/schema-checker.ts';
import { brokenLinksOf } from '#shared/manifest/schema-links.ts';
import { subschemasOf } from '#shared/manifest/subschemas.ts';

/** Milliseconds a value may take to be checked: a pattern from a package may be made never to end. */
const CHECK_TIME_LIMIT = 1_000;

/** Schemas within a schema: compiling one costs a fifth of a millisecond, and nobody fills in such a form. */
const MAX_SUBSCHEMAS = 5_000;

/** JSON Schema 2020-12 for the schemas that packages carry: unknown keywords and formats are annotations. */
export function createAjv(options: Options = {}): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false, ...options });
  addFormats.default(ajv);
  return ajv;
}

/** Checks JSON Schemas by their meta-schema, their references and patterns, and by compiling them. */
export function createSchemaChecker(): SchemaChecker {
  let ajv: Ajv2020 | undefined;
  return {
    faultsOf(schema) {
      if (isBeyond(subschemasOf(schema), MAX_SUBSCHEMAS)) {
        return [{ pointer: '', message: `It has more than ${MAX_SUBSCHEMAS} parts, too many to check.` }];
      }
      ajv ??= createAjv();
      if (ajv.validateSchema(schema) !== true) return metaFaults(ajv.errors ?? []);
      const faults = brokenLinksOf(schema);
      return faults.length > 0 ? faults : compileFaults(schema);
    },
  };
}

/** A check that was ended because it took too long. */
export class CheckTooSlowError extends Error {}

/**
 * Runs a check whose cost an author's or a stranger's schema decides.
 * @throws CheckTooSlowError after a second
 */
export function withinTimeLimit<T>(check: () => T): T {
  // The limit of `vm` ends code of this realm too, and even a regular expression that is backtracking.
  const context = vm.createContext({ check });
  try {
    return vm.runInContext('check()', context, { timeout: CHECK_TIME_LIMIT }) as T;
  } catch (error) {
    if (codeOf(error) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    throw new CheckTooSlowError('The check took too long.', { cause: error });
  }
}

/** The error comes from the realm of the check, so it is no `Error` of ours. */
function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

function metaFaults(errors: readonly ErrorObject[]): SchemaFault[] {
  const faults = new Map<string, SchemaFault>();
  for (const error of errors) {
    const pointer = error.instancePath;
    // Branches of a union say what is wrong; the union itself adds nothing.
    if (error.keyword === 'anyOf' || faults.has(pointer)) continue;
    faults.set(pointer, { pointer, message: metaSentence(error) });
  }
  const pointers = [...faults.keys()];
  return [...faults.values()].filter(
    (fault) => !pointers.some((pointer) => pointer.startsWith(`${fault.pointer}/`)),
  );
}

function metaSentence({ keyword, params, message }: ErrorObject): string {
  const { type, allowedValues } = params as { type?: string | string[]; allowedValues?: string[] };
  if (keyword === 'enum') return `It must be one of ${allowedValues?.join(', ') ?? 'a few values'}.`;
  if (keyword === 'type') return `It must be ${[type].flat().join(' or ')}.`;
  return `It ${message ?? 'is not allowed here'}.`;
}

function isBeyond(items: Iterable<unknown>, most: number): boolean {
  let count = 0;
  for (const _ of items) if ((count += 1) > most) return true;
  return false;
}

/** A new compiler each time: one keeps every schema and `$id` it has seen. */
function compileFaults(schema: Readonly<Record<string, unknown>>): SchemaFault[] {
  try {
    createAjv({ meta: false, validateSchema: false }).compile(schema);
    return [];
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'It cannot be compiled';
    return [{ pointer: '', message: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.` }];
  }
}
