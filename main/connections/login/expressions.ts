import vm from 'node:vm';
import { isRecord } from '#shared/manifest/plain.ts';
import { stepsOf, valueAt } from '#shared/manifest/json-pointer.ts';

/** A service's answer to a login, as the manifest's expressions see it. */
export interface LoginResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Milliseconds a pattern of a package may run: it may be made never to end. */
const PATTERN_MS = 250;

/** Evaluates `$statusCode`, `$response.body#/pointer`, `$response.header.Name`, `$outputs.name`. */
export function evaluate(
  expression: string,
  response: LoginResponse,
  outputs: Readonly<Record<string, string>> = {},
): unknown {
  if (expression === '$statusCode') return response.status;
  const header = /^\$response\.header\.([A-Za-z0-9-]+)$/.exec(expression)?.[1];
  if (header !== undefined) return response.headers.get(header) ?? undefined;
  const output = /^\$outputs\.(\w+)$/.exec(expression)?.[1];
  if (output !== undefined) return Object.hasOwn(outputs, output) ? outputs[output] : undefined;
  const body = /^\$response\.body(?:#(.*))?$/s.exec(expression);
  if (!body) return undefined;
  const pointer = body[1];
  return pointer === undefined ? response.text : pointerValue(parseJson(response.text), pointer);
}

/** A value by JSON pointer; undefined when there is none. */
export function pointerValue(document: unknown, pointer: string): unknown {
  if (pointer === '') return document;
  return pointer.startsWith('/') ? valueAt(document, stepsOf(pointer)) : undefined;
}

/** The value at a path such as `$.data[0].token` or `data.0['a b']`; one value, no wildcards. */
export function pathValue(document: unknown, path: string): unknown {
  const steps = path.replace(/^\$/, '').match(/\[\s*(?:\d+|'[^']*'|"[^"]*")\s*\]|[^.[\]]+/g) ?? [];
  let value = document;
  for (const raw of steps) {
    const step = raw.replace(/^\[\s*['"]?(.*?)['"]?\s*\]$/s, '$1');
    if (Array.isArray(value)) value = /^\d+$/.test(step) ? value[Number(step)] : undefined;
    else if (isRecord(value) && Object.hasOwn(value, step)) value = value[step];
    else return undefined;
  }
  return value;
}

/** A group of the first match; undefined when nothing matches, or the pattern is wrong or takes too long. */
export function matchGroup(pattern: string, text: string, group: number): string | undefined {
  try {
    const match: unknown = vm.runInNewContext(
      'RegExp(pattern).exec(text)?.[group]',
      { pattern, text, group },
      {
        timeout: PATTERN_MS,
      },
    );
    return typeof match === 'string' ? match : undefined;
  } catch {
    return undefined;
  }
}

/** JSON as it parses; undefined for anything else. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a credential may be: text that is not empty; a number or a truth as its text. */
export function asText(value: unknown): string | undefined {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
