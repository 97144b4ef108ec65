/** A parsed address, as the URL standard has it. */
export interface PlatformUrl {
  readonly href: string;
  readonly protocol: string;
  readonly username: string;
  readonly password: string;
  hostname: string;
  readonly port: string;
  readonly pathname: string;
  readonly search: string;
}

interface Platform {
  readonly URL: { parse(text: string, base?: string): PlatformUrl | null };
}

const platform = globalThis as unknown as Platform;

/** The URL standard's parser, which Node and browsers share; null for what it cannot read. */
export function parsePlatformUrl(text: string, base?: string): PlatformUrl | null {
  return platform.URL.parse(text, base);
}
