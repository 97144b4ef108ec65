import { pointerOf, stepsOf, valueAt } from './json-pointer.ts';
import type { SchemaFault } from './schema-checker.ts';
import { outsideReferencesOf, subschemasOf } from './subschemas.ts';

/** References of a JSON Schema that lead nowhere or outside, and patterns that are none. */
export function brokenLinksOf(schema: Readonly<Record<string, unknown>>): SchemaFault[] {
  return [...referenceFaults(schema), ...patternFaults(schema)];
}

function referenceFaults(schema: Readonly<Record<string, unknown>>): SchemaFault[] {
  const faults: SchemaFault[] = outsideReferencesOf(schema).map((pointer) => ({
    pointer,
    message: 'A reference may only point inside the schema, such as "#/$defs/item": nothing is fetched.',
  }));
  for (const { path, schema: inner } of subschemasOf(schema)) {
    const reference = inner['$ref'];
    if (typeof reference !== 'string' || !reference.startsWith('#/')) continue;
    if (valueAt(schema, stepsOf(reference)) !== undefined) continue;
    faults.push({ pointer: pointerOf([...path, '$ref']), message: `There is nothing at ${reference}.` });
  }
  return faults;
}

function patternFaults(schema: Readonly<Record<string, unknown>>): SchemaFault[] {
  const faults: SchemaFault[] = [];
  const check = (pattern: string, pointer: string): void => {
    try {
      RegExp(pattern, 'u');
    } catch (error) {
      faults.push({
        pointer,
        message: error instanceof Error ? `${error.message}.` : 'The pattern is invalid.',
      });
    }
  };
  for (const { path, schema: inner } of subschemasOf(schema)) {
    const { pattern, patternProperties } = inner;
    if (typeof pattern === 'string') check(pattern, pointerOf([...path, 'pattern']));
    for (const key of Object.keys(patternProperties ?? {})) {
      check(key, pointerOf([...path, 'patternProperties', key]));
    }
  }
  return faults;
}
