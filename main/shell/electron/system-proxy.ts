import { session } from 'electron';
import { proxyOfAnswer } from '#main/network/index.ts';

/** The proxy that the operating system's settings have for an address, automatic configuration included. */
export async function systemProxy(url: URL): Promise<string | undefined> {
  return proxyOfAnswer(await session.defaultSession.resolveProxy(url.href));
}
