import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js';
import { Readable } from 'node:stream';
import { ProblemError } from '#shared/problem.ts';
import { BODY_PATH, RESOURCE_PATH } from '#shared/protocol/api-tools.ts';
import { MAX_MCP_REQUEST_BYTES } from '#shared/protocol/mcp.ts';
import { BodyReader, BodyRefused } from './body-reader.ts';
import { rpcError, SERVER_ERROR, type McpEndpoint, type McpReply } from './mcp-endpoint.ts';
import { answerModelError, type ModelRelay } from './model-relay.ts';
import type { ResourceStore } from './spill/resource-store.ts';
import { report } from './stdio.ts';
import { tokenChecker } from './token-checker.ts';
import { listenOnPath } from './unix-socket.ts';
import type { StagedBodies } from './uploads/staged-bodies.ts';

const MODEL_PREFIX = '/model';
/** Names the sidecar answers to; any other Host is a page in a browser that was led here. */
const HOSTS: ReadonlySet<string> = new Set(['sidecar', 'localhost', '127.0.0.1']);

export interface SidecarServices {
  /** Bearer token of the run. */
  readonly token: string;
  readonly mcp: McpEndpoint;
  /** Absent where no model is called. */
  readonly models?: ModelRelay | undefined;
  /** Bytes of one MCP message; the default when absent. */
  readonly maxMcpBytes?: number | undefined;
  /** Results too large for a model's context, which the sandbox fetches. */
  readonly resources?: ResourceStore | undefined;
  /** Where chunks of uploads wait for their call. */
  readonly bodies?: StagedBodies | undefined;
}

/**
 * Listens on the run's socket, which every user of the two containers may open; the token is what admits.
 * @throws ProblemError `socket_unusable`
 */
export async function listenOnSocket(
  services: SidecarServices & { readonly socketPath: string },
): Promise<Server> {
  const { socketPath } = services;
  const server = createSidecarServer(services);
  try {
    await listenOnPath(server, socketPath);
  } catch (error) {
    throw new ProblemError({
      code: 'socket_unusable',
      title: 'The sidecar cannot be reached',
      detail: `Its socket could not be opened at ${socketPath}: ${error instanceof Error ? error.message : String(error)}.`,
    });
  }
  return server;
}

/** The sidecar's HTTP server: health, MCP and the model endpoint. */
function createSidecarServer(services: SidecarServices): Server {
  const bodies = new BodyReader(services.maxMcpBytes);
  const isToken = tokenChecker(services.token);
  const server = createServer((request, response) => {
    route(services, bodies, isToken, request, response).catch((error: unknown) => {
      report(error instanceof Error ? error.message : String(error));
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  // A model may think for minutes, and a connection may rest as long as the run does.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 0;
  return server;
}

async function route(
  services: SidecarServices,
  bodies: BodyReader,
  isToken: (presented: string | undefined) => boolean,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = URL.parse(request.url ?? '/', 'http://sidecar');
  const path = url?.pathname ?? '';
  if (!HOSTS.has(hostName(request.headers.host))) {
    answer(response, rpcError(403, SERVER_ERROR, 'Forbidden: this host name is not served'));
  } else if (path === '/health') {
    answer(response, { status: 200, body: { status: 'ok' } });
  } else if (path === '/mcp') {
    await serveMcp(services, bodies, isToken, request, response);
  } else if (
    services.models !== undefined &&
    url !== null &&
    (path === MODEL_PREFIX || path.startsWith(`${MODEL_PREFIX}/`))
  ) {
    if (isToken(bearerToken(request))) {
      services.models.relay(request, response, path.slice(MODEL_PREFIX.length) + url.search);
    } else {
      request.resume();
      answerModelError(response, 401, 'unauthorized', 'The token of this run is missing or wrong.');
    }
  } else if (services.resources !== undefined && path.startsWith(RESOURCE_PATH)) {
    if (isToken(bearerToken(request))) {
      serveResource(services.resources, path.slice(RESOURCE_PATH.length), request, response);
    } else {
      answer(response, { status: 401, body: { error: 'Unauthorized' } });
    }
  } else if (services.bodies !== undefined && path.startsWith(BODY_PATH)) {
    if (isToken(bearerToken(request))) {
      await takeBody(services.bodies, bodies, path.slice(BODY_PATH.length), request, response);
    } else {
      answer(response, { status: 401, body: { error: 'Unauthorized' } });
    }
  } else {
    answer(response, { status: 404, body: { error: 'Not found' } });
  }
}

async function takeBody(
  staged: StagedBodies,
  bodies: BodyReader,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'PUT') {
    answer(response, { status: 405, body: { error: 'Method not allowed' } });
    return;
  }
  if (!staged.hasRoom) {
    answer(response, { status: 503, body: { error: 'busy' } });
    return;
  }
  try {
    await bodies.withBody(request, staged.maxBytes, async (bytes) => staged.put(id, bytes));
    answer(response, { status: 204 });
  } catch (error) {
    if (!(error instanceof BodyRefused)) throw error;
    answer(response, { status: error.reason === 'too_large' ? 413 : 503, body: { error: error.reason } });
  }
}

/** The bytes of a stored result, as they are; `DELETE` lets go of them. */
function serveResource(
  resources: ResourceStore,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const resource = resources.get(id);
  if (resource === undefined || (request.method !== 'GET' && request.method !== 'DELETE')) {
    answer(response, { status: resource === undefined ? 404 : 405, body: { error: 'Not found' } });
    return;
  }
  request.resume();
  if (request.method === 'DELETE') {
    resources.remove(id);
    answer(response, { status: 204 });
    return;
  }
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': resource.size,
  });
  Readable.from(resource.pieces, { objectMode: true }).pipe(response);
}

async function serveMcp(
  { mcp, maxMcpBytes = MAX_MCP_REQUEST_BYTES }: SidecarServices,
  bodies: BodyReader,
  isToken: (presented: string | undefined) => boolean,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!isToken(bearerToken(request))) {
    response.setHeader('www-authenticate', 'Bearer');
    answer(response, rpcError(401, SERVER_ERROR, 'Unauthorized: the token of this run is missing or wrong'));
    return;
  }
  if (request.method !== 'POST') {
    response.setHeader('allow', 'POST');
    answer(response, rpcError(405, SERVER_ERROR, 'Method not allowed: this server keeps no sessions'));
    return;
  }
  const abort = new AbortController();
  response.once('close', () => abort.abort());
  try {
    const reply = await bodies.withBody(request, maxMcpBytes, (body) =>
      mcp.handle(request.headers, body.toString('utf8'), abort.signal),
    );
    answer(response, reply);
  } catch (error) {
    if (!(error instanceof BodyRefused)) throw error;
    answer(response, refusalOf(error, maxMcpBytes));
  }
}

function refusalOf({ reason, announced }: BodyRefused, limit: number): McpReply {
  if (reason !== 'too_large') {
    return rpcError(503, SERVER_ERROR, 'Busy: too many bytes are under way, call again');
  }
  return rpcError(413, ErrorCode.InvalidRequest, 'The request is too large', {
    reason: 'PAYLOAD_TOO_LARGE',
    scope: 'mcp_envelope',
    limit,
    ...(announced !== undefined && { actual: announced }),
    envVar: 'SIDECAR_MAX_MCP_ENVELOPE_BYTES',
    hint: 'Write the data to a file in the workspace and pass its path.',
  });
}

/** Sends an answer. What is left of the request is read and dropped, so that its sender reads this. */
function answer(response: ServerResponse, { status, body }: McpReply): void {
  response.req.resume();
  if (response.destroyed) return;
  if (body === undefined) {
    response.writeHead(status, { 'content-length': 0 });
    response.end();
    return;
  }
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length });
  response.end(bytes);
}

function hostName(header: string | undefined): string {
  return (header ?? '').replace(/:\d+$/, '').toLowerCase();
}

function bearerToken(request: IncomingMessage): string | undefined {
  return /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
}
