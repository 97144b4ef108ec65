import { z } from 'zod';
import { sidecarEventSchema } from '../events/run-event.ts';
import { memoryScopeSchema, pinKeySchema } from '../memory/memory.ts';
import { problemSchema } from '../problem.ts';
import {
  recordedAnswerSchema,
  recordedCallNameSchema,
  recordedToolCallSchema,
  recordedToolSchema,
  sidecarReplaySchema,
} from './cassette.ts';
import {
  credentialsRequest,
  outboundCallSchema,
  reviewToolsRequest,
  runIntegrationSchema,
  sidecarLimitsSchema,
  sidecarNetworkSchema,
} from './integrations.ts';
import {
  closeServerSchema,
  openServerRequest,
  serverEndedSchema,
  serverMessageSchema,
} from './local-servers.ts';

/** JSON-RPC between main and the sidecar program, over the container's attached standard streams. */

/** Version of this contract; the two ends refuse each other when theirs differ. */
export const SIDECAR_PROTOCOL = 1;

export const sidecarReadySchema = z.object({
  protocol: z.literal(SIDECAR_PROTOCOL),
  nodeVersion: z.string(),
  bootMs: z.number().nonnegative(),
});
export type SidecarReady = z.infer<typeof sidecarReadySchema>;

/** Ids an author may write in `runtime_tools` and that this build serves. */
export const runtimeToolSchema = z.enum(['output', 'log', 'note', 'pin', 'publish_file']);
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
  /** In the manifest's order; absent when the agent has none, and then nothing of them is loaded. */
  integrations: z.array(runIntegrationSchema).optional(),
  /** Where the proxy of local servers listens, as the sidecar sees it; they have no way out when absent. */
  egressSocketPath: z.string().optional(),
  /** The defaults when absent. */
  limits: sidecarLimitsSchema.optional(),
  /** A direct way out when absent. */
  network: sidecarNetworkSchema.optional(),
  /** Tokens the model takes and may write, by which large results are kept out of its context. */
  model: z
    .object({
      contextWindow: z.number().int().positive(),
      maxTokens: z.number().int().positive(),
      /** Whether it can see images; results with some become files when not. */
      images: z.boolean().optional(),
    })
    .optional(),
  /** Takes the place of integrations: their calls are answered by main, from a recording. */
  replay: sidecarReplaySchema.optional(),
});
export type SidecarConfiguration = z.infer<typeof sidecarConfigurationSchema>;

/** Requests main makes of the sidecar. */
export const sidecarRequests = {
  configure: {
    input: sidecarConfigurationSchema,
    output: z.object({
      tools: z.array(z.string()),
      /** The tools of services whole, so that a replay can offer them. */
      services: z.array(recordedToolSchema),
    }),
  },
  /** Answered after everything that was told before it, so that main has then heard all of it. */
  settle: { input: z.object({}), output: z.object({}) },
} as const;

/**
 * A request of the sandbox to the run's model crosses as frames of one stream, all of them notifications,
 * so that their order is the channel's: `modelOpen`, `modelBody` … up, `modelHead`, `modelChunk` …,
 * `modelEnd` or `modelFailure` down. Each direction of bytes is held back by credit that the receiver
 * grants. `modelCancel` ends a stream at any time; frames of a stream that has ended are ignored.
 */
const streamId = z.number().int().nonnegative();

/** Bytes that may be under way in one direction of a stream before the receiver grants more. */
export const MODEL_STREAM_CREDIT = 1024 * 1024;
/** Bytes of a body in one frame, before base64. */
export const MODEL_FRAME_BYTES = 64 * 1024;
/** Bytes of a request body the model endpoint takes. */
export const MAX_MODEL_REQUEST_BYTES = 32 * 1024 * 1024;

/** Requests the sidecar makes of main. */
export const mainRequests = {
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
  addNote: {
    input: z.object({ content: z.string(), scope: memoryScopeSchema }),
    /** Notes there are now in the scope, and how many there may be. */
    output: z.object({ count: z.number().int(), limit: z.number().int() }),
  },
  setPin: {
    input: z.object({ key: pinKeySchema, content: z.unknown(), scope: memoryScopeSchema }),
    output: z.object({}),
  },
  /** Delivers a file of the workspace at once. */
  publishFile: {
    input: z.object({
      /** Relative to the workspace. */
      path: z.string(),
      name: z.string().optional(),
      presentation: z.enum(['primary']).optional(),
    }),
    /** Where it was put among the run's outputs. */
    output: z.object({ path: z.string(), size: z.number().int().nonnegative() }),
  },
  credentials: credentialsRequest,
  openServer: openServerRequest,
  reviewTools: reviewToolsRequest,
  /** What a call was answered when it was recorded. Main ends the run where nothing was. */
  recordedCall: { input: recordedCallNameSchema, output: recordedAnswerSchema },
} as const;

/** Notifications of the sidecar. */
export const sidecarNotifications = {
  ready: sidecarReadySchema,
  event: z.object({ event: sidecarEventSchema }),
  /** Something that the run goes on without, for the author to know. */
  warning: z.object({ problem: problemSchema }),
  /** For the audit: every hop of every call. */
  outboundCall: z.object({ call: outboundCallSchema }),
  /** For the cassette: every answer of a service's tool. */
  toolRecorded: z.object({ call: recordedToolCallSchema }),
  modelOpen: z.object({
    streamId,
    method: z.string(),
    /** What follows `/model`, with its query. */
    path: z.string(),
    /** Lower-case names, without the run's token. */
    headers: z.record(z.string(), z.string()),
  }),
  /** Base64 bytes of the request's body; a request without one sends a single empty last frame. */
  modelBody: z.object({ streamId, data: z.string(), last: z.boolean() }),
  /** Allows main to send so many more bytes of the response. */
  modelCredit: z.object({ streamId, bytes: z.number().int().positive() }),
  /** The sandbox went away or gave up; main aborts the provider's request. */
  modelCancel: z.object({ streamId }),
  serverMessage: serverMessageSchema,
  closeServer: closeServerSchema,
} as const;

/** Notifications of main to the sidecar. */
export const mainNotifications = {
  /** No run needs this sidecar yet: it may warm itself up. */
  rehearse: z.object({}),
  /** A connection has changed or is gone: what is held of its credential is forgotten. */
  credentialsChanged: z.object({ connectionId: z.string() }),
  /** Allows the sidecar to send so many more bytes of the request. */
  modelBodyCredit: z.object({ streamId, bytes: z.number().int().positive() }),
  modelHead: z.object({
    streamId,
    status: z.number().int().min(200).max(599),
    /** Lower-case names; main lets only harmless ones through. */
    headers: z.record(z.string(), z.string()),
  }),
  /** Base64 bytes of the response's body. */
  modelChunk: z.object({ streamId, data: z.string() }),
  modelEnd: z.object({ streamId }),
  /** Before the head the sidecar answers with an error status, after it it cuts the response. */
  modelFailure: z.object({ streamId, problem: problemSchema }),
  serverMessage: serverMessageSchema,
  serverEnded: serverEndedSchema,
} as const;

/** The sidecar's end of its channel. */
export const sidecarSide = { requests: sidecarRequests, notifications: sidecarNotifications } as const;
/** Main's end of that channel. */
export const sidecarMainSide = { requests: mainRequests, notifications: mainNotifications } as const;
