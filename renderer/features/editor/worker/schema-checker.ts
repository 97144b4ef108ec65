import { Validator, type OutputUnit, type Schema } from '@cfworker/json-schema';
import applicator from 'ajv/dist/refs/json-schema-2020-12/meta/applicator.json';
import content from 'ajv/dist/refs/json-schema-2020-12/meta/content.json';
import core from 'ajv/dist/refs/json-schema-2020-12/meta/core.json';
import format from 'ajv/dist/refs/json-schema-2020-12/meta/format-annotation.json';
import metadata from 'ajv/dist/refs/json-schema-2020-12/meta/meta-data.json';
import unevaluated from 'ajv/dist/refs/json-schema-2020-12/meta/unevaluated.json';
import validation from 'ajv/dist/refs/json-schema-2020-12/meta/validation.json';
import root from 'ajv/dist/refs/json-schema-2020-12/schema.json';
import type { SchemaChecker, SchemaFault } from '#shared/manifest/schema-checker.ts';
import { brokenLinksOf } from '#shared/manifest/schema-links.ts';

/**
 * Checks JSON Schemas by their meta-schema without making code of it, as the page's policy asks. Main
 * compiles them besides when a draft is saved, so it may find more.
 */
export function createInterpretingChecker(): SchemaChecker {
  let validator: Validator | undefined;
  return {
    faultsOf(schema) {
      validator ??= createMetaValidator();
      const { errors } = validator.validate(schema);
      return errors.length > 0 ? faultsIn(errors) : brokenLinksOf(schema);
    },
  };
}

function createMetaValidator(): Validator {
  const validator = new Validator(withStaticReferences(root), '2020-12', false);
  for (const part of [applicator, content, core, format, metadata, unevaluated, validation]) {
    validator.addSchema(withStaticReferences(part));
  }
  return validator;
}

/** A schema is nowhere extended here, so its dynamic references all lead to the whole of it. */
function withStaticReferences(schema: object): Schema {
  const text = JSON.stringify(schema).replaceAll(
    '"$dynamicRef":"#meta"',
    `"$ref":${JSON.stringify(root.$id)}`,
  );
  return JSON.parse(text) as Schema;
}

/** The deepest of what was found: what stands above only says that something below is wrong. */
function faultsIn(errors: readonly OutputUnit[]): SchemaFault[] {
  const faults = new Map<string, SchemaFault>();
  for (const { keyword, error, instanceLocation } of errors) {
    if (SUMMARIES.has(keyword)) continue;
    const pointer = decodeURIComponent(instanceLocation.replace(/^#/, ''));
    if (!faults.has(pointer)) faults.set(pointer, { pointer, message: error });
  }
  const pointers = [...faults.keys()];
  return [...faults.values()].filter(
    (fault) => !pointers.some((pointer) => pointer.startsWith(`${fault.pointer}/`)),
  );
}

const SUMMARIES: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  '$ref',
  'properties',
  'additionalProperties',
  'items',
]);
