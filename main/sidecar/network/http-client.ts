import type { Dispatcher } from 'undici';
import type { ClientCertificate } from '#shared/tools/client-certificate.ts';
import type { Target } from '#shared/tools/target-url.ts';
import { connectTo, ConnectionRefused, reasonOf, type ConnectorOptions } from './connector.ts';

export interface HttpRequest {
  readonly target: Target;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer | undefined;
  /** The author named this host: it may stand on a private network. */
  readonly waivesAddressCheck: boolean;
  /** What the connection shows of itself; nothing when absent. */
  readonly clientCertificate?: ClientCertificate | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Buffer>;
  /** Lets go of what has not been read. */
  discard(): void;
}

/** Sends one request and answers when the head of its response is there. No redirect is followed. */
export interface HttpClient {
  /** @throws ConnectionRefused, or what `signal` was aborted with */
  send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse>;
}

type ConnectionManner = Pick<HttpRequest, 'waivesAddressCheck' | 'clientCertificate'>;

/** How long a connection may take to be made, beside the limit of the call that first wants it. */
const CONNECT_TIMEOUT_MS = 30_000;
/** Headers of a response that are read; more is an error. */
const MAX_HEADER_BYTES = 64 * 1024;
/** What a connection that was kept says when its server had closed it meanwhile. */
const STALE = /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/;

/** HTTP/1.1 over connections that were checked, kept for the next call to the same place. */
export class CheckedHttpClient implements HttpClient, AsyncDisposable {
  readonly #options: ConnectorOptions;
  /** Apart, so that a connection made to a named host, or by a certificate, never serves another call. */
  readonly #agents = new Map<string, Promise<Dispatcher>>();

  constructor(options: ConnectorOptions) {
    this.#options = options;
  }

  async send(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    try {
      return await this.#sendOnce(request, signal);
    } catch (error) {
      signal.throwIfAborted();
      const isRepeatable = request.method === 'GET' || request.method === 'HEAD';
      if (isRepeatable && STALE.test(codeOf(error))) {
        try {
          return await this.#sendOnce(request, signal);
        } catch (again) {
          signal.throwIfAborted();
          throw refusalOf(again, request.target);
        }
      }
      throw refusalOf(error, request.target);
    }
  }

  async #sendOnce(request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    const { target, method, headers, body } = request;
    const agent = await this.#agentFor(request);
    const {
      statusCode,
      headers: received,
      body: stream,
    } = await agent.request({
      origin: target.origin,
      path: target.href.slice(target.origin.length),
      method,
      headers: headers.flat(),
      body: body ?? null,
      signal,
    });
    // What is not read any more may still fail; nobody needs to hear of it.
    stream.on('error', () => undefined);
    return { status: statusCode, headers: received, body: stream, discard: () => stream.destroy() };
  }

  #agentFor(how: ConnectionManner): Promise<Dispatcher> {
    const { waivesAddressCheck, clientCertificate } = how;
    const shown = clientCertificate && [clientCertificate.certificate, clientCertificate.key];
    const key = JSON.stringify([waivesAddressCheck, shown]);
    let agent = this.#agents.get(key);
    if (agent === undefined) {
      agent = this.#createAgent(how);
      this.#agents.set(key, agent);
    }
    return agent;
  }

  async #createAgent({ waivesAddressCheck, clientCertificate }: ConnectionManner): Promise<Dispatcher> {
    const { Agent } = await import('undici');
    return new Agent({
      // The call has limits of its own, which know of redirects and of slow bodies.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
      connect: ({ hostname, port, protocol }, callback) => {
        const isSecure = protocol === 'https:';
        const destination = {
          host: hostname.replace(/^\[(.*)\]$/, '$1'),
          port: Number(port) || (isSecure ? 443 : 80),
          isSecure,
          waivesAddressCheck,
          clientCertificate,
        };
        const signal = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
        const connect = async () => {
          let socket;
          try {
            socket = await connectTo(destination, this.#options, signal);
          } catch (error) {
            callback(error as Error, null);
            return;
          }
          callback(null, socket);
        };
        void connect();
      },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const agent of this.#agents.values()) await (await agent).destroy();
  }
}

function refusalOf(error: unknown, target: Target): ConnectionRefused {
  if (error instanceof ConnectionRefused) return error;
  if (error instanceof Error && error.name === 'TimeoutError') {
    return new ConnectionRefused('upstream_timeout', `No connection could be made in time (${target.host})`);
  }
  return new ConnectionRefused('upstream_unreachable', `${reasonOf(error)} (${target.host})`, {
    cause: error,
  });
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
}
