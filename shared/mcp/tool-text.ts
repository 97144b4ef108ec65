import type { ToolChange } from '../ipc/tool-review-routes.ts';

/** A tool as text to compare: what it says in words, then its schemas. Long lines are broken at sentences. */
export function toolText({
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: ToolChange['after']): string {
  const words = [title, description].flatMap((part) => part?.split(/(?<=[.!?])\s+|\n/) ?? []);
  const blocks: [string, unknown][] = [
    ['Arguments', inputSchema],
    ['Results', outputSchema],
    ['Hints', annotations],
  ];
  const schemas = blocks.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${JSON.stringify(value, null, 2)}`],
  );
  return [...words, ...schemas].join('\n');
}
