import { z } from 'zod';
import { ProblemError, problemSchema, toProblem, type Problem } from '../problem.ts';

/** What one end of a channel answers to and tells unasked. */
export interface Side {
  readonly requests: Readonly<Record<string, { readonly input: z.ZodType; readonly output: z.ZodType }>>;
  readonly notifications: Readonly<Record<string, z.ZodType>>;
}

type RequestName<S extends Side> = keyof S['requests'] & string;
type NotificationName<S extends Side> = keyof S['notifications'] & string;
type RequestInput<S extends Side, M extends RequestName<S>> = z.output<S['requests'][M]['input']>;
type RequestOutput<S extends Side, M extends RequestName<S>> = z.output<S['requests'][M]['output']>;
type NotificationPayload<S extends Side, M extends NotificationName<S>> = z.output<S['notifications'][M]>;

/** The part of `AbortSignal` a peer needs; shared/ may know neither Node nor the DOM. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

interface Disposable {
  dispose(): void;
}

interface CancellationToken {
  readonly isCancellationRequested: boolean;
  readonly onCancellationRequested: (listener: () => void) => Disposable;
}

/** The part of vscode-jsonrpc's `MessageConnection` a peer needs; it listens and is disposed by its owner. */
export interface MessageChannel {
  sendRequest(method: string, parameters: object, token?: CancellationToken): Promise<unknown>;
  sendNotification(method: string, parameters: object): Promise<void>;
  onRequest(
    handler: (method: string, parameters: unknown, token: CancellationToken) => Promise<unknown>,
  ): Disposable;
  onNotification(handler: (method: string, parameters: unknown) => void): Disposable;
  onError(listener: (failure: [Error, ...unknown[]]) => void): Disposable;
  onClose(listener: () => void): Disposable;
}

/** A message that broke the contract. It was dropped, or its request failed; the channel lives on. */
export interface PeerFault {
  readonly kind: 'request' | 'response' | 'notification' | 'transport';
  readonly method: string | undefined;
  /** What was wrong, without any of the message's content. */
  readonly detail: string;
}

export interface PeerOptions<Own extends Side, Other extends Side, Signal extends CancelSignal> {
  readonly channel: MessageChannel;
  readonly own: Own;
  readonly other: Other;
  /** How the other end is called in a message for a person, such as `the sandbox`. */
  readonly otherName: string;
  readonly createAbort: () => { readonly signal: Signal; abort(): void };
  readonly onFault: (fault: PeerFault) => void;
}

/**
 * One end of a JSON-RPC channel, typed by the contract of both ends. Whatever arrives is parsed before
 * anyone sees it. A response is a `Result`, so that an error crosses as a {@link Problem}.
 */
export interface Peer<Own extends Side, Other extends Side, Signal extends CancelSignal> {
  /**
   * Asks the other end. An abort of `signal` tells it so; the request then settles as the other end says.
   * @throws ProblemError what the other end answered, `peer_closed`, `protocol_violation`.
   */
  request<M extends RequestName<Other>>(
    method: M,
    input: RequestInput<Other, M>,
    signal?: CancelSignal,
  ): Promise<RequestOutput<Other, M>>;
  /** Resolves when the message was written, and also when the other end has gone; never rejects. */
  notify<M extends NotificationName<Own>>(method: M, payload: NotificationPayload<Own, M>): Promise<void>;
  /** Sets what answers a request of the other end; its signal fires when the other end gives up or goes. */
  handle<M extends RequestName<Own>>(
    method: M,
    handler: (input: RequestInput<Own, M>, signal: Signal) => Promise<RequestOutput<Own, M>>,
  ): void;
  /** Listens to a notification of the other end; answers how to stop. */
  on<M extends NotificationName<Other>>(
    method: M,
    listener: (payload: NotificationPayload<Other, M>) => void,
  ): () => void;
  /** Whether the channel has closed. */
  readonly isClosed: boolean;
  /** Resolves when the channel has closed; every request in flight has then failed with `peer_closed`. */
  readonly closed: Promise<void>;
  /** Stops listening, fails what is in flight. The channel itself stays its owner's. */
  [Symbol.dispose](): void;
}

const resultSchema = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), data: z.unknown() }),
  z.object({ ok: z.literal(false), error: problemSchema }),
]);

/** Wraps a channel. Register handlers and listeners before the channel listens, so that none is missed. */
export function createPeer<Own extends Side, Other extends Side, Signal extends CancelSignal>(
  options: PeerOptions<Own, Other, Signal>,
): Peer<Own, Other, Signal> {
  return new ChannelPeer(options);
}

class ChannelPeer<Own extends Side, Other extends Side, Signal extends CancelSignal> implements Peer<
  Own,
  Other,
  Signal
> {
  readonly closed: Promise<void>;
  readonly #options: PeerOptions<Own, Other, Signal>;
  readonly #handlers = new Map<string, (input: unknown, signal: Signal) => Promise<unknown>>();
  readonly #listeners = new Map<string, Set<(payload: unknown) => void>>();
  readonly #subscriptions: readonly Disposable[];
  /** Called once each when the channel closes: rejections of own requests, aborts of the other's. */
  readonly #onClosed = new Set<() => void>();
  #resolveClosed: () => void = () => undefined;
  #isClosed = false;

  constructor(options: PeerOptions<Own, Other, Signal>) {
    this.#options = options;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    const { channel } = options;
    this.#subscriptions = [
      channel.onRequest((method, parameters, token) => this.#answer(method, parameters, token)),
      channel.onNotification((method, parameters) => this.#hear(method, parameters)),
      channel.onError(([error]) => this.#fault('transport', undefined, error.message)),
      channel.onClose(() => this.#close()),
    ];
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  async request<M extends RequestName<Other>>(
    method: M,
    input: RequestInput<Other, M>,
    signal?: CancelSignal,
  ): Promise<RequestOutput<Other, M>> {
    const contract = this.#options.other.requests[method];
    if (contract === undefined) throw new TypeError(`No request is called ${method}.`);
    if (this.#isClosed) throw this.#gone();
    const result = resultSchema.safeParse(await this.#exchange(method, input as object, signal));
    if (!result.success) throw this.#violation('response', method, result.error);
    if (!result.data.ok) throw new ProblemError(result.data.error);
    const output = contract.output.safeParse(result.data.data);
    if (!output.success) throw this.#violation('response', method, output.error);
    return output.data as RequestOutput<Other, M>;
  }

  async notify<M extends NotificationName<Own>>(
    method: M,
    payload: NotificationPayload<Own, M>,
  ): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.#options.channel.sendNotification(method, payload as object);
    } catch (error) {
      if (!this.#isClosed) this.#fault('transport', method, messageOf(error));
    }
  }

  handle<M extends RequestName<Own>>(
    method: M,
    handler: (input: RequestInput<Own, M>, signal: Signal) => Promise<RequestOutput<Own, M>>,
  ): void {
    this.#handlers.set(method, handler as (input: unknown, signal: Signal) => Promise<unknown>);
  }

  on<M extends NotificationName<Other>>(
    method: M,
    listener: (payload: NotificationPayload<Other, M>) => void,
  ): () => void {
    const listeners = this.#listeners.get(method) ?? new Set();
    this.#listeners.set(method, listeners);
    const entry = (payload: unknown) => listener(payload as NotificationPayload<Other, M>);
    listeners.add(entry);
    return () => listeners.delete(entry);
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#close();
  }

  /** Sends a request; fails when the channel closes, which the transport itself would not notice. */
  #exchange(method: string, input: object, signal: CancelSignal | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const fail = () => reject(this.#gone());
      this.#onClosed.add(fail);
      const cancellation = signal && tokenOf(signal);
      this.#options.channel
        .sendRequest(method, input, ...(cancellation ? [cancellation.token] : []))
        .then(resolve, (error: unknown) => {
          reject(this.#isClosed ? this.#gone() : this.#violation('response', method, error));
        })
        .finally(() => {
          this.#onClosed.delete(fail);
          cancellation?.dispose();
        });
    });
  }

  async #answer(method: string, parameters: unknown, token: CancellationToken): Promise<unknown> {
    const contract = Object.hasOwn(this.#options.own.requests, method)
      ? this.#options.own.requests[method]
      : undefined;
    const handler = this.#handlers.get(method);
    if (contract === undefined || handler === undefined) {
      return { ok: false, error: this.#fault('request', shortened(method), 'Nothing answers this request.') };
    }
    const input = contract.input.safeParse(parameters);
    if (!input.success) {
      return { ok: false, error: this.#fault('request', method, describeIssues(input.error)) };
    }
    const abort = this.#options.createAbort();
    const giveUp = () => abort.abort();
    this.#onClosed.add(giveUp);
    const subscription = token.onCancellationRequested(giveUp);
    if (token.isCancellationRequested || this.#isClosed) giveUp();
    try {
      return { ok: true, data: await handler(input.data, abort.signal) };
    } catch (error) {
      const problem = toProblem(error);
      // Its message may hold anything, so only this end hears of it.
      if (problem.code === 'internal_error') this.#fault('request', method, messageOf(error));
      return { ok: false, error: problem };
    } finally {
      this.#onClosed.delete(giveUp);
      subscription.dispose();
    }
  }

  #hear(method: string, parameters: unknown): void {
    const schema = Object.hasOwn(this.#options.other.notifications, method)
      ? this.#options.other.notifications[method]
      : undefined;
    if (schema === undefined) {
      this.#fault('notification', shortened(method), 'No such notification.');
      return;
    }
    const payload = schema.safeParse(parameters);
    if (!payload.success) {
      this.#fault('notification', method, describeIssues(payload.error));
      return;
    }
    for (const listener of this.#listeners.get(method) ?? []) {
      try {
        listener(payload.data);
      } catch (error) {
        this.#fault('notification', method, messageOf(error));
      }
    }
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const callback of this.#onClosed) callback();
    this.#onClosed.clear();
    this.#resolveClosed();
  }

  #gone(): ProblemError {
    return new ProblemError({
      code: 'peer_closed',
      title: 'The connection ended',
      detail: `The connection to ${this.#options.otherName} ended before it answered.`,
    });
  }

  #violation(kind: PeerFault['kind'], method: string, error: unknown): ProblemError {
    const detail = error instanceof z.ZodError ? describeIssues(error) : messageOf(error);
    return new ProblemError(this.#fault(kind, method, detail));
  }

  #fault(kind: PeerFault['kind'], method: string | undefined, detail: string): Problem {
    this.#options.onFault({ kind, method, detail });
    return {
      code: 'protocol_violation',
      title: 'Two parts of Slipway did not understand each other',
      detail: `A ${kind}${method === undefined ? '' : ` "${method}"`} between Slipway and ${this.#options.otherName} did not keep to their contract.`,
    };
  }
}

/** A token of the transport that follows a signal. */
function tokenOf(signal: CancelSignal): { token: CancellationToken; dispose(): void } {
  const listeners = new Set<() => void>();
  const fire = () => {
    for (const listener of listeners) listener();
  };
  signal.addEventListener('abort', fire, { once: true });
  return {
    token: {
      get isCancellationRequested() {
        return signal.aborted;
      },
      onCancellationRequested: (listener) => {
        listeners.add(listener);
        return { dispose: () => listeners.delete(listener) };
      },
    },
    dispose: () => signal.removeEventListener('abort', fire),
  };
}

/** Where and how a message broke its schema; zod's own messages quote no values. */
function describeIssues(error: z.ZodError): string {
  const shown = error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.join('.') || '(all)'}: ${issue.message}`);
  return shown.join('; ');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A name that the other end chose, fit for a log line. */
function shortened(name: string): string {
  return name.length > 64 ? `${name.slice(0, 64)}…` : name;
}
