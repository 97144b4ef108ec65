import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import {
  StreamableHTTPServerTransport,
  type EventStore,
} from '@modelcontextprotocol/sdk/server/streamableHttp.js';

export interface McpPeerOptions {
  /** Streamable HTTP with or without sessions, answered as a stream or as JSON, or the older SSE. */
  readonly kind: 'sessions' | 'stateless' | 'json' | 'sse';
  /** A server for a session, or for a request where there are none. */
  readonly create: () => Server;
  /** Answers a request in the place of the server, such as with 401; true when it has. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Keeps what streams have sent, so that one that broke is taken up again. */
  readonly eventStore?: () => EventStore;
  /** All interfaces, where containers must reach it. */
  readonly host?: string;
}

export interface McpPeer extends AsyncDisposable {
  readonly port: number;
  /** What came in: method, path and headers. */
  readonly requests: { method: string; url: string; headers: IncomingMessage['headers'] }[];
  /** Forgets every session, as a server does that was started anew. */
  forget(): void;
  /** Breaks every connection that is open. */
  breakConnections(): void;
}

/** An MCP server over HTTP, made of the SDK's own parts. */
export async function startMcpPeer(options: McpPeerOptions): Promise<McpPeer> {
  const { kind, create, intercept, eventStore, host = '127.0.0.1' } = options;
  const requests: McpPeer['requests'] = [];
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const streams = new Map<string, SSEServerTransport>();

  const serveStream = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === 'GET') {
      const transport = new SSEServerTransport('/messages', response);
      streams.set(transport.sessionId, transport);
      await create().connect(transport);
      return;
    }
    const id = new URL(request.url ?? '', 'http://peer').searchParams.get('sessionId') ?? '';
    const transport = streams.get(id);
    if (transport === undefined) response.writeHead(404).end('no such session');
    else await transport.handlePostMessage(request, response);
  };
  const serveSession = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (id !== undefined && known === undefined) {
      response.writeHead(404).end('no such session');
      return;
    }
    if (known !== undefined) {
      await known.handleRequest(request, response);
      return;
    }
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (session) => void sessions.set(session, transport),
      onsessionclosed: (session) => void sessions.delete(session),
      ...(eventStore && { eventStore: eventStore(), retryInterval: 50 }),
    });
    await create().connect(transport);
    await transport.handleRequest(request, response);
  };
  const serveAlone = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const server = create();
    const transport = new StreamableHTTPServerTransport({
      enableJsonResponse: kind === 'json',
    });
    response.once('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(request, response);
  };
  const serve = { sse: serveStream, sessions: serveSession, stateless: serveAlone, json: serveAlone }[kind];

  const server = createServer((request, response) => {
    requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
    if (intercept?.(request, response) === true) return;
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    requests,
    forget() {
      sessions.clear();
      streams.clear();
    },
    breakConnections: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
