import { isIP } from 'node:net';
import { ProblemError } from '#shared/problem.ts';
import type { ProviderKind } from '#shared/models/model.ts';

/**
 * A provider's address as it is kept: without a slash at its end, and without the path of a call that was
 * pasted with it.
 * @throws ProblemError `model_address_invalid`.
 */
export function normaliseBaseUrl(text: string, kind: ProviderKind): string {
  const url = URL.parse(text.trim());
  if (!url || !/^https?:$/.test(url.protocol)) throw invalid('It does not begin with http:// or https://.');
  if (url.username !== '' || url.password !== '') {
    throw invalid(
      'A user name or password in the address would not be kept secret. Use the field for the key.',
    );
  }
  if (url.search !== '' || url.hash !== '') throw invalid('It may not hold a question mark or a hash.');
  const path = url.pathname
    .replace(/\/+$/, '')
    .replace(/\/(chat\/completions|completions|responses|models)$/, '');
  const isBareLocal = path === '' && (kind === 'ollama' || kind === 'lmstudio');
  return `${url.origin}${isBareLocal ? '/v1' : path}`;
}

/**
 * Refuses to send a key over a connection that everyone on the way can read.
 * @throws ProblemError `model_address_insecure`.
 */
export function assertSafeForKey(baseUrl: string): void {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === 'https:' || isLocalHost(hostname)) return;
  throw new ProblemError({
    code: 'model_address_insecure',
    title: 'The key would travel in the clear',
    detail: `The address begins with http, so everyone between this computer and ${hostname} could read the key.`,
    action: 'Use an address that begins with https.',
    pointer: '/baseUrl',
  });
}

/** Whether an address names this very computer. */
export function isLoopback(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl);
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}

/** Names and addresses that are not on the internet (RFC 1918, 4193, 3927, 6762, 8375). */
function isLocalHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase();
  switch (isIP(host)) {
    case 4:
      return /^(127|10)\.|^192\.168\.|^169\.254\.|^172\.(1[6-9]|2\d|3[01])\.|^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./.test(
        host,
      );
    case 6:
      return host === '::1' || /^f[cd]|^fe[89ab]/.test(host);
    default:
      return (
        !host.includes('.') || /\.(localhost|local|internal|lan|home|home\.arpa|intranet|corp)$/.test(host)
      );
  }
}

function invalid(reason: string): ProblemError {
  return new ProblemError({
    code: 'model_address_invalid',
    title: 'This is not an address of a model server',
    detail: reason,
    action: 'Enter an address such as http://127.0.0.1:8080/v1.',
    pointer: '/baseUrl',
  });
}
