import { createServer, request as makeRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import { ProblemError } from '#shared/problem.ts';
import type { OutboundCall } from '#shared/protocol/integrations.ts';
import type { CallFailureCode } from '#shared/tools/call-failure.ts';
import {
  judgeTarget,
  judgeTunnel,
  type TargetPolicy,
  type TargetVerdict,
} from '#shared/tools/target-rules.ts';
import { parseTarget, type Target } from '#shared/tools/target-url.ts';
import { connectTo, ConnectionRefused, type ConnectorOptions } from '../network/connector.ts';
import { tokenChecker } from '../token-checker.ts';
import { listenOnPath } from '../unix-socket.ts';

/** Milliseconds for what a client says first, for a connection to a service, and of silence (reference: sidecar, section 6.7). */
const PREAMBLE_MS = 10_000;
const CONNECT_MS = 10_000;
const IDLE_MS = 120_000;
/** Connections of all servers of a run at the same time. */
const MAX_CONNECTIONS = 256;

/** What concerns one connection alone, and is not passed on (RFC 9110, section 7.6.1). */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** The way out of one local server. */
export interface EgressWay {
  readonly integrationId: string;
  readonly connectionId: string;
  /** What the server shows to be let through. */
  readonly token: string;
  readonly policy: TargetPolicy;
}

export interface EgressProxyOptions {
  readonly socketPath: string;
  readonly ways: readonly EgressWay[];
  readonly connector: ConnectorOptions;
  readonly onOutboundCall: (call: OutboundCall) => void;
}

/**
 * Opens the proxy by which local servers reach services: tunnels to hosts that the integration's author
 * allows, and plain requests to addresses that they allow. Each server has a token and a list of its own.
 * @throws ProblemError `socket_unusable`
 */
export async function openEgressProxy(options: EgressProxyOptions): Promise<AsyncDisposable> {
  const proxy = new EgressProxy(options);
  await proxy.listen();
  return proxy;
}

class EgressProxy implements AsyncDisposable {
  readonly #options: EgressProxyOptions;
  readonly #server = createServer();
  readonly #ways: readonly { readonly way: EgressWay; readonly isToken: ReturnType<typeof tokenChecker> }[];
  readonly #open = new Set<Duplex>();

  constructor(options: EgressProxyOptions) {
    this.#options = options;
    this.#ways = options.ways.map((way) => ({ way, isToken: tokenChecker(way.token) }));
    const server = this.#server;
    server.headersTimeout = PREAMBLE_MS;
    server.requestTimeout = 0;
    server.maxConnections = MAX_CONNECTIONS;
    server.on('connection', (socket) => this.#keep(socket));
    server.on('connect', (request, socket, head) => void this.#tunnel(request, socket, head));
    server.on('request', (request, response) => void this.#forward(request, response));
    server.on('upgrade', (_, socket) => refuse(socket, 501, 'Upgrades go through a tunnel.'));
    server.on('clientError', (_, socket) => socket.destroy());
  }

  async listen(): Promise<void> {
    const { socketPath } = this.#options;
    try {
      await listenOnPath(this.#server, socketPath);
    } catch (error) {
      throw new ProblemError(
        {
          code: 'socket_unusable',
          title: 'Local servers have no way out',
          detail: `The socket of their proxy could not be opened at ${socketPath}.`,
        },
        { cause: error },
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#open) socket.destroy();
    await closed;
  }

  async #tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on('error', () => client.destroy());
    const way = this.#wayOf(request);
    if (way === undefined) return refuseUnknown(client);
    const authority = request.url ?? '';
    // Only a host and a port are a place to tunnel to; what else is written there may be read in two ways.
    const target = /^[^/?#@\s]+:\d+$/.test(authority)
      ? parseTarget(`https://${authority}/`)
      : { fault: 'A tunnel leads to a host and a port.' };
    const exchange = new Exchange(way, 'CONNECT', 'fault' in target ? undefined : target);
    const verdict = judgeTunnel(target, way.policy);
    if (!verdict.allowed) {
      this.#tell(exchange.refused(verdict.code));
      return refuse(client, 403, verdict.reason);
    }
    try {
      const service = await this.#connect(verdict, true);
      if (client.destroyed) {
        service.destroy();
        return;
      }
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) service.write(head);
      pipeline(client, service, client, () => {
        this.#tell(exchange.ended(200, verdict.pattern, service.bytesWritten, service.bytesRead));
      });
    } catch (error) {
      this.#tell(exchange.refused(codeOf(error)));
      refuse(client, 502, messageOf(error));
    }
  }

  async #forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const way = this.#wayOf(request);
    if (way === undefined) {
      response.writeHead(407, { 'proxy-authenticate': 'Basic realm="slipway"' }).end();
      return;
    }
    const target = parseTarget(request.url ?? '');
    const exchange = new Exchange(way, request.method ?? 'GET', 'fault' in target ? undefined : target);
    if (!('fault' in target) && target.scheme !== 'http') {
      response.writeHead(400).end('Open a tunnel with CONNECT for https.\n');
      return;
    }
    const verdict = judgeTarget(target, way.policy, { substitutesCredential: false, isRedirect: false });
    if (!verdict.allowed) {
      this.#tell(exchange.refused(verdict.code));
      response.writeHead(403, { 'content-type': 'text/plain; charset=utf-8' }).end(`${verdict.reason}\n`);
      return;
    }
    try {
      const service = await this.#connect(verdict, false);
      this.#exchange(request, response, verdict, service, exchange);
    } catch (error) {
      this.#tell(exchange.refused(codeOf(error)));
      if (!response.headersSent) response.writeHead(502);
      response.end(`${messageOf(error)}\n`);
    }
  }

  /** Passes one request of plain HTTP on over a connection of its own. */
  #exchange(
    request: IncomingMessage,
    response: ServerResponse,
    verdict: TargetVerdict & { allowed: true },
    service: Socket,
    exchange: Exchange,
  ): void {
    const { target, pattern } = verdict;
    const url = new URL(target.href);
    const upstream = makeRequest({
      createConnection: () => service,
      method: request.method,
      path: `${url.pathname}${url.search}`,
      headers: { ...passedOn(request.headers), host: url.host, connection: 'close' },
    });
    const end = (status: number) =>
      this.#tell(exchange.ended(status, pattern, service.bytesWritten, service.bytesRead));
    upstream.on('response', (answer) => {
      const status = answer.statusCode ?? 502;
      response.writeHead(status, passedOn(answer.headers));
      pipeline(answer, response, () => end(status));
    });
    upstream.on('error', () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
      this.#tell(exchange.refused('upstream_unreachable'));
    });
    response.once('close', () => service.destroy());
    pipeline(request, upstream, () => undefined);
  }

  async #connect(verdict: TargetVerdict & { allowed: true }, isTunnel: boolean): Promise<Socket> {
    const { target, waivesAddressCheck } = verdict;
    const service = await connectTo(
      // What is in a tunnel is between the server and the service: it is secured there.
      { host: target.host, port: target.port, isSecure: false, waivesAddressCheck },
      this.#options.connector,
      AbortSignal.timeout(CONNECT_MS),
    );
    service.setTimeout(IDLE_MS, () => service.destroy());
    service.on('error', () => service.destroy());
    if (isTunnel) service.setNoDelay(true);
    this.#keep(service);
    return service;
  }

  #wayOf({ headers }: IncomingMessage): EgressWay | undefined {
    const encoded = /^basic ([a-z0-9+/=]+)$/i.exec(headers['proxy-authorization'] ?? '')?.[1] ?? '';
    const given = Buffer.from(encoded, 'base64')
      .toString('utf8')
      .replace(/^[^:]*:/, '');
    return this.#ways.find(({ isToken }) => isToken(given))?.way;
  }

  #keep(socket: Duplex): void {
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
  }

  #tell(call: OutboundCall | undefined): void {
    if (call !== undefined) this.#options.onOutboundCall(call);
  }
}

/** One tunnel or request, told once to the audit. */
class Exchange {
  readonly #way: EgressWay;
  readonly #method: string;
  readonly #target: Target | undefined;
  readonly #began = performance.now();
  #isTold = false;

  constructor(way: EgressWay, method: string, target: Target | undefined) {
    this.#way = way;
    this.#method = method;
    this.#target = target;
  }

  refused(code: CallFailureCode): OutboundCall | undefined {
    return this.#call({ status: 0, code, bytesSent: 0, bytesReceived: 0 });
  }

  ended(
    status: number,
    rule: string | undefined,
    bytesSent: number,
    bytesReceived: number,
  ): OutboundCall | undefined {
    return this.#call({ status, bytesSent, bytesReceived, ...(rule !== undefined && { rule }) });
  }

  #call(
    outcome: Pick<OutboundCall, 'status' | 'code' | 'rule' | 'bytesSent' | 'bytesReceived'>,
  ): OutboundCall | undefined {
    if (this.#isTold) return undefined;
    this.#isTold = true;
    const { integrationId, connectionId } = this.#way;
    const url = this.#target && new URL(this.#target.href);
    return {
      tool: 'server',
      integrationId,
      connectionId,
      method: this.#method,
      // The path of a plain request may hold what the server keeps secret.
      url: url === undefined ? '(not an address)' : `${url.protocol}//${url.host}/`,
      durationMs: Math.round(performance.now() - this.#began),
      ...outcome,
    };
  }
}

function passedOn(headers: IncomingMessage['headers']): Record<string, string | string[]> {
  const named = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || HOP_BY_HOP.has(name) || named.has(name) ? [] : [[name, value]],
    ),
  );
}

function refuseUnknown(client: Duplex): void {
  client.end(
    'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="slipway"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
  );
}

function refuse(client: Duplex, status: number, reason: string): void {
  const body = `${reason}\n`;
  client.end(
    `HTTP/1.1 ${status} Refused\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

function codeOf(error: unknown): CallFailureCode {
  if (error instanceof ConnectionRefused) return error.code;
  return error instanceof DOMException && error.name === 'TimeoutError'
    ? 'upstream_timeout'
    : 'upstream_unreachable';
}

function messageOf(error: unknown): string {
  return error instanceof ConnectionRefused ? error.message : 'The service could not be reached.';
}
