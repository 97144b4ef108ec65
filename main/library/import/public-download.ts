import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Dispatcher } from 'undici';
import { ProblemError } from '#shared/problem.ts';
import { isAddress, isPublicAddress, isRefusedHost } from '#shared/tools/address-class.ts';
import { bufferUpTo } from '../bounded-buffer.ts';

export interface DownloadOptions {
  /** Origin the person has chosen for this, if any; it alone may be a private address or without TLS. */
  readonly trustedOrigin?: string | undefined;
  /** Hosts a redirect may lead to, each with those below it. */
  readonly hosts: readonly string[];
  readonly maxBytes: number;
  /** Milliseconds for all of it. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Looks names up in the place of the system. */
  readonly lookup?: typeof lookup;
}

export interface Download {
  readonly status: number;
  readonly bytes: Buffer;
}

const MAX_REDIRECTS = 5;

/**
 * Fetches a file from the open internet without credentials. Redirects are followed one by one, only to the
 * hosts that were named, and only to addresses anyone may reach, which are looked up once and held to.
 * @throws ProblemError `download_refused`, `download_too_large`, `download_failed`; an aborted signal's reason
 */
export async function download(url: string, options: DownloadOptions): Promise<Download> {
  const { Agent, request } = await import('undici');
  const limit = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
  const dispatcher = new Agent({ connect: { lookup: lookupFor(options), timeout: 10_000 } });
  try {
    let address = new URL(url);
    for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
      checkAddress(address, options);
      const response = await request(address, {
        method: 'GET',
        headers: { 'user-agent': 'Slipway', accept: '*/*' },
        dispatcher,
        signal: limit,
        headersTimeout: options.timeoutMs,
        bodyTimeout: options.timeoutMs,
      });
      const location = response.headers['location'];
      if (response.statusCode >= 300 && response.statusCode < 400 && typeof location === 'string') {
        await response.body.dump({ limit: 64 * 1024, signal: limit }).catch(() => undefined);
        address = new URL(location, address);
        continue;
      }
      return { status: response.statusCode, bytes: await readBody(response, options.maxBytes) };
    }
    throw refused(new URL(url).host, `it redirects more than ${MAX_REDIRECTS} times`);
  } catch (error) {
    options.signal.throwIfAborted();
    const known = problemIn(error);
    if (known !== undefined) throw known;
    throw failed(new URL(url).host, error, limit.aborted);
  } finally {
    await dispatcher.destroy();
  }
}

function checkAddress(address: URL, { trustedOrigin, hosts }: DownloadOptions): void {
  if (address.origin === trustedOrigin) return;
  if (address.protocol !== 'https:') throw refused(address.host, 'it is not an https address');
  if (address.username !== '' || address.password !== '') throw refused(address.host, 'it holds a password');
  const { hostname } = address;
  if (!hosts.some((host) => hostname === host || hostname.endsWith(`.${host}`))) {
    throw refused(address.host, 'packages are not fetched from there');
  }
  if (isRefusedHost(hostname) || (isAddress(hostname) && !isPublicAddress(hostname))) {
    throw refused(address.host, 'it stands for a private network');
  }
}

/** Looks a name up once and hands over only addresses that are public; the trusted host may be any. */
function lookupFor({ trustedOrigin, lookup: find = lookup }: DownloadOptions): LookupFunction {
  const trusted = trustedOrigin === undefined ? undefined : new URL(trustedOrigin).hostname;
  return (hostname, lookupOptions, callback) => {
    find(hostname, { ...lookupOptions, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, '');
      if (hostname !== trusted && !addresses.every(({ address }) => isPublicAddress(address))) {
        return callback(refused(hostname, 'it stands for a private network'), '');
      }
      if (lookupOptions.all === true) return callback(null, addresses);
      return callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
    });
  };
}

async function readBody({ body, headers }: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer> {
  try {
    if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
    return await bufferUpTo(body, maxBytes, () => tooLarge(maxBytes));
  } finally {
    body.destroy();
  }
}

/** A refusal of ours, which undici may have wrapped. */
function problemIn(error: unknown): ProblemError | undefined {
  if (error instanceof ProblemError) return error;
  return error instanceof Error && error.cause !== undefined ? problemIn(error.cause) : undefined;
}

function refused(host: string, reason: string): ProblemError {
  const detail = `Nothing was fetched from ${host}: ${reason}.`;
  return new ProblemError({ code: 'download_refused', title: 'The address was refused', detail });
}

function tooLarge(maxBytes: number): ProblemError {
  return new ProblemError({
    code: 'download_too_large',
    title: 'The download is too large',
    detail: `It has more than ${maxBytes} bytes, which is the most that is fetched.`,
    action: 'Download it yourself and import the folder of the package.',
  });
}

function failed(host: string, error: unknown, isTimeout: boolean): ProblemError {
  const { code } = (error ?? {}) as { code?: unknown };
  const reason = isTimeout ? 'it took too long' : typeof code === 'string' ? code : 'no answer';
  const detail = `${host} could not be reached (${reason}).`;
  const action = 'Check the network, and try again.';
  return new ProblemError(
    { code: 'download_failed', title: 'The download failed', detail, action },
    { cause: error },
  );
}
