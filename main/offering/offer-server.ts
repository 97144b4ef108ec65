import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js';
import type { Logger } from '#main/logging/index.ts';
import { bearsToken, listenOnLoopback } from '#main/network/loopback-server.ts';
import { BodyReader, BodyRefused } from '#main/sidecar/body-reader.ts';
import { ProblemError, toProblem } from '#shared/problem.ts';
import type { OfferedTool } from './offered-tool.ts';

/** Where the server is found on its port. */
const PATH = '/mcp';
/** Bytes of one message; files of an agent's input are in it. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;
/** Clients at one time; the one that has been silent for longest gives way. */
const MAX_SESSIONS = 16;

export interface OfferServerOptions {
  readonly tools: readonly OfferedTool[];
  readonly version: string;
  readonly logger: Logger;
  /** Any free one when absent. */
  readonly port?: number | undefined;
  /** Told when a client calls, and how it ended. */
  readonly onCall?: ((call: { readonly tool: string; readonly outcome: string }) => void) | undefined;
}

/**
 * MCP over Streamable HTTP on the loopback interface, for clients outside of the app. Who knows the token
 * may call what is offered, and nothing else.
 */
export class OfferServer implements AsyncDisposable {
  readonly url: string;
  /** What a request must carry as its bearer token; it counts as long as the server lives. */
  readonly token = randomBytes(32).toString('base64url');
  readonly #options: OfferServerOptions;
  readonly #http: HttpServer;
  readonly #hosts: ReadonlySet<string>;
  readonly #bodies = new BodyReader(MAX_MESSAGE_BYTES);
  /** By session, the one that was heard of last at the end. */
  readonly #sessions = new Map<string, StreamableHTTPServerTransport>();
  readonly #ended = new AbortController();
  readonly #calls = new Set<Promise<unknown>>();
  readonly #released = new AsyncDisposableStack();

  /** @throws ProblemError `port_unusable`, `offer_ambiguous`. */
  static async start(options: OfferServerOptions): Promise<OfferServer> {
    const names = new Set<string>();
    for (const { definition } of options.tools) {
      if (names.has(definition.name)) throw ambiguous(definition.name);
      names.add(definition.name);
    }
    const http = createServer();
    await listenOnLoopback(http, options.port ?? 0);
    return new OfferServer(options, http);
  }

  private constructor(options: OfferServerOptions, http: HttpServer) {
    const { port } = http.address() as AddressInfo;
    this.#options = options;
    this.#http = http;
    this.#hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`]);
    this.url = `http://127.0.0.1:${port}${PATH}`;
    // An agent works for minutes, and a client may listen for as long.
    http.requestTimeout = 0;
    http.on('request', (request, response) => void this.#answer(request, response));
  }

  /** Names of what is offered. */
  get toolNames(): readonly string[] {
    return this.#options.tools.map(({ definition }) => definition.name);
  }

  /** What goes with the server is let go of when its calls have ended. */
  onEnd(release: () => Promise<void>): void {
    this.#released.defer(release);
  }

  /** Ends the calls under way and resolves when what they began has ended too. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort();
    await Promise.allSettled(this.#calls);
    await Promise.allSettled([...this.#sessions.values()].map((session) => session.close()));
    const closed = once(this.#http, 'close');
    this.#http.close();
    this.#http.closeAllConnections();
    await closed;
    await this.#released.disposeAsync();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const refused = this.#refusalOf(request);
      if (refused) return refuse(response, refused.status, refused.message);
      if (request.method !== 'POST') return await this.#serve(request, response, undefined);
      await this.#bodies.withBody(request, MAX_MESSAGE_BYTES, async (body) => {
        const message = parseJson(body);
        if (message === undefined) refuse(response, 400, 'The body is not JSON', ErrorCode.ParseError);
        else await this.#serve(request, response, message);
      });
    } catch (error) {
      if (error instanceof BodyRefused) {
        return refuse(response, error.reason === 'too_large' ? 413 : 503, `The request is ${error.reason}`);
      }
      this.#options.logger.error({ error }, 'The offered tools could not be served');
      refuse(response, 500, 'Slipway met a fault; its log says more');
    }
  }

  /** A page whose name was led to this computer has its own Host, and one of any other site an Origin. */
  #refusalOf({ headers, url = '' }: IncomingMessage): { status: number; message: string } | undefined {
    if (!this.#hosts.has(headers.host ?? '') || headers.origin !== undefined)
      return { status: 403, message: 'Programs of this computer only are served' };
    if (!bearsToken(headers.authorization, this.token))
      return { status: 401, message: 'The token is missing or wrong' };
    if (url.split('?', 1)[0] !== PATH) return { status: 404, message: `MCP is served at ${PATH}` };
    return undefined;
  }

  async #serve(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const id = request.headers['mcp-session-id'];
    if (typeof id === 'string') {
      const session = this.#sessions.get(id);
      if (!session) return refuse(response, 404, 'There is no such session; initialize again');
      this.#sessions.delete(id);
      this.#sessions.set(id, session);
      return session.handleRequest(request, response, body);
    }
    const session = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (sessionId) => this.#admit(sessionId, session),
      onsessionclosed: (sessionId) => void this.#sessions.delete(sessionId),
    });
    await this.#createServer().connect(session);
    await session.handleRequest(request, response, body);
    if (session.sessionId === undefined) await session.close();
  }

  #admit(id: string, session: StreamableHTTPServerTransport): void {
    this.#sessions.set(id, session);
    const [oldest] = this.#sessions;
    if (this.#sessions.size <= MAX_SESSIONS || oldest === undefined) return;
    this.#sessions.delete(oldest[0]);
    void oldest[1].close();
  }

  #createServer(): Server {
    const { tools, version } = this.#options;
    const server = new Server({ name: 'slipway', version }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: tools.map(({ definition }) => definition),
    }));
    server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
      const tool = tools.find(({ definition }) => definition.name === params.name);
      if (!tool) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${params.name}`);
      const progressToken = params._meta?.progressToken;
      let progress = 0;
      const calling = this.#call(tool, params.arguments ?? {}, {
        signal: AbortSignal.any([extra.signal, this.#ended.signal]),
        onProgress: (message) => {
          if (progressToken === undefined) return;
          progress += 1;
          const notification = { progressToken, progress, message };
          extra
            .sendNotification({ method: 'notifications/progress', params: notification })
            .catch(() => undefined);
        },
      });
      this.#calls.add(calling);
      return calling.finally(() => this.#calls.delete(calling));
    });
    return server;
  }

  async #call(
    tool: OfferedTool,
    input: Readonly<Record<string, unknown>>,
    call: Parameters<OfferedTool['call']>[1],
  ): Promise<CallToolResult> {
    const { onCall, logger } = this.#options;
    const { name } = tool.definition;
    try {
      const result = await tool.call(input, call);
      onCall?.({ tool: name, outcome: result.isError === true ? 'failed' : 'done' });
      return result;
    } catch (error) {
      const problem = toProblem(error);
      if (problem.code === 'internal_error' && !call.signal.aborted)
        logger.error({ error, tool: name }, 'An offered tool met a fault');
      onCall?.({ tool: name, outcome: call.signal.aborted ? 'cancelled' : problem.code });
      const causes = (problem.causes ?? []).map(({ detail, pointer }) =>
        pointer === undefined ? detail : `${pointer}: ${detail}`,
      );
      const text = [`${problem.title}: ${problem.detail}`, ...causes, problem.action]
        .filter((line) => line !== undefined)
        .join('\n');
      return { isError: true, content: [{ type: 'text', text }] };
    }
  }
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

/** Answers with an error that belongs to no request. What is left of the request is read and dropped. */
function refuse(response: ServerResponse, status: number, message: string, code = -32_000): void {
  response.req.resume();
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
  });
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }));
}

function ambiguous(name: string): ProblemError {
  return new ProblemError({
    code: 'offer_ambiguous',
    title: 'Two tools of one name',
    detail: `What is offered has two tools named "${name}".`,
    action: 'Offer them one after the other, from two commands.',
  });
}
