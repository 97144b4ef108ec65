import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import {
  API_CALL_META_KEY,
  CALL_ERROR_META_KEY,
  CALL_LIMITS_META_KEY,
  CALL_OPTIONS_META_KEY,
  TOKEN_BUDGET_META_KEY,
  UPSTREAM_META_KEY,
} from '#shared/protocol/api-tools.ts';
import type {
  ApiAuth,
  CallLimits,
  OutboundCall,
  RunIntegration,
  SidecarLimits,
} from '#shared/protocol/integrations.ts';
import { TOOL_SOURCE_META_KEY } from '#shared/protocol/mcp.ts';
import { CALL_SCHEMA } from '#shared/tools/api-call-schema.ts';
import { chooseConnection, withConnectionParameter } from '#shared/tools/connection-parameter.ts';
import { essenceOf, isTextType } from '#shared/tools/media-types.ts';
import { shownHeaders } from '#shared/tools/response-headers.ts';
import { MAX_RESPONSE_BYTES } from '#shared/tools/sidecar-limits.ts';
import { qualifiedToolName } from '#shared/tools/tool-names.ts';
import { ConnectionRefused } from '../network/connector.ts';
import type { HttpClient } from '../network/http-client.ts';
import { StoreFull } from '../spill/resource-store.ts';
import type { Placed, Spiller } from '../spill/spiller.ts';
import type { SidecarTool, ToolCallContext } from '../tool-registry.ts';
import type { StagedBodies } from '../uploads/staged-bodies.ts';
import { readCallArguments, type CallArguments } from './call-arguments.ts';
import { CallFailure } from './call-failure.ts';
import type { Credentials } from './credentials.ts';
import { Deadline } from './deadline.ts';
import { ConnectionExchange, type ExchangeResult, type HopReport } from './exchange.ts';
import type { Limiter } from './limiter.ts';
import {
  BodyTooLarge,
  BodyUndecodable,
  canDecode,
  readBody,
  type BodyBytes,
  type ReadBody,
} from './response-body.ts';
import { decodeText, encodingOf, hideSecrets, hideSecretsIn, textLength } from './text-bytes.ts';

/** How long a service may take, in milliseconds. */
export interface CallTimes {
  /** From the start of an attempt to the head of its last response. */
  readonly answerMs: number;
  /** Between two pieces of a body. */
  readonly idleMs: number;
  /** For all of a call. */
  readonly totalMs: number;
}

export const DEFAULT_CALL_TIMES: CallTimes = { answerMs: 30_000, idleMs: 30_000, totalMs: 300_000 };
/** Bytes of a body that a program of ours is given at once. */
const MAX_WHOLE_BYTES = 256 * 1024;

export interface ApiCallServices {
  readonly limits: SidecarLimits;
  readonly times: CallTimes;
  readonly http: HttpClient;
  readonly credentials: Credentials;
  readonly spiller: Spiller;
  readonly limiter: Limiter;
  readonly bodies: StagedBodies;
  readonly onOutboundCall: (call: OutboundCall) => void;
}

const callOptionsSchema = z.object({
  body: z.enum(['stored', 'whole']).optional(),
  credential: z.literal('none').optional(),
  bodyId: z.string().optional(),
});
type CallOptions = z.infer<typeof callOptionsSchema>;

/** A response as it came in. */
interface Received {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly finalUrl: string;
  readonly body: BodyBytes;
  readonly contentType: string | undefined;
  readonly isText: boolean;
}

/** The `api_call` of one authentication method of an integration. */
export class ApiCallTool implements SidecarTool {
  readonly definition: SidecarTool['definition'];
  readonly #integration: RunIntegration;
  readonly #auth: ApiAuth;
  readonly #services: ApiCallServices;
  /** By connection, so that no cookie and no refusal of one meets another. */
  readonly #exchanges = new Map<string, ConnectionExchange>();

  constructor(integration: RunIntegration, auth: ApiAuth, services: ApiCallServices) {
    this.#integration = integration;
    this.#auth = auth;
    this.#services = services;
    const connections = integration.connections.filter(({ authKey }) => authKey === auth.authKey);
    this.definition = {
      name: qualifiedToolName(integration.namespace, auth.callTool),
      title: `${integration.displayName}: ${auth.callTool}`,
      description: descriptionOf(integration, auth),
      inputSchema: (integration.connections.length > 1
        ? withConnectionParameter(CALL_SCHEMA, connections)
        : CALL_SCHEMA) as unknown as SidecarTool['definition']['inputSchema'],
      annotations: { openWorldHint: true },
      _meta: {
        [TOOL_SOURCE_META_KEY]: 'integration',
        [API_CALL_META_KEY]: { tool_key: auth.callTool },
        [CALL_LIMITS_META_KEY]: callLimitsOf(services.limits),
      },
    };
  }

  async call(input: unknown, context: ToolCallContext): Promise<CallToolResult> {
    try {
      const { connections } = this.#integration;
      const chosen = chooseConnection(
        (input ?? {}) as Record<string, unknown>,
        connections.filter(({ authKey }) => authKey === this.#auth.authKey),
        connections.length <= 1,
      );
      if (!chosen.ok) throw new CallFailure(chosen.error);
      const options = callOptionsSchema.safeParse(context.meta?.[CALL_OPTIONS_META_KEY]).data ?? {};
      const call = this.#withStagedBody(
        readCallArguments(chosen.input, this.#services.limits.maxRequestBodyBytes),
        options,
      );
      return await this.#services.limiter.run(
        () => this.#perform(call, chosen.connection.id, options, context.signal),
        context.signal,
      );
    } catch (error) {
      if (error instanceof CallFailure) return failureResult(this.#auth.callTool, error);
      throw error;
    }
  }

  #withStagedBody(call: CallArguments, { bodyId }: CallOptions): CallArguments {
    if (bodyId === undefined) return call;
    const bytes = this.#services.bodies.take(bodyId);
    if (bytes === undefined) throw new CallFailure('the bytes to send are no longer there');
    return { ...call, body: { kind: 'bytes', bytes } };
  }

  async #perform(
    call: CallArguments,
    connectionId: string,
    options: CallOptions,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    const { times } = this.#services;
    using deadline = new Deadline(signal, times.totalMs);
    const hops: HopReport[] = [];
    let bytesReceived = 0;
    try {
      const result = await this.#exchangeOf(connectionId).send(call, {
        isAnonymous: options.credential === 'none',
        deadline,
        attemptMs: times.answerMs,
        onHop: (hop) => hops.push(hop),
      });
      deadline.endIn(times.idleMs);
      const received = await this.#receive(result, options, deadline, (bytes) => {
        bytesReceived += bytes;
        deadline.endIn(times.idleMs);
      });
      return this.#present(received, options);
    } finally {
      for (const [index, hop] of hops.entries()) {
        this.#services.onOutboundCall({
          tool: this.definition.name,
          integrationId: this.#integration.id,
          connectionId,
          bytesReceived: index === hops.length - 1 ? bytesReceived : 0,
          ...hop,
        });
      }
    }
  }

  #exchangeOf(connectionId: string): ConnectionExchange {
    let exchange = this.#exchanges.get(connectionId);
    if (exchange === undefined) {
      const { http, credentials } = this.#services;
      exchange = new ConnectionExchange({ auth: this.#auth, connectionId, http, credentials });
      this.#exchanges.set(connectionId, exchange);
    }
    return exchange;
  }

  async #receive(
    { response, finalUrl, secrets }: ExchangeResult,
    options: CallOptions,
    deadline: Deadline,
    onProgress: (bytes: number) => void,
  ): Promise<Received> {
    const { status } = response;
    const encoding = headerOf(response.headers['content-encoding']);
    const isDecoded = canDecode(encoding);
    const headers = shownHeaders(response.headers);
    // They describe what came over the wire, not what is passed on.
    if (isDecoded && encoding !== undefined) {
      delete headers['content-encoding'];
      delete headers['content-length'];
    }
    for (const [name, value] of Object.entries(headers)) headers[name] = hideSecretsIn(value, secrets);
    const contentType = headerOf(response.headers['content-type']);
    const isText = isDecoded && isTextType(contentType);
    let body: ReadBody;
    try {
      body = await readBody(response.body, encoding, {
        maxBytes: MAX_RESPONSE_BYTES,
        mayCut: isText && options.body !== 'stored',
        onProgress,
      });
    } catch (error) {
      throw bodyFailure(error, status, deadline);
    } finally {
      response.discard();
    }
    const isShown = isText || options.body === 'whole';
    const shown = isShown ? hideSecrets(body, secrets) : body;
    return { status, headers, finalUrl, body: body.isCut ? marked(shown) : shown, contentType, isText };
  }

  #present(received: Received, options: CallOptions): CallToolResult {
    const { status, headers, finalUrl } = received;
    const placed = this.#place(received, options);
    return {
      content: [{ type: 'text', text: statusLine(status) }, ...(placed === undefined ? [] : [placed.block])],
      ...(status >= 400 && { isError: true }),
      _meta: {
        [UPSTREAM_META_KEY]: { status, headers, finalUrl },
        ...(placed?.decision && { [TOKEN_BUDGET_META_KEY]: placed.decision }),
      },
    };
  }

  #place({ body, contentType, isText }: Received, options: CallOptions): Placed | undefined {
    if (body.size === 0 && options.body !== 'stored') return undefined;
    const { spiller } = this.#services;
    const resource = {
      name: `${this.#auth.callTool}:${this.#integration.id}`,
      mediaType: essenceOf(contentType) || 'application/octet-stream',
      isText,
      ...body,
    };
    if (options.body === 'whole' && body.size <= MAX_WHOLE_BYTES) {
      return { block: { type: 'text', text: decodeText(body, encodingOf(body, contentType)) } };
    }
    if (isText && options.body === undefined) {
      const encoding = encodingOf(body, contentType);
      return spiller.placeText(resource, textLength(body, encoding), () => decodeText(body, encoding));
    }
    try {
      return { block: spiller.link(resource) };
    } catch (error) {
      if (!(error instanceof StoreFull)) throw error;
      throw new CallFailure('the response is larger than everything that can be stored', { cause: error });
    }
  }
}

/** What of the limits the sandbox must know to keep to them. */
export function callLimitsOf(limits: SidecarLimits): CallLimits {
  const { maxRequestBodyBytes, maxMcpEnvelopeBytes } = limits;
  return { maxRequestBodyBytes, maxMcpEnvelopeBytes };
}

/** A call that the sidecar answered itself. */
export function failureResult(label: string, failure: CallFailure): CallToolResult {
  const { code, structured } = failure;
  const content: ContentBlock[] = [
    { type: 'text', text: statusLine(0, code) },
    { type: 'text', text: `${label}: ${failure.message}` },
  ];
  return {
    content,
    isError: true,
    ...(structured !== undefined && { structuredContent: { ...structured } }),
    _meta: {
      [UPSTREAM_META_KEY]: { status: 0, headers: {} },
      ...(code !== undefined && { [CALL_ERROR_META_KEY]: code }),
    },
  };
}

function statusLine(status: number, code?: string): string {
  return `[api_call status=${status}${code === undefined ? '' : ` code=${code}`}]`;
}

function descriptionOf(integration: RunIntegration, auth: ApiAuth): string {
  const { authorizedUris, allowsAllUris } = auth;
  const where =
    allowsAllUris && authorizedUris.length === 0
      ? 'Any public address may be called.'
      : `It may call: ${authorizedUris.join(', ')}.`;
  return (
    `Send one HTTP request to ${integration.displayName} with the credential of a connected account, which is added by itself. ${where} ` +
    'The result begins with a line telling the HTTP status; status 0 means that the request was refused before it was sent or failed on its way. ' +
    'Large and binary responses become files under resources/. Use body.fromFile to send a file of the workspace and responseMode.toFile to write the response to one.'
  );
}

/** What is told of a response whose body could not be read. */
export function bodyFailure(error: unknown, status: number, deadline: Deadline): unknown {
  const answered = `the service answered ${status}, but`;
  if (deadline.hasExpired) {
    return new CallFailure(`${answered} its response did not come in time`, {
      code: 'upstream_timeout',
      cause: error,
    });
  }
  if (deadline.signal.aborted) return deadline.signal.reason;
  if (error instanceof BodyTooLarge) {
    return new CallFailure(
      `${answered} its response has more than ${MAX_RESPONSE_BYTES} bytes, which is not read; ask for less of it, such as a range or a page`,
      { cause: error },
    );
  }
  if (error instanceof BodyUndecodable) {
    return new CallFailure(`${answered} its response is not coded as it says`, {
      code: 'upstream_unreachable',
      cause: error,
    });
  }
  if (error instanceof ConnectionRefused) return new CallFailure(error.message, { code: error.code });
  return new CallFailure(`${answered} the connection was lost before its response was whole`, {
    code: 'upstream_unreachable',
    cause: error,
  });
}

function marked(body: BodyBytes): BodyBytes {
  const mark = Buffer.from(`\n[truncated: response exceeded ${MAX_RESPONSE_BYTES} bytes]\n`);
  return { pieces: [...body.pieces, mark], size: body.size + mark.length };
}

function headerOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.join(', ');
}
