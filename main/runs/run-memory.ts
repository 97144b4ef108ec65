import type { z } from 'zod';
import type { MemoryService } from '#main/memory/index.ts';
import type { RunEventData } from '#shared/events/run-event.ts';
import { CHECKPOINT_KEY, MAX_NOTES, type Pin } from '#shared/memory/memory.ts';
import type { mainRequests } from '#shared/protocol/sidecar.ts';
import type { PromptMemory } from '#shared/runs/system-prompt.ts';
import type { RunRecorder } from './run-recorder.ts';
import type { RunRepository } from './run-repository.ts';

export type MemoryOfAgents = Pick<MemoryService, 'read' | 'count' | 'addNote' | 'setPin'>;

/** Requests of the sidecar that are answered from earlier runs, or are for later ones. */
export const MEMORY_METHODS = ['runHistory', 'recallMemory', 'addNote', 'setPin'] as const;
export type MemoryMethod = (typeof MEMORY_METHODS)[number];
export type MemoryInput<M extends MemoryMethod> = z.output<(typeof mainRequests)[M]['input']>;
export type MemoryOutput<M extends MemoryMethod> = z.output<(typeof mainRequests)[M]['output']>;

/** An answer, and the event by which the run's record tells of it. */
export interface MemoryAnswer<M extends MemoryMethod> {
  readonly output: MemoryOutput<M>;
  readonly event?: RunEventData | undefined;
}

/** What one run remembers of those before it, and leaves to those after it. */
export interface RunMemory {
  /** What the prompt has of it; an event when there is anything. */
  prompt(): { readonly memory: PromptMemory; readonly event?: RunEventData | undefined };
  /** @throws ProblemError where what is asked cannot be. */
  answer<M extends MemoryMethod>(method: M, input: MemoryInput<M>): MemoryAnswer<M>;
}

/** The memory that is kept: of the agent's notes and slots, and of its runs. */
export class KeptRunMemory implements RunMemory {
  readonly #memory: MemoryOfAgents;
  readonly #repository: Pick<RunRepository, 'successes'>;
  readonly #recorder: Pick<RunRecorder, 'summary' | 'saveCheckpoint'>;

  constructor(
    memory: MemoryOfAgents,
    repository: Pick<RunRepository, 'successes'>,
    recorder: Pick<RunRecorder, 'summary' | 'saveCheckpoint'>,
  ) {
    this.#memory = memory;
    this.#repository = repository;
    this.#recorder = recorder;
  }

  prompt(): ReturnType<RunMemory['prompt']> {
    const { pins, noteCount } = this.#memory.read(this.#recorder.summary.agentId, { limit: 0 });
    const own = ownFirst(pins);
    const checkpoint = own.find(({ key }) => key === CHECKPOINT_KEY);
    const memory: PromptMemory = {
      ...(checkpoint && { checkpoint: checkpoint.content }),
      pins: own.filter(({ key }) => key !== CHECKPOINT_KEY).map(({ key, content }) => ({ key, content })),
      noteCount,
    };
    if (own.length === 0 && noteCount === 0) return { memory };
    const told = own.map(({ key, content, scope }) => ({ key, content, scope }));
    return { memory, event: { type: 'memory.prompted', pins: told, noteCount } };
  }

  answer<M extends MemoryMethod>(method: M, input: MemoryInput<M>): MemoryAnswer<M> {
    return this.#answers[method](input);
  }

  readonly #answers: { [M in MemoryMethod]: (input: MemoryInput<M>) => MemoryAnswer<M> } = {
    runHistory: ({ limit, fields }) => {
      const { id, agentId } = this.#recorder.summary;
      const runs = this.#repository.successes(agentId, id, limit + 1);
      const data = runs.slice(0, limit).map(({ summary, output, checkpoint }) => ({
        id: summary.id,
        status: summary.status,
        date: new Date(summary.createdAt).toISOString(),
        duration: Math.round(((summary.endedAt ?? summary.createdAt) - summary.createdAt) / 1000),
        ...(fields.includes('checkpoint') && checkpoint !== undefined && { checkpoint }),
        ...(fields.includes('result') && output !== undefined && { result: { output } }),
      }));
      return { output: { object: 'list', hasMore: runs.length > limit, data } };
    },
    recallMemory: ({ q, limit }) => {
      const { notes } = this.#memory.read(this.#recorder.summary.agentId, { query: q, limit });
      const memories = notes.map(({ id, content, scope, createdAt }) => ({
        id,
        content,
        scope,
        createdAt: new Date(createdAt).toISOString(),
      }));
      const told = notes.map(({ id, content }) => ({ id, content }));
      return {
        output: { memories },
        event: { type: 'memory.recalled', ...(q !== undefined && { query: q }), notes: told },
      };
    },
    addNote: ({ content, scope }) => {
      const { id: runId, agentId } = this.#recorder.summary;
      const { id: noteId } = this.#memory.addNote(agentId, { content, scope, runId });
      return {
        output: { count: this.#memory.count(agentId, scope), limit: MAX_NOTES },
        event: { type: 'memory.added', noteId, content, scope },
      };
    },
    setPin: ({ key, content, scope }) => {
      const { id: runId, agentId } = this.#recorder.summary;
      this.#memory.setPin(agentId, { key, content, scope, runId });
      if (key === CHECKPOINT_KEY) this.#recorder.saveCheckpoint(content);
      return { output: {}, event: { type: 'pinned.set', key, content, scope } };
    },
  };
}

/** One slot for each key: what is the author's own goes before what is shared. */
function ownFirst(pins: readonly Pin[]): Pin[] {
  const byKey = new Map<string, Pin>();
  for (const pin of pins) if (!byKey.has(pin.key) || pin.scope === 'actor') byKey.set(pin.key, pin);
  return [...byKey.values()];
}
