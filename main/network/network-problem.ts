import { ProblemError } from '#shared/problem.ts';

/** What an engine calls the computer it runs on. */
const ENGINE_HOST = 'host.docker.internal';

/**
 * The problem behind a request that got no whole answer. It tells the host and the kind of failure, never
 * the request. Cancellation comes back as it is.
 */
export function networkProblem(error: unknown, url: URL, proxy: string | undefined): unknown {
  if (error instanceof ProblemError) return error;
  const refusal = proxyRefusal(error);
  if (refusal !== undefined && proxy !== undefined) return proxyRefused(refusal, url, new URL(proxy).host);
  if (error instanceof Error && error.name === 'AbortError') return error;
  const code = codeOf(error) ?? 'unknown';
  const way = proxy === undefined ? '' : ` through the proxy ${new URL(proxy).host}`;
  if (code.includes('ALERT')) {
    return new ProblemError({
      code: 'network_tls',
      title: `${url.host} refused the secure connection`,
      detail: `${url.host}${way} ended the handshake (${code}).`,
      action: 'Where it asks for a client certificate, compare yours with what the service knows.',
    });
  }
  if (/CERT|SIGNED|ISSUER|^ERR_SSL|^ERR_TLS|^EPROTO|LEAF_SIGNATURE/.test(code)) {
    return new ProblemError({
      code: 'network_tls',
      title: `The connection to ${url.host} is not trusted`,
      detail: `The certificate of ${url.host}${way} was refused (${code}).`,
      action: 'Behind a company proxy, add its certificate under Settings, Network.',
    });
  }
  if (/TIMEOUT|^ETIMEDOUT/.test(code)) {
    return new ProblemError({
      code: 'network_timeout',
      title: `${url.host} did not answer in time`,
      detail: `${url.host}${way} did not answer before the time limit.`,
      action: 'Try again.',
    });
  }
  const isUnresolved = code === 'ENOTFOUND' || code === 'EAI_AGAIN';
  if (isUnresolved && url.hostname === ENGINE_HOST) {
    return new ProblemError({
      code: 'network_unreachable',
      title: `${url.host} cannot be reached`,
      detail: `${ENGINE_HOST} is the name of this computer inside a run, and no name outside of it.`,
      action: 'Run an agent with the integration; what is tried here goes out from this computer itself.',
    });
  }
  const reason = /^(UND_ERR_SOCKET|ECONNRESET|EPIPE)$/.test(code)
    ? `${url.host} ended the connection${way} without an answer.`
    : isUnresolved
      ? `The name ${url.hostname} cannot be resolved${way}.`
      : `${url.host} cannot be reached${way} (${code}).`;
  return new ProblemError({
    code: 'network_unreachable',
    title: `${url.host} cannot be reached`,
    detail: reason,
    action: 'Check your connection, and the proxy under Settings, Network.',
  });
}

/** The status a proxy answered with in place of a tunnel. The client has no code for it, only its words. */
function proxyRefusal(error: unknown): number | undefined {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; depth += 1) {
    const [, status] = /^Proxy response \((\d{3})\)/.exec(current.message) ?? [];
    if (status !== undefined) return Number(status);
    current = current.cause;
  }
  return undefined;
}

function proxyRefused(status: number, url: URL, proxy: string): ProblemError {
  return new ProblemError({
    code: 'network_proxy_refused',
    title: status === 407 ? 'The proxy asks who you are' : `The proxy does not lead to ${url.host}`,
    detail: `The proxy ${proxy} answered with ${status} when it was asked for ${url.host}.`,
    action:
      status === 407
        ? 'Enter its user and password under Settings, Network.'
        : 'Check the proxy under Settings, Network, or name the host among those reached without it.',
  });
}

function codeOf(error: unknown): string | undefined {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; depth += 1) {
    if (current instanceof AggregateError && current.errors.length > 0) return codeOf(current.errors[0]);
    if (current.name === 'TimeoutError') return 'ETIMEDOUT';
    if ('code' in current && typeof current.code === 'string') return current.code;
    current = current.cause;
  }
  return undefined;
}
