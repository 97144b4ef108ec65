import { z } from 'zod';
import { modelReferenceSchema, usageSchema } from '../models/model.ts';
import { problemSchema } from '../problem.ts';

/** The states of a run. The last six are final: a run that reached one never leaves it. */
export const runStatusSchema = z.enum([
  'queued',
  'preparing',
  'running',
  'success',
  'failed',
  'cancelled',
  'timed_out',
  'interrupted',
]);
export type RunStatus = z.infer<typeof runStatusSchema>;

const FINAL_STATUSES: ReadonlySet<RunStatus> = new Set([
  'success',
  'failed',
  'cancelled',
  'timed_out',
  'interrupted',
]);

/** Whether a run in this state has ended. */
export function isFinalStatus(status: RunStatus): boolean {
  return FINAL_STATUSES.has(status);
}

/** Named steps of `preparing`, in the order a run passes them. */
export const runPhaseSchema = z.enum(['engine', 'image', 'containers', 'workspace', 'agent']);
export type RunPhase = z.infer<typeof runPhaseSchema>;

/** Seconds a run may take when its manifest says nothing (reference: sidecar, section 7.8). */
export const DEFAULT_TIMEOUT_SECONDS = 300;
/** Seconds no run may exceed, whatever its manifest says. */
export const MAX_TIMEOUT_SECONDS = 1800;

/** Bytes of input files one run takes, all together (reference: sidecar, section 8.2). */
export const MAX_INPUT_BYTES = 256 * 1024 * 1024;
/** Bytes of one kept output file. */
export const MAX_OUTPUT_FILE_BYTES = 100 * 1024 * 1024;
/** Bytes of all kept output files of a run. */
export const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
/** Files under `outputs/` that are kept. */
export const MAX_OUTPUT_FILES = 200;

/** A run's place in the list, which has the newest first and those of one moment by their ids. */
export const runPositionSchema = z.object({ createdAt: z.number(), id: z.string() });
export type RunPosition = z.infer<typeof runPositionSchema>;

/** Whether a replay's model answers as it did, or is asked anew. */
export const replayModeSchema = z.enum(['recorded', 'live']);
export type ReplayMode = z.infer<typeof replayModeSchema>;

export const runSummarySchema = z.object({
  id: z.string(),
  agentId: z.string(),
  agentVersion: z.string(),
  agentName: z.string(),
  status: runStatusSchema,
  phase: runPhaseSchema.optional(),
  model: modelReferenceSchema,
  modelName: z.string(),
  engine: z.enum(['docker', 'process']).optional(),
  trigger: z.enum(['app', 'cli']),
  /** The run whose recording answers this one; absent for one that asks the world. */
  replayOf: z.object({ runId: z.string(), mode: replayModeSchema }).optional(),
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
  /** When the agent loop began; the time limit counts from here. */
  startedAt: z.number().optional(),
  endedAt: z.number().optional(),
  timeoutSeconds: z.number(),
  usage: usageSchema,
  problem: problemSchema.optional(),
  hasOutput: z.boolean(),
  fileCount: z.number().int().nonnegative(),
  /** Requests to services that the audit has; absent for none. */
  callCount: z.number().int().positive().optional(),
  /** Sequence number of the newest event of the run. */
  lastSequence: z.number().int().nonnegative(),
});
export type RunSummary = z.infer<typeof runSummarySchema>;

/** A file a run was given. */
export const runInputFileSchema = z.object({
  /** Input field it belongs to; absent for files given beside the form. */
  field: z.string().optional(),
  /** Name in the workspace, under `documents/`. */
  name: z.string(),
  /** Name as the person had it. */
  originalName: z.string(),
  size: z.number().int().nonnegative(),
  /** Whether a copy is kept with the run; said where a run is asked for. */
  kept: z.boolean().optional(),
});
export type RunInputFile = z.infer<typeof runInputFileSchema>;

/** A file the run left under `outputs/`. */
export const runOutputFileSchema = z.object({
  /** Path relative to `outputs/`, with forward slashes. */
  path: z.string(),
  size: z.number().int().nonnegative(),
  mediaType: z.string(),
  modifiedAt: z.number(),
  /** Whether its bytes are kept with the run, so that it can be opened. */
  kept: z.boolean(),
});
export type RunOutputFile = z.infer<typeof runOutputFileSchema>;

/**
 * Folders of a run whose files are kept: what the agent delivered, results too large for the conversation,
 * and what it was given.
 */
export const keptFolderSchema = z.enum(['outputs', 'resources', 'documents']);
export type KeptFolder = z.infer<typeof keptFolderSchema>;

export const runDetailSchema = z.object({
  summary: runSummarySchema,
  input: z.record(z.string(), z.unknown()),
  inputFiles: z.array(runInputFileSchema),
  /** JSON Schema the output is held against, as the manifest had it. */
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  /** The manifest and prompt as they were when the run began. */
  manifestText: z.string(),
  promptText: z.string(),
  outputFiles: z.array(runOutputFileSchema),
  output: z.unknown().optional(),
  /** Whether what it heard is kept with it, so that it can be replayed; said where a run is asked for. */
  isRecorded: z.boolean().optional(),
});
export type RunDetail = z.infer<typeof runDetailSchema>;
