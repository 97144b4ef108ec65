import { styleText } from 'node:util';
import { diffLines } from 'diff';
import type { ToolChange } from '#shared/ipc/tool-review-routes.ts';
import { toolText } from '#shared/mcp/tool-text.ts';
import { ProblemError } from '#shared/problem.ts';
import { terminalText } from '../terminal-text.ts';
import { EXIT } from './exit-codes.ts';
import type { Streams } from './streams.ts';
import { withApplication, type DataOptions } from './services.ts';

export interface ToolsOptions extends DataOptions {
  readonly accept: readonly string[];
  readonly acceptAll: boolean;
  readonly json: boolean;
}

/**
 * Shows what servers say of their tools beside what was accepted, and accepts what is named.
 * @returns 0 when nothing waits any more, else 1
 */
export function toolsCommand(
  integrationId: string,
  { accept, acceptAll, json, ...data }: ToolsOptions,
  { output }: Streams,
): Promise<number> {
  return withApplication(data, async ({ toolReviews }) => {
    const before = toolReviews.changes(integrationId);
    const unknown = accept.find((name) => !before.some(({ tool }) => tool === name));
    if (unknown !== undefined) throw nothingWaits(integrationId, unknown);
    const accepted = before.filter(({ tool }) => acceptAll || accept.includes(tool));
    toolReviews.accept(
      integrationId,
      accepted.map(({ fingerprint }) => fingerprint),
    );
    const waiting = toolReviews.changes(integrationId);
    if (json) await output.json({ accepted, waiting });
    else {
      for (const change of accepted)
        await output.line(`${styleText('green', '✓')} ${titleOf(change)} accepted`);
      for (const change of waiting) await output.line(changeText(change));
      if (waiting.length === 0 && accepted.length === 0) await output.line('Nothing has changed.');
    }
    return waiting.length === 0 ? EXIT.success : EXIT.failed;
  });
}

function titleOf({ tool, server }: ToolChange): string {
  return terminalText(`${tool} (${server})`);
}

/** A change as lines: what is no longer said with a minus, what is said now with a plus. */
function changeText(change: ToolChange): string {
  const { before, after } = change;
  const parts = diffLines(before === undefined ? '' : `${toolText(before)}\n`, `${toolText(after)}\n`);
  const lines = parts.flatMap(({ value, added, removed }) => {
    const [mark, style] = added
      ? (['+', 'green'] as const)
      : removed
        ? (['-', 'red'] as const)
        : ([' ', 'dim'] as const);
    return value
      .trimEnd()
      .split('\n')
      .map((line) => styleText(style, `  ${mark} ${terminalText(line)}`));
  });
  const heading = before === undefined ? 'is new' : 'has changed';
  return [`${styleText('bold', titleOf(change))} ${heading}`, ...lines].join('\n');
}

function nothingWaits(integrationId: string, tool: string): ProblemError {
  return new ProblemError({
    code: 'tool_change_unknown',
    title: 'No such change',
    detail: `Nothing of a tool "${tool}" waits to be accepted for ${integrationId}.`,
    action: 'Leave --accept out to see what waits.',
  });
}
