import { SSEClientTransport, SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { SessionLost } from './server-failure.ts';
import { ServerRequests, type ServerRequestsOptions } from './server-requests.ts';
import type { ServerTransport } from './server-link.ts';

/** Milliseconds in which what a stream said last is still read when it has ended. */
const READING_MS = 250;

/** Answers that a transport made itself, since a server's own never came. */
const ownMessages = new WeakSet<JSONRPCMessage>();

/** Whether a message is this program's own word in the place of an answer. */
export function isOwnMessage(message: JSONRPCMessage): boolean {
  return ownMessages.has(message);
}

/** Makes a way to a server on the internet: Streamable HTTP, or the older SSE where the integration says so. */
export function remoteTransports(options: ServerRequestsOptions): () => ServerTransport {
  const { transport, url } = options.source;
  return () => {
    const requests = new ServerRequests(options);
    return transport === 'sse'
      ? new SseTransport(new URL(url), requests)
      : new HttpTransport(new URL(url), requests);
  };
}

/**
 * The SDK's transport for Streamable HTTP, which goes on with a stream that broke where the server numbers its
 * events, and waits for ever where it does not: here what was asked over that stream has then failed.
 */
class HttpTransport extends StreamableHTTPClientTransport {
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(url: URL, requests: ServerRequests) {
    super(url, { fetch: requests.fetch });
    requests.onBroken = (id, data) => {
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        const error = { code: ErrorCode.ConnectionClosed, message: 'The answer broke off', data };
        const message: JSONRPCMessage = { jsonrpc: '2.0', id, error };
        ownMessages.add(message);
        // Passed over by the client when it has the answer.
        this.onmessage?.(message);
      }, READING_MS);
      this.#timers.add(timer);
    };
  }

  override async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    await super.close();
  }
}

/**
 * The SDK's transport for SSE, whose stream is its session: when that ends it would open another by itself,
 * at which the server has not been greeted. Here it ends with its stream, and is made anew for the next call.
 */
class SseTransport extends SSEClientTransport {
  readonly #requests: ServerRequests;

  constructor(url: URL, requests: ServerRequests) {
    super(url, { fetch: requests.fetch });
    this.#requests = requests;
    const endWithStream = (error: Error) => {
      if (error instanceof SseError) void this.close();
    };
    Object.assign(this, { onerror: endWithStream });
  }

  override async start(): Promise<void> {
    try {
      await super.start();
    } catch (error) {
      await this.close();
      throw this.#requests.failure ?? error;
    }
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    try {
      await super.send(message);
    } catch (error) {
      if (/\(HTTP 404\)/.test(String(error))) throw new SessionLost('The session is gone', { cause: error });
      throw error;
    }
  }
}
