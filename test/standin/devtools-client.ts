import { once } from 'node:events';
import { WebSocket } from 'ws';

type Parameters = Record<string, unknown>;
type Listener = (parameters: Parameters) => void;

/** Speaks the Chrome DevTools Protocol with a browser, for the browser and for each of its pages. */
export class DevToolsClient implements Disposable {
  readonly #socket: WebSocket;
  readonly #pending = new Map<number, PromiseWithResolvers<Parameters>>();
  readonly #listeners = new Map<string, Set<Listener>>();
  #nextId = 1;

  static async connect(endpoint: string): Promise<DevToolsClient> {
    const socket = new WebSocket(endpoint, { perMessageDeflate: false, maxPayload: 512 * 1024 * 1024 });
    await once(socket, 'open');
    return new DevToolsClient(socket);
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => this.#receive(JSON.parse((data as Buffer).toString())));
    socket.on('close', () => {
      for (const { reject } of this.#pending.values()) reject(new Error('The browser is gone.'));
      this.#pending.clear();
    });
  }

  /** @throws Error with the browser's own message. */
  send(method: string, parameters: Parameters = {}, sessionId?: string): Promise<Parameters> {
    const id = this.#nextId++;
    const answer = Promise.withResolvers<Parameters>();
    this.#pending.set(id, answer);
    this.#socket.send(JSON.stringify({ id, method, params: parameters, sessionId }));
    return answer.promise;
  }

  /** Calls back at an event of the browser, or of one page's session. */
  on(event: string, sessionId: string | undefined, listener: Listener): void {
    const key = `${sessionId ?? ''} ${event}`;
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(listener));
  }

  [Symbol.dispose](): void {
    this.#socket.close();
  }

  #receive(message: {
    id?: number;
    method?: string;
    params?: Parameters;
    result?: Parameters;
    error?: { message: string };
    sessionId?: string;
  }): void {
    if (message.id === undefined) {
      const key = `${message.sessionId ?? ''} ${message.method ?? ''}`;
      for (const listener of this.#listeners.get(key) ?? []) listener(message.params ?? {});
      return;
    }
    const answer = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.error) answer?.reject(new Error(message.error.message));
    else answer?.resolve(message.result ?? {});
  }
}
