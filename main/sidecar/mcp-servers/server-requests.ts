import { z } from 'zod';
import { ProblemError } from '#shared/problem.ts';
import type {
  BoundConnection,
  CredentialsAnswer,
  OutboundCall,
  RemoteSource,
  RunIntegration,
  ServerAuth,
} from '#shared/protocol/integrations.ts';
import { clientCertificateIn } from '#shared/tools/client-certificate.ts';
import { renderDelivery } from '#shared/tools/http-delivery.ts';
import { essenceOf } from '#shared/tools/media-types.ts';
import { parseTarget, type Target } from '#shared/tools/target-url.ts';
import { qualifiedToolName } from '#shared/tools/tool-names.ts';
import type { Credentials } from '../calls/credentials.ts';
import { isSame, secretsOf, withoutQuery } from '../calls/exchange.ts';
import { canDecode, decodedBody } from '../calls/response-body.ts';
import { hideSecretsIn, hideSecretsInLines, hideSecretsInPassing } from '../calls/text-bytes.ts';
import { ConnectionRefused } from '../network/connector.ts';
import type { HttpClient, HttpResponse } from '../network/http-client.ts';
import { AnswerTooLarge, boundedBody, boundedEvents } from './bounded-events.ts';

export interface ServerRequestsOptions {
  readonly integration: Pick<RunIntegration, 'id' | 'displayName' | 'namespace'>;
  readonly source: RemoteSource;
  readonly connection: BoundConnection;
  readonly http: HttpClient;
  readonly credentials: Credentials;
  /** Hosts that may be on a private network, and without TLS. */
  readonly internalHosts: readonly string[];
  /** Milliseconds a request may take, its answer included. */
  readonly exchangeMs: number;
  readonly onOutboundCall: (call: OutboundCall) => void;
}

/** Bytes of one message of a server. It is held several times over while it is read, in a sidecar of 256 MiB. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;
/** Streams that a server may have opened anew in a minute: some end each at once, so that it is asked without end. */
const MAX_STREAMS_PER_MINUTE = 30;
/** Statuses whose responses have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/** What a body that is sent says of itself. */
const messageSchema = z.object({
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z
    .object({
      name: z.string().optional(),
      requestId: z.union([z.string(), z.number()]).optional(),
    })
    .optional(),
});
type Sent = z.infer<typeof messageSchema>;

interface Prepared {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly certificate: ReturnType<typeof clientCertificateIn>;
  readonly secrets: ReadonlyMap<string, string>;
  readonly isAuthenticated: boolean;
}

/**
 * The HTTP requests to one server with one connection. Each goes to the server's own origin over a checked
 * connection and carries the credential; what comes back is bounded, and rid of it.
 */
export class ServerRequests {
  readonly #options: ServerRequestsOptions;
  readonly #base: Target;
  readonly #auth: ServerAuth;
  readonly #isInternal: boolean;
  /** Requests under way by their ids, so that a cancelled one lets go of its connection. */
  readonly #underWay = new Map<string | number, AbortController>();
  readonly #streams: number[] = [];
  #failure: ProblemError | undefined;
  /** Told when the answer to a request broke off, and no later stream can go on with it. */
  onBroken: ((id: string | number, problem: ProblemError | undefined) => void) | undefined;

  /** @throws ProblemError for an address that may not be asked. */
  constructor(options: ServerRequestsOptions) {
    this.#options = options;
    const { source, connection, integration } = options;
    const target = parseTarget(source.url);
    if ('fault' in target) throw refusedAddress(integration.displayName, target.fault);
    this.#base = target;
    this.#isInternal = options.internalHosts.includes(target.host);
    if (target.scheme === 'http' && !this.#isInternal) {
      throw refusedAddress(
        integration.displayName,
        `${target.origin} is not https, so that anybody on the way could read the credential.`,
      );
    }
    this.#auth = source.auths[connection.authKey] ?? { canRefresh: false };
  }

  /** Why the last request failed, for transports that keep but the text of an error. */
  get failure(): ProblemError | undefined {
    return this.#failure;
  }

  /** Has the form of the global `fetch`, as the SDK's transports want it. No redirect is followed. */
  readonly fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    try {
      this.#failure = undefined;
      return await this.#fetch(String(url), init);
    } catch (error) {
      if (error instanceof ProblemError) this.#failure = error;
      throw error;
    }
  };

  async #fetch(url: string, init: RequestInit): Promise<Response> {
    const { displayName } = this.#options.integration;
    const target = parseTarget(url);
    if ('fault' in target) throw refusedAddress(displayName, target.fault);
    if (target.origin !== this.#base.origin) {
      throw refusedAddress(displayName, `It leads to ${target.origin}, where the credential does not go.`);
    }
    const method = init.method ?? 'GET';
    if (method === 'GET' && !this.#mayOpenStream()) return new Response(undefined, { status: 405 });
    const body = typeof init.body === 'string' ? Buffer.from(init.body, 'utf8') : undefined;
    const sent = body === undefined ? {} : sentOf(body);
    const abort = new AbortController();
    const signals = [abort.signal, ...(init.signal ? [init.signal] : [])];
    if (method !== 'GET') signals.push(AbortSignal.timeout(this.#options.exchangeMs));
    const signal = AbortSignal.any(signals);
    if (sent.method !== undefined && sent.id !== undefined) this.#underWay.set(sent.id, abort);
    let isHandedOver = false;
    try {
      const response = await this.#exchange({ target, method, init, body, sent, signal });
      isHandedOver = true;
      return response;
    } finally {
      const { requestId } = sent.params ?? {};
      if (sent.method === 'notifications/cancelled' && requestId !== undefined) {
        this.#underWay.get(requestId)?.abort(new DOMException('The call was cancelled.', 'AbortError'));
        this.#underWay.delete(requestId);
      }
      if (!isHandedOver && sent.id !== undefined) this.#underWay.delete(sent.id);
    }
  }

  async #exchange(request: Request): Promise<Response> {
    const { credentials, connection } = this.#options;
    const answer = await credentials.get(connection.id);
    const first = this.#prepare(answer, request.init);
    const response = await this.#send(request, first);
    if (response.status === 401 && this.#auth.canRefresh && first.isAuthenticated) {
      const fresh = await credentials.refresh(connection.id, answer).catch(() => undefined);
      if (fresh !== undefined && !isSame(fresh, answer)) {
        response.discard();
        const second = this.#prepare(fresh, request.init);
        return this.#respond(request, await this.#send(request, second), second);
      }
    }
    return this.#respond(request, response, first);
  }

  #prepare(answer: CredentialsAnswer, init: RequestInit): Prepared {
    const { delivery, showsCertificate } = this.#auth;
    const rendered =
      delivery &&
      renderDelivery(delivery, answer.fields, (text) => Buffer.from(text, 'utf8').toString('base64'));
    if (rendered?.kind === 'unusable') {
      throw new ProblemError({
        code: 'credential_unusable',
        title: 'The credential cannot be used',
        detail: rendered.reason,
        action: 'Connect the account again.',
      });
    }
    const injected = rendered?.kind === 'value' ? rendered : undefined;
    const own = [...new Headers(init.headers)].filter(
      ([name]) => name !== delivery?.header.toLowerCase() && name !== 'cookie',
    );
    const certificate = showsCertificate === true ? clientCertificateIn(answer.fields) : undefined;
    return {
      headers: [
        ...own,
        ['user-agent', 'Slipway'],
        ...(delivery && injected ? ([[delivery.header, injected.value]] as const) : []),
      ],
      certificate,
      secrets: secretsOf(answer, injected?.secret),
      isAuthenticated: injected !== undefined || certificate !== undefined,
    };
  }

  async #send({ target, method, body, signal, sent }: Request, prepared: Prepared): Promise<HttpResponse> {
    const began = performance.now();
    try {
      return await this.#options.http.send(
        {
          target,
          method,
          headers: prepared.headers,
          body,
          waivesAddressCheck: this.#isInternal,
          clientCertificate: prepared.certificate,
        },
        signal,
      );
    } catch (error) {
      const code = error instanceof ConnectionRefused ? { code: error.code } : {};
      this.#report({ target, method, body, sent }, prepared, { status: 0, ...code, began, received: 0 });
      throw error;
    }
  }

  /** The response as the SDK reads it; what no retry mends becomes a problem that says what to do. */
  #respond(request: Request, response: HttpResponse, prepared: Prepared): Response {
    const { status } = response;
    const began = performance.now();
    const end = (received: number) => this.#report(request, prepared, { status, began, received });
    if (status === 401 || status === 403) {
      const problem = accessProblem(
        this.#options,
        status,
        String(response.headers['www-authenticate'] ?? ''),
      );
      if (problem !== undefined) {
        response.discard();
        end(0);
        throw problem;
      }
    }
    const headers = new Headers();
    for (const [name, value] of Object.entries(response.headers)) {
      if (value === undefined || /^(content-(encoding|length)|set-cookie2?)$/.test(name)) continue;
      for (const each of typeof value === 'string' ? [value] : value) {
        headers.append(name, hideSecretsIn(each, prepared.secrets));
      }
    }
    if (BODILESS.has(status)) {
      response.discard();
      end(0);
      return new Response(undefined, { status, headers });
    }
    const body = this.#read(response, prepared, end, request.sent);
    return new Response(streamOf(body, response), { status, headers });
  }

  async *#read(
    response: HttpResponse,
    { secrets }: Prepared,
    end: (received: number) => void,
    { id }: Sent,
  ): AsyncGenerator<Uint8Array> {
    const { headers } = response;
    const encoding = single(headers['content-encoding']);
    const isStream = essenceOf(single(headers['content-type'])) === 'text/event-stream';
    let received = 0;
    let isResumable = false;
    let problem: ProblemError | undefined;
    const counted = async function* (): AsyncGenerator<Buffer> {
      for await (const piece of response.body) {
        received += piece.length;
        yield piece;
      }
    };
    try {
      const source = canDecode(encoding) ? decodedBody(counted(), encoding) : counted();
      if (isStream) {
        for await (const piece of hideSecretsInLines(boundedEvents(source, MAX_MESSAGE_BYTES), secrets)) {
          isResumable ||= piece.includes('id:') && /(^|\n)id:/.test(piece.toString('latin1'));
          yield piece;
        }
      } else {
        yield* hideSecretsInPassing(boundedBody(source, MAX_MESSAGE_BYTES), secrets);
      }
    } catch (error) {
      if (error instanceof AnswerTooLarge) problem = tooLarge(this.#options.integration.displayName);
      throw error;
    } finally {
      response.discard();
      if (id !== undefined) {
        this.#underWay.delete(id);
        if (isStream && (!isResumable || problem !== undefined)) this.onBroken?.(id, problem);
      }
      end(received);
    }
  }

  #mayOpenStream(): boolean {
    const now = performance.now();
    while ((this.#streams[0] ?? now) < now - 60_000) this.#streams.shift();
    if (this.#streams.length >= MAX_STREAMS_PER_MINUTE) return false;
    this.#streams.push(now);
    return true;
  }

  #report(
    { target, method, body, sent }: Pick<Request, 'target' | 'method' | 'body' | 'sent'>,
    { secrets }: Prepared,
    {
      status,
      code,
      began,
      received,
    }: { status: number; code?: OutboundCall['code']; began: number; received: number },
  ): void {
    const { integration, connection, onOutboundCall } = this.#options;
    const tool = sent.method === 'tools/call' ? (sent.params?.name ?? '') : (sent.method ?? `mcp ${method}`);
    onOutboundCall({
      tool: qualifiedToolName(integration.namespace, tool.slice(0, 128)),
      integrationId: integration.id,
      connectionId: connection.id,
      method,
      url: hideSecretsIn(withoutQuery(target.href), secrets),
      status,
      ...(code !== undefined && { code }),
      bytesSent: body?.length ?? 0,
      bytesReceived: received,
      durationMs: performance.now() - began,
    });
  }
}

interface Request {
  readonly target: Target;
  readonly method: string;
  readonly init: RequestInit;
  readonly body: Buffer | undefined;
  readonly sent: Sent;
  readonly signal: AbortSignal;
}

/**
 * What a refusal asks of the person: to sign in again, or to grant the scopes that the server names
 * (RFC 6750, section 3.1). Undefined for one that is the server's own affair.
 */
function accessProblem(
  { integration, connection }: Pick<ServerRequestsOptions, 'integration' | 'connection'>,
  status: 401 | 403,
  challenge: string,
): ProblemError | undefined {
  const { displayName } = integration;
  if (status === 401) {
    return new ProblemError({
      code: 'mcp_sign_in_needed',
      title: `${displayName} refused the credential`,
      detail: `The server does not take what ${connection.label} is connected with.`,
      action: `Open ${displayName} in Slipway, test the connection ${connection.label} and sign in again.`,
    });
  }
  if (!/\berror="?insufficient_scope\b/i.test(challenge)) return undefined;
  const scopes = (/\bscope="([^"]{1,2000})"/i.exec(challenge)?.[1] ?? '')
    .split(/\s+/)
    .filter((scope) => /^[\u0021\u0023-\u005B\u005D-\u007E]+$/.test(scope))
    .slice(0, 50);
  const needed = scopes.length === 0 ? 'more than was granted' : scopes.join(', ');
  return new ProblemError({
    code: 'mcp_scopes_missing',
    title: `${displayName} wants more access`,
    detail: `What ${connection.label} was granted is not enough for this call: the server asks for ${needed}.`,
    action: `Open ${displayName} in Slipway and grant more to ${connection.label}, then run again.`,
  });
}

function tooLarge(name: string): ProblemError {
  return new ProblemError({
    code: 'mcp_answer_too_large',
    title: `${name} answered too much`,
    detail: `The answer of the server has more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MiB, which is not read.`,
    action: 'Ask for less at once.',
  });
}

function refusedAddress(name: string, detail: string): ProblemError {
  return new ProblemError({
    code: 'mcp_address_refused',
    title: `${name} is at an address that is not asked`,
    detail,
    action:
      'Servers are asked over https on the public internet. Name the host in EGRESS_ALLOW_INTERNAL_HOSTS if it is your own.',
  });
}

/** The pieces as the SDK reads them. Who stops reading does not wait for a piece that may never come. */
function streamOf(pieces: AsyncGenerator<Uint8Array>, response: HttpResponse): ReadableStream {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const next = await pieces.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
    cancel() {
      response.discard();
      pieces.return(undefined).catch(() => undefined);
    },
  });
}

function sentOf(body: Buffer): Sent {
  try {
    return messageSchema.safeParse(JSON.parse(body.toString('utf8'))).data ?? {};
  } catch {
    return {};
  }
}

function single(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.[0];
}
