import type { IncomingHttpHeaders } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  CancelledNotificationSchema,
  ErrorCode,
  isInitializeRequest,
  isJSONRPCRequest,
  JSONRPCMessageSchema,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js';
import { toProblem } from '#shared/problem.ts';
import { ExchangeTransport } from './exchange-transport.ts';
import type { ResourceStore } from './spill/resource-store.ts';
import { report } from './stdio.ts';
import { errorResult, type ToolCallContext, type ToolRegistry } from './tool-registry.ts';

/** JSON-RPC's first code for errors of a server's own. */
export const SERVER_ERROR = -32_000;

/** What an MCP request is answered with over HTTP. */
export interface McpReply {
  readonly status: number;
  /** Sent as JSON; nothing when absent. */
  readonly body?: object;
}

/** The sidecar asks its client for nothing, so no answer of one is ever validated. */
const NO_VALIDATION = {
  getValidator: () => {
    throw new Error('The sidecar asks its client for nothing.');
  },
};

/**
 * MCP over Streamable HTTP without sessions, answered in JSON: each POST carries one message, and nothing
 * is remembered between two.
 */
export class McpEndpoint {
  readonly #transport = new ExchangeTransport();

  private constructor() {}

  /** @param resources stored results, where the run can have any */
  static async create(registry: ToolRegistry, resources?: ResourceStore): Promise<McpEndpoint> {
    const endpoint = new McpEndpoint();
    await createServer(registry, resources).connect(endpoint.#transport);
    return endpoint;
  }

  /** Answers one POST whose body has been read; `signal` fires when its sender has gone. */
  async handle(headers: IncomingHttpHeaders, body: string, signal: AbortSignal): Promise<McpReply> {
    const { accept = '', 'content-type': contentType = '' } = headers;
    if (!accepts(accept, 'application/json') || !accepts(accept, 'text/event-stream')) {
      return rpcError(
        406,
        SERVER_ERROR,
        'Not acceptable: accept both application/json and text/event-stream',
      );
    }
    if (!/^application\/json *(;|$)/i.test(contentType.trim())) {
      return rpcError(415, SERVER_ERROR, 'Unsupported media type: send application/json');
    }
    let json: unknown;
    try {
      json = JSON.parse(body);
    } catch {
      return rpcError(400, ErrorCode.ParseError, 'Parse error: the body is not JSON');
    }
    const parsed = JSONRPCMessageSchema.safeParse(json);
    if (!parsed.success) {
      return rpcError(400, ErrorCode.InvalidRequest, 'Invalid request: the body is not one JSON-RPC message');
    }
    const message = parsed.data;
    const version = headers['mcp-protocol-version'];
    if (version !== undefined && !isInitializeRequest(message) && !isSupported(version)) {
      return rpcError(
        400,
        SERVER_ERROR,
        `Unsupported protocol version; supported are ${SUPPORTED_PROTOCOL_VERSIONS.join(', ')}`,
      );
    }
    if (!isJSONRPCRequest(message)) {
      const cancelled = CancelledNotificationSchema.safeParse(message).data?.params.requestId;
      if (cancelled !== undefined) this.#transport.cancel(cancelled);
      return { status: 202 };
    }
    const response = await this.#transport.ask(message, signal);
    return response === undefined ? { status: 202 } : { status: 200, body: response };
  }
}

function createServer(registry: ToolRegistry, resources: ResourceStore | undefined): Server {
  const server = new Server(
    { name: 'slipway-sidecar', version: '1' },
    {
      capabilities: { tools: {}, ...(resources && { resources: {} }) },
      jsonSchemaValidator: NO_VALIDATION,
    },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: registry.definitions }));
  server.setRequestHandler(CallToolRequestSchema, (request, { signal }) =>
    callTool(registry, request.params.name, request.params.arguments, {
      signal,
      meta: request.params._meta,
    }),
  );
  if (resources !== undefined) {
    // A result is told of in the call it came from, never listed.
    server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [] }));
    server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
      const resource = resources.find(uri);
      if (resource === undefined) throw new McpError(ErrorCode.InvalidParams, `Resource not found: ${uri}`);
      const bytes = Buffer.concat(resource.pieces);
      const { mediaType: mimeType } = resource;
      const content = resource.isText ? { text: bytes.toString('utf8') } : { blob: bytes.toString('base64') };
      return { contents: [{ uri, mimeType, ...content }] };
    });
  }
  return server;
}

async function callTool(
  registry: ToolRegistry,
  name: string,
  input: unknown,
  context: ToolCallContext,
): Promise<CallToolResult> {
  const tool = registry.get(name);
  if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `Unknown tool: ${name}`);
  try {
    return await tool.call(input, context);
  } catch (error) {
    const problem = toProblem(error);
    if (problem.code === 'internal_error') report(error instanceof Error ? error.message : String(error));
    const action = problem.action === undefined ? '' : ` ${problem.action}`;
    return errorResult(`${problem.title}: ${problem.detail}${action}`);
  }
}

function accepts(header: string, type: string): boolean {
  const [family] = type.split('/');
  return header.split(',').some((range) => {
    const name = (range.split(';')[0] ?? '').trim().toLowerCase();
    return name === type || name === `${family}/*` || name === '*/*';
  });
}

function isSupported(version: string | string[]): boolean {
  return typeof version === 'string' && SUPPORTED_PROTOCOL_VERSIONS.includes(version);
}

/** A JSON-RPC error that belongs to no request. */
export function rpcError(status: number, code: number, message: string, data?: unknown): McpReply {
  const error = { code, message, ...(data !== undefined && { data }) };
  return { status, body: { jsonrpc: '2.0', error, id: null } };
}
