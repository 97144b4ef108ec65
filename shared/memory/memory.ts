import { z } from 'zod';

/** Characters of one note (reference: sidecar, section 4.4). */
export const MAX_NOTE_CHARACTERS = 2000;
/** Notes an agent may keep in one scope (reference: afps, appendix). */
export const MAX_NOTES = 100;
/** Bytes of a slot's content as JSON. */
export const MAX_PIN_BYTES = 64 * 1024;
/** Slots an agent may have in one scope: each is in the prompt of every run. */
export const MAX_PINS = 50;
/** Bytes of all slots of a scope as JSON, so that together they leave a model room to work. */
export const MAX_PINS_BYTES = 256 * 1024;
/** Lists and objects in one another: deeper ones break whoever reads or writes them. */
export const MAX_PIN_DEPTH = 64;
/** The slot in which one run leaves the next where it stopped. */
export const CHECKPOINT_KEY = 'checkpoint';

/** Whose the memory is: the author's own, or everybody's who runs the agent. */
export const memoryScopeSchema = z.enum(['actor', 'shared']);
export type MemoryScope = z.infer<typeof memoryScopeSchema>;

export const pinKeySchema = z.string().regex(/^[a-z0-9_]{1,64}$/, {
  error: 'must be 1 to 64 characters of a to z, 0 to 9 and _',
});

/** Whether a slot's content is nested deeper than it may be. */
export function isTooDeep(content: unknown, depth = MAX_PIN_DEPTH): boolean {
  if (typeof content !== 'object' || content === null) return false;
  return depth === 0 || Object.values(content).some((value) => isTooDeep(value, depth - 1));
}

/** Something that a run, or the author, wrote down for later runs to search. */
export const noteSchema = z.object({
  id: z.string(),
  content: z.string(),
  scope: memoryScopeSchema,
  /** Milliseconds since the epoch. */
  createdAt: z.number(),
  /** When the author last changed it. */
  changedAt: z.number().optional(),
  /** The run that wrote it; absent for the author's own. */
  runId: z.string().optional(),
});
export type Note = z.infer<typeof noteSchema>;

/** A slot whose content is in the prompt of every later run. */
export const pinSchema = z.object({
  key: z.string(),
  /** Any JSON. */
  content: z.unknown(),
  scope: memoryScopeSchema,
  changedAt: z.number(),
  /** The run that set it last; absent for the author. */
  runId: z.string().optional(),
});
export type Pin = z.infer<typeof pinSchema>;
