import { diffLines } from 'diff';

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Work the diff may do before both texts are simply shown one after the other. Milliseconds. */
const PATIENCE = 60;

/** The lines of a replacement, marked by what becomes of them. */
export function diffReplacement(oldText: string, newText: string): DiffLine[] {
  const changes = diffLines(oldText, newText, { timeout: PATIENCE });
  if (!changes) return [...linesOf('removed', oldText), ...linesOf('added', newText)];
  return changes.flatMap(({ added, removed, value }) =>
    linesOf(added ? 'added' : removed ? 'removed' : 'same', value),
  );
}

function linesOf(kind: DiffLine['kind'], text: string): DiffLine[] {
  if (text === '') return [];
  const lines = text.split('\n');
  // The end of the last line makes no line of its own.
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line) => ({ kind, text: line }));
}
