/** Steps from the root of a JSON document to a value: member names and array indexes. */
export type JsonPath = readonly (string | number)[];

/** The JSON pointer of a path (RFC 6901). */
export function pointerOf(path: JsonPath): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The steps of a JSON pointer. Indexes stay text: only the document tells an index from a name. */
export function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Characters of a path that a sentence has. */
const READABLE_CHARACTERS = 200;

/** A path as a person writes it: `auths.primary.scopes[0]`, `dependencies.skills["@you/csv"]`. */
export function readablePath(path: JsonPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(step)) text += text === '' ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text.length > READABLE_CHARACTERS ? `${text.slice(0, READABLE_CHARACTERS)}…` : text;
}

/** The value at a path of plain JSON, or undefined where there is none. */
export function valueAt(root: unknown, path: JsonPath): unknown {
  let value = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}
