import { z } from 'zod';
import { sidecarEventSchema } from '../events/run-event.ts';
import { problemSchema } from '../problem.ts';

/** JSON-RPC between main and the sidecar program, over the container's attached standard streams. */

export const sidecarReadySchema = z.object({
  protocol: z.literal(1),
  nodeVersion: z.string(),
  bootMs: z.number().nonnegative(),
});
export type SidecarReady = z.infer<typeof sidecarReadySchema>;

/** Ids an author may write in `runtime_tools` and that this build serves. */
export const runtimeToolSchema = z.enum(['output', 'log']);
export type RuntimeTool = z.infer<typeof runtimeToolSchema>;

export const sidecarConfigurationSchema = z.object({
  runId: z.string(),
  /** Bearer token every request on the socket must carry. */
  token: z.string(),
  /** Where to listen, as the sidecar sees it. */
  socketPath: z.string(),
  runtimeTools: z.array(runtimeToolSchema),
  /** Schema of `output`'s `data`; the tool takes any object when absent. */
  outputSchema: z.record(z.string(), z.unknown()).optional(),
});
export type SidecarConfiguration = z.infer<typeof sidecarConfigurationSchema>;

/** Requests main makes of the sidecar. */
export const sidecarRequests = {
  configure: { input: sidecarConfigurationSchema, output: z.object({ tools: z.array(z.string()) }) },
} as const;

/** Bytes of a response that may be under way to the sidecar before it grants more. */
export const MODEL_STREAM_INITIAL_CREDIT = 1024 * 1024;

export const modelStreamHeadSchema = z.object({
  status: z.number().int(),
  /** Lower-case names; main lets only harmless ones through. */
  headers: z.record(z.string(), z.string()),
});

/** Requests the sidecar makes of main. */
export const mainRequests = {
  /**
   * Opens a request to the run's model. `path` is what follows `/model`, with its query. Main answers
   * with the head; the body follows in `modelChunk` notifications, then `modelEnd` or `modelFailure`.
   */
  openModelStream: {
    input: z.object({
      streamId: z.number().int(),
      method: z.string(),
      path: z.string(),
      headers: z.record(z.string(), z.string()),
      /** Base64. */
      body: z.string(),
    }),
    output: modelStreamHeadSchema,
  },
  runHistory: {
    input: z.object({
      limit: z.number().int().min(1).max(50),
      fields: z.array(z.enum(['checkpoint', 'result'])),
    }),
    output: z.object({
      object: z.literal('list'),
      data: z.array(z.record(z.string(), z.unknown())),
      hasMore: z.boolean(),
    }),
  },
  recallMemory: {
    input: z.object({ q: z.string().max(2000).optional(), limit: z.number().int().min(1).max(50) }),
    output: z.object({ memories: z.array(z.record(z.string(), z.unknown())) }),
  },
} as const;

/** Notifications of the sidecar. */
export const sidecarNotifications = {
  ready: sidecarReadySchema,
  event: z.object({ event: sidecarEventSchema }),
  /** Allows main to send so many more bytes of a stream. */
  modelCredit: z.object({ streamId: z.number().int(), bytes: z.number().int().positive() }),
  /** The sandbox went away or gave up; main aborts the provider's request. */
  modelCancel: z.object({ streamId: z.number().int() }),
} as const;

/** Notifications of main to the sidecar. */
export const mainNotifications = {
  /** Base64 bytes of a response body. */
  modelChunk: z.object({ streamId: z.number().int(), data: z.string() }),
  modelEnd: z.object({ streamId: z.number().int() }),
  modelFailure: z.object({ streamId: z.number().int(), problem: problemSchema }),
} as const;
