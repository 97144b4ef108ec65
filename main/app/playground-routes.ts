import type { PlaygroundService } from '#main/direct-calls/index.ts';
import type { playgroundRoutes } from '#shared/ipc/playground-routes.ts';
import { readTextStart } from './read-text-start.ts';
import type { RouteHandlers } from './route-handlers.ts';

type PlaygroundHandlers = RouteHandlers<keyof typeof playgroundRoutes>;

/** Binds the requests of the playground to its service. */
export function bindPlaygroundRoutes(playground: PlaygroundService): PlaygroundHandlers {
  return {
    'playground.describe': ({ integrationId, connectionId }) =>
      playground.describe(integrationId, connectionId),
    'playground.call': async (input) => ({ callId: await playground.start(input) }),
    'playground.cancel': ({ callId }) => {
      playground.cancel(callId);
      return {};
    },
    'playground.result': ({ callId }) => playground.result(callId),
    'playground.clear': async ({ integrationId }) => {
      await playground.clear(integrationId);
      return {};
    },
    'playground.addFile': ({ integrationId, handle }, { files }) =>
      playground.addFile(integrationId, files.resolve(handle)),
    'playground.readText': async ({ integrationId, path, limit }, { signal }) => {
      const file = await playground.openFile(integrationId, path);
      return readTextStart(file.size, limit, signal, (start, end) => file.stream(start, end));
    },
  };
}
