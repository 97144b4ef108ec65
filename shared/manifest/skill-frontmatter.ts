import { parse } from 'yaml';
import { isRecord } from './plain.ts';

export interface Frontmatter {
  readonly name: string | undefined;
  readonly description: string | undefined;
  /** Why it is no YAML, when only the loose reading worked. */
  readonly fault: string | undefined;
}

/**
 * The head of a SKILL.md, between two lines of `---`. Files that are no YAML are read as loosely as other
 * hosts read all of them: the first line that begins with the field. Undefined when there is no head.
 */
export function readFrontmatter(text: string): Frontmatter | undefined {
  const match = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/.exec(text);
  if (match === null) return undefined;
  const head = match[1] ?? '';
  try {
    const value: unknown = parse(head, { maxAliasCount: 0, logLevel: 'error' });
    const fields = isRecord(value) ? value : {};
    return { name: textOf(fields['name']), description: textOf(fields['description']), fault: undefined };
  } catch (error) {
    const [fault] = error instanceof Error ? error.message.split('\n') : ['not YAML'];
    return { name: looseField(head, 'name'), description: looseField(head, 'description'), fault };
  }
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
