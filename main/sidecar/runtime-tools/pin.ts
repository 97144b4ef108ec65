import { z } from 'zod';
import {
  CHECKPOINT_KEY,
  isTooDeep,
  MAX_PIN_DEPTH,
  memoryScopeSchema,
  pinKeySchema,
} from '#shared/memory/memory.ts';
import type { MainLink } from '../stdio.ts';
import { errorResult, textResult, type SidecarTool } from '../tool-registry.ts';
import { defineRuntimeTool } from './runtime-tool.ts';

/** Sets a slot that is in the prompt of every later run. Main keeps it. */
export function createPinTool(peer: MainLink): SidecarTool {
  return defineRuntimeTool({
    name: 'pin',
    description:
      'Set a named slot whose content every later run of this agent has in its prompt. ' +
      `The slot "${CHECKPOINT_KEY}" is for where this run stopped, so that the next one goes on from there. ` +
      'Setting a slot again replaces its content.',
    input: z.strictObject({
      key: pinKeySchema.describe('Name of the slot.'),
      content: z.unknown().describe('Any JSON value, short: it is read in full at each run.'),
      scope: memoryScopeSchema
        .default('actor')
        .describe('Whose the slot is: of the person this run is for, or shared by all who run the agent.'),
    }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
    run: async ({ key, content, scope }, { signal }) => {
      if (content === undefined) return errorResult('Nothing was pinned: the argument "content" is missing.');
      // Here already: what is nested without end cannot be written as JSON for main to refuse it.
      if (isTooDeep(content)) {
        return errorResult(
          `"${key}" was left as it was: its content has lists or objects more than ${MAX_PIN_DEPTH} deep. Keep a flatter value, or a text.`,
        );
      }
      await peer.request('setPin', { key, content, scope }, signal);
      return textResult(`Pinned "${key}"`);
    },
  });
}
