import { z } from 'zod';
import { problemSchema } from '../problem.ts';

export const engineKindSchema = z.enum(['docker', 'process']);
export type EngineKind = z.infer<typeof engineKindSchema>;

/** One place where an engine was looked for, and what it answered. */
export const endpointAttemptSchema = z.object({
  /** Why it was tried, for example "DOCKER_HOST" or "Docker Desktop's socket". */
  origin: z.string(),
  /** Socket path, pipe or URL, without credentials. */
  address: z.string(),
  outcome: z.enum(['answered', 'absent', 'refused', 'timed_out', 'unusable', 'not_tried']),
  detail: z.string(),
});
export type EndpointAttempt = z.infer<typeof endpointAttemptSchema>;

/** One probe run inside a sandbox container, and whether it showed what it must. */
export const isolationCheckSchema = z.object({
  id: z.string(),
  title: z.string(),
  passed: z.boolean(),
  detail: z.string(),
});
export type IsolationCheck = z.infer<typeof isolationCheckSchema>;

export const imageStatusSchema = z.object({
  state: z.enum(['unknown', 'absent', 'building', 'ready', 'failed']),
  tag: z.string().optional(),
  /** Named step of a build, such as "Installing Debian packages". */
  step: z.string().optional(),
  fraction: z.number().min(0).max(1).optional(),
  /** The newest lines of the build. */
  lines: z.array(z.string()),
  problem: problemSchema.optional(),
});
export type ImageStatus = z.infer<typeof imageStatusSchema>;

/** All the app knows of where runs would happen. */
export const engineReportSchema = z.object({
  state: z.enum(['looking', 'ready', 'missing', 'needs_consent']),
  preference: z.enum(['automatic', 'docker', 'process']),
  selected: z
    .object({
      kind: engineKindSchema,
      name: z.string(),
      version: z.string(),
      address: z.string(),
      reason: z.string(),
      isolates: z.boolean(),
    })
    .optional(),
  attempts: z.array(endpointAttemptSchema),
  isolation: z.array(isolationCheckSchema),
  /** Whether the process engine could serve, and with which wrapper. */
  process: z.object({ available: z.boolean(), bubblewrap: z.boolean(), consented: z.boolean() }),
  image: imageStatusSchema,
  problem: problemSchema.optional(),
});
export type EngineReport = z.infer<typeof engineReportSchema>;
