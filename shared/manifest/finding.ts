import { z } from 'zod';

/** An edit that would mend a finding, as JSON values at JSON pointers; `undefined` value removes. */
export const fixSchema = z.object({
  title: z.string(),
  edits: z.array(
    z.object({ pointer: z.string(), value: z.unknown().optional(), remove: z.boolean().optional() }),
  ),
});
export type Fix = z.infer<typeof fixSchema>;

/** One thing the validator has to say about a package. */
export const findingSchema = z.object({
  code: z.string(),
  severity: z.enum(['error', 'warning', 'information']),
  /** Whether it forbids only publishing; a draft with it may be saved and run. */
  blocks: z.enum(['use', 'publish', 'nothing']),
  /** File of the package, usually `manifest.json`. */
  file: z.string(),
  /** JSON pointer into that file (RFC 6901); empty for the whole document. */
  pointer: z.string(),
  /** 1-based. */
  line: z.number().int().positive(),
  column: z.number().int().positive(),
  message: z.string(),
  fix: fixSchema.optional(),
});
export type Finding = z.infer<typeof findingSchema>;
