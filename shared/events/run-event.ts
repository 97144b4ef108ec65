import { z } from 'zod';
import { memoryScopeSchema, noteSchema, pinSchema } from '../memory/memory.ts';
import { usageSchema } from '../models/model.ts';
import { problemSchema } from '../problem.ts';
import { runInputFileSchema, runPhaseSchema, runStatusSchema } from '../runs/run.ts';

/** Where a tool comes from, as the run view groups them. */
export const toolSourceSchema = z.enum(['sandbox', 'runtime', 'integration', 'other']);
export type ToolSource = z.infer<typeof toolSourceSchema>;

export const logLevelSchema = z.enum(['info', 'warn', 'error']);

/** One block of a tool's result as it is shown. Texts are cut; `ToolEnded.bytes` has the true size. */
export const shownContentSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), mediaType: z.string(), bytes: z.number().int().nonnegative() }),
  z.object({ type: z.literal('resource'), uri: z.string(), title: z.string().optional() }),
]);
export type ShownContent = z.infer<typeof shownContentSchema>;

const turn = z.number().int().positive();

/** The newest of what a tool says while it runs; it takes the place of what was said before. */
const toolProgressSchema = z.object({
  type: z.literal('tool.progress'),
  callId: z.string(),
  text: z.string(),
});

/** Events that the sandbox program reports. They come from where the agent's own code runs: display only. */
export const sandboxEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('turn.started'), turn }),
  z.object({
    type: z.literal('message.delta'),
    turn,
    channel: z.enum(['text', 'thinking']),
    text: z.string(),
  }),
  z.object({
    type: z.literal('message.ended'),
    turn,
    text: z.string(),
    thinking: z.string().optional(),
    stopReason: z.string(),
    errorMessage: z.string().optional(),
  }),
  z.object({
    type: z.literal('tool.started'),
    turn,
    callId: z.string(),
    tool: z.string(),
    source: toolSourceSchema,
    arguments: z.unknown(),
  }),
  toolProgressSchema,
  z.object({
    type: z.literal('tool.ended'),
    callId: z.string(),
    tool: z.string(),
    isError: z.boolean(),
    content: z.array(shownContentSchema),
    /** Whether `content` was cut for display; the model saw more. */
    truncated: z.boolean(),
    /** Bytes of the whole result as the model saw it. */
    bytes: z.number().int().nonnegative(),
    estimatedTokens: z.number().int().nonnegative(),
    durationMs: z.number().nonnegative(),
  }),
  z.object({
    type: z.literal('turn.ended'),
    turn,
    contextTokens: z.number().int().nonnegative(),
    contextWindow: z.number().int().positive(),
    inputTokens: z.number().int().nonnegative(),
    outputTokens: z.number().int().nonnegative(),
    cacheReadTokens: z.number().int().nonnegative(),
    cacheWriteTokens: z.number().int().nonnegative(),
    durationMs: z.number().nonnegative(),
  }),
  z.object({
    type: z.literal('context.compacted'),
    reason: z.string(),
    tokensBefore: z.number().int().nonnegative(),
    tokensAfter: z.number().int().nonnegative().optional(),
  }),
  z.object({
    type: z.literal('model.retried'),
    attempt: z.number().int(),
    delayMs: z.number().nonnegative(),
    detail: z.string(),
  }),
  z.object({
    type: z.literal('file.written'),
    /** Relative to `outputs/`, with forward slashes. */
    path: z.string(),
    size: z.number().int().nonnegative(),
    modifiedAt: z.number(),
  }),
  z.object({ type: z.literal('file.removed'), path: z.string() }),
  /** A tool's result that was too large for the conversation, or no text, went to a file of the workspace. */
  z.object({
    type: z.literal('resource.spilled'),
    callId: z.string(),
    uri: z.string(),
    path: z.string(),
    size: z.number().int().nonnegative(),
    mediaType: z.string().optional(),
  }),
  /** There are more files under `outputs/` than are reported one by one; the latest count stands. */
  z.object({
    type: z.literal('files.omitted'),
    count: z.number().int().nonnegative(),
    /** The count stopped there, so there may be still more. */
    atLeast: z.boolean(),
  }),
]);
export type SandboxEvent = z.infer<typeof sandboxEventSchema>;

/** Events that the sidecar reports: what reached it over MCP, so what the agent really delivered. */
export const sidecarEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('log.written'), level: logLevelSchema, message: z.string() }),
  z.object({ type: z.literal('output.emitted'), data: z.unknown() }),
  /** Of a tool of an MCP server. */
  toolProgressSchema,
]);
export type SidecarEvent = z.infer<typeof sidecarEventSchema>;

/** Events that main makes itself. */
export const mainEventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('run.queued'),
    agentId: z.string(),
    agentVersion: z.string(),
    agentName: z.string(),
    model: z.string(),
    inputFiles: z.array(runInputFileSchema),
  }),
  z.object({ type: z.literal('phase.started'), phase: runPhaseSchema, detail: z.string().optional() }),
  z.object({
    type: z.literal('phase.progress'),
    phase: runPhaseSchema,
    detail: z.string(),
    /** 0 to 1; absent when nothing is known of the length. */
    fraction: z.number().min(0).max(1).optional(),
  }),
  z.object({ type: z.literal('phase.ended'), phase: runPhaseSchema, durationMs: z.number().nonnegative() }),
  z.object({
    type: z.literal('run.started'),
    timeoutSeconds: z.number(),
    tools: z.array(
      z.object({
        name: z.string(),
        source: toolSourceSchema,
        estimatedTokens: z.number().int().nonnegative(),
      }),
    ),
  }),
  z.object({ type: z.literal('usage.updated'), usage: usageSchema }),
  z.object({
    type: z.literal('file.kept'),
    path: z.string(),
    size: z.number().int().nonnegative(),
    mediaType: z.string(),
    sha256: z.string(),
  }),
  z.object({ type: z.literal('file.skipped'), path: z.string(), problem: problemSchema }),
  z.object({
    type: z.literal('resource.kept'),
    path: z.string(),
    size: z.number().int().nonnegative(),
  }),
  z.object({ type: z.literal('resource.skipped'), path: z.string(), problem: problemSchema }),
  /** Slots that the run found in its prompt. */
  z.object({
    type: z.literal('memory.prompted'),
    pins: z.array(pinSchema.pick({ key: true, content: true, scope: true })),
    noteCount: z.number().int().nonnegative(),
  }),
  z.object({
    type: z.literal('memory.added'),
    noteId: z.string(),
    content: z.string(),
    scope: memoryScopeSchema,
  }),
  z.object({
    type: z.literal('pinned.set'),
    key: z.string(),
    content: z.unknown(),
    scope: memoryScopeSchema,
  }),
  /** Notes that the run searched for and was given. */
  z.object({
    type: z.literal('memory.recalled'),
    query: z.string().optional(),
    notes: z.array(noteSchema.pick({ id: true, content: true })),
  }),
  /** A file that the agent delivered by name; it is kept under `path`. */
  z.object({ type: z.literal('file.published'), path: z.string(), isPrimary: z.boolean() }),
  z.object({
    type: z.literal('run.nudged'),
    reason: z.enum(['deadline', 'output']),
    detail: z.string(),
  }),
  z.object({ type: z.literal('run.warned'), problem: problemSchema }),
  z.object({
    type: z.literal('run.ended'),
    status: runStatusSchema,
    problem: problemSchema.optional(),
    usage: usageSchema,
    durationMs: z.number().nonnegative(),
  }),
]);
export type MainEvent = z.infer<typeof mainEventSchema>;

export const runEventDataSchema = z.union([mainEventSchema, sidecarEventSchema, sandboxEventSchema]);
export type RunEventData = z.infer<typeof runEventDataSchema>;

/** One entry of a run's append-only record. */
export const runEventSchema = z.object({
  /** 1, 2, 3 … without a gap within a run. */
  sequence: z.number().int().positive(),
  /** Milliseconds since the epoch, as main's clock had it. */
  at: z.number(),
  data: runEventDataSchema,
});
export type RunEvent = z.infer<typeof runEventSchema>;
