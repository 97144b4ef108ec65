import { z } from 'zod';
import type { MainLink } from '../stdio.ts';
import { textResult, type SidecarTool } from '../tool-registry.ts';
import { defineRuntimeTool } from './runtime-tool.ts';

/** Delivers one file of the workspace at once, and may say that it is the main one. Main fetches it. */
export function createPublishFileTool(peer: MainLink): SidecarTool {
  return defineRuntimeTool({
    name: 'publish_file',
    description:
      'Deliver a file of the workspace to the person now. ' +
      'Files under outputs/ are delivered at the end by themselves; use this for a file elsewhere, ' +
      'for one that should be seen before the end, or to say which file is the main one.',
    input: z.strictObject({
      path: z.string().min(1).describe('Path in the workspace, relative to it.'),
      name: z
        .string()
        .min(1)
        .optional()
        .describe('Name the person sees; the file’s own by default. No folders.'),
      presentation: z
        .enum(['primary'])
        .optional()
        .describe('"primary" makes it the file that is shown first; the last one said counts.'),
    }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    run: async (input, { signal }) => {
      const { path, size } = await peer.request('publishFile', input, signal);
      return textResult(`Published ${path} (${size} bytes)`);
    },
  });
}
