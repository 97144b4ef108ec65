import type { Target } from '#shared/tools/target-url.ts';

/** Cookies kept for one connection; a service that sets more loses the oldest. */
const MAX_COOKIES = 200;
const MAX_COOKIE_BYTES = 4096;

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  readonly isHostOnly: boolean;
  readonly path: string;
  readonly isSecure: boolean;
  /** Milliseconds since the epoch; infinite for the length of the run. */
  readonly expiresAt: number;
}

/**
 * The cookies of one connection, in memory and for one run. What is kept and sent follows RFC 6265. A
 * domain of one label is never taken, and no list of public suffixes is asked: a jar serves one integration.
 */
export class CookieJar {
  readonly #now: () => number;
  readonly #cookies = new Map<string, Cookie>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Takes what a response sets, in order. */
  store(target: Target, setCookies: readonly string[]): void {
    for (const text of setCookies) {
      const cookie = this.#parse(target, text);
      if (cookie === undefined) continue;
      const key = `${cookie.domain};${cookie.path};${cookie.name}`;
      this.#cookies.delete(key);
      if (cookie.expiresAt > this.#now()) this.#cookies.set(key, cookie);
    }
    for (const key of this.#cookies.keys()) {
      if (this.#cookies.size <= MAX_COOKIES) break;
      this.#cookies.delete(key);
    }
  }

  /**
   * The `Cookie` header of a request; undefined when there is none.
   * @param own a header the caller gave, whose cookies stand where the jar has none of their name
   */
  header(target: Target, own?: string): string | undefined {
    const now = this.#now();
    const fitting = [...this.#cookies.values()]
      .filter((cookie) => cookie.expiresAt > now && isFor(cookie, target))
      .sort((a, b) => b.path.length - a.path.length);
    const pairs = fitting.map(({ name, value }) => `${name}=${value}`);
    const names = new Set(fitting.map(({ name }) => name));
    for (const pair of (own ?? '').split(';')) {
      const trimmed = pair.trim();
      if (trimmed !== '' && !names.has(trimmed.split('=')[0] ?? '')) pairs.push(trimmed);
    }
    return pairs.length === 0 ? undefined : pairs.join('; ');
  }

  #parse(target: Target, text: string): Cookie | undefined {
    if (text.length > MAX_COOKIE_BYTES) return undefined;
    const [pair = '', ...rest] = text.split(';');
    const [, name = '', value = ''] = /^\s*([^=]*?)\s*=\s*(.*?)\s*$/s.exec(pair) ?? [];
    // eslint-disable-next-line no-control-regex -- what could break the header it is sent in
    if (name === '' || /[\u0000-\u001F\u007F-\uFFFF]/.test(name + value)) return undefined;
    const attributes = new Map(
      rest.map((attribute) => {
        const [, key = '', of = ''] = /^\s*([^=]*?)\s*(?:=\s*(.*?)\s*)?$/s.exec(attribute) ?? [];
        return [key.toLowerCase(), of] as const;
      }),
    );
    const asked = (attributes.get('domain') ?? '').replace(/^\./, '').toLowerCase();
    const isHostOnly = asked === '' || asked === target.host;
    if (!isHostOnly && (!asked.includes('.') || !target.host.endsWith(`.${asked}`))) return undefined;
    const path = attributes.get('path') ?? '';
    return {
      name,
      value,
      domain: isHostOnly ? target.host : asked,
      isHostOnly: isHostOnly && asked === '',
      path: path.startsWith('/') ? path : target.path.slice(0, target.path.lastIndexOf('/')) || '/',
      isSecure: attributes.has('secure'),
      expiresAt: this.#expiry(attributes.get('max-age'), attributes.get('expires')),
    };
  }

  #expiry(maxAge: string | undefined, expires: string | undefined): number {
    if (maxAge !== undefined && /^-?\d+$/.test(maxAge)) return this.#now() + Number(maxAge) * 1000;
    const date = Date.parse(expires ?? '');
    return Number.isNaN(date) ? Number.POSITIVE_INFINITY : date;
  }
}

function isFor(cookie: Cookie, { host, path, scheme }: Target): boolean {
  const isHost = host === cookie.domain || (!cookie.isHostOnly && host.endsWith(`.${cookie.domain}`));
  const base = cookie.path.endsWith('/') ? cookie.path : `${cookie.path}/`;
  const isPath = path === cookie.path || path.startsWith(base);
  return isHost && isPath && (!cookie.isSecure || scheme === 'https');
}
