import type { RunEvent, RunEventData } from '#shared/events/run-event.ts';
import { NO_USAGE } from '#shared/models/model.ts';
import type { OutboundCall } from '#shared/protocol/integrations.ts';
import { isFinalStatus, type RunOutputFile, type RunSummary } from '#shared/runs/run.ts';
import type { RunRepository } from './run-repository.ts';

/** Milliseconds that events wait for company before they are written together. */
const WRITE_DELAY_MS = 8;
/** Milliseconds between two tries of a write that was refused, and how many there are: about two minutes. */
const RETRY_MS = 2_000;
const MAX_RETRIES = 60;
/** Events one run may have; an agent that never stops talking is stopped here. */
const MAX_EVENTS = 250_000;

export interface RecorderListener {
  /** Events up to the summary's `lastSequence` are on disk. */
  eventsWritten(runId: string): void;
  summaryChanged(summary: RunSummary): void;
  /** The database refused a write, for example for want of disk. What waits is kept and tried again. */
  writeFailed(runId: string, error: unknown): void;
}

/**
 * The one writer of a run's record. What it tells its listener is already on disk, so that nothing that was
 * shown is lost when the app is killed.
 */
export class RunRecorder {
  readonly #repository: RunRepository;
  readonly #listener: RecorderListener;
  readonly #now: () => number;
  #pending: RunEvent[] = [];
  #pendingWrites: (() => void)[] = [];
  #summary: RunSummary;
  #summaryChanged = false;
  #timer: NodeJS.Timeout | undefined;
  #retries = 0;

  constructor(repository: RunRepository, summary: RunSummary, listener: RecorderListener, now = Date.now) {
    this.#repository = repository;
    this.#summary = summary;
    this.#listener = listener;
    this.#now = now;
  }

  get summary(): RunSummary {
    return this.#summary;
  }

  /** Whether the record has all the events it may have. */
  get isFull(): boolean {
    return this.#summary.lastSequence >= MAX_EVENTS;
  }

  /** Appends an event. Ignored once the run has ended, and when the record is full but for its end. */
  append(data: RunEventData): void {
    if (isFinalStatus(this.#summary.status)) return;
    if (this.isFull && data.type !== 'run.ended') return;
    const sequence = this.#summary.lastSequence + 1;
    this.#pending.push({ sequence, at: this.#now(), data });
    this.#summary = { ...this.#summary, lastSequence: sequence };
    this.#schedule();
  }

  /** Changes the summary. A final status is never left again. */
  update(change: Partial<RunSummary>): void {
    if (isFinalStatus(this.#summary.status)) return;
    this.#summary = { ...this.#summary, ...change };
    this.#summaryChanged = true;
    this.#schedule();
  }

  /** Keeps the data of the newest `output` call. */
  saveOutput(output: unknown): void {
    this.#later(() => this.#repository.saveOutput(this.#summary.id, output));
    this.update({ hasOutput: true });
  }

  /** Keeps what the run left last in its slot for the next one. */
  saveCheckpoint(content: unknown): void {
    this.#later(() => this.#repository.saveCheckpoint(this.#summary.id, content));
  }

  saveOutputFile(file: RunOutputFile): void {
    this.#later(() => this.#repository.saveOutputFile(this.#summary.id, file));
  }

  removeOutputFile(path: string): void {
    this.#later(() => this.#repository.removeOutputFile(this.#summary.id, path));
  }

  /** Keeps a request to a service, in the order in which the sidecar tells of them. */
  saveCall(call: OutboundCall, connectionLabel: string): void {
    const sequence = (this.#summary.callCount ?? 0) + 1;
    const recorded = { ...call, connectionLabel, sequence, at: this.#now() };
    this.#later(() => this.#repository.calls.append(this.#summary.id, recorded));
    this.update({ callCount: sequence });
  }

  /** Ends the record: writes what waits, the end and the final status in one go, as soon as that can be. */
  end(change: Pick<RunSummary, 'status' | 'problem'>): RunSummary {
    if (isFinalStatus(this.#summary.status)) return this.#summary;
    const endedAt = this.#now();
    this.append({
      type: 'run.ended',
      status: change.status,
      usage: this.#summary.usage ?? NO_USAGE,
      durationMs: endedAt - this.#summary.createdAt,
      ...(change.problem && { problem: change.problem }),
    });
    const { phase: _phase, ...rest } = this.#summary;
    this.#summary = { ...rest, ...change, endedAt };
    this.#summaryChanged = true;
    this.#tryToFlush();
    return this.#summary;
  }

  /** Writes all that waits, now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const events = this.#pending;
    const writes = this.#pendingWrites;
    const summaryChanged = this.#summaryChanged;
    if (events.length === 0 && writes.length === 0 && !summaryChanged) return;
    const runId = this.#summary.id;
    this.#repository.transaction(() => {
      for (const event of events) this.#repository.appendEvent(runId, event);
      for (const write of writes) write();
      this.#repository.saveSummary(this.#summary);
    });
    this.#pending = [];
    this.#pendingWrites = [];
    this.#summaryChanged = false;
    if (events.length > 0) this.#listener.eventsWritten(runId);
    if (summaryChanged) this.#listener.summaryChanged(this.#summary);
  }

  #later(write: () => void): void {
    this.#pendingWrites.push(write);
    this.#schedule();
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => this.#tryToFlush(), WRITE_DELAY_MS);
  }

  #tryToFlush(): void {
    try {
      this.flush();
      this.#retries = 0;
    } catch (error) {
      this.#listener.writeFailed(this.#summary.id, error);
      if (this.#retries >= MAX_RETRIES) return;
      this.#retries += 1;
      this.#timer ??= setTimeout(() => this.#tryToFlush(), RETRY_MS).unref();
    }
  }
}
