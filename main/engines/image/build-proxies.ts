import { z } from 'zod';

const PROXY_VARIABLES = ['HTTP_PROXY', 'HTTPS_PROXY', 'FTP_PROXY', 'ALL_PROXY', 'NO_PROXY'];

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
 * Proxies for commands inside a build, as Docker's client takes them: from its own settings, else from the
 * environment. Docker keeps these arguments out of the image. A proxy on this computer's loopback is left
 * out: inside the build that address is another.
 * @param configuration text of Docker's `config.json`, where there is one
 */
export function buildProxies(
  variables: Readonly<Record<string, string | undefined>>,
  configuration: string | undefined,
): Record<string, string> {
  const configured = readConfiguration(configuration);
  const proxies: Record<string, string> = {};
  for (const name of PROXY_VARIABLES) {
    const value = configured?.[name] ?? variables[name] ?? variables[name.toLowerCase()];
    if (!value) continue;
    if (name !== 'NO_PROXY' && /^([a-z0-9+.-]+:\/\/)?([^@/]*@)?(localhost|127\.|\[?::1)/i.test(value))
      continue;
    proxies[name] = value;
    proxies[name.toLowerCase()] = value;
  }
  return proxies;
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
