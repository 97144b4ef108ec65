import { z } from 'zod';
import {
  MAX_NOTE_CHARACTERS,
  memoryScopeSchema,
  noteSchema,
  pinKeySchema,
  pinSchema,
} from '../memory/memory.ts';

/** What an agent remembers from run to run. */
export const agentMemorySchema = z.object({
  pins: z.array(pinSchema),
  /** The newest first. */
  notes: z.array(noteSchema),
  /** Notes there are, also those that a search has left out. */
  noteCount: z.number().int().nonnegative(),
});
export type AgentMemoryState = z.infer<typeof agentMemorySchema>;

const agentId = z.string().min(1).max(300);
const noteId = z.string().min(1).max(100);
/** Longer texts are refused where the note is kept, with a sentence that says by how much. */
const content = z.string().max(MAX_NOTE_CHARACTERS * 10);
const nothing = z.object({});

/** Requests about the memory of agents. What they change, the topic `memory` tells. */
export const memoryRoutes = {
  /** Notes with every word of a query. */
  'memory.search': {
    input: z.object({ agentId, query: z.string().max(2000), limit: z.number().int().min(1).max(500) }),
    output: agentMemorySchema,
  },
  'memory.addNote': { input: z.object({ agentId, content, scope: memoryScopeSchema }), output: noteSchema },
  'memory.changeNote': { input: z.object({ agentId, noteId, content }), output: nothing },
  'memory.removeNote': { input: z.object({ agentId, noteId }), output: nothing },
  /** Turns a note into a slot. */
  'memory.pinNote': { input: z.object({ agentId, noteId, key: pinKeySchema }), output: nothing },
  /** Sets a slot to any JSON. */
  'memory.setPin': {
    input: z.object({ agentId, key: pinKeySchema, content: z.unknown(), scope: memoryScopeSchema }),
    output: nothing,
  },
  'memory.removePin': {
    input: z.object({ agentId, key: z.string(), scope: memoryScopeSchema }),
    output: nothing,
  },
  'memory.clear': { input: z.object({ agentId }), output: nothing },
  /** All of it as JSON lines. */
  'memory.export': {
    input: z.object({ agentId }),
    output: z.object({ fileName: z.string(), text: z.string() }),
  },
} as const;
