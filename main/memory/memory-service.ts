import { randomBytes } from 'node:crypto';
import {
  isTooDeep,
  MAX_NOTE_CHARACTERS,
  MAX_NOTES,
  MAX_PIN_BYTES,
  MAX_PIN_DEPTH,
  MAX_PINS,
  MAX_PINS_BYTES,
  type MemoryScope,
  type Note,
  type Pin,
} from '#shared/memory/memory.ts';
import { ProblemError } from '#shared/problem.ts';
import type { MemoryRepository } from './memory-repository.ts';

/** What an agent remembers from run to run. */
export interface AgentMemory {
  readonly pins: Pin[];
  /** The newest first, as far as they were asked for. */
  readonly notes: Note[];
  /** How many there are in all. */
  readonly noteCount: number;
}

/**
 * The memory of agents: notes that runs search, and slots that stand in each run's prompt. Written at once,
 * so that a run that is killed has remembered what it was told it had.
 */
export class MemoryService {
  readonly #repository: MemoryRepository;
  readonly #now: () => number;
  readonly #listeners = new Set<(agentId: string | undefined) => void>();

  constructor(repository: MemoryRepository, now = Date.now) {
    this.#repository = repository;
    this.#now = now;
  }

  /** Calls back when an agent's memory was changed, or that of any may have been. */
  onChange(listener: (agentId: string | undefined) => void): () => void {
    const entry = (agentId: string | undefined) => listener(agentId);
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  /** Another process has written to the database. */
  noticeOthers(): void {
    this.#tell(undefined);
  }

  /** Notes that an agent has in a scope. */
  count(agentId: string, scope: MemoryScope): number {
    return this.#repository.countNotes(agentId, scope);
  }

  /** @param query words that each note has; all notes for none */
  read(agentId: string, { query = '', limit }: { query?: string | undefined; limit: number }): AgentMemory {
    return {
      pins: this.#repository.pins(agentId),
      notes: this.#repository.findNotes(agentId, query, limit),
      noteCount: this.#repository.countNotes(agentId),
    };
  }

  /** @throws ProblemError `note_empty`, `note_too_long`, `memory_full` */
  addNote(agentId: string, { content, scope, runId }: Pick<Note, 'content' | 'scope' | 'runId'>): Note {
    checkNote(content);
    const note: Note = {
      id: `note_${this.#now().toString(36).padStart(9, '0')}${randomBytes(6).toString('hex')}`,
      content,
      scope,
      createdAt: this.#now(),
      ...(runId !== undefined && { runId }),
    };
    this.#repository.transaction(() => {
      if (this.#repository.countNotes(agentId, scope) >= MAX_NOTES) throw memoryFull(scope);
      this.#repository.insertNote(agentId, note);
    });
    this.#tell(agentId);
    return note;
  }

  /** @throws ProblemError `note_unknown`, `note_empty`, `note_too_long` */
  changeNote(agentId: string, id: string, content: string): void {
    checkNote(content);
    if (!this.#repository.changeNote(agentId, id, content, this.#now())) throw noteUnknown();
    this.#tell(agentId);
  }

  /** @throws ProblemError `note_unknown` */
  removeNote(agentId: string, id: string): void {
    if (!this.#repository.removeNote(agentId, id)) throw noteUnknown();
    this.#tell(agentId);
  }

  /** Sets a slot, or makes it. @throws ProblemError `pin_too_deep`, `pin_too_large`, `pins_full` */
  setPin(agentId: string, { key, content, scope, runId }: Omit<Pin, 'changedAt'>): Pin {
    if (isTooDeep(content)) throw pinTooDeep(key);
    const bytes = bytesOf(content);
    if (bytes > MAX_PIN_BYTES) throw pinTooLarge(key, bytes);
    const pin: Pin = {
      key,
      content,
      scope,
      changedAt: this.#now(),
      ...(runId !== undefined && { runId }),
    };
    this.#repository.transaction(() => {
      const others = this.#repository
        .pins(agentId)
        .filter((other) => other.scope === scope && other.key !== key);
      if (others.length >= MAX_PINS) throw pinsFull(key);
      const together = others.reduce((sum, other) => sum + bytesOf(other.content), bytes);
      if (together > MAX_PINS_BYTES) throw pinsTooLarge(key, together);
      this.#repository.setPin(agentId, pin);
    });
    this.#tell(agentId);
    return pin;
  }

  /** Turns a note into a slot. @throws ProblemError `note_unknown`, `pins_full` */
  pinNote(agentId: string, id: string, key: string): Pin {
    return this.#repository.transaction(() => {
      const note = this.#repository.note(agentId, id);
      if (note === undefined) throw noteUnknown();
      const pin = this.setPin(agentId, { key, content: note.content, scope: note.scope });
      this.removeNote(agentId, id);
      return pin;
    });
  }

  /** @throws ProblemError `pin_unknown` */
  removePin(agentId: string, scope: MemoryScope, key: string): void {
    if (!this.#repository.removePin(agentId, scope, key)) {
      throw new ProblemError({
        code: 'pin_unknown',
        title: 'There is no such slot',
        detail: `The agent has no slot "${key}". It may have been removed.`,
      });
    }
    this.#tell(agentId);
  }

  /** Forgets all that an agent remembers. */
  clear(agentId: string): void {
    this.#repository.transaction(() => this.#repository.clear(agentId));
    this.#tell(agentId);
  }

  /** All of it as JSON lines, the slots first and then the notes, the oldest first. */
  exportLines(agentId: string): string {
    const { pins, notes } = this.read(agentId, { limit: Number.MAX_SAFE_INTEGER });
    const lines = [
      ...pins.map((pin) => ({ kind: 'pin', ...pin })),
      ...notes.toReversed().map((note) => ({ kind: 'note', ...note })),
    ];
    return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  }

  #tell(agentId: string | undefined): void {
    for (const listener of this.#listeners) listener(agentId);
  }
}

function bytesOf(content: unknown): number {
  return Buffer.byteLength(JSON.stringify(content) ?? '');
}

function checkNote(content: string): void {
  const { length } = Array.from(content);
  if (content.trim() === '') {
    throw new ProblemError({
      code: 'note_empty',
      title: 'The note is empty',
      detail: 'A note needs a text.',
    });
  }
  if (length > MAX_NOTE_CHARACTERS) {
    throw new ProblemError({
      code: 'note_too_long',
      title: 'The note is too long',
      detail: `It has ${length} characters; a note may have ${MAX_NOTE_CHARACTERS}.`,
      action: 'Keep what later runs need, or write the whole to a file under outputs/.',
    });
  }
}

function memoryFull(scope: MemoryScope): ProblemError {
  return new ProblemError({
    code: 'memory_full',
    title: 'The memory is full',
    detail: `The agent has ${MAX_NOTES} notes with the scope "${scope}", which is the most. The note was not kept.`,
    action: 'The author can delete notes on the page Memory of the agent.',
  });
}

function pinTooLarge(key: string, bytes: number): ProblemError {
  return new ProblemError({
    code: 'pin_too_large',
    title: 'The content of the slot is too large',
    detail: `"${key}" would have ${bytes} bytes as JSON; a slot may have ${MAX_PIN_BYTES}. It was left as it was.`,
    action: 'Keep what the next run needs; longer things belong in a file under outputs/.',
  });
}

function pinTooDeep(key: string): ProblemError {
  return new ProblemError({
    code: 'pin_too_deep',
    title: 'The content of the slot is nested too deep',
    detail: `"${key}" has lists or objects more than ${MAX_PIN_DEPTH} deep. It was left as it was.`,
    action: 'Keep a flatter value, or a text.',
  });
}

function pinsTooLarge(key: string, bytes: number): ProblemError {
  return new ProblemError({
    code: 'pins_full',
    title: 'The slots are too large together',
    detail: `With "${key}" they would have ${bytes} bytes as JSON; all slots of a scope may have ${MAX_PINS_BYTES}, as each run reads them. It was left as it was.`,
    action: 'Keep less in this slot or in others, or let the author delete some on the page Memory.',
  });
}

function pinsFull(key: string): ProblemError {
  return new ProblemError({
    code: 'pins_full',
    title: 'There are too many slots',
    detail: `The agent has ${MAX_PINS} slots, which is the most. "${key}" was not set.`,
    action: 'Set one that is there, or let the author delete some on the page Memory.',
  });
}

function noteUnknown(): ProblemError {
  return new ProblemError({
    code: 'note_unknown',
    title: 'There is no such note',
    detail: 'The note may have been deleted.',
  });
}
