import { pipeline, type Readable } from 'node:stream';
import * as tls from 'node:tls';
import * as zlib from 'node:zlib';
import type { Dispatcher } from 'undici';
import { networkProblem, type Endpoint } from './network-problem.ts';

/** Time limits of a request to a provider, in milliseconds. */
export interface ModelTimeouts {
  readonly connectMs: number;
  /** Until the first byte of the answer: a long prompt on a slow server takes minutes. */
  readonly headersMs: number;
  /** Between two pieces of an answer. */
  readonly idleMs: number;
}

export const DEFAULT_MODEL_TIMEOUTS: ModelTimeouts = {
  connectMs: 10_000,
  headersMs: 300_000,
  idleMs: 120_000,
};

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names; a header that came several times is joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Gives what a request to an address goes by, such as the author's proxy. Its owner ends it. */
export type DispatcherSource = (url: URL) => Promise<Dispatcher>;

/**
 * HTTP as models need it: no redirects, no cookies, no retry, and bodies that stop the sender when they are
 * not read. Goes by the author's network where one is given.
 */
export class HttpClient implements AsyncDisposable {
  readonly #timeouts: ModelTimeouts;
  readonly #dispatchers = new Map<'http:' | 'https:', Promise<Dispatcher>>();

  readonly #dispatcherOf: DispatcherSource | undefined;

  /** @param dispatcherOf what requests go by; a direct way, without the environment's proxy, when absent */
  constructor(timeouts: ModelTimeouts, dispatcherOf?: DispatcherSource) {
    this.#timeouts = timeouts;
    this.#dispatcherOf = dispatcherOf;
  }

  /**
   * @throws ProblemError `model_unreachable`, `model_tls`, `model_timeout`, `model_answered_nonsense`;
   *   also while the body is read.
   */
  async send(
    { method, url, headers, body }: HttpRequest,
    endpoint: Endpoint,
    signal: AbortSignal,
    timeouts: Partial<ModelTimeouts> = {},
  ): Promise<HttpResponse> {
    const { headersMs, idleMs } = { ...this.#timeouts, ...timeouts };
    let response: Dispatcher.ResponseData;
    try {
      const { request } = await import('undici');
      response = await request(url, {
        method,
        headers: { 'user-agent': 'Slipway', 'accept-encoding': 'identity', ...headers },
        body: body ?? null,
        dispatcher: await this.#dispatcherFor(url),
        signal,
        headersTimeout: headersMs,
        bodyTimeout: idleMs,
      });
    } catch (error) {
      throw asAbort(networkProblem(error, endpoint), signal);
    }
    const responseHeaders = joinHeaders(response.headers);
    return {
      status: response.statusCode,
      headers: responseHeaders,
      body: readBody(decode(response.body, responseHeaders['content-encoding']), endpoint, signal),
    };
  }

  /** Ends every connection, those in use too. */
  async [Symbol.asyncDispose](): Promise<void> {
    const made = await Promise.all(this.#dispatchers.values());
    await Promise.all(made.map((dispatcher) => dispatcher.destroy()));
  }

  #dispatcherFor(url: string): Promise<Dispatcher> {
    if (this.#dispatcherOf) return this.#dispatcherOf(new URL(url));
    const protocol = url.startsWith('https:') ? 'https:' : 'http:';
    const dispatcher = this.#dispatchers.get(protocol) ?? makeDispatcher(protocol, this.#timeouts.connectMs);
    this.#dispatchers.set(protocol, dispatcher);
    return dispatcher;
  }
}

/** Loads undici and, for TLS, the certificates: both take time that an idle app need not spend. */
async function makeDispatcher(protocol: 'http:' | 'https:', timeout: number): Promise<Dispatcher> {
  const { Agent } = await import('undici');
  const certificates = protocol === 'https:' ? trustedCertificates() : undefined;
  return new Agent({ connect: { timeout, ...(certificates && { ca: certificates }) } });
}

/**
 * Node's own authorities and the system's, so that a company's proxy is trusted as browsers trust it;
 * `undefined`, which means Node's own, where the runtime cannot read the system's.
 */
function trustedCertificates(): string[] | undefined {
  try {
    return [...new Set([...tls.getCACertificates('default'), ...tls.getCACertificates('system')])];
  } catch {
    return undefined;
  }
}

/** Some proxies compress although they were asked not to. */
function decode(body: Readable, encoding: string | undefined): Readable {
  const decoder = makeDecoder(encoding?.trim().toLowerCase());
  if (!decoder) return body;
  // Errors of either stream come out of the decoder, which is what is read.
  return pipeline(body, decoder, () => undefined);
}

function makeDecoder(encoding: string | undefined) {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip({ flush: zlib.constants.Z_SYNC_FLUSH });
    case 'deflate':
      return zlib.createInflate({ flush: zlib.constants.Z_SYNC_FLUSH });
    case 'br':
      return zlib.createBrotliDecompress({ flush: zlib.constants.BROTLI_OPERATION_FLUSH });
    case 'zstd':
      return zlib.createZstdDecompress({ flush: zlib.constants.ZSTD_e_flush });
    default:
      return undefined;
  }
}

async function* readBody(
  body: Readable,
  endpoint: Endpoint,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* body;
  } catch (error) {
    throw asAbort(networkProblem(error, endpoint), signal);
  } finally {
    body.destroy();
  }
}

/** A cancelled request fails in many ways; all of them mean the same. */
function asAbort(error: unknown, signal: AbortSignal): unknown {
  return signal.aborted ? new DOMException('The request was cancelled.', 'AbortError') : error;
}

function joinHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}
