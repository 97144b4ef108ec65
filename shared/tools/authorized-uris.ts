import { fitsGlob, parseGlob, type Glob } from './glob.ts';
import { parsePlatformUrl } from './platform-url.ts';
import type { Target } from './target-url.ts';

/** One entry of `authorized_uris`, ready to be matched. */
interface UriPattern {
  readonly source: string;
  readonly scheme: Glob;
  readonly host: Glob;
  /** `any`, or a number; undefined stands for the scheme's own. */
  readonly port: 'any' | number | undefined;
  readonly path: Glob;
  /** Undefined when the pattern says nothing of the query, which is then free. */
  readonly query: Glob | undefined;
}

/** What it means that an address is in the list. */
export interface UriMatch {
  /** The first entry that fits, as its author wrote it. */
  readonly pattern: string;
  /** An entry names exactly this host, so that its author vouches for where it stands. */
  readonly namesHost: boolean;
  /** An entry that fits is confined to some domain: a secret sent there goes where its author meant. */
  readonly isBounded: boolean;
}

/** A compiled `authorized_uris`. */
export interface AuthorizedUris {
  readonly isEmpty: boolean;
  match(target: Target): UriMatch | undefined;
  /** The same by scheme, host and port alone, where nothing else is seen: in a tunnel. */
  matchOrigin(target: Target): UriMatch | undefined;
}

/** Ends what a single `*` of a path stands for: also an encoded slash, which many servers decode. */
const PATH_STOP = /\/|%2f|%5c/;
/** A host has no slash, so nothing stops a `*` there. */
const NEVER = /(?!)/;

/**
 * Compiles `authorized_uris`. Scheme, host, port and path are matched one by one against the parsed
 * address, so that no character of one part can pass for another part:
 * - `*` in a host stands for one label or more, and never for nothing;
 * - `*` in a path stays within a segment, `**` crosses them;
 * - a pattern without a port means the scheme's own, without a path `/`, without a query any query.
 */
export function compileAuthorizedUris(patterns: readonly string[]): AuthorizedUris {
  const compiled = patterns.map(compilePattern).filter((pattern) => pattern !== undefined);
  return {
    isEmpty: patterns.length === 0,
    match: (target) => matchOf(compiled.filter((pattern) => fits(pattern, target))),
    matchOrigin: (target) => matchOf(compiled.filter((pattern) => fitsOrigin(pattern, target))),
  };
}

function matchOf(fitting: readonly UriPattern[]): UriMatch | undefined {
  const [first] = fitting;
  if (first === undefined) return undefined;
  return {
    pattern: first.source,
    namesHost: fitting.some(({ host }) => host.every((part) => typeof part === 'string')),
    isBounded: fitting.some(isBounded),
  };
}

/** Undefined for a pattern that no address can fit. */
function compilePattern(source: string): UriPattern | undefined {
  if (source === '**') return compilePattern('*://**');
  const [, scheme, authority, rest = ''] = /^([a-z*]+):\/\/([^/?#]+)([^#]*)$/is.exec(source) ?? [];
  if (scheme === undefined || authority === undefined || authority.includes('@')) return undefined;
  const [, host, port] = /^(\[[^\]]*\]|[^:]*)(?::(\*+|\d+))?$/.exec(authority) ?? [];
  if (host === undefined || host === '') return undefined;
  const canonicalHost = canonicalHostOf(host);
  if (canonicalHost === undefined) return undefined;
  // `https://**` means every address, not only the roots of every host.
  const [path = '', ...queries] = (rest === '' && authority.endsWith('**') ? '/**' : rest).split('?');
  const canonicalPath = parsePlatformUrl(`http://host${path === '' ? '/' : path}`)?.pathname;
  if (canonicalPath === undefined) return undefined;
  return {
    source,
    scheme: parseGlob(scheme.toLowerCase()),
    host: parseGlob(canonicalHost),
    port: port === undefined ? undefined : port.startsWith('*') ? 'any' : Number(port),
    path: parseGlob(canonicalPath),
    query: queries.length === 0 ? undefined : parseGlob(queries.join('?')),
  };
}

/** A host as the URL parser would write it; with wildcards, label by label. */
function canonicalHostOf(host: string): string | undefined {
  if (!host.includes('*')) {
    return parsePlatformUrl(`http://${host}/`)
      ?.hostname.replace(/^\[(.*)\]$/, '$1')
      .replace(/\.$/, '');
  }
  const labels = host.split('.').map((label) => {
    if (label.includes('*')) return label.toLowerCase();
    return parsePlatformUrl(`http://${label}.x/`)?.hostname.slice(0, -'.x'.length);
  });
  return labels.includes(undefined) ? undefined : labels.join('.');
}

function fitsOrigin(pattern: UriPattern, target: Target): boolean {
  const port = pattern.port ?? (target.scheme === 'https' ? 443 : 80);
  return (
    fitsGlob(target.scheme, pattern.scheme, NEVER) &&
    (port === 'any' || port === target.port) &&
    fitsHost(pattern.host, target.host)
  );
}

function fits(pattern: UriPattern, target: Target): boolean {
  return (
    fitsOrigin(pattern, target) &&
    fitsGlob(target.path, pattern.path, PATH_STOP) &&
    (pattern.query === undefined || fitsGlob(target.query, pattern.query, /\//))
  );
}

/** A wildcard stands for at least one character, and never for a part of an address of numbers. */
function fitsHost(glob: Glob, host: string): boolean {
  const isLiteral = glob.every((part) => typeof part === 'string');
  if (isLiteral) return glob.join('') === host;
  const isCatchAll = glob.every((part) => typeof part !== 'string');
  if (isCatchAll) return true;
  if (host.includes(':') || /^[\d.]+$/.test(host)) return false;
  return fitsGlob(host, glob, NEVER) && host.length > literalLength(glob);
}

function literalLength(glob: Glob): number {
  return glob.reduce((length, part) => length + (typeof part === 'string' ? part.length : 0), 0);
}

/** Whether a pattern is confined to a host or to what stands under a domain of two labels or more. */
function isBounded({ host }: UriPattern): boolean {
  if (host.every((part) => typeof part === 'string')) return true;
  const last = host.at(-1);
  return typeof last === 'string' && /\.[^.]+\.[^.]+$/.test(last);
}
