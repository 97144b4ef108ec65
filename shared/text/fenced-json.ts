/**
 * A value as JSON between fences, for a model to read as data: the fences are longer than any run of
 * back-ticks in it, so that no text in it can end them.
 */
export function fencedJson(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2) ?? 'null';
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}json\n${text}\n${fence}`;
}
