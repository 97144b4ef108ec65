import { z } from 'zod';

/** What the sidecar and main tell each other of calls that are recorded, and of recorded ones. */

/** Bytes of the stored results of one call that are recorded with it. */
export const MAX_RECORDED_RESOURCE_BYTES = 8 * 1024 * 1024;

/** A tool as it was offered; unknown members are kept. */
export const recordedToolSchema = z.looseObject({
  name: z.string(),
  inputSchema: z.looseObject({ type: z.literal('object') }),
});
export type RecordedTool = z.infer<typeof recordedToolSchema>;

/** A stored result that a call's own result links to. */
export const recordedResourceSchema = z.object({
  uri: z.string(),
  name: z.string(),
  mediaType: z.string(),
  isText: z.boolean(),
  /** Its bytes in base64. */
  data: z.string(),
});

/** What a call was answered with, whole. */
export const recordedAnswerSchema = z.object({
  result: z.looseObject({ content: z.array(z.looseObject({ type: z.string() })) }),
  resources: z.array(recordedResourceSchema),
});
export type RecordedAnswer = z.infer<typeof recordedAnswerSchema>;

/** A call of a service's tool, named by what was asked: `key` is a hash of the tool and all it was given. */
export const recordedCallNameSchema = z.object({ tool: z.string(), key: z.string() });

export const recordedToolCallSchema = recordedCallNameSchema.extend({
  answer: recordedAnswerSchema,
  /** Bytes of stored results that were too many to be recorded; the call cannot be replayed. */
  omittedBytes: z.number().int().positive().optional(),
});
export type RecordedToolCall = z.infer<typeof recordedToolCallSchema>;

/** A run's calls of services answered from a recording: the tools it had, and nothing behind them. */
export const sidecarReplaySchema = z.object({
  /** The recorded run, by which its stored results are addressed. */
  runId: z.string(),
  tools: z.array(recordedToolSchema),
});
export type SidecarReplay = z.infer<typeof sidecarReplaySchema>;
