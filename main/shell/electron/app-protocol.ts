import { protocol, type Protocol } from 'electron';
import type { ResourceHandler } from '#main/app/resources.ts';
import { APP_HOST, APP_SCHEME } from './origin.ts';

/** Makes the app's scheme one with an origin of its own. Must be called before the app is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    {
      scheme: APP_SCHEME,
      privileges: { standard: true, secure: true, supportFetchAPI: true, stream: true },
    },
  ]);
}

/** Serves the app's pages and the runs' outputs at `app://slipway/`. */
export function serveAppScheme(target: Protocol, resources: ResourceHandler): Disposable {
  target.handle(APP_SCHEME, (request) => {
    const url = new URL(request.url);
    if (url.host !== APP_HOST) return new Response(null, { status: 404 });
    return resources({
      method: request.method,
      pathname: url.pathname,
      parameters: url.searchParams,
      range: request.headers.get('range') ?? undefined,
      signal: request.signal,
    });
  });
  return { [Symbol.dispose]: () => target.unhandle(APP_SCHEME) };
}
