import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { ProtocolEntry } from '#shared/ipc/server-routes.ts';

/** Entries and characters that are remembered; the oldest give way. */
const MAX_ENTRIES = 5_000;
const MAX_CHARACTERS = 16 * 1024 * 1024;
/** Characters of one message that are remembered. */
const MAX_TEXT = 256 * 1024;
/** Characters of an id; a longer one is shown cut, and its answer is not waited for. */
const MAX_ID = 200;
/** Requests without an answer that are waited for. */
const MAX_OPEN = 1_000;
/** Notes in a second: a server that talks without end must not push out what was said over the protocol. */
const MAX_NOTES_PER_SECOND = 200;

export interface ProtocolLogOptions {
  /** A last net: takes known secrets out of what is remembered. */
  readonly redact: (text: string) => string;
  readonly onEntry: () => void;
  readonly now?: () => number;
}

interface OpenRequest {
  readonly sequence: number;
  readonly method: string;
  readonly startedAt: number;
}

/** Every message of one session in both directions, as the client sends and reads it. */
export class ProtocolLog {
  readonly #options: ProtocolLogOptions;
  readonly #now: () => number;
  readonly #entries: ProtocolEntry[] = [];
  /** Requests without an answer, by {@link keyOf}. */
  readonly #open = new Map<string, OpenRequest>();
  #last = 0;
  #characters = 0;
  #noteWindow = Number.NEGATIVE_INFINITY;
  #notes = 0;

  constructor(options: ProtocolLogOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Sequence number of the last entry; 0 while there is none. */
  get last(): number {
    return this.#last;
  }

  /** Entries after a sequence number, the oldest first, at most so many. */
  after(sequence: number, limit: number): readonly ProtocolEntry[] {
    const first = this.#entries[0]?.sequence ?? 1;
    const start = Math.max(0, sequence + 1 - first);
    return this.#entries.slice(start, start + limit);
  }

  message(direction: 'sent' | 'received', message: JSONRPCMessage): void {
    const other = direction === 'sent' ? 'received' : 'sent';
    if ('method' in message) {
      const { method } = message;
      if ('id' in message) {
        this.#add(direction, message, { kind: 'request', method, id: this.#shownId(message.id) });
        this.#wait(keyOf(direction, message.id), method);
        return;
      }
      const cancelled = method === 'notifications/cancelled' ? message.params?.['requestId'] : undefined;
      const ended = isId(cancelled) ? this.#answered(keyOf(direction, cancelled)) : {};
      this.#add(direction, message, { kind: 'notification', method, ...ended });
      return;
    }
    const key = keyOf(other, message.id);
    const method = this.#open.get(key)?.method ?? '';
    const isError = 'error' in message;
    this.#add(direction, message, {
      kind: isError ? 'error' : 'result',
      method,
      ...(message.id !== undefined && { id: this.#shownId(message.id) }),
      ...this.#answered(key),
      ...(!isError && message.result['isError'] === true && { saysError: true }),
    });
  }

  /** Whether an answer of the server is that of a request which has none yet. */
  isWaitedFor(message: JSONRPCMessage): boolean {
    return !('method' in message) && this.#open.has(keyOf('sent', message.id));
  }

  /** What happened that is no message, such as a line of a local server's standard error. */
  note(method: string, text: string): void {
    const now = this.#now();
    if (now - this.#noteWindow > 1000) {
      const untold = this.#notes - MAX_NOTES_PER_SECOND;
      this.#noteWindow = now;
      this.#notes = 0;
      if (untold > 0)
        this.#add('note', `${untold} more notes were left out.`, { kind: 'note', method: 'log' });
    }
    this.#notes += 1;
    if (this.#notes <= MAX_NOTES_PER_SECOND) this.#add('note', text, { kind: 'note', method });
  }

  #shownId(id: string | number): string | number {
    return typeof id === 'string' ? this.#options.redact(id).slice(0, MAX_ID) : id;
  }

  /** Ends the wait for a request; says which it was and how long it took. */
  #answered(key: string): Pick<ProtocolEntry, 'answers' | 'durationMs'> {
    const request = this.#open.get(key);
    if (request === undefined) return {};
    this.#open.delete(key);
    return { answers: request.sequence, durationMs: this.#now() - request.startedAt };
  }

  #wait(key: string, method: string): void {
    if (key.length > MAX_ID + 20) return;
    for (const oldest of this.#open.keys()) {
      if (this.#open.size < MAX_OPEN) break;
      this.#open.delete(oldest);
    }
    this.#open.set(key, { sequence: this.#last, method, startedAt: this.#now() });
  }

  #add(
    direction: ProtocolEntry['direction'],
    said: JSONRPCMessage | string,
    facts: Pick<ProtocolEntry, 'kind' | 'method' | 'id' | 'answers' | 'durationMs' | 'saysError'>,
  ): void {
    const whole = typeof said === 'string' ? said : JSON.stringify(said);
    const isCut = whole.length > MAX_TEXT;
    // Redacted before it is cut: a secret that is cut in two is not known any more.
    const text = this.#options.redact(whole).slice(0, MAX_TEXT);
    this.#last += 1;
    this.#entries.push({
      sequence: this.#last,
      at: Date.now(),
      direction,
      ...facts,
      method: this.#options.redact(facts.method).slice(0, 500),
      size: Buffer.byteLength(whole),
      text,
      isCut,
    });
    this.#characters += text.length;
    while (this.#entries.length > MAX_ENTRIES || this.#characters > MAX_CHARACTERS) {
      this.#characters -= this.#entries.shift()?.text.length ?? 0;
    }
    this.#options.onEntry();
  }
}

/** Each side numbers its own requests, and a text is another id than a number. */
function keyOf(direction: 'sent' | 'received', id: string | number | undefined): string {
  return `${direction} ${typeof id} ${id}`;
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}
