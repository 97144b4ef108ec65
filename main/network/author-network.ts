import type { SecretStore } from '#main/secrets/secret-store.ts';
import { ProblemError } from '#shared/problem.ts';
import type { SidecarNetwork } from '#shared/protocol/integrations.ts';
import type { CertificateSummary } from '#shared/settings/certificate.ts';
import type { NetworkSettings } from '#shared/settings/settings.ts';
import type { NetworkChoice } from './outbound.ts';
import { describeCertificates, splitCertificates } from './certificates.ts';
import { isLoopbackHost, namesProxy, proxyFor, type SystemProxy } from './proxy.ts';

/** Stands for every host where only one proxy can be named. */
const ANY_HOST = new URL('https://a-host-on-the-internet.example/');
const LOGIN_NAME = 'network/proxy-login';

type Variables = Readonly<Record<string, string | undefined>>;

/** How commands inside an image's build reach the internet. */
export interface BuildNetwork extends SidecarNetwork {
  /** With `system`, what Docker itself is set to comes first. */
  readonly mode: NetworkSettings['proxyMode'];
}

export interface AuthorNetworkOptions {
  readonly settings: () => NetworkSettings;
  /** Where the proxy's password is kept. */
  readonly secrets: SecretStore;
  readonly environment: Variables;
  /** The operating system's settings, where the shell can read them. */
  readonly system?: SystemProxy | undefined;
  /** Makes a secret known to the log's redactor. */
  readonly protect: (secret: string) => void;
}

/** The author's way to the internet: proxy, its password, and certificates to trust. */
export class AuthorNetwork implements Disposable {
  readonly #options: AuthorNetworkOptions;
  readonly #stop: () => void;
  /** `user:password`, encoded as a URL has it. */
  #login: string | undefined;
  /** What the operating system said last of a host on the internet. */
  #system: string | undefined;

  constructor(options: AuthorNetworkOptions) {
    this.#options = options;
    this.#stop = options.secrets.onState(() => void this.load());
  }

  get environment(): Variables {
    return this.#options.environment;
  }

  /** Reads the proxy's password where the vault is open; without it the proxy is asked without one. */
  async load(): Promise<void> {
    const { secrets } = this.#options;
    void this.#lookAtSystem();
    if (secrets.state.state !== 'open') this.#login = undefined;
    else this.#keep(await secrets.get(LOGIN_NAME).catch(() => undefined));
  }

  #keep(login: string | undefined): void {
    this.#login = login;
    const password = login?.slice(login.indexOf(':') + 1);
    if (password === undefined) return;
    this.#options.protect(password);
    this.#options.protect(decodeURIComponent(password));
  }

  /** What main's own requests go by. */
  choice(): NetworkChoice {
    const { proxyMode, proxyAddress, proxyExceptions, extraCertificates } = this.#options.settings();
    return {
      proxy: {
        mode: proxyMode,
        address: this.#login === undefined ? proxyAddress : withLogin(proxyAddress, this.#login),
        exceptions: proxyExceptions,
      },
      extraCertificates,
      system: this.#options.system,
    };
  }

  /** What programs besides the app's own requests are given: one proxy for every host. */
  #general(): string | undefined {
    const { proxy } = this.choice();
    // The answer is asked for anew, for the next time: the person may have changed the system's settings.
    void this.#lookAtSystem();
    return (
      proxyFor(ANY_HOST, proxy, this.environment) ?? (proxy.mode === 'system' ? this.#system : undefined)
    );
  }

  async #lookAtSystem(): Promise<void> {
    const { system, environment } = this.#options;
    this.#system =
      system && !namesProxy(environment) ? await system(ANY_HOST).catch(() => undefined) : undefined;
  }

  /**
   * What a sidecar is told. In a container a proxy on this computer's loopback is left out: that address is
   * another there.
   */
  forSidecar(place: 'container' | 'here' = 'container'): SidecarNetwork {
    const { proxy: choice, extraCertificates } = this.choice();
    const proxy = this.#general();
    const isReachable = proxy !== undefined && (place === 'here' || !isLoopbackHost(new URL(proxy).hostname));
    const system = this.environment['no_proxy'] ?? this.environment['NO_PROXY'] ?? '';
    const exceptions = choice.mode === 'manual' ? choice.exceptions : system;
    return {
      ...(isReachable && { proxy }),
      noProxy: exceptions.split(/[\s,;]+/).filter((entry) => entry !== ''),
      certificateAuthorities: splitCertificates(extraCertificates),
    };
  }

  /** What an image is built with. */
  forBuild(): BuildNetwork {
    return { ...this.forSidecar(), mode: this.choice().proxy.mode };
  }

  /** Keeps the proxy's user and password in the vault. @throws ProblemError `proxy_login_invalid`, `vault_locked`. */
  async setProxyLogin(user: string, password: string): Promise<boolean> {
    const { secrets } = this.#options;
    if (user === '') {
      await secrets.delete(LOGIN_NAME);
      this.#login = undefined;
      return false;
    }
    if (user.includes(':')) {
      throw new ProblemError({
        code: 'proxy_login_invalid',
        title: 'This user name cannot be used',
        detail: 'A user name for a proxy has no colon.',
        pointer: '/user',
      });
    }
    const login = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
    await secrets.set(LOGIN_NAME, login);
    this.#keep(login);
    return true;
  }

  /** All that a page may be shown; no password. */
  async describe(): Promise<{
    hasProxyLogin: boolean;
    systemProxy?: string;
    systemProxySource?: 'environment' | 'system';
    certificates: CertificateSummary[];
  }> {
    await this.#lookAtSystem();
    const named = proxyFor(ANY_HOST, { mode: 'system', address: '', exceptions: '' }, this.environment);
    const proxy = named ?? this.#system;
    const url = proxy === undefined ? null : URL.parse(proxy);
    return {
      hasProxyLogin: this.#login !== undefined,
      ...(url && {
        systemProxy: `${url.protocol}//${url.host}`,
        systemProxySource: named === undefined ? 'system' : 'environment',
      }),
      certificates: describeCertificates(this.#options.settings().extraCertificates),
    };
  }

  [Symbol.dispose](): void {
    this.#stop();
  }
}

function withLogin(address: string, login: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)?/i, (scheme) => `${scheme || 'http://'}${login}@`);
}
