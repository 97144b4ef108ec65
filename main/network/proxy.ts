/** How requests of the app leave this computer. */
export interface ProxyChoice {
  /** `system` follows the proxy variables of the environment; `manual` uses {@link address}. */
  readonly mode: 'system' | 'manual' | 'none';
  /** Proxy for every request, such as `http://proxy.example.com:3128`; for `manual`. */
  readonly address: string;
  /** Hosts that are reached without it, as in NO_PROXY: `example.com`, `.corp`, `10.0.0.5`, `host:8080`, `*`. */
  readonly exceptions: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The proxy a request goes through; undefined when it goes straight. This computer itself is never reached
 * through a proxy.
 */
export function proxyFor(url: URL, choice: ProxyChoice, environment: Variables): string | undefined {
  if (choice.mode === 'none' || isLoopbackHost(url.hostname)) return undefined;
  if (choice.mode === 'manual') {
    return choice.address === '' || isException(url, choice.exceptions)
      ? undefined
      : withScheme(choice.address);
  }
  const read = (name: string) => environment[name.toLowerCase()] || environment[name];
  if (isException(url, read('NO_PROXY') ?? '')) return undefined;
  const address = read(url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') ?? read('ALL_PROXY');
  return address ? withScheme(address) : undefined;
}

/** Asks the operating system for the proxy of an address; undefined for none. */
export type SystemProxy = (url: URL) => Promise<string | undefined>;

/** As {@link proxyFor}, with the operating system's own settings where the environment names no proxy at all. */
export async function resolveProxy(
  url: URL,
  choice: ProxyChoice,
  environment: Variables,
  system: SystemProxy | undefined,
): Promise<string | undefined> {
  const usesSystem =
    system !== undefined &&
    choice.mode === 'system' &&
    !isLoopbackHost(url.hostname) &&
    !namesProxy(environment);
  return usesSystem ? system(url) : proxyFor(url, choice, environment);
}

/** Whether an environment says anything of proxies. */
export function namesProxy(environment: Variables): boolean {
  return ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].some(
    (name) => environment[name] || environment[name.toLowerCase()],
  );
}

function withScheme(address: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`;
}

/** Whether a host name stands for this very computer, as a URL has it. */
export function isLoopbackHost(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  );
}

/** An entry names a host and everything below it; a leading dot or `*.` means the same. */
function isException(url: URL, exceptions: string): boolean {
  const host = url.hostname.toLowerCase().replace(/\.$/, '');
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return exceptions
    .split(/[\s,;]+/)
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = '', entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
      if (entryPort !== undefined && entryPort !== port) return false;
      const wanted = name.replace(/^\*?\./, '').replace(/\.$/, '');
      return wanted !== '' && (host === wanted || host.endsWith(`.${wanted}`));
    });
}
