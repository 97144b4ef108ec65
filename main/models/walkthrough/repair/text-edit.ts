import type { Mend } from '../programs/mend.ts';

/**
 * The one replacement that makes one text of another, with as many unchanged lines around as make its
 * place unique.
 */
export function mendBetween(before: string, after: string): Mend {
  const old = before.split('\n');
  const next = after.split('\n');
  let top = 0;
  while (top < Math.min(old.length, next.length) && old[top] === next[top]) top += 1;
  let bottom = 0;
  while (
    bottom < Math.min(old.length, next.length) - top &&
    old[old.length - 1 - bottom] === next[next.length - 1 - bottom]
  ) {
    bottom += 1;
  }
  for (;;) {
    const oldLines = old.slice(top, old.length - bottom);
    const newLines = next.slice(top, next.length - bottom);
    const oldText = oldLines.join('\n');
    // Without a line on either side a line break would be left over or missing.
    const isWhole = oldText.trim() !== '' && newLines.length > 0;
    const isUnique = before.indexOf(oldText) === before.lastIndexOf(oldText);
    if ((isWhole && isUnique) || (top === 0 && bottom === 0)) {
      return { oldText, newText: newLines.join('\n') };
    }
    if (top > 0) top -= 1;
    if (bottom > 0) bottom -= 1;
  }
}
