import { isMap, isScalar, parse, parseDocument, stringify } from 'yaml';
import { isRecord } from './plain.ts';

/** The lines between the first two of `---`. */
const HEAD = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/;

export interface Frontmatter {
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** Models are not told of it: only a person calls for it. */
  readonly isUntold: boolean;
  /** Why it is no YAML, when only the loose reading worked. */
  readonly fault: string | undefined;
}

/**
 * The head of a SKILL.md, between two lines of `---`. Files that are no YAML are read as loosely as other
 * hosts read all of them: the first line that begins with the field. Undefined when there is no head.
 */
export function readFrontmatter(text: string): Frontmatter | undefined {
  const match = HEAD.exec(text);
  if (match === null) return undefined;
  const head = match[1] ?? '';
  try {
    const value: unknown = parse(head, { maxAliasCount: 0, logLevel: 'error' });
    const fields = isRecord(value) ? value : {};
    return {
      name: textOf(fields['name']),
      description: textOf(fields['description']),
      isUntold: fields['disable-model-invocation'] === true,
      fault: undefined,
    };
  } catch (error) {
    const [fault] = error instanceof Error ? error.message.split('\n') : ['not YAML'];
    const [name, description] = [looseField(head, 'name'), looseField(head, 'description')];
    return { name, description, isUntold: false, fault };
  }
}

/**
 * Sets one field of a SKILL.md's head and nothing else: comments, order and other fields stay. Makes the
 * head where there is none. A head that is no YAML is changed as loosely as it is read.
 */
export function writeFrontmatter(text: string, field: 'name' | 'description', value: string): string {
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const line = `${field}: ${scalarOf(value)}`;
  const match = HEAD.exec(text);
  if (match === null) {
    const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
    return `${mark}---${end}${line}${end}---${end}${end}${text.slice(mark.length)}`;
  }
  const opening = text.indexOf('\n') + 1;
  const head = match[1];
  if (head === undefined) return `${text.slice(0, opening)}${line}${end}${text.slice(opening)}`;
  const changed = changedHead(head, field, value) ?? `${head}${end}${line}`;
  return text.slice(0, opening) + changed + text.slice(opening + head.length);
}

/** The head with the field's value in place of the one there is; undefined when there is none. */
function changedHead(head: string, field: string, value: string): string | undefined {
  const document = parseDocument(head, { logLevel: 'silent' });
  if (document.errors.length === 0 && isMap(document.contents)) {
    const pair = document.contents.items.find(({ key }) => isScalar(key) && key.value === field);
    const [start, end] = (isScalar(pair?.value) && pair.value.range) || [];
    if (pair !== undefined && start !== undefined && end !== undefined) {
      // A text over several lines ends with the line after it; an empty one has no blank before it.
      const after = head.slice(start, end).endsWith('\n') ? '\n' : '';
      const before = head[start - 1] === ':' ? ' ' : '';
      return head.slice(0, start) + before + scalarOf(value) + after + head.slice(end);
    }
    if (pair === undefined) return undefined;
  }
  const found = new RegExp(`^${field}:.*$`, 'm').exec(head);
  if (found === null) return undefined;
  return `${head.slice(0, found.index)}${field}: ${scalarOf(value)}${head.slice(found.index + found[0].length)}`;
}

/** A text as YAML on one line. */
function scalarOf(value: string): string {
  return value.includes('\n') ? JSON.stringify(value) : stringify(value, { lineWidth: 0 }).trimEnd();
}

function textOf(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

function looseField(head: string, field: string): string | undefined {
  const line = head.split(/\r?\n/).find((candidate) => candidate.startsWith(`${field}:`));
  const value = line?.slice(field.length + 1).trim() ?? '';
  return textOf(value.replace(/^(["'])(.*)\1$/, '$2'));
}
