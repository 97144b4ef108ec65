import { lookup } from 'node:dns';
import { lookup as resolve } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { isPublicAddress, isRefusedHost } from '#shared/tools/address-class.ts';
import { ProblemError } from '#shared/problem.ts';

/**
 * A look-up for connections that may only go to the internet: the address that is checked is the one that
 * is connected to. One private address refuses the name, so that no answer can be mixed.
 */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0);
    const [first] = addresses;
    if (first === undefined || !addresses.every(({ address }) => isPublicAddress(address))) {
      return callback(blocked(hostname), '', 0);
    }
    if (options.all) return callback(null, addresses);
    callback(null, first.address, first.family);
  });
};

/** Refuses what the host itself gives away, before anything is looked up. @throws ProblemError `network_blocked`. */
export function assertPublicHost(url: URL): void {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  if (isRefusedHost(host)) throw blocked(url.hostname);
}

/**
 * The same for a request that a proxy resolves again. A name that only the proxy can resolve passes.
 * @throws ProblemError `network_blocked`.
 */
export async function assertPublicName(url: URL): Promise<void> {
  const addresses = await resolve(url.hostname.replace(/^\[(.*)\]$/, '$1'), { all: true }).catch(() => []);
  if (!addresses.every(({ address }) => isPublicAddress(address))) throw blocked(url.hostname);
}

function blocked(host: string): ProblemError {
  return new ProblemError({
    code: 'network_blocked',
    title: `${host} is not on the internet`,
    detail: `${host} stands on a private or special network, where this request may not go.`,
    action: 'If it is meant, name exactly this host in "authorized_uris" of the integration.',
  });
}
