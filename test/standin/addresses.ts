/**
 * Chromium alone does not know the app's scheme, so its pages stand under a name of this computer, which
 * counts as a secure origin; both directions are here.
 */
export class Addresses {
  readonly #port: number;
  readonly #scheme: string;

  constructor(port: number, scheme: string) {
    this.#port = port;
    this.#scheme = scheme;
  }

  /** `app://host/path` as the browser has it; other addresses as they are. */
  toBrowser(address: string): string {
    const [, host, rest = ''] = new RegExp(`^${this.#scheme}://([^/?#]+)(.*)$`).exec(address) ?? [];
    return host === undefined ? address : `http://${host}.localhost:${this.#port}${rest}`;
  }

  /** The address as the app must see it. */
  toApp(address: string): string {
    const [, host, rest = ''] =
      new RegExp(`^http://([^/?#]+)\\.localhost:${this.#port}(.*)$`).exec(address) ?? [];
    return host === undefined ? address : `${this.#scheme}://${host}${rest}`;
  }
}
