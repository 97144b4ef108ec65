import type { PathEnvironment } from '#main/store/index.ts';

/** Material of a TLS connection, as PEM text. */
export interface TlsMaterial {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** The person asked not to check the engine's certificate. */
  readonly skipVerify: boolean;
}

/** How an engine is reached. */
export type Endpoint =
  | { readonly kind: 'socket'; readonly path: string }
  | {
      readonly kind: 'tcp';
      readonly host: string;
      readonly port: number;
      readonly tls: TlsMaterial | undefined;
    };

/** A place where an engine may be, or why that place cannot be used. */
export interface EndpointCandidate {
  /** Why it is tried, in a person's words. */
  readonly origin: string;
  /** What is shown of it; never holds credentials. */
  readonly address: string;
  readonly target: Endpoint | { readonly kind: 'unusable'; readonly reason: string };
}

/** What endpoint resolution needs of the machine; injected so that every platform can be tested on any. */
export interface EndpointEnvironment extends PathEnvironment {
  /** Text of a file, or undefined where it cannot be read. */
  readText(path: string): Promise<string | undefined>;
  /** Numeric id of the person, where the platform has one. */
  readonly userId: number | undefined;
}

const DEFAULT_PORT = 2375;
const DEFAULT_TLS_PORT = 2376;

/** Text of an address without the user name and password it may carry. */
export function withoutCredentials(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)?[^/@]*@/i, '$1');
}

/**
 * Turns a Docker host string into an endpoint, by the rules of Docker's own client.
 * `tls` is what the environment or the context has for TCP; undefined means plain HTTP.
 */
export function parseHost(
  text: string,
  platform: NodeJS.Platform,
  tls: TlsMaterial | undefined,
): EndpointCandidate['target'] {
  const host = text.trim();
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(host)?.[1]?.toLowerCase() ?? 'tcp';
  const rest = host.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
  switch (scheme) {
    case 'unix':
      if (rest === '') return { kind: 'unusable', reason: 'It names no socket after unix://.' };
      return { kind: 'socket', path: rest };
    case 'npipe':
      if (platform !== 'win32')
        return { kind: 'unusable', reason: 'Named pipes exist only on Windows. Use unix:// or tcp://.' };
      return { kind: 'socket', path: rest === '' ? '//./pipe/docker_engine' : rest };
    case 'ssh':
      return {
        kind: 'unusable',
        reason:
          'Slipway does not open SSH connections. Forward the socket yourself, for example with ' +
          `"ssh -nNT -L /tmp/docker.sock:/var/run/docker.sock ${withoutCredentials(rest) || 'HOST'}", and set DOCKER_HOST=unix:///tmp/docker.sock.`,
      };
    case 'tcp':
    case 'http':
    case 'https': {
      const secured = scheme === 'https' ? (tls ?? NO_MATERIAL) : tls;
      return parseTcp(rest, scheme === 'http' ? undefined : secured);
    }
    default:
      return {
        kind: 'unusable',
        reason: `Slipway does not know addresses that begin with ${scheme}://. Use unix://, tcp:// or npipe://.`,
      };
  }
}

const NO_MATERIAL: TlsMaterial = { ca: undefined, cert: undefined, key: undefined, skipVerify: false };

function parseTcp(rest: string, tls: TlsMaterial | undefined): EndpointCandidate['target'] {
  const url = URL.parse(`http://${rest}`);
  if (rest === '' || !url || url.hostname === '')
    return { kind: 'unusable', reason: 'It is not an address such as tcp://localhost:2375.' };
  if (url.pathname !== '/' || url.search !== '')
    return { kind: 'unusable', reason: 'An address with a path cannot be used; leave only host and port.' };
  // A URL drops port 80, the default of its scheme.
  const written = /:(\d+)\/?$/.exec(rest)?.[1];
  const port = written === undefined ? (tls ? DEFAULT_TLS_PORT : DEFAULT_PORT) : Number(written);
  return { kind: 'tcp', host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port, tls };
}
