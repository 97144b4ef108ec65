import { lookup } from 'node:dns/promises';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { isAddress, isPublicAddress, isRefusedHost } from '#shared/tools/address-class.ts';
import type { CallFailureCode } from '#shared/tools/call-failure.ts';
import type { ClientCertificate } from '#shared/tools/client-certificate.ts';

/** Answers every address of a name; throws when there is none. */
export type Resolver = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Why no connection was made. The message is for the model, and names no address. */
export class ConnectionRefused extends Error {
  readonly code: CallFailureCode;

  constructor(code: CallFailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Opens the TCP leg to an address that was checked; a proxy of the author's may stand between. */
export type Dialer = (address: string, port: number, signal: AbortSignal, host: string) => Promise<Socket>;

export interface ConnectorOptions {
  readonly resolve: Resolver;
  readonly dial: Dialer;
  /** Certificates, in PEM, trusted beside the well-known ones. */
  readonly certificateAuthorities: readonly string[];
}

export interface Destination {
  /** As in a {@link Target}. */
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
  /** The author named this host: it may stand on a private network. */
  readonly waivesAddressCheck: boolean;
  /** Shown to a server that asks for one. */
  readonly clientCertificate?: ClientCertificate | undefined;
}

/** Addresses tried before giving up on a host that has many. */
const MAX_TRIED = 4;

/**
 * Connects to a host by an address that was looked up and checked in the same breath: nobody looks it up
 * again. One address on a private network refuses the host, so that no answer of a resolver can be mixed.
 * @throws ConnectionRefused, or what `signal` was aborted with
 */
export async function connectTo(
  destination: Destination,
  options: ConnectorOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const addresses = await checkedAddresses(destination, options.resolve, signal);
  let failure: unknown;
  for (const address of addresses.slice(0, MAX_TRIED)) {
    try {
      const socket = await options.dial(address, destination.port, signal, destination.host);
      return destination.isSecure ? await secure(socket, destination, options, signal) : socket;
    } catch (error) {
      signal.throwIfAborted();
      failure = error;
    }
  }
  throw new ConnectionRefused('upstream_unreachable', `${reasonOf(failure)} (${destination.host})`, {
    cause: failure,
  });
}

async function checkedAddresses(
  { host, waivesAddressCheck }: Destination,
  resolve: Resolver,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (!waivesAddressCheck && isRefusedHost(host)) throw blocked();
  if (isAddress(host)) return [host];
  let addresses: readonly string[];
  try {
    addresses = await resolve(host, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw unresolvable(host, error);
  }
  if (addresses.length === 0) throw unresolvable(host);
  if (!waivesAddressCheck && !addresses.every(isPublicAddress)) throw blocked();
  return addresses;
}

function blocked(): ConnectionRefused {
  return new ConnectionRefused('blocked_target', 'URL targets a blocked network range');
}

function unresolvable(host: string, cause?: unknown): ConnectionRefused {
  return new ConnectionRefused('upstream_unresolvable', `Target host could not be resolved (${host})`, {
    cause,
  });
}

async function secure(
  socket: Socket,
  { host, clientCertificate }: Destination,
  { certificateAuthorities }: ConnectorOptions,
  signal: AbortSignal,
): Promise<Socket> {
  const options: ConnectionOptions = {
    socket,
    ALPNProtocols: ['http/1.1'],
    ...(isAddress(host) ? { host } : { servername: host, host }),
    ...(clientCertificate && { cert: clientCertificate.certificate, key: clientCertificate.key }),
    ...(certificateAuthorities.length > 0 && { ca: [...(await wellKnown()), ...certificateAuthorities] }),
  };
  return settled(connectTls(options), 'secureConnect', signal);
}

async function wellKnown(): Promise<readonly string[]> {
  const { rootCertificates } = await import('node:tls');
  return rootCertificates;
}

/** Connects straight to an address. */
export const dialDirectly: Dialer = (address, port, signal) =>
  settled(connectTcp({ host: address, port, noDelay: true, keepAlive: true }), 'connect', signal);

/** Resolves with the socket when it is ready; destroys it when it fails or is no longer wanted. */
export function settled<S extends Socket>(socket: S, readyEvent: string, signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      socket.off(readyEvent, onReady);
      socket.off('error', onError);
      socket.off('close', onClose);
      signal.removeEventListener('abort', onAbort);
    };
    const onReady = () => {
      leave();
      resolve(socket);
    };
    const onError = (error: Error) => {
      leave();
      // A second error, of which nobody would hear, must not end the program.
      socket.on('error', () => undefined);
      socket.destroy();
      reject(error);
    };
    const onClose = () => onError(new Error('the connection was closed'));
    const onAbort = () => onError(signal.reason as Error);
    socket.on(readyEvent, onReady);
    socket.on('error', onError);
    socket.on('close', onClose);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}

/** Asks the system's resolver. It cannot be interrupted, so an abort just stops waiting for it. */
export const resolveWithSystem: Resolver = async (host, signal) => {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    const answers = await Promise.race([lookup(host, { all: true, order: 'ipv4first' }), aborted.promise]);
    return answers.map(({ address }) => address);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
};

/** What went wrong on the way, by its code: a message may quote what was sent. */
export function reasonOf(error: unknown): string {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code)) return `Upstream request failed: ${code}`;
  return cause === undefined || cause === null ? 'Upstream request failed' : reasonOf(cause);
}
