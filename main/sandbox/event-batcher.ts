import type { SandboxEvent } from '#shared/events/run-event.ts';

/** How long an event waits for others; about a frame of a screen. */
const DELAY_MS = 16;
/** Characters of one message, so that a batch stays far below what main takes. */
const MAX_BATCH_CHARACTERS = 1024 * 1024;
/** Characters that one delta gathers before another begins. */
const MAX_DELTA_CHARACTERS = 16 * 1024;

/** Streams of small events, which lose nothing by waiting; all others go at once. */
const PATIENT: ReadonlySet<SandboxEvent['type']> = new Set([
  'message.delta',
  'tool.progress',
  'file.written',
  'file.removed',
  'files.omitted',
]);

/**
 * Sends events in order and in batches. While one batch is on its way the next gathers, so that a slow
 * reader makes for fewer and fuller messages, and what a later event says anew is not kept twice.
 */
export class EventBatcher implements Disposable {
  readonly #send: (events: SandboxEvent[]) => Promise<void>;
  #pending: SandboxEvent[] = [];
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;

  /** @param send resolves when the batch has been written */
  constructor(send: (events: SandboxEvent[]) => Promise<void>) {
    this.#send = send;
  }

  add(event: SandboxEvent): void {
    if (!this.#merge(event)) this.#pending.push(event);
    if (PATIENT.has(event.type)) this.#timer ??= setTimeout(() => void this.flush(), DELAY_MS);
    else void this.flush();
  }

  /** Resolves when everything added so far has been written. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#sending ??= this.#drain();
    return this.#sending;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#pending = [];
  }

  async #drain(): Promise<void> {
    // Lets events of the same tick join the batch.
    await Promise.resolve();
    while (this.#pending.length > 0) {
      await this.#send(this.#takeBatch());
    }
    this.#sending = undefined;
  }

  #takeBatch(): SandboxEvent[] {
    let characters = 0;
    let count = 0;
    for (const event of this.#pending) {
      characters += JSON.stringify(event).length;
      if (count > 0 && characters > MAX_BATCH_CHARACTERS) break;
      count += 1;
    }
    return this.#pending.splice(0, count);
  }

  /** Joins an event with a waiting one where the two say no more than one would. */
  #merge(event: SandboxEvent): boolean {
    if (event.type === 'message.delta') {
      const last = this.#pending.at(-1);
      if (last?.type !== 'message.delta' || last.turn !== event.turn || last.channel !== event.channel)
        return false;
      if (last.text.length + event.text.length > MAX_DELTA_CHARACTERS) return false;
      this.#pending[this.#pending.length - 1] = { ...last, text: last.text + event.text };
      return true;
    }
    if (event.type !== 'tool.progress' && event.type !== 'files.omitted') return false;
    const index = this.#pending.findLastIndex((waiting) => isSuperseded(waiting, event));
    if (index === -1) return false;
    this.#pending[index] = event;
    return true;
  }
}

function isSuperseded(waiting: SandboxEvent, event: SandboxEvent): boolean {
  if (event.type === 'tool.progress') return waiting.type === event.type && waiting.callId === event.callId;
  return waiting.type === event.type;
}
