import type { ShellServices } from '#main/app/shell-services.ts';
import type { ConnectionService, ToolReviewService } from '#main/connections/index.ts';
import type { Library } from '#main/library/library.ts';
import type { AuthorNetwork } from '#main/network/index.ts';
import type { ConnectFlow } from '#shared/connections/connection.ts';
import type { connectionRoutes } from '#shared/ipc/connection-routes.ts';
import type { RouteOutput } from '#shared/ipc/routes.ts';
import { ProblemError, toProblem, type Problem } from '#shared/problem.ts';
import type { SettingsStore } from './application.ts';
import { agentManifestOf } from './manifest-sources.ts';
import { bindNetworkRoutes } from './network-routes.ts';
import type { RequestContext, RouteHandlers } from './route-handlers.ts';
import { bindServerSettingRoutes } from './server-setting-routes.ts';
import { bindToolReviewRoutes } from './tool-review-routes.ts';

type ConnectionHandlers = RouteHandlers<keyof typeof connectionRoutes, Pick<RequestContext, 'signal'>>;

/** Binds the requests about connections and the author's network to their services. */
export function bindConnectionRoutes(
  services: {
    readonly connections: ConnectionService;
    readonly library: Library;
    readonly network: AuthorNetwork;
    readonly settings: SettingsStore;
    readonly toolReviews: ToolReviewService;
  },
  shell: ShellServices,
): ConnectionHandlers {
  const { connections, library } = services;
  return {
    'connections.list': () => connectionStateOf(connections),
    'connections.describe': ({ integrationId }) => connections.describe(integrationId),
    'connections.saveClient': (input) => connections.saveClient(input),
    'connections.removeClient': (input) => connections.removeClient(input),
    'connections.connect': async (input) => {
      const flow = await connections.connect(input);
      const notOpened = await openBrowser(flow, shell);
      return { flow, ...(notOpened && { notOpened }) };
    },
    'connections.openAgain': async ({ flowId }) => {
      const flow = connections.state().flows.find(({ id, state }) => id === flowId && state === 'waiting');
      const notOpened = flow && (await openBrowser(flow, shell));
      if (notOpened) throw new ProblemError(notOpened);
      return {};
    },
    'connections.cancel': ({ flowId }) => {
      connections.cancel(flowId);
      return {};
    },
    'connections.pasteRedirect': async ({ address }) => {
      await connections.receiveRedirect(address);
      return {};
    },
    'connections.create': (input, { signal }) => connections.create(input, signal),
    'connections.test': ({ subject, url }, { signal }) => connections.test(subject, url, signal),
    'connections.rename': ({ connectionId, label }) => connections.rename(connectionId, label),
    'connections.remove': async ({ connectionId }) => {
      await connections.remove(connectionId);
      return {};
    },
    'connections.choose': ({ agentId, integrationId, connectionIds }) => {
      connections.choose(agentId, integrationId, connectionIds);
      return {};
    },
    'connections.requirements': async ({ agentId, chosen }) =>
      connections.requirements(agentId, await agentManifestOf(library, agentId), chosen),
    ...bindNetworkRoutes(services),
    ...bindToolReviewRoutes(services.toolReviews),
    ...bindServerSettingRoutes(connections),
  };
}

/** All that a page may be shown, as a message of its own. */
export function connectionStateOf(
  connections: Pick<ConnectionService, 'state'>,
): RouteOutput<'connections.list'> {
  const { connections: list, flows, uses } = connections.state();
  const copied = Object.entries(uses).map(([id, agents]): [string, string[]] => [id, [...agents]]);
  return { connections: [...list], flows: [...flows], uses: Object.fromEntries(copied) };
}

/** A sign-in goes on without this: the person can open the address. */
async function openBrowser(flow: ConnectFlow, shell: ShellServices): Promise<Problem | undefined> {
  const address = flow.authorizationUrl ?? flow.verificationUri;
  if (address === undefined) return undefined;
  try {
    await shell.openExternal(address);
    return undefined;
  } catch (error) {
    const problem = toProblem(error);
    return problem.code === 'internal_error'
      ? { code: 'link_not_opened', title: 'The browser did not open', detail: 'Open the address yourself.' }
      : problem;
  }
}
