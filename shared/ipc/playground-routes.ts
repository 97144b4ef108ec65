import { z } from 'zod';
import { problemSchema } from '../problem.ts';
import { outboundCallSchema } from '../protocol/integrations.ts';
import { callFailureCodeSchema } from '../tools/call-failure.ts';

const nothing = z.object({});
const integrationId = z.string().min(1).max(300);
const connectionId = z.string().min(1).max(100);
const callId = z.string().min(1).max(100);
const path = z.string().min(1).max(1_000);

/** A tool as a model is told of it. */
export const playgroundToolSchema = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  /** JSON Schema of its arguments. */
  inputSchema: z.record(z.string(), z.unknown()),
});
export type PlaygroundTool = z.infer<typeof playgroundToolSchema>;

/** A file that calls may send, or that one has written. */
export const playgroundFileSchema = z.object({ path: z.string(), size: z.number().int().nonnegative() });
export type PlaygroundFile = z.infer<typeof playgroundFileSchema>;

/** A call by hand, in short. */
export const playgroundCallSchema = z.object({
  id: z.string(),
  integrationId: z.string(),
  connectionId: z.string(),
  /** Label of the connection when the call was made. */
  connection: z.string(),
  tool: z.string(),
  /** Beginning of what was called, such as its method and address. */
  summary: z.string(),
  state: z.enum(['running', 'done', 'failed', 'cancelled']),
  startedAt: z.number(),
  durationMs: z.number().nonnegative().optional(),
  /** What an upload says while it goes on. */
  progress: z.string().optional(),
  /** The service's status; 0 when the call was refused or failed on its way. */
  status: z.number().int().optional(),
  code: callFailureCodeSchema.optional(),
  /** Another number whenever {@link playgroundResultSchema} of this call is another. */
  revision: z.number().int().nonnegative(),
});
export type PlaygroundCall = z.infer<typeof playgroundCallSchema>;

/** A call in full: what a model would be given, and what stands behind it. */
export const playgroundResultSchema = z.object({
  call: playgroundCallSchema,
  arguments: z.record(z.string(), z.unknown()),
  /** Exactly the blocks that a model would read; empty while the call is under way. */
  content: z.array(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('text'), text: z.string() }),
      z.object({ type: z.literal('image'), data: z.string(), mimeType: z.string() }),
    ]),
  ),
  /** The result as MCP carries it, `_meta` included; absent when there was none. */
  result: z.record(z.string(), z.unknown()).optional(),
  /** Files that the call wrote. */
  files: z.array(playgroundFileSchema),
  /** Every request that left, or was refused before. Calls by hand are in no run's audit. */
  outbound: z.array(outboundCallSchema),
  /** Why there is no result. */
  problem: problemSchema.optional(),
});
export type PlaygroundResult = z.infer<typeof playgroundResultSchema>;

/** Calls by hand, the newest first; the topic `playground` sends the same. */
export const playgroundStateSchema = z.object({ calls: z.array(playgroundCallSchema) });
export type PlaygroundState = z.infer<typeof playgroundStateSchema>;

/** Requests to call an integration's tools by hand. No answer holds a credential. */
export const playgroundRoutes = {
  /** The tools that a run with this connection would have, and the files there are for them. */
  'playground.describe': {
    input: z.object({ integrationId, connectionId }),
    output: z.object({ tools: z.array(playgroundToolSchema), files: z.array(playgroundFileSchema) }),
  },
  /** Begins a call; how it goes on is told by the topic. */
  'playground.call': {
    input: z.object({
      integrationId,
      connectionId,
      tool: z.string().min(1).max(200),
      arguments: z.record(z.string(), z.unknown()),
    }),
    output: z.object({ callId: z.string() }),
  },
  'playground.cancel': { input: z.object({ callId }), output: nothing },
  'playground.result': { input: z.object({ callId }), output: playgroundResultSchema },
  /** Forgets the calls of an integration, its cookies, its budget and its files. */
  'playground.clear': { input: z.object({ integrationId }), output: nothing },
  /** Puts a file that was registered with the shell where calls find it. */
  'playground.addFile': {
    input: z.object({ integrationId, handle: z.string() }),
    output: playgroundFileSchema,
  },
  /** The beginning of a file as text. */
  'playground.readText': {
    input: z.object({ integrationId, path, limit: z.number().int().positive().max(2_000_000) }),
    output: z.object({ text: z.string(), size: z.number(), truncated: z.boolean(), binary: z.boolean() }),
  },
} as const;
