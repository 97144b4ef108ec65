import type { Problem } from '#shared/problem.ts';
import { terminalText } from './terminal-text.ts';

/** A problem as lines for a terminal: what, where and what to do. */
export function problemText(problem: Problem): string {
  const place = [problem.file, problem.line, problem.column].filter((part) => part !== undefined).join(':');
  const lines = [`${problem.title}: ${problem.detail}`];
  if (place) lines.push(`  at ${place}`);
  else if (problem.pointer) lines.push(`  at ${problem.pointer}`);
  const causes = problem.causes?.filter((cause) => cause.detail !== problem.detail) ?? [];
  for (const { pointer, detail } of causes) lines.push(`  - ${pointer ? `${pointer}: ` : ''}${detail}`);
  for (const line of problem.context ?? []) lines.push(`  | ${line}`);
  if (problem.action) lines.push(problem.action);
  return terminalText(lines.join('\n'));
}
