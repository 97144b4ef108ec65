import type { MemoryService } from '#main/memory/index.ts';
import { CHECKPOINT_KEY, MAX_NOTES, type Pin } from '#shared/memory/memory.ts';
import type { PromptMemory } from '#shared/runs/system-prompt.ts';
import type { Pair } from './pair.ts';
import type { RunRecorder } from './run-recorder.ts';

export type MemoryOfAgents = Pick<MemoryService, 'read' | 'count' | 'addNote' | 'setPin'>;

/**
 * What one run remembers of those before it, and leaves to those after it. Everything it reads or writes
 * is an event of the run.
 */
export class RunMemory {
  readonly #memory: MemoryOfAgents;
  readonly #recorder: RunRecorder;

  constructor(memory: MemoryOfAgents, recorder: RunRecorder) {
    this.#memory = memory;
    this.#recorder = recorder;
  }

  /** What the prompt has of it; told as an event when there is anything. */
  prompt(): PromptMemory {
    const { agentId } = this.#recorder.summary;
    const { pins, noteCount } = this.#memory.read(agentId, { limit: 0 });
    const own = ownFirst(pins);
    if (own.length > 0 || noteCount > 0) {
      this.#recorder.append({
        type: 'memory.prompted',
        pins: own.map(({ key, content, scope }) => ({ key, content, scope })),
        noteCount,
      });
    }
    const checkpoint = own.find(({ key }) => key === CHECKPOINT_KEY);
    return {
      ...(checkpoint && { checkpoint: checkpoint.content }),
      pins: own.filter(({ key }) => key !== CHECKPOINT_KEY),
      noteCount,
    };
  }

  /** Answers what the sidecar asks for the tools that read and write memory. */
  serve({ peer }: Pair['sidecar']['connection']): void {
    const { id: runId, agentId } = this.#recorder.summary;
    peer.handle('recallMemory', ({ q, limit }) => {
      const { notes } = this.#memory.read(agentId, { query: q, limit });
      this.#recorder.append({
        type: 'memory.recalled',
        ...(q !== undefined && { query: q }),
        notes: notes.map(({ id, content }) => ({ id, content })),
      });
      return Promise.resolve({
        memories: notes.map(({ id, content, scope, createdAt }) => ({
          id,
          content,
          scope,
          createdAt: new Date(createdAt).toISOString(),
        })),
      });
    });
    peer.handle('addNote', ({ content, scope }) =>
      Promise.try(() => {
        const { id } = this.#memory.addNote(agentId, { content, scope, runId });
        this.#recorder.append({ type: 'memory.added', noteId: id, content, scope });
        return { count: this.#memory.count(agentId, scope), limit: MAX_NOTES };
      }),
    );
    peer.handle('setPin', ({ key, content, scope }) =>
      Promise.try(() => {
        this.#memory.setPin(agentId, { key, content, scope, runId });
        this.#recorder.append({ type: 'pinned.set', key, content, scope });
        if (key === CHECKPOINT_KEY) this.#recorder.saveCheckpoint(content);
        return {};
      }),
    );
  }
}

/** One slot for each key: what is the author's own goes before what is shared. */
function ownFirst(pins: readonly Pin[]): Pin[] {
  const byKey = new Map<string, Pin>();
  for (const pin of pins) if (!byKey.has(pin.key) || pin.scope === 'actor') byKey.set(pin.key, pin);
  return [...byKey.values()];
}
