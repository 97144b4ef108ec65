import * as tls from 'node:tls';
import type { Dispatcher } from 'undici';
import { ProblemError } from '#shared/problem.ts';
import { networkProblem } from './network-problem.ts';
import { splitCertificates } from './certificates.ts';
import { resolveProxy, type ProxyChoice, type SystemProxy } from './proxy.ts';
import { assertPublicHost, assertPublicName, publicLookup } from './public-lookup.ts';

/** Milliseconds to connect. */
const CONNECT_MS = 10_000;

/** The author's network, as the settings have it. */
export interface NetworkChoice {
  readonly proxy: ProxyChoice;
  /** Certificates in PEM that are trusted besides the system's; empty for none. */
  readonly extraCertificates: string;
  /** The operating system's settings, where the shell can read them. */
  readonly system?: SystemProxy | undefined;
}

export interface OutboundRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** Milliseconds until the answer is whole. */
  readonly timeoutMs: number;
  /** Bytes of the answer's body that are read; more is an error. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
  /** Refuses a host that stands on a private or special network, by the address that is connected to. */
  readonly publicOnly?: boolean | undefined;
  /** Certificate and key in PEM that this computer shows. */
  readonly clientCertificate?: { readonly certificate: string; readonly key: string } | undefined;
}

export interface OutboundResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

export interface OutboundOptions {
  readonly network: () => NetworkChoice;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Milliseconds to connect. */
  readonly connectMs?: number;
}

/** Requests that may fail, in whose place tests put their own. */
export interface Outbound {
  /**
   * Sends one request through the author's network: no redirect is followed, no cookie kept.
   * @throws ProblemError `network_unreachable`, `network_tls`, `network_timeout`, `network_blocked`, `network_proxy_refused`,
   * `response_too_large`.
   */
  send(request: OutboundRequest): Promise<OutboundResponse>;
}

/** Sends main's own short requests, such as those to authorization servers. */
export class HttpOutbound implements Outbound, AsyncDisposable {
  readonly #options: OutboundOptions;
  /** By proxy and certificates; few, and kept so that connections are used again. */
  readonly #dispatchers = new Map<string, Promise<Dispatcher>>();

  constructor(options: OutboundOptions) {
    this.#options = options;
  }

  async send(request: OutboundRequest): Promise<OutboundResponse> {
    const { method, url, headers, body, timeoutMs, maxBytes, clientCertificate } = request;
    const { extraCertificates } = this.#options.network();
    const proxy = await this.proxyFor(url);
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
    const { publicOnly = false } = request;
    let own: Dispatcher | undefined;
    try {
      if (publicOnly) assertPublicHost(url);
      if (publicOnly && proxy !== undefined) await assertPublicName(url);
      const how = { proxy, extraCertificates, publicOnly, connectMs: this.#options.connectMs ?? CONNECT_MS };
      own = clientCertificate && (await makeDispatcher({ ...how, clientCertificate }));
      const { request: send } = await import('undici');
      const response = await send(url, {
        method,
        headers: { 'user-agent': 'Slipway', 'accept-encoding': 'identity', ...headers },
        body: body ?? null,
        dispatcher: own ?? (await this.#dispatcherFor(how)),
        signal,
      });
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of response.body as AsyncIterable<Buffer>) {
        size += chunk.length;
        if (size > maxBytes) throw tooLarge(url, maxBytes);
        chunks.push(chunk);
      }
      return {
        status: response.statusCode,
        headers: headersOf(response.headers),
        body: Buffer.concat(chunks),
      };
    } catch (error) {
      if (request.signal?.aborted) throw new DOMException('The request was cancelled.', 'AbortError');
      throw networkProblem(error, url, proxy);
    } finally {
      await own?.destroy();
    }
  }

  /** What a request to this address goes by now; shared, and ended with this. */
  async dispatcherFor(url: URL): Promise<Dispatcher> {
    return this.#dispatcherFor({
      proxy: await this.proxyFor(url),
      extraCertificates: this.#options.network().extraCertificates,
      publicOnly: false,
      connectMs: this.#options.connectMs ?? CONNECT_MS,
    });
  }

  /** The proxy a request to this address goes through now; undefined for none. */
  proxyFor(url: URL): Promise<string | undefined> {
    const { proxy, system } = this.#options.network();
    return resolveProxy(url, proxy, this.#options.environment, system);
  }

  /** Ends every connection. */
  async [Symbol.asyncDispose](): Promise<void> {
    const made = await Promise.allSettled(this.#dispatchers.values());
    const dispatchers = made.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.destroy()));
  }

  #dispatcherFor(how: DispatcherOptions): Promise<Dispatcher> {
    const key = JSON.stringify(how);
    const dispatcher = this.#dispatchers.get(key) ?? makeDispatcher(how);
    this.#dispatchers.set(key, dispatcher);
    return dispatcher;
  }
}

export interface DispatcherOptions {
  /** Address of the proxy; undefined for none. */
  readonly proxy: string | undefined;
  /** PEM trusted besides the system's. */
  readonly extraCertificates: string;
  readonly connectMs: number;
  readonly publicOnly?: boolean;
  readonly clientCertificate?: OutboundRequest['clientCertificate'];
}

/** A dispatcher of undici for the author's network. */
export async function makeDispatcher(options: DispatcherOptions): Promise<Dispatcher> {
  const { Agent, ProxyAgent } = await import('undici');
  const { proxy, extraCertificates, connectMs, publicOnly = false, clientCertificate } = options;
  const ca = trustedCertificates(extraCertificates);
  const tlsOptions = {
    timeout: connectMs,
    ...(ca && { ca }),
    ...(clientCertificate && { cert: clientCertificate.certificate, key: clientCertificate.key }),
  };
  if (proxy === undefined) {
    return new Agent({ connect: { ...tlsOptions, ...(publicOnly && { lookup: publicLookup }) } });
  }
  return new ProxyAgent({
    uri: proxy,
    requestTls: tlsOptions,
    proxyTls: { timeout: connectMs, ...(ca && { ca }) },
  });
}

/** Node's own authorities, the system's and the author's; undefined, which means Node's own, where that fails. */
export function trustedCertificates(extra: string): string[] | undefined {
  try {
    const known = [...tls.getCACertificates('default'), ...tls.getCACertificates('system')];
    return [...new Set([...known, ...splitCertificates(extra)])];
  } catch {
    return extra === '' ? undefined : [...tls.rootCertificates, ...splitCertificates(extra)];
  }
}

function tooLarge(url: URL, limit: number): ProblemError {
  return new ProblemError({
    code: 'response_too_large',
    title: `${url.host} sent too much`,
    detail: `The answer of ${url.host} is larger than ${limit} bytes and was not read further.`,
  });
}

function headersOf(raw: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(raw)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  return headers;
}
