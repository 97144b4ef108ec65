import { z } from 'zod';
import { sandboxEventSchema, toolSourceSchema } from '../events/run-event.ts';
import { modelApiSchema, modelClientOptionsSchema } from '../models/model.ts';

/**
 * JSON-RPC between main and the sandbox program, over the container's attached standard streams with
 * Content-Length framing. What comes from the sandbox is untrusted: the agent's own processes share its user.
 */

/** Version of this contract; the two ends refuse each other when theirs differ. */
export const SANDBOX_PROTOCOL = 1;

/** First message of the sandbox program, once Pi is loaded and it can be configured. */
export const sandboxReadySchema = z.object({
  protocol: z.literal(SANDBOX_PROTOCOL),
  nodeVersion: z.string(),
  piVersion: z.string(),
  /** Milliseconds from the start of the process. */
  bootMs: z.number().nonnegative(),
});
export type SandboxReady = z.infer<typeof sandboxReadySchema>;

export const sandboxConfigurationSchema = z.object({
  runId: z.string(),
  /** Absolute path of the workspace as the sandbox sees it. */
  workspace: z.string(),
  systemPrompt: z.string(),
  model: z.object({
    api: modelApiSchema,
    id: z.string(),
    name: z.string(),
    contextWindow: z.number().int().positive(),
    maxTokens: z.number().int().positive(),
    reasoning: z.boolean(),
    images: z.boolean(),
    clientOptions: modelClientOptionsSchema.optional(),
  }),
  /** How hard a reasoning model thinks; Pi lowers it to what the model can. Its own default when absent. */
  thinkingLevel: z.enum(['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).optional(),
  sidecar: z.object({
    /** Unix socket of the sidecar as the sandbox sees it. */
    socketPath: z.string(),
    /** Bearer token of this run, for MCP and for the model endpoint. */
    token: z.string(),
  }),
  /** Sandbox tools offered to the model, of read, write, edit, bash, grep, find and ls. */
  sandboxTools: z.array(z.string()),
  /** Folders of skills in the workspace. */
  skills: z.array(z.string()),
  /** Bytes of a tool's result that an event may carry. */
  shownResultBytes: z.number().int().positive(),
});
export type SandboxConfiguration = z.infer<typeof sandboxConfigurationSchema>;

export const offeredToolSchema = z.object({
  name: z.string(),
  source: toolSourceSchema,
  estimatedTokens: z.number().int().nonnegative(),
});

/** A tool as the model is offered it. */
export type OfferedTool = z.infer<typeof offeredToolSchema>;

export const promptOutcomeSchema = z.object({
  /** Why the loop ended, as Pi's last assistant message has it. */
  stopReason: z.string(),
  aborted: z.boolean(),
  errorMessage: z.string().optional(),
  /** Assistant turns of the whole run so far. */
  turns: z.number().int().nonnegative(),
});
export type PromptOutcome = z.infer<typeof promptOutcomeSchema>;

/** Requests main makes of the sandbox program. */
export const sandboxRequests = {
  configure: { input: sandboxConfigurationSchema, output: z.object({ tools: z.array(offeredToolSchema) }) },
  /** Gives the model a message and answers when the loop has settled. `tools` narrows what is offered. */
  prompt: {
    input: z.object({ text: z.string(), tools: z.array(z.string()).optional() }),
    output: promptOutcomeSchema,
  },
  /** Adds a message to the loop in progress, read before the next model request. */
  steer: { input: z.object({ text: z.string() }), output: z.object({}) },
  /** Ends the tool and the model request in flight; answers when the loop is idle. */
  abort: { input: z.object({}), output: z.object({}) },
} as const;

/** Notifications of the sandbox program. `events` come batched, in order. */
export const sandboxNotifications = {
  ready: sandboxReadySchema,
  events: z.object({ events: z.array(sandboxEventSchema) }),
} as const;

/** The sandbox program's end of its channel. */
export const sandboxSide = { requests: sandboxRequests, notifications: sandboxNotifications } as const;
/** Main's end of that channel: besides asking, it tells a sandbox that no run needs yet to warm itself up. */
export const sandboxMainSide = { requests: {}, notifications: { rehearse: z.object({}) } } as const;
