import type { ConnectionService } from '#main/connections/index.ts';
import type { EngineDirectory } from '#main/engines/engine.ts';
import type { RunPackage } from '#main/library/library.ts';
import type { Logger } from '#main/logging/index.ts';
import { openServerBench, type ServerBenchOptions } from '#main/runs/index.ts';
import { createCallPath } from '#main/sidecar/integration-tools.ts';
import { LocalServerRelay } from '#main/sidecar/mcp-servers/relayed-transport.ts';
import { remoteTransports } from '#main/sidecar/mcp-servers/remote-server.ts';
import type { IntegrationManifest } from '#shared/manifest/model/integration.ts';
import { ProblemError } from '#shared/problem.ts';
import type {
  BoundConnection,
  OutboundCall,
  SidecarLimits,
  SidecarNetwork,
} from '#shared/protocol/integrations.ts';
import { planRunIntegrations } from '#shared/tools/run-integrations.ts';
import { linkSidecar } from '../sidecar-link.ts';
import type { ReachHooks, ServerReach } from './server-session.ts';

/** Id of the connection to a server that is asked without an account. */
const NO_CONNECTION = 'none';
/** Milliseconds that an exchange may outlast its request, for what is said about its end. */
const GRACE_MS = 5_000;

export interface ReachRequest {
  readonly integration: IntegrationManifest;
  /** The package of a local server. */
  readonly server: RunPackage | undefined;
  /** Absent for a server that is asked without an account. */
  readonly connection: BoundConnection | undefined;
  readonly limits: SidecarLimits;
  /** The author's way to the internet, from this process. */
  readonly network: SidecarNetwork;
  /** The same from a container. */
  readonly containerNetwork: SidecarNetwork;
  /** Hosts that may be on a private network, and without TLS. */
  readonly internalHosts: readonly string[];
}

export interface ReachServices {
  readonly connections: Pick<ConnectionService, 'credentials' | 'onCredentialChange'>;
  readonly engines: Pick<EngineDirectory, 'acquire' | 'acquireForServers'>;
  readonly serverSettings: ServerBenchOptions['services']['settings'];
  readonly onOutboundCall: (call: OutboundCall) => void;
  readonly logger: Logger;
}

/**
 * Opens the way to the server of an integration, by the code that the sidecar of a run has: a credential is put
 * in below what the caller sees.
 * @throws ProblemError
 */
export async function openReach(
  request: ReachRequest,
  services: ReachServices,
  hooks: ReachHooks,
  signal: AbortSignal,
): Promise<ServerReach> {
  await using stack = new AsyncDisposableStack();
  const { integration, connection = withoutAccount(integration) } = request;
  const connections = withBlank(services.connections);
  const onOutboundCall = (call: OutboundCall) => {
    services.onOutboundCall(call);
    if (call.status === 0) hooks.onNote('refused', `${call.method} ${call.url}: ${call.code ?? 'no answer'}`);
  };
  const { link, main } = stack.use(linkSidecar({ ...services, connections, onOutboundCall }));
  const { source } = integration;
  if (source.kind === 'local') {
    if (request.server === undefined) throw serverMissing(integration, source.server.name);
    hooks.onPhase('Looking for an engine');
    const bench = stack.use(
      await openServerBench(
        {
          engines: services.engines,
          integration,
          server: request.server,
          connection,
          services: { connections, settings: services.serverSettings },
          limits: request.limits,
          network: request.containerNetwork,
          logger: services.logger,
          onPhase: hooks.onPhase,
          onLog: (line) => hooks.onNote('server', line),
          onOutboundCall,
        },
        signal,
      ),
    );
    stack.use(bench.serve(main));
    const relay = new LocalServerRelay(link);
    const owned = stack.move();
    return {
      openTransport: (opening) => relay.open(connection.id, opening),
      roots: bench.roots,
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    };
  }
  const [planned] = planRunIntegrations([{ integration, choice: { tools: '*' }, connections: [connection] }]);
  if (planned?.server?.source.kind !== 'remote') throw noServer(integration);
  const path = stack.use(createCallPath(request, link));
  const openTransport = remoteTransports({
    integration: planned,
    source: planned.server.source,
    connection,
    http: path.http,
    credentials: path.credentials,
    internalHosts: request.internalHosts,
    exchangeMs: request.limits.serverCallMs + GRACE_MS,
    onOutboundCall,
  });
  const owned = stack.move();
  return { openTransport, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** A local server takes what the first of its methods allows, with nothing delivered. */
function withoutAccount({ auths, source }: IntegrationManifest): BoundConnection {
  const [authKey = NO_CONNECTION] = source.kind === 'local' ? Object.keys(auths) : [];
  return { id: NO_CONNECTION, authKey, label: 'No account' };
}

function withBlank(
  connections: Pick<ConnectionService, 'credentials' | 'onCredentialChange'>,
): Pick<ConnectionService, 'credentials' | 'onCredentialChange'> {
  return {
    credentials: (id, reason, signal) =>
      id === NO_CONNECTION
        ? Promise.resolve({ fields: {}, publicFields: [] })
        : connections.credentials(id, reason, signal),
    onCredentialChange: (listener) => connections.onCredentialChange(listener),
  };
}

function serverMissing({ displayName, name }: IntegrationManifest, server: string): ProblemError {
  return new ProblemError({
    code: 'local_server_missing',
    title: `The server of ${displayName} is not there`,
    detail: `${name} runs the MCP server ${server}, which is not in your library in a version that fits.`,
    action: 'Import the server, then connect again.',
  });
}

function noServer({ displayName, name }: IntegrationManifest): ProblemError {
  return new ProblemError({
    code: 'integration_without_server',
    title: `${displayName} has no MCP server`,
    detail: `${name} calls its service by itself, so there is nothing to connect to here.`,
    action: 'Call it on its Playground page.',
  });
}
