import { z } from 'zod';
import { textResult, type SidecarTool } from '../tool-registry.ts';
import type { MainLink } from '../stdio.ts';
import { defineRuntimeTool } from './runtime-tool.ts';

const DEFAULT_LIMIT = 10;

/** Lets an agent see what its earlier runs came to. Main answers it. */
export function createRunHistoryTool(peer: MainLink): SidecarTool {
  return defineRuntimeTool({
    name: 'run_history',
    description:
      'List recent successful runs of this agent, newest first: id, status, date and duration, ' +
      'and what each left as its checkpoint or gave as its result. Use it to continue earlier work or to avoid repeating it.',
    input: z.strictObject({
      // A limit out of range is no reason to fail: the default is what was meant.
      limit: z.int().min(1).max(50).default(DEFAULT_LIMIT).catch(DEFAULT_LIMIT).describe('Runs to list.'),
      fields: z
        .array(z.enum(['checkpoint', 'result']))
        .default(['checkpoint'])
        .describe('What to include of each run.'),
    }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: async (input, { signal }) =>
      textResult(JSON.stringify(await peer.request('runHistory', input, signal))),
  });
}
