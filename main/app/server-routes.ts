import { Readable } from 'node:stream';
import type { ServerService } from '#main/direct-calls/index.ts';
import type { serverRoutes } from '#shared/ipc/server-routes.ts';
import type { RouteHandlers } from './route-handlers.ts';
import type { ShellServices } from './shell-services.ts';

/** Binds the requests about MCP servers that are called by hand to their service. */
export function bindServerRoutes(
  servers: ServerService,
  shell: Pick<ShellServices, 'saveFile'>,
): RouteHandlers<keyof typeof serverRoutes> {
  return {
    'servers.state': () => servers.state(),
    'servers.open': async ({ subject, connectionId }) => ({
      sessionId: await servers.open(subject, connectionId),
    }),
    'servers.close': async ({ sessionId }) => {
      await servers.close(sessionId);
      return {};
    },
    'servers.list': ({ sessionId, list }, { signal }) => servers.list(sessionId, list, signal),
    'servers.request': ({ sessionId, request }, { signal }) => servers.request(sessionId, request, signal),
    'servers.saveLog': async ({ sessionId }, { signal }) => {
      const { fileName, text } = servers.exportLog(sessionId);
      return { savedTo: await shell.saveFile(fileName, () => Readable.from([text]), signal) };
    },
    'servers.tryAddress': (address) => servers.tryAddress(address),
    'servers.tryBundle': ({ handle, authorizedUris }, { files, signal }) =>
      servers.tryBundle(files.resolve(handle), authorizedUris, signal),
    'servers.forget': async ({ integrationId }) => {
      await servers.forget(integrationId);
      return {};
    },
    'servers.save': ({ integrationId, ...identity }, { signal }) =>
      servers.save(integrationId, identity, signal),
  };
}
