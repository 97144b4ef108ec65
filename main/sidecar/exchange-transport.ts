import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  isJSONRPCErrorResponse,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';

interface Exchange {
  /** Id the sender gave; two senders may give the same. */
  readonly requestId: RequestId;
  readonly settle: (response: JSONRPCMessage | undefined) => void;
}

/**
 * Lets one MCP server answer many independent HTTP requests, which saves making a server for each: every
 * request gets an id of its own inside, so that no two meet.
 */
export class ExchangeTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #exchanges = new Map<RequestId, Exchange>();
  #lastId = 0;

  async start(): Promise<void> {}

  async close(): Promise<void> {
    for (const exchange of this.#exchanges.values()) exchange.settle(undefined);
    this.#exchanges.clear();
    this.onclose?.();
  }

  /** The server's answer to a request; undefined when it was cancelled or its sender has gone. */
  ask(request: JSONRPCRequest, signal: AbortSignal): Promise<JSONRPCMessage | undefined> {
    this.#lastId += 1;
    const id = this.#lastId;
    const leave = () => this.#cancel(id);
    const answer = new Promise<JSONRPCMessage | undefined>((resolve) => {
      this.#exchanges.set(id, { requestId: request.id, settle: resolve });
    });
    signal.addEventListener('abort', leave, { once: true });
    this.onmessage?.({ ...request, id });
    if (signal.aborted) leave();
    return answer.finally(() => signal.removeEventListener('abort', leave));
  }

  /** Cancels the requests a sender gave this id, wherever their connections are. */
  cancel(requestId: RequestId): void {
    for (const [id, exchange] of this.#exchanges) {
      if (exchange.requestId === requestId) this.#cancel(id);
    }
  }

  /** What the server says of its own accord reaches nobody: there is no stream to send it on. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (!isJSONRPCResultResponse(message) && !isJSONRPCErrorResponse(message)) return;
    const { id } = message;
    const exchange = id === undefined ? undefined : this.#exchanges.get(id);
    if (id === undefined || exchange === undefined) return;
    this.#exchanges.delete(id);
    exchange.settle({ ...message, id: exchange.requestId });
  }

  #cancel(id: RequestId): void {
    const exchange = this.#exchanges.get(id);
    if (exchange === undefined) return;
    this.#exchanges.delete(id);
    this.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
    exchange.settle(undefined);
  }
}
