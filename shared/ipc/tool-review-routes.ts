import { z } from 'zod';
import { serverToolSchema } from '../protocol/integrations.ts';

/** A tool of an MCP server that has changed since it was accepted, or was not there then. */
export const toolChangeSchema = z.object({
  /** Names the change, to accept it. */
  fingerprint: z.string(),
  /** Address of the server, or how else it is told from others. */
  server: z.string(),
  tool: z.string(),
  /** What was accepted last; absent for a tool that is new. */
  before: serverToolSchema.optional(),
  after: serverToolSchema,
  /** Milliseconds since the epoch. */
  seenAt: z.number(),
});
export type ToolChange = z.infer<typeof toolChangeSchema>;

const integrationId = z.string().min(1).max(300);

/** Requests about what MCP servers say of their tools; until a change is accepted, no model is told of it. */
export const toolReviewRoutes = {
  /** What the servers of integrations said of their tools, as it was accepted; nothing of those never asked. */
  'toolReviews.accepted': {
    input: z.object({ integrationIds: z.array(integrationId).max(1_000) }),
    output: z.object({ tools: z.record(z.string(), z.array(serverToolSchema)) }),
  },
  'toolReviews.list': {
    input: z.object({ integrationId }),
    output: z.object({ changes: z.array(toolChangeSchema) }),
  },
  /** Accepts changes that are still what they were when they were shown; answers what is left. */
  'toolReviews.accept': {
    input: z.object({ integrationId, fingerprints: z.array(z.string().max(100)).max(1_000) }),
    output: z.object({ changes: z.array(toolChangeSchema) }),
  },
} as const;
