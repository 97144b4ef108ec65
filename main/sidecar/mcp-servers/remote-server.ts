import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { SessionLost } from './server-failure.ts';
import { ServerRequests, type ServerRequestsOptions } from './server-requests.ts';
import type { ServerTransport } from './tool-server.ts';

/**
 * Makes ways to a server on the internet: Streamable HTTP, or the older SSE where the integration says so.
 * @throws ProblemError `mcp_address_refused`
 */
export function remoteTransports(options: ServerRequestsOptions): () => ServerTransport {
  const requests = new ServerRequests(options);
  const url = new URL(options.source.url);
  if (options.source.transport === 'sse') return () => new SseTransport(url, requests);
  return () => new StreamableHTTPClientTransport(url, { fetch: requests.fetch });
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
    Object.assign(this, { onerror: () => void this.close() });
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
