import { escapeHidden } from '../mcp/hidden-text.ts';

/** How often longer than without them a value may be with line breaks: many levels are mostly blanks. */
const MAX_SPREAD = 3;

/**
 * A value as JSON between fences, for a model to read as data: the fences are longer than any run of
 * back-ticks in it, so that no text in it can end them, and what only a platform writes is escaped.
 */
export function fencedJson(value: unknown): string {
  const dense = JSON.stringify(value) ?? 'null';
  const wide = JSON.stringify(value, undefined, 2) ?? 'null';
  const text = escapeHidden(wide.length > dense.length * MAX_SPREAD + 1000 ? dense : wide);
  const longest = text.match(/`+/g)?.reduce((most, ticks) => Math.max(most, ticks.length), 2) ?? 2;
  const fence = '`'.repeat(longest + 1);
  return `${fence}json\n${text}\n${fence}`;
}
