import { JSONRPCMessageSchema, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { ProblemError } from '#shared/problem.ts';
import { MAX_SERVER_MESSAGE } from '#shared/protocol/local-servers.ts';
import type { MainLink } from '../stdio.ts';
import type { ServerTransport } from './server-link.ts';

/** The way to the local servers of a run, whose containers main holds. */
export class LocalServerRelay {
  readonly #main: MainLink;
  readonly #transports = new Map<number, RelayedTransport>();
  #nextChannel = 1;

  constructor(main: MainLink) {
    this.#main = main;
    main.on('serverMessage', ({ channel, message }) => this.#transports.get(channel)?.receive(message));
    main.on('serverEnded', ({ channel, detail }) => this.#transports.get(channel)?.end(detail));
  }

  /** A new way to a connection's server, started anew where the one of before has ended. @throws ProblemError of main */
  async open(connectionId: string, signal: AbortSignal): Promise<ServerTransport> {
    const channel = this.#nextChannel++;
    const transport = new RelayedTransport(
      (message) => this.#main.notify('serverMessage', { channel, message }),
      (isLeft) => {
        this.#transports.delete(channel);
        if (isLeft) void this.#main.notify('closeServer', { channel });
      },
    );
    this.#transports.set(channel, transport);
    try {
      await this.#main.request('openServer', { connectionId, channel }, signal);
      return transport;
    } catch (error) {
      this.#transports.delete(channel);
      throw error;
    }
  }
}

/** One channel to a server; it is open from the beginning. */
class RelayedTransport implements ServerTransport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  /** How the server ended by itself. */
  failure: ProblemError | undefined;
  readonly #send: (message: string) => Promise<void>;
  readonly #onEnd: (isLeft: boolean) => void;
  #isOver = false;
  #hasStarted = false;
  /** What came before somebody listened. */
  readonly #early: string[] = [];

  /** @param onEnd told once: `true` when the server goes on without its client */
  constructor(send: (message: string) => Promise<void>, onEnd: (isLeft: boolean) => void) {
    this.#send = send;
    this.#onEnd = onEnd;
  }

  start(): Promise<void> {
    this.#hasStarted = true;
    for (const text of this.#early.splice(0)) this.receive(text);
    // The server may have ended before its client had begun.
    return this.failure === undefined ? Promise.resolve() : Promise.reject(this.failure);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isOver) throw this.failure ?? new Error('The channel to the server is closed.');
    const text = JSON.stringify(message);
    if (text.length > MAX_SERVER_MESSAGE) throw tooLong(text.length);
    await this.#send(text);
  }

  close(): Promise<void> {
    this.#finish(true);
    return Promise.resolve();
  }

  receive(text: string): void {
    if (this.#isOver) return;
    if (!this.#hasStarted) {
      this.#early.push(text);
      return;
    }
    try {
      this.onmessage?.(JSONRPCMessageSchema.parse(JSON.parse(text)));
    } catch (error) {
      // What is no message answers nothing; the call it may have been meant for ends with its time.
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  end(detail: string): void {
    if (this.#isOver) return;
    this.failure = new ProblemError({ code: 'mcp_server_gone', title: 'The server ended', detail });
    this.#finish(false);
  }

  #finish(isLeft: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onEnd(isLeft);
    this.onclose?.();
  }
}

function tooLong(length: number): ProblemError {
  return new ProblemError({
    code: 'mcp_message_too_long',
    title: 'The request is too long',
    detail: `It has ${length} characters; ${MAX_SERVER_MESSAGE} are the most that a local server is sent.`,
    action: 'Send less at once.',
  });
}
