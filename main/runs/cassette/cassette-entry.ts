import { z } from 'zod';
import { runEventDataSchema } from '#shared/events/run-event.ts';
import { modelDescriptionSchema } from '#shared/models/model.ts';
import { problemSchema } from '#shared/problem.ts';
import { recordedToolCallSchema, recordedToolSchema } from '#shared/protocol/cassette.ts';
import { runtimeToolSchema } from '#shared/protocol/sidecar.ts';
import { MEMORY_METHODS } from '../run-memory.ts';

/** Version of this format; a cassette of another one is refused by name. */
export const CASSETTE_VERSION = 1;

/** What the run's programs were told, and the tools of services that they found. */
const headSchema = z.object({
  kind: z.literal('head'),
  version: z.literal(CASSETTE_VERSION),
  model: modelDescriptionSchema,
  systemPrompt: z.string(),
  runtimeTools: z.array(runtimeToolSchema),
  timeoutSeconds: z.number().positive(),
  skills: z.array(z.string()),
  services: z.array(recordedToolSchema),
  /** Names of the services, and where their notes are. */
  serviceNames: z.array(z.string()),
  serviceNotes: z.array(z.object({ service: z.string(), path: z.string() })),
  /** What the prompt had of earlier runs. */
  memory: z.object({
    checkpoint: z.unknown().optional(),
    pins: z.array(z.object({ key: z.string(), content: z.unknown() })),
    noteCount: z.number().int().nonnegative(),
  }),
  /** The same, as the run's record has it. */
  prompted: runEventDataSchema.optional(),
});
export type CassetteHead = z.infer<typeof headSchema>;

/** A file of the agent's packages that the workspace had from the start. */
const fileSchema = z.object({
  kind: z.literal('file'),
  path: z.string(),
  isExecutable: z.boolean(),
  /** Its bytes in base64. */
  data: z.string(),
});

/** A request to the model and its answer; those of one run overlap little, but may. */
const modelSchema = z.object({
  kind: z.literal('model'),
  /** 0, 1, 2 … in the order in which they were sent. */
  index: z.number().int().nonnegative(),
  path: z.string(),
  /** The request's body, as what it has anew: the rest stands in the one before it. */
  request: z.object({
    prefix: z.number().int().nonnegative(),
    suffix: z.number().int().nonnegative(),
    /** Bytes between the two, in base64. */
    data: z.string(),
  }),
  answer: z.discriminatedUnion('kind', [
    z.object({
      kind: z.literal('response'),
      status: z.number().int(),
      headers: z.record(z.string(), z.string()),
      /** Its bytes in base64. */
      data: z.string(),
      /** The answer broke off, or the run was ended during it. */
      isCut: z.boolean(),
    }),
    z.object({ kind: z.literal('failure'), problem: problemSchema }),
  ]),
});

/** What main answered for a runtime tool, with the event that told of it. */
const answerSchema = z.object({
  kind: z.literal('answer'),
  method: z.enum(MEMORY_METHODS),
  /** What was asked, as canonical JSON. */
  key: z.string(),
  outcome: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('output'), output: z.record(z.string(), z.unknown()) }),
    z.object({ kind: z.literal('failure'), problem: problemSchema }),
  ]),
  event: runEventDataSchema.optional(),
});

/** The recording ends here for a reason of its own; a replay that comes this far says so. */
const stoppedSchema = z.object({ kind: z.literal('stopped'), problem: problemSchema });

/** One line of a cassette. */
export const cassetteEntrySchema = z.discriminatedUnion('kind', [
  headSchema,
  fileSchema,
  modelSchema,
  recordedToolCallSchema.extend({ kind: z.literal('call') }),
  answerSchema,
  stoppedSchema,
]);
export type CassetteEntry = z.infer<typeof cassetteEntrySchema>;
export type CassetteEntryOf<K extends CassetteEntry['kind']> = Extract<CassetteEntry, { kind: K }>;
