import { z } from 'zod';
import { logLevelSchema, type SidecarEvent } from '#shared/events/run-event.ts';
import { cutText } from '#shared/text/cut-text.ts';
import { textResult, type SidecarTool } from '../tool-registry.ts';
import { defineRuntimeTool } from './runtime-tool.ts';

/** Bytes of a message that are kept (reference: sidecar, section 9.3). */
const MAX_MESSAGE_BYTES = 32 * 1024;

/** Tells the person who started the run something while it goes on. */
export function createLogTool(emit: (event: SidecarEvent) => Promise<void>): SidecarTool {
  return defineRuntimeTool({
    name: 'log',
    description:
      'Show the user a message while you work: what you are doing, a number you found, a problem. ' +
      'Short and self-contained; the user sees these messages and not your plain text.',
    input: z.strictObject({
      level: logLevelSchema.describe('How serious the message is.'),
      message: z.string().min(1).describe('The message, plain text or Markdown.'),
    }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
    run: async ({ level, message }) => {
      const shown = cutText(message, MAX_MESSAGE_BYTES);
      await emit({ type: 'log.written', level, message: shown.text });
      return textResult(
        shown.isCut ? 'Logged, cut to its first 32 KiB. Put long texts into a file.' : 'Logged',
      );
    },
  });
}
