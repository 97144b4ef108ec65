import { ProblemError, type Problem } from '../problem.ts';
import type { CancelSignal } from '../protocol/peer.ts';
import { serverFrameSchema, type ServerFrame, type ShellBridge } from './frames.ts';
import { routes, type RouteInput, type RouteName, type RouteOutput } from './routes.ts';
import { topics, type TopicMessage, type TopicName, type TopicParameters } from './topics.ts';

/** Routes that only read: asked again after a reconnect. The others may have happened already. */
const REPEATABLE: ReadonlySet<RouteName> = new Set([
  'app.describe',
  'library.list',
  'library.get',
  'library.packages',
  'library.package',
  'library.readFile',
  'library.compare',
  'library.catalogue',
  'library.signing',
  'playground.describe',
  'playground.result',
  'playground.readText',
  'connections.list',
  'connections.describe',
  'connections.requirements',
  'network.describe',
  'playground.describe',
  'playground.result',
  'playground.readText',
  'engine.describe',
  'models.list',
  'models.test',
  'vault.describe',
  'settings.get',
  'memory.search',
  'memory.export',
  'runs.list',
  'runs.get',
  'runs.readText',
]);

interface PendingRequest {
  readonly route: RouteName;
  readonly input: unknown;
  resolve(data: unknown): void;
  reject(error: Error): void;
}

interface Subscription {
  readonly topic: TopicName;
  readonly parameters: unknown;
  /** Id on the present carrier; `undefined` while it is down. */
  id: number | undefined;
  cursor: string | undefined;
  onMessage(message: unknown): void;
  onClosed(problem: Problem | undefined): void;
}

/**
 * The renderer's end of the contract, over a shell's bridge: matches answers to requests, and takes up
 * subscriptions where they were when the carrier comes back.
 */
export class IpcClient implements Disposable {
  readonly #bridge: ShellBridge;
  readonly #pending = new Map<number, PendingRequest>();
  readonly #waiting = new Set<PendingRequest>();
  readonly #subscriptions = new Set<Subscription>();
  readonly #stops: (() => void)[];
  #state: 'connecting' | 'open' | 'closed' = 'connecting';
  #nextId = 1;

  constructor(bridge: ShellBridge) {
    this.#bridge = bridge;
    this.#stops = [
      bridge.onFrame((frame) => this.#receive(frame)),
      bridge.onState((state) => this.#changeState(state)),
    ];
  }

  /**
   * Asks main. Waits while the carrier is connecting.
   * @throws ProblemError main's own problem, or `connection_lost`, `answer_invalid`, `cancelled`.
   */
  request<R extends RouteName>(
    route: R,
    input: RouteInput<R>,
    options: { signal?: CancelSignal | undefined } = {},
  ): Promise<RouteOutput<R>> {
    const { signal } = options;
    return new Promise<unknown>((resolve, reject) => {
      if (signal?.aborted) return reject(new ProblemError(CANCELLED));
      const request: PendingRequest = {
        route,
        input,
        resolve: (data) => {
          signal?.removeEventListener('abort', abort);
          resolve(data);
        },
        reject: (error) => {
          signal?.removeEventListener('abort', abort);
          reject(error);
        },
      };
      const abort = () => this.#cancel(request);
      signal?.addEventListener('abort', abort);
      if (this.#state === 'closed') request.reject(new ProblemError(CONNECTION_LOST));
      else if (this.#state === 'open') this.#send(request);
      else this.#waiting.add(request);
    }) as Promise<RouteOutput<R>>;
  }

  /**
   * Follows a topic until the returned function is called. Nothing is lost or repeated across reconnects.
   * @param onClosed Told when main ended it, for example because its run was removed.
   */
  subscribe<T extends TopicName>(
    topic: T,
    parameters: TopicParameters<T>,
    onMessage: (message: TopicMessage<T>) => void,
    onClosed: (problem: Problem | undefined) => void = () => undefined,
  ): () => void {
    const subscription: Subscription = {
      topic,
      parameters,
      id: undefined,
      cursor: undefined,
      onMessage: (message) => onMessage(message as TopicMessage<T>),
      onClosed,
    };
    this.#subscriptions.add(subscription);
    if (this.#state === 'open') this.#open(subscription);
    return () => {
      if (!this.#subscriptions.delete(subscription) || subscription.id === undefined) return;
      this.#bridge.send({ kind: 'unsubscribe', id: subscription.id });
    };
  }

  [Symbol.dispose](): void {
    for (const stop of this.#stops) stop();
    for (const { id } of this.#subscriptions)
      if (id !== undefined) this.#bridge.send({ kind: 'unsubscribe', id });
    this.#subscriptions.clear();
    this.#failAll();
  }

  #changeState(state: 'connecting' | 'open' | 'closed'): void {
    this.#state = state;
    if (state === 'open') {
      const waiting = [...this.#waiting];
      this.#waiting.clear();
      for (const request of waiting) this.#send(request);
      for (const subscription of this.#subscriptions) this.#open(subscription);
      return;
    }
    for (const subscription of this.#subscriptions) subscription.id = undefined;
    const cut = [...this.#pending.values()];
    this.#pending.clear();
    for (const request of cut) {
      if (REPEATABLE.has(request.route)) this.#waiting.add(request);
      else request.reject(new ProblemError(CONNECTION_LOST));
    }
    if (state === 'closed') this.#failAll();
  }

  #failAll(): void {
    const requests = [...this.#pending.values(), ...this.#waiting];
    this.#pending.clear();
    this.#waiting.clear();
    for (const request of requests) request.reject(new ProblemError(CONNECTION_LOST));
  }

  #send(request: PendingRequest): void {
    const id = this.#nextId++;
    this.#pending.set(id, request);
    this.#bridge.send({ kind: 'request', id, route: request.route, input: request.input });
  }

  #open(subscription: Subscription): void {
    const id = this.#nextId++;
    subscription.id = id;
    const { topic, parameters, cursor } = subscription;
    this.#bridge.send({
      kind: 'subscribe',
      id,
      topic,
      parameters,
      ...(cursor !== undefined && { after: cursor }),
    });
  }

  #cancel(request: PendingRequest): void {
    this.#waiting.delete(request);
    for (const [id, pending] of this.#pending) {
      if (pending !== request) continue;
      this.#pending.delete(id);
      this.#bridge.send({ kind: 'cancel', id });
    }
    request.reject(new ProblemError(CANCELLED));
  }

  #receive(value: unknown): void {
    const parsed = serverFrameSchema.safeParse(value);
    if (!parsed.success) return;
    const frame = parsed.data;
    if (frame.kind === 'response') this.#settle(frame);
    else this.#deliver(frame);
  }

  #settle({ id, result }: Extract<ServerFrame, { kind: 'response' }>): void {
    const request = this.#pending.get(id);
    if (!request) return;
    this.#pending.delete(id);
    if (!result.ok) return request.reject(new ProblemError(result.error));
    const data = routes[request.route].output.safeParse(result.data);
    if (data.success) request.resolve(data.data);
    else request.reject(new ProblemError(answerInvalid(request.route)));
  }

  #deliver(frame: Extract<ServerFrame, { kind: 'message' | 'closed' }>): void {
    const subscription = [...this.#subscriptions].find(({ id }) => id === frame.id);
    if (!subscription) return;
    if (frame.kind === 'closed') {
      this.#subscriptions.delete(subscription);
      subscription.onClosed(frame.error);
      return;
    }
    const message = topics[subscription.topic].message.safeParse(frame.data);
    if (message.success) {
      subscription.cursor = frame.cursor;
      subscription.onMessage(message.data);
      return;
    }
    this.#subscriptions.delete(subscription);
    this.#bridge.send({ kind: 'unsubscribe', id: frame.id });
    subscription.onClosed(answerInvalid(subscription.topic));
  }
}

const CANCELLED: Problem = {
  code: 'cancelled',
  title: 'Cancelled',
  detail: 'The operation was cancelled before it ended.',
};

const CONNECTION_LOST: Problem = {
  code: 'connection_lost',
  title: 'Connection to Slipway lost',
  detail: 'The connection was cut before the answer came, so it is not known whether it was done.',
  action: 'Look at the present state before you try again.',
};

function answerInvalid(name: string): Problem {
  return {
    code: 'answer_invalid',
    title: 'Slipway answered in another form',
    detail: `The answer to "${name}" does not have the form this page expects; it may be older than the app.`,
    action: 'Reload the window.',
  };
}
