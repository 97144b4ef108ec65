import { z } from 'zod';
import type { BuildNetwork } from '#main/network/index.ts';

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'FTP_PROXY', 'ALL_PROXY', 'NO_PROXY'];

const LOOPBACK = /^([a-z0-9+.-]+:\/\/)?([^@/]*@)?(localhost|127\.|\[?::1)/i;

const configurationSchema = z.object({
  proxies: z.object({
    default: z.object({
      httpProxy: z.string().optional(),
      httpsProxy: z.string().optional(),
      ftpProxy: z.string().optional(),
      allProxy: z.string().optional(),
      noProxy: z.string().optional(),
    }),
  }),
});

/**
 * Arguments of a build that are no part of the image: how its commands reach the internet. The author's own
 * proxy comes first; else, as Docker's client does it, Docker's settings, then the environment, and last the
 * operating system's. Docker keeps proxies out of an image's history. A proxy on this computer's loopback is
 * left out: inside the build that address is another.
 * @param configuration text of Docker's `config.json`, where there is one
 */
export function buildArguments(
  variables: Readonly<Record<string, string | undefined>>,
  configuration: string | undefined,
  network?: BuildNetwork,
): Record<string, string> {
  const values = network && network.mode !== 'system' ? ownProxies(network) : undefined;
  const configured = values ?? readConfiguration(configuration);
  const found: Record<string, string> = {};
  for (const name of PROXY_VARIABLES) {
    const value = values
      ? values[name]
      : (configured?.[name] ?? variables[name] ?? variables[name.toLowerCase()]);
    if (value && (name === 'NO_PROXY' || !LOOPBACK.test(value))) found[name] = value;
  }
  const isNamed = Object.keys(found).some((name) => name !== 'NO_PROXY');
  if (network?.mode === 'system' && !isNamed) Object.assign(found, ownProxies(network), found);
  const authorities = network?.certificateAuthorities ?? [];
  return {
    ...inBothSpellings(found),
    ...(authorities.length > 0 && { EXTRA_CERTIFICATES: authorities.join('\n') }),
  };
}

function ownProxies({ proxy, noProxy }: BuildNetwork): Record<string, string | undefined> {
  return proxy === undefined
    ? {}
    : {
        HTTP_PROXY: proxy,
        HTTPS_PROXY: proxy,
        ...(noProxy.length > 0 && { NO_PROXY: noProxy.join(',') }),
      };
}

function inBothSpellings(proxies: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(proxies).flatMap(([name, value]) => [
      [name, value],
      [name.toLowerCase(), value],
    ]),
  );
}

function readConfiguration(text: string | undefined): Record<string, string | undefined> | undefined {
  if (text === undefined) return undefined;
  try {
    const { default: proxies } = configurationSchema.parse(JSON.parse(text)).proxies;
    return {
      HTTP_PROXY: proxies.httpProxy,
      HTTPS_PROXY: proxies.httpsProxy,
      FTP_PROXY: proxies.ftpProxy,
      ALL_PROXY: proxies.allProxy,
      NO_PROXY: proxies.noProxy,
    };
  } catch {
    return undefined;
  }
}
