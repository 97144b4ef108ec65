import { z } from 'zod';
import { MAX_NOTE_CHARACTERS, memoryScopeSchema } from '#shared/memory/memory.ts';
import type { MainLink } from '../stdio.ts';
import { textResult, type SidecarTool } from '../tool-registry.ts';
import { defineRuntimeTool } from './runtime-tool.ts';

/** Writes down something for later runs to search. Main keeps it. */
export function createNoteTool(peer: MainLink): SidecarTool {
  return defineRuntimeTool({
    name: 'note',
    description:
      'Write down something that later runs of this agent should be able to find with recall_memory: ' +
      'a fact, a preference, a decision. One thing in each note, understandable by itself.',
    input: z.strictObject({
      content: z
        .string()
        .min(1)
        .describe(`The note, plain text or Markdown, at most ${MAX_NOTE_CHARACTERS} characters.`),
      scope: memoryScopeSchema
        .default('actor')
        .describe('Whose the note is: of the person this run is for, or shared by all who run the agent.'),
    }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    run: async (input, { signal }) => {
      const { count, limit } = await peer.request('addNote', input, signal);
      return textResult(`Noted. The memory has ${count} of ${limit} notes.`);
    },
  });
}
