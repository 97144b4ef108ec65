import { createScanner, parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser';
import { pointerOf, stepsOf, type JsonPath } from './json-pointer.ts';

/** A place in a text as editors count it: both from 1, columns in UTF-16 units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Something that keeps a text from being the JSON document it should be. */
export interface JsonFault extends TextPosition {
  readonly code: 'json_syntax' | 'json_duplicate_key' | 'json_unsafe_key' | 'json_limit';
  readonly pointer: string;
  readonly message: string;
}

/** Characters a manifest may have. */
export const MAX_JSON_CHARACTERS = 1024 * 1024;
/** Objects and arrays within one another; the parser is recursive, so this is checked before it runs. */
export const MAX_JSON_DEPTH = 64;
/** Faults told at once: those after the first few mostly follow from them. */
const MAX_FAULTS = 10;

const SENTENCES: Readonly<Record<string, string>> = {
  InvalidSymbol:
    'This is not a JSON value. Text needs double quotes; the only bare words are true, false and null.',
  InvalidNumberFormat: 'This is not a JSON number.',
  PropertyNameExpected: 'A member name in double quotes is expected here.',
  ValueExpected: 'A value is expected here.',
  ColonExpected: 'A colon is expected after the member name.',
  CommaExpected: 'A comma is expected between two members.',
  CloseBraceExpected: 'The closing brace } of an object is missing.',
  CloseBracketExpected: 'The closing bracket ] of a list is missing.',
  EndOfFileExpected: 'The document should end here, but more text follows.',
  InvalidCommentToken: 'JSON has no comments. Remove this one.',
  UnexpectedEndOfComment: 'JSON has no comments, and this one does not end.',
  UnexpectedEndOfString: 'The closing double quote of a text is missing on this line.',
  UnexpectedEndOfNumber: 'This number ends too early.',
  InvalidUnicode: 'A \\u escape needs four hexadecimal digits.',
  InvalidEscapeCharacter: 'This escape is not known. JSON has \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX.',
  InvalidCharacter: 'A control character must be written as an escape, such as \\n for a new line.',
};

/**
 * A JSON text with its value and the place of every part of it. The text stays as the author wrote it,
 * but for a byte order mark, which editors do not show and so no position counts.
 */
export class JsonDocument {
  readonly text: string;
  readonly value: unknown;
  readonly #tree: Node;
  readonly #lines: LineIndex;

  private constructor(text: string, value: unknown, tree: Node, lines: LineIndex) {
    this.text = text;
    this.value = value;
    this.#tree = tree;
    this.#lines = lines;
  }

  /** Reads strict JSON. Gives the faults instead when it is not, or is too large or too deep. */
  static read(source: string): JsonDocument | readonly JsonFault[] {
    const text = source.startsWith('\uFEFF') ? source.slice(1) : source;
    if (text.length > MAX_JSON_CHARACTERS) {
      const message = `The file has ${text.length} characters; ${MAX_JSON_CHARACTERS} is the most that is read.`;
      return [{ code: 'json_limit', pointer: '', line: 1, column: 1, message }];
    }
    const lines = new LineIndex(text);
    const obstacle = depthFault(text, lines) ?? halfCharacterFault(text, lines);
    if (obstacle !== undefined) return [obstacle];

    const errors: ParseError[] = [];
    const tree = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
    if (errors.length > 0) return syntaxFaults(text, errors, lines);
    if (tree === undefined) {
      return [{ code: 'json_syntax', pointer: '', line: 1, column: 1, message: 'The file is empty.' }];
    }
    const keyFaults: JsonFault[] = [];
    collectKeyFaults(tree, [], lines, keyFaults);
    if (keyFaults.length > 0) return keyFaults;
    // The engine's own parser builds the value: it alone is safe with every member name.
    return new JsonDocument(text, JSON.parse(text), tree, lines);
  }

  /**
   * Where the value at a pointer begins, or its member name for `key`. A pointer to nothing gives the
   * nearest container that exists, which is where the missing part belongs.
   */
  position(pointer: string, part: 'key' | 'value' = 'value'): TextPosition {
    let node = this.#tree;
    for (const step of stepsOf(pointer)) {
      const child = childOf(node, step);
      if (child === undefined) return this.#lines.position(node.offset);
      node = child;
    }
    const key = node.parent?.type === 'property' ? node.parent.children?.[0] : undefined;
    return this.#lines.position(part === 'key' && key !== undefined ? key.offset : node.offset);
  }
}

function childOf(node: Node, step: string): Node | undefined {
  if (node.type === 'array') return /^(0|[1-9]\d*)$/.test(step) ? node.children?.[Number(step)] : undefined;
  if (node.type !== 'object') return undefined;
  return node.children?.find((property) => property.children?.[0]?.value === step)?.children?.[1];
}

/** Finds lines by halving; a manifest is asked for few positions but may have many lines. */
class LineIndex {
  readonly #starts: number[] = [0];
  readonly #length: number;

  constructor(text: string) {
    this.#length = text.length;
    for (const match of text.matchAll(/\r\n|\r|\n/g)) this.#starts.push(match.index + match[0].length);
  }

  position(offset: number): TextPosition {
    const held = Math.min(Math.max(offset, 0), this.#length);
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= held) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: held - (this.#starts[low] ?? 0) + 1 };
  }
}

/** A lone half of a surrogate pair; no file in UTF-8 holds one, so a save would put another character there. */
function halfCharacterFault(text: string, lines: LineIndex): JsonFault | undefined {
  if (text.isWellFormed()) return undefined;
  const offset = text.search(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
  const code = text.charCodeAt(offset).toString(16);
  const message = `Half of a character is here, which no file can hold. Remove it, or write it as \\u${code}.`;
  return { code: 'json_syntax', pointer: '', ...lines.position(offset), message };
}

function depthFault(text: string, lines: LineIndex): JsonFault | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (scanner.scan(); scanner.getTokenLength() > 0; scanner.scan()) {
    const first = text[scanner.getTokenOffset()];
    if (first === '{' || first === '[') depth += 1;
    if (first === '}' || first === ']') depth -= 1;
    if (depth > MAX_JSON_DEPTH) {
      const message = `Objects and lists are nested more than ${MAX_JSON_DEPTH} deep here, which is not read.`;
      return { code: 'json_limit', pointer: '', ...lines.position(scanner.getTokenOffset()), message };
    }
  }
  return undefined;
}

function syntaxFaults(text: string, errors: readonly ParseError[], lines: LineIndex): JsonFault[] {
  const faults = new Map<number, JsonFault>();
  for (const error of errors) {
    if (faults.has(error.offset) || faults.size === MAX_FAULTS) continue;
    faults.set(error.offset, {
      code: 'json_syntax',
      pointer: '',
      ...lines.position(error.offset),
      message: sentenceFor(text, error),
    });
  }
  return [...faults.values()];
}

function sentenceFor(text: string, error: ParseError): string {
  const name = printParseErrorCode(error.error);
  const follows = text[error.offset];
  if ((follows === '}' || follows === ']') && text.slice(0, error.offset).trimEnd().endsWith(',')) {
    return `The comma before this ${follows} has nothing after it. Remove it.`;
  }
  return SENTENCES[name] ?? `This is not JSON (${name}).`;
}

function collectKeyFaults(
  node: Node,
  path: (string | number)[],
  lines: LineIndex,
  faults: JsonFault[],
): void {
  if (node.type === 'array') {
    node.children?.forEach((child, index) => {
      path.push(index);
      collectKeyFaults(child, path, lines, faults);
      path.pop();
    });
  }
  if (node.type !== 'object') return;
  const seen = new Map<string, number>();
  for (const property of node.children ?? []) {
    if (faults.length >= MAX_FAULTS) return;
    const [key, value] = property.children ?? [];
    if (key === undefined || value === undefined) continue;
    const name = String(key.value);
    const earlier = seen.get(name);
    if (earlier !== undefined) {
      const message = `"${name}" is already given on line ${lines.position(earlier).line}. Two readers may take different ones: keep one.`;
      faults.push({ code: 'json_duplicate_key', ...keyPlace([...path, name], key, lines), message });
    }
    if (name === '__proto__') {
      const message = 'A member may not be named "__proto__". Rename it.';
      faults.push({ code: 'json_unsafe_key', ...keyPlace([...path, name], key, lines), message });
    }
    seen.set(name, key.offset);
    path.push(name);
    collectKeyFaults(value, path, lines, faults);
    path.pop();
  }
}

function keyPlace(path: JsonPath, key: Node, lines: LineIndex): TextPosition & { pointer: string } {
  return { pointer: pointerOf(path), ...lines.position(key.offset) };
}
