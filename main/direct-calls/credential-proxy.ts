import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ConnectionService, IntegrationSource } from '#main/connections/index.ts';
import type { Logger } from '#main/logging/index.ts';
import { bearsToken, listenOnLoopback } from '#main/network/loopback-server.ts';
import { BodyReader, BodyRefused } from '#main/sidecar/body-reader.ts';
import { bodyFailure } from '#main/sidecar/calls/api-call-tool.ts';
import type { CallArguments } from '#main/sidecar/calls/call-arguments.ts';
import { CallFailure } from '#main/sidecar/calls/call-failure.ts';
import { Deadline } from '#main/sidecar/calls/deadline.ts';
import type { ExchangeResult, HopReport } from '#main/sidecar/calls/exchange.ts';
import { canDecode, decodedBody, readBody } from '#main/sidecar/calls/response-body.ts';
import { hideSecrets, hideSecretsIn, hideSecretsInPassing } from '#main/sidecar/calls/text-bytes.ts';
import { createCallPath, type CallPath } from '#main/sidecar/integration-tools.ts';
import type { Connection } from '#shared/connections/connection.ts';
import { ProblemError, toProblem } from '#shared/problem.ts';
import type { ApiAuth, OutboundCall, SidecarLimits, SidecarNetwork } from '#shared/protocol/integrations.ts';
import { isTextType } from '#shared/tools/media-types.ts';
import { shownHeaders } from '#shared/tools/response-headers.ts';
import { planRunIntegrations } from '#shared/tools/run-integrations.ts';
import { BYTES_CEILING } from '#shared/tools/sidecar-limits.ts';
import { qualifiedToolName } from '#shared/tools/tool-names.ts';
import { answerFailure, CALL_HEADER, statusLine } from './proxy-answer.ts';
import { callOf, readProxyRequest, type ProxyRequest } from './proxy-request.ts';
import { ProxySessions } from './proxy-sessions.ts';
import { linkSidecar } from './sidecar-link.ts';

/** Where the proxy is found on its port (reference: sidecar, section 1.17). */
export const PROXY_PATH = '/api/credential-proxy/proxy';

export interface CredentialProxyOptions {
  readonly connections: ConnectionService;
  readonly integrations: IntegrationSource;
  readonly limits: SidecarLimits;
  readonly network: SidecarNetwork;
  readonly onOutboundCall: (call: OutboundCall) => void;
  readonly logger: Logger;
  /** Any free one when absent. */
  readonly port?: number | undefined;
  /** Takes the place of the real way out in tests. */
  readonly path?: CallPath;
}

/** A connection with what may be done with it. */
interface Bound {
  readonly connection: Connection;
  readonly auth: ApiAuth;
  readonly tool: string;
}

/**
 * Sends requests of scripts on this computer with the author's credentials, which the scripts never see. A
 * call goes through the same code as `api_call`: the same checks in the same order, the same codes.
 */
export class CredentialProxy implements AsyncDisposable {
  /** Address that requests are sent to. */
  readonly url: string;
  /** What a request must carry as its bearer token; it counts as long as the proxy lives. */
  readonly token: string;
  readonly #options: CredentialProxyOptions;
  readonly #server: Server;
  readonly #path: CallPath;
  readonly #sessions: ProxySessions;
  readonly #bodies = new BodyReader(BYTES_CEILING);
  readonly #hosts: ReadonlySet<string>;
  readonly #stack: AsyncDisposableStack;

  /** Listens on the loopback interface only. @throws ProblemError `port_unusable`. */
  static async start(options: CredentialProxyOptions): Promise<CredentialProxy> {
    await using stack = new AsyncDisposableStack();
    const { link } = stack.use(linkSidecar(options));
    const path = stack.use(options.path ?? createCallPath(options, link));
    const server = createServer();
    await listenOnLoopback(server, options.port ?? 0);
    stack.defer(async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    });
    return new CredentialProxy(options, server, path, stack.move());
  }

  private constructor(
    options: CredentialProxyOptions,
    server: Server,
    path: CallPath,
    stack: AsyncDisposableStack,
  ) {
    const { port } = server.address() as AddressInfo;
    this.#options = options;
    this.#server = server;
    this.#path = path;
    this.#sessions = new ProxySessions(path);
    this.#stack = stack;
    this.#hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`]);
    this.url = `http://127.0.0.1:${port}${PROXY_PATH}`;
    this.token = randomBytes(32).toString('base64url');
    this.#server.on('request', (request, response) => void this.#answer(request, response));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const abort = new AbortController();
    response.once('close', () => abort.abort());
    try {
      this.#admit(request);
      await this.#serve(request, response, abort.signal);
    } catch (error) {
      if (abort.signal.aborted) return void response.destroy();
      if (toProblem(error).code === 'internal_error' && !isExpected(error)) {
        this.#options.logger.error({ error }, 'The credential proxy met a fault');
      }
      answerFailure(response, error instanceof BodyRefused ? bodyProblem(error) : error);
    }
  }

  /** Lets through what knows the token and is no page of a browser. @throws ProblemError. */
  #admit({ headers, url = '' }: IncomingMessage): void {
    // A page whose name was led to this computer has its own Host, and one of any other site an Origin.
    if (!this.#hosts.has(headers.host ?? '') || headers.origin !== undefined) {
      throw refusal('forbidden', 'Forbidden', 'The proxy serves programs of this computer only.');
    }
    if (!bearsToken(headers.authorization, this.token)) {
      throw refusal('unauthorized', 'Unauthorized', 'The token of this proxy is missing or wrong.');
    }
    if (url.split('?', 1)[0] !== PROXY_PATH) {
      throw refusal('not_found', 'Not found', `Requests are sent to ${PROXY_PATH}.`);
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    const { limits } = this.#options;
    const wanted = readProxyRequest(request, limits.maxRequestBodyBytes);
    const bound = await this.#bind(wanted);
    await this.#bodies.withBody(request, wanted.maxRequestBytes, async (body) => {
      const call = callOf(request, wanted, body);
      await this.#path.limiter.run(() => this.#perform(call, wanted, bound, response, signal), signal);
    });
  }

  /** The connection a request means. @throws ProblemError `integration_unknown`, `not_connected`, … */
  async #bind({ integrationId, connectionId }: ProxyRequest): Promise<Bound> {
    const { connections, integrations } = this.#options;
    const integration = await integrations.get(integrationId);
    if (!integration) {
      throw refusal('integration_unknown', 'No such integration', `${integrationId} is not in the library.`);
    }
    const candidates = connections
      .state()
      .connections.filter(
        (one) =>
          one.integrationId === integrationId &&
          (connectionId === undefined
            ? integration.apiAuths[one.authKey] !== undefined
            : one.id === connectionId),
      );
    const [connection, ...others] = candidates;
    if (connection === undefined) {
      if (connectionId !== undefined) {
        throw refusal('connection_unknown', 'No such connection', `${integrationId} has no such connection.`);
      }
      throw refusal('not_connected', 'Not connected', `${integrationId} is not connected yet.`);
    }
    if (others.length > 0) {
      throw new ProblemError({
        code: 'must_choose_connection',
        title: 'Which account?',
        detail: `${integrationId} has several connections. Name one in X-Connection-Id.`,
        causes: candidates.map(({ id, label }) => ({ code: id, detail: label })),
      });
    }
    const { id, authKey, label, accountId } = connection;
    const [planned] = planRunIntegrations([
      { integration, choice: { tools: '*' }, connections: [{ id, authKey, label, account: accountId }] },
    ]);
    const auth = planned?.apis.find((one) => one.authKey === authKey);
    if (planned === undefined || auth === undefined) {
      throw refusal(
        'api_not_offered',
        'The integration does not offer this',
        `${integrationId} lets no api_call use "${authKey}".`,
      );
    }
    return { connection, auth, tool: qualifiedToolName(planned.namespace, auth.callTool) };
  }

  async #perform(
    call: CallArguments,
    wanted: ProxyRequest,
    { connection, auth, tool }: Bound,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    const { times } = this.#path;
    using deadline = new Deadline(signal, times.totalMs);
    const hops: HopReport[] = [];
    let bytesReceived = 0;
    try {
      const exchange = this.#sessions.exchangeOf(wanted.sessionId, connection.id, auth);
      const result = await exchange.send(call, {
        isAnonymous: false,
        deadline,
        attemptMs: times.answerMs,
        onHop: (hop) => hops.push(hop),
      });
      deadline.endIn(times.idleMs);
      const onProgress = (bytes: number) => {
        bytesReceived += bytes;
        deadline.endIn(times.idleMs);
      };
      try {
        await passOn(result, wanted, response, onProgress);
      } catch (error) {
        throw bodyFailure(error, result.response.status, deadline);
      } finally {
        result.response.discard();
      }
    } finally {
      for (const [index, hop] of hops.entries()) {
        this.#options.onOutboundCall({
          tool,
          integrationId: connection.integrationId,
          connectionId: connection.id,
          bytesReceived: index === hops.length - 1 ? bytesReceived : 0,
          ...hop,
        });
      }
    }
  }
}

/** Passes a service's answer on: its status, the headers that a model would see, and its body. */
async function passOn(
  { response: received, secrets }: ExchangeResult,
  { streamsResponse, maxResponseBytes }: ProxyRequest,
  response: ServerResponse,
  onProgress: (bytes: number) => void,
): Promise<void> {
  const { status } = received;
  const encoding = single(received.headers['content-encoding']);
  const isDecoded = canDecode(encoding);
  const isText = isDecoded && isTextType(single(received.headers['content-type']));
  const headers = shownHeaders(received.headers);
  // The length may be another once a coding is undone or a secret hidden.
  if (isDecoded) delete headers['content-encoding'];
  delete headers['content-length'];
  for (const [name, value] of Object.entries(headers)) headers[name] = hideSecretsIn(value, secrets);
  headers[CALL_HEADER] = statusLine(status);
  if (!streamsResponse) {
    const body = await readBody(received.body, encoding, {
      maxBytes: maxResponseBytes,
      mayCut: true,
      onProgress,
    });
    const { pieces, size } = isText ? hideSecrets(body, secrets) : body;
    if (body.isCut) headers['x-truncated'] = 'true';
    response.writeHead(status, {
      ...headers,
      ...(mayHaveBody(status, response) && { 'content-length': size }),
    });
    await pipeline(Readable.from(pieces, { objectMode: true }), response);
    return;
  }
  response.writeHead(status, headers);
  const whole = decodedBody(observed(received.body, onProgress), encoding);
  await pipeline(capped(isText ? hideSecretsInPassing(whole, secrets) : whole), response);
}

async function* observed(
  source: AsyncIterable<Buffer>,
  onProgress: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  for await (const piece of source) {
    onProgress(piece.length);
    yield piece;
  }
}

/** Ends with an error above the ceiling, so that the connection is cut and nobody takes a part for the whole. */
async function* capped(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const piece of source) {
    size += piece.length;
    if (size > BYTES_CEILING) throw new BodyRefused('too_large');
    yield piece;
  }
}

function mayHaveBody(status: number, { req: { method } }: ServerResponse): boolean {
  return method !== 'HEAD' && status !== 204 && status !== 304;
}

function bodyProblem({ reason, announced }: BodyRefused): ProblemError {
  if (reason !== 'too_large') return refusal('busy', 'Busy', 'Too many bytes are under way; call again.');
  const size = announced === undefined ? '' : ` of ${announced} bytes`;
  return refusal(
    'payload_too_large',
    'The request is too large',
    `A body${size} is more than one request may send (SIDECAR_MAX_REQUEST_BODY_BYTES; X-Stream-Request: 1 allows ${BYTES_CEILING}).`,
  );
}

/** Whether an error is one of a call rather than one of this program. */
function isExpected(error: unknown): boolean {
  return error instanceof BodyRefused || error instanceof CallFailure;
}

function refusal(code: string, title: string, detail: string): ProblemError {
  return new ProblemError({ code, title, detail });
}

function single(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.join(', ');
}
