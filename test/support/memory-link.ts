import { Connection, type ConnectionOptions } from '#main/app/connection.ts';
import type { ClientFrame, RegisteredFile, ServerFrame, ShellBridge } from '#shared/ipc/frames.ts';
import type { Result } from '#shared/problem.ts';

interface WaitingFrame {
  readonly frame: ServerFrame;
  /** Tells the server that the carrier can take more. */
  taken(): void;
}

/**
 * A carrier in memory between a client and a connection. Frames to the client wait in a queue until a test
 * delivers them; a cut loses what waits, as a broken WebSocket would.
 */
export class MemoryLink implements ShellBridge {
  readonly shell = 'browser';
  readonly #connect: Omit<ConnectionOptions, 'carrier'>;
  readonly #frameListeners = new Set<(frame: unknown) => void>();
  readonly #stateListeners = new Set<(state: 'connecting' | 'open' | 'closed') => void>();
  #connection: Connection | undefined;
  #queue: WaitingFrame[] = [];

  constructor(connect: Omit<ConnectionOptions, 'carrier'>) {
    this.#connect = connect;
  }

  get waiting(): readonly ServerFrame[] {
    return this.#queue.map(({ frame }) => frame);
  }

  open(): void {
    if (this.#connection) return;
    const queue: WaitingFrame[] = [];
    this.#queue = queue;
    this.#connection = new Connection({
      ...this.#connect,
      carrier: { send: (frame) => new Promise((taken) => void queue.push({ frame, taken })) },
    });
    this.#tell('open');
  }

  /** Breaks the carrier; `state` is what the client hears. */
  cut(state: 'connecting' | 'closed' = 'connecting'): void {
    if (!this.#connection) return;
    this.#connection[Symbol.dispose]();
    this.#connection = undefined;
    for (const waiting of this.#queue.splice(0)) waiting.taken();
    this.#tell(state);
  }

  /** Hands at most `count` waiting frames to the client, letting the server go on in between. */
  async deliver(count: number): Promise<void> {
    for (let left = count; left > 0; left -= 1) {
      await settle();
      const next = this.#queue.shift();
      if (!next) return;
      for (const listener of this.#frameListeners) listener(structuredClone(next.frame));
      next.taken();
    }
  }

  /** Delivers until nothing more comes. */
  async drain(): Promise<void> {
    do await this.deliver(Number.POSITIVE_INFINITY);
    while (this.#queue.length > 0);
  }

  /** Sends anything at all, as a page that was taken over could. */
  sendRaw(frame: unknown): void {
    this.#connection?.receive(structuredClone(frame));
  }

  send(frame: ClientFrame): void {
    this.sendRaw(frame);
  }

  onFrame(listener: (frame: unknown) => void): () => void {
    this.#frameListeners.add(listener);
    return () => this.#frameListeners.delete(listener);
  }

  onState(listener: (state: 'connecting' | 'open' | 'closed') => void): () => void {
    this.#stateListeners.add(listener);
    listener(this.#connection ? 'open' : 'connecting');
    return () => this.#stateListeners.delete(listener);
  }

  registerFile(): Promise<Result<RegisteredFile>> {
    throw new Error('The link in memory takes no files.');
  }

  callsUrl(): string {
    return '';
  }
  exportUrl(): string {
    return '';
  }
  outputUrl(): string {
    throw new Error('The link in memory serves no files.');
  }

  #tell(state: 'connecting' | 'open' | 'closed'): void {
    for (const listener of this.#stateListeners) listener(state);
  }
}

/** Lets everything that is ready run: generators hop through several microtasks for one step. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
