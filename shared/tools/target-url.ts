import { parsePlatformUrl, type PlatformUrl } from './platform-url.ts';

/** An address as it will be requested: parsed once, and never written in another way afterwards. */
export interface Target {
  /** What is sent. */
  readonly href: string;
  readonly scheme: 'http' | 'https';
  /** Lower case, in ASCII, without a dot at its end; IPv6 without brackets, IPv4 in its dotted form. */
  readonly host: string;
  readonly port: number;
  /** Begins with `/`. */
  readonly path: string;
  /** Without `?`; empty when there is none. */
  readonly query: string;
  readonly origin: string;
}

/** Why a text is no address that a call may name. The sentence quotes nothing of it. */
export interface TargetFault {
  readonly fault: string;
}

const DEFAULT_PORTS = { http: 80, https: 443 } as const;
/** Times a path is decoded to look for what a server behind a proxy might see in it. */
const DECODING_ROUNDS = 4;

/**
 * Reads an address in the one way that counts: what comes back is what is judged and what is sent. Refuses
 * everything that other parsers read in another way.
 */
export function parseTarget(text: string): Target | TargetFault {
  // The URL standard would drop these or read a backslash as a slash; others do not.
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001F\u007F-\u00A0\u2028\u2029\uFEFF\\]|^ | $/.test(text)) {
    return { fault: 'The address has a line break, a control character, a backslash or a space around it.' };
  }
  if (text.includes('#')) {
    return { fault: 'The address has a fragment ("#"), which is never sent. Leave it out.' };
  }
  if (!/^[a-z][a-z0-9+.-]*:/i.test(text)) return { fault: 'The address must begin with https://.' };
  if (!/^https?:\/\/[^/]/i.test(text)) {
    return { fault: 'Only https:// and http:// addresses can be called.' };
  }
  const url = parsePlatformUrl(text);
  if (url === null) return { fault: 'The address cannot be read as a URL.' };
  if (url.username !== '' || url.password !== '' || authorityOf(text).includes('@')) {
    return { fault: 'The address has a user name or password in it, which is never sent.' };
  }
  return targetOf(url);
}

/** Reads where a redirect leads, relative to where it came from. User name and fragment are dropped. */
export function parseRedirect(location: string, from: Target): Target | TargetFault {
  const url = parsePlatformUrl(location, from.href);
  if (url === null) return { fault: 'The redirect leads to something that is no address.' };
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { fault: 'The redirect leads away from HTTP.' };
  }
  return targetOf(url);
}

function targetOf(url: PlatformUrl): Target | TargetFault {
  const scheme = url.protocol === 'https:' ? 'https' : 'http';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  if (host === '' || host.split('.').includes('') || host.length > 253) {
    return { fault: 'The address has no host name that could exist.' };
  }
  if (hidesDotSegment(url.pathname)) {
    return {
      fault: 'The path has an encoded ".", ".." or control character, which servers read in different ways.',
    };
  }
  const port = url.port === '' ? DEFAULT_PORTS[scheme] : Number(url.port);
  const shownHost = host.includes(':') ? `[${host}]` : host;
  const origin = `${scheme}://${shownHost}${url.port === '' ? '' : `:${url.port}`}`;
  return {
    href: `${origin}${url.pathname}${url.search}`,
    scheme,
    host,
    port,
    path: url.pathname,
    query: url.search.slice(1),
    origin,
  };
}

function authorityOf(text: string): string {
  return /^[^:]*:\/\/([^/?]*)/.exec(text)?.[1] ?? '';
}

/** Whether some server would see a `.` or `..` in the path that this one's parser has left there. */
function hidesDotSegment(path: string): boolean {
  let decoded = path;
  for (let round = 0; round <= DECODING_ROUNDS; round += 1) {
    // eslint-disable-next-line no-control-regex -- a server may end the path at one, or drop it
    if (/[\u0000-\u001F\u007F]/.test(decoded)) return true;
    const segments = decoded.split(/[/\\]/);
    if (segments.some((segment) => /^\.{1,2} *(;.*)?$/s.test(segment))) return true;
    const next = decoded.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (next === decoded) return false;
    decoded = next;
  }
  // Encoded so often, it can only be meant to hide something.
  return true;
}
