import { z } from 'zod';
import { textResult, type SidecarTool } from '../tool-registry.ts';
import type { MainLink } from '../stdio.ts';
import { defineRuntimeTool } from './runtime-tool.ts';

const DEFAULT_LIMIT = 10;

/** Searches what earlier runs noted for later ones. Main answers it. */
export function createRecallMemoryTool(peer: MainLink): SidecarTool {
  return defineRuntimeTool({
    name: 'recall_memory',
    description:
      'Search the notes that earlier runs of this agent kept, newest first. ' +
      'Without a query it lists the newest.',
    input: z.strictObject({
      q: z.string().min(1).max(2000).optional().describe('Words to find, upper and lower case alike.'),
      limit: z.int().min(1).max(50).default(DEFAULT_LIMIT).catch(DEFAULT_LIMIT).describe('Notes to list.'),
    }),
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: async (input, { signal }) =>
      textResult(JSON.stringify(await peer.request('recallMemory', input, signal))),
  });
}
