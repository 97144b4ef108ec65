import { randomBytes, randomUUID } from 'node:crypto';
import type { EngineDirectory, Placement } from '#main/engines/engine.ts';
import type { RunPackage } from '#main/library/library.ts';
import type { Logger } from '#main/logging/logger.ts';
import type { IntegrationManifest } from '#shared/manifest/model/integration.ts';
import { NOWHERE } from '#shared/mcp/trial-manifest.ts';
import type {
  BoundConnection,
  LocalSource,
  OutboundCall,
  ServerWay,
  SidecarLimits,
  SidecarNetwork,
} from '#shared/protocol/integrations.ts';
import { EGRESS_SOCKET_PATH, SOCKET_PATH } from '#shared/protocol/layout.ts';
import { launchPair, type Pair } from '../pair.ts';
import { LocalServers, type LocalServerPlan, type SidecarPeer } from './local-servers.ts';
import { localSourceOf, planLocalServers, type ServerPlanServices } from './plan-servers.ts';

export interface ServerBenchOptions {
  readonly engines: Pick<EngineDirectory, 'acquire' | 'acquireForServers'>;
  readonly integration: IntegrationManifest;
  /** The package of its server. */
  readonly server: RunPackage;
  readonly connection: BoundConnection;
  readonly services: ServerPlanServices;
  readonly limits: SidecarLimits;
  /** The author's way to the internet, as a container goes it. */
  readonly network: SidecarNetwork;
  readonly logger: Logger;
  /** What is waited for, in words for a person. */
  readonly onPhase: (phase: string) => void;
  /** A line that the server wrote for people, or what happened to it. */
  readonly onLog: (line: string) => void;
  readonly onOutboundCall: (call: OutboundCall) => void;
}

/** A local server that runs without a run, as long as this is not disposed of. */
export interface ServerBench extends AsyncDisposable {
  readonly roots: LocalSource['roots'];
  /** Answers who asks for the server until the returned is disposed of. */
  serve(peer: SidecarPeer): Disposable;
}

/**
 * Begins to start a local server as a run would: in a container of its own, with a way out where its author
 * allows one, and a workspace of its own where it asks for one. Whatever it makes carries labels, so that the
 * next start removes what a killed app leaves.
 * @throws ProblemError `no_engine`, `local_server_…`, `bundle_…`, `server_…`, `delivery_…`
 */
export async function openServerBench(
  options: ServerBenchOptions,
  signal: AbortSignal,
): Promise<ServerBench> {
  const { engines, integration, server, connection, services, logger } = options;
  await using stack = new AsyncDisposableStack();
  const agent = { packages: [server] };
  const source = localSourceOf(agent, integration, [connection]);
  const ways = Object.fromEntries(Object.entries(source.ways).filter(([, way]) => leadsSomewhere(way)));
  const local = { integration, connections: [connection], ways };
  const plans = await planLocalServers(agent, [local], services);
  const own = await engines.acquire({
    signal,
    onPhase: (phase, detail) => options.onPhase(detail === '' ? phase : detail),
  });
  const place = await engines.acquireForServers(own, signal);
  options.onPhase('Starting the server');
  const needsPair = Object.keys(ways).length > 0 || plans.some(({ workspace }) => workspace !== undefined);
  const pair =
    needsPair && place.engine === own.engine ? await openPair(options, place, ways, signal) : undefined;
  if (pair) stack.defer(() => pair.remove());
  const servers = new LocalServers(plans, {
    ...place,
    runId: randomUUID(),
    ...(pair && { shared: { workspace: pair.workspace, egress: pair.egress } }),
    logger,
    onLog: (_, line) => options.onLog(line),
    onStarted: (_, durationMs) => options.onLog(`It runs after ${(durationMs / 1000).toFixed(1)} s.`),
    onEnded: (_: LocalServerPlan, detail) => options.onLog(`It ended. ${detail}`),
  });
  if (pair) pair.accompany(servers);
  stack.use(servers);
  servers.begin();
  const owned = stack.move();
  return {
    roots: source.roots,
    serve: (peer) => servers.serve(peer),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A pair whose sidecar is nothing but the way out, and whose sandbox nothing but a workspace. */
async function openPair(
  { integration, limits, network, logger, onOutboundCall }: ServerBenchOptions,
  { engine, image }: Placement,
  ways: Readonly<Record<string, ServerWay>>,
  signal: AbortSignal,
): Promise<Pair> {
  const pair = await launchPair(engine, image, logger, signal);
  try {
    const { container, connection } = pair.sidecar;
    connection.peer.on('outboundCall', ({ call }) => onOutboundCall(call));
    await connection.peer.request(
      'configure',
      {
        runId: randomUUID(),
        token: randomBytes(32).toString('base64url'),
        socketPath: container.resolve(SOCKET_PATH),
        egressSocketPath: container.resolve(EGRESS_SOCKET_PATH),
        runtimeTools: [],
        limits,
        network,
        integrations: [
          {
            id: integration.name,
            displayName: integration.displayName,
            namespace: '',
            apis: [],
            server: { source: { kind: 'local', ways }, tools: [], hidden: [] },
            // None is bound: the server's client is in this process.
            connections: [],
          },
        ],
      },
      signal,
    );
    if (Object.keys(ways).length > 0) await container.openNetwork(signal);
    return pair;
  } catch (error) {
    await pair.remove();
    throw error;
  }
}

function leadsSomewhere({ authorizedUris, allowsAllUris }: ServerWay): boolean {
  return allowsAllUris || authorizedUris.some((uri) => uri !== NOWHERE);
}
