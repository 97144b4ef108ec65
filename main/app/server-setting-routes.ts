import type { ConnectionService } from '#main/connections/index.ts';
import type { serverSettingRoutes } from '#shared/ipc/server-setting-routes.ts';
import type { RouteHandlers } from './route-handlers.ts';

/** Binds the requests about the settings of local MCP servers to their service. */
export function bindServerSettingRoutes(
  connections: Pick<ConnectionService, 'serverSettings' | 'saveServerSettings'>,
): RouteHandlers<keyof typeof serverSettingRoutes, object> {
  return {
    'serverSettings.describe': ({ integrationId }) => connections.serverSettings(integrationId),
    'serverSettings.save': ({ integrationId, values }) =>
      connections.saveServerSettings(integrationId, values),
  };
}
