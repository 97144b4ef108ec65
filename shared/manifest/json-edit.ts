import { applyEdits, modify, type FormattingOptions } from 'jsonc-parser';
import type { Fix } from './finding.ts';
import { stepsOf, valueAt, type JsonPath } from './json-pointer.ts';

/**
 * Changes a JSON text at the given pointers and nowhere else: what the author wrote, its order and its
 * unknown members stay. A last step `-` appends to a list. Edits apply in order, each on the result so far.
 */
export function editJson(text: string, edits: Fix['edits']): string {
  let result = text;
  for (const edit of edits) {
    const path = pathIn(JSON.parse(withoutMark(result)), edit.pointer);
    const value = edit.remove === true ? undefined : edit.value;
    const changes = modify(withoutMark(result), [...path], value, {
      ...formattingOf(result),
    });
    result = (result.startsWith('\uFEFF') ? '\uFEFF' : '') + applyEdits(withoutMark(result), changes);
  }
  return result;
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

/** Reads each step as an index where the document has a list there, so that "0" may also be a name. */
function pathIn(root: unknown, pointer: string): JsonPath {
  const path: (string | number)[] = [];
  for (const step of stepsOf(pointer)) {
    const container = valueAt(root, path);
    path.push(Array.isArray(container) ? (step === '-' ? -1 : Number(step)) : step);
  }
  return path;
}

/** The author's own indentation and line ends, so that an edit looks like the rest; none for one line. */
function formattingOf(text: string): { formattingOptions?: FormattingOptions } {
  if (!text.trimEnd().includes('\n')) return {};
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  return {
    formattingOptions: {
      insertSpaces: !indent.startsWith('\t'),
      tabSize: indent.startsWith('\t') ? 1 : indent.length,
      eol: text.includes('\r\n') ? '\r\n' : '\n',
    },
  };
}
