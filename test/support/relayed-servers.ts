import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import type { DockerEngine } from '#main/engines/docker/docker-engine.ts';
import type { Placement } from '#main/engines/engine.ts';
import { readRecipe } from '#main/engines/image/recipe.ts';
import { MemoryPackage } from '#main/library/memory-package.ts';
import { silentLogger } from '#main/logging/logger.ts';
import { readBundle } from '#main/runs/runners/bundle-archive.ts';
import { LocalServers, type LocalServerPlan } from '#main/runs/runners/local-servers.ts';
import { LocalServerRelay } from '#main/sidecar/mcp-servers/relayed-transport.ts';
import { openToolServer, type ToolServer } from '#main/sidecar/mcp-servers/tool-server.ts';
import { planLaunch } from '#shared/mcp-bundle/launch.ts';
import { readMcpServer, type McpServerManifest } from '#shared/manifest/model/mcp-server.ts';
import type { AuthMethod } from '#shared/manifest/model/integration.ts';
import { createPeer } from '#shared/protocol/peer.ts';
import { sidecarMainSide, sidecarSide } from '#shared/protocol/sidecar.ts';
import {
  never,
  openTestEngine,
  removeTestImages,
  root,
  testSources,
  TestInstances,
} from './engine-harness.ts';
import type { BundleFiles } from './server-bundles.ts';

/** Its own image: that of the app's real programs, under a name of the tests. */
const REPOSITORY = 'slipway-test-servers';

/** This machine's engine with an image of the programs as they are built; ends with all that was made. */
export interface ServerPlace extends Placement, AsyncDisposable {
  readonly engine: DockerEngine;
  readonly instances: TestInstances;
}

export async function openServerPlace(): Promise<ServerPlace> {
  const instances = new TestInstances();
  const sources = { ...testSources, programs: join(root, 'out', 'programs') };
  const engine = await openTestEngine({ instances, recipe: () => readRecipe(sources, REPOSITORY) });
  const image = await engine.ensureImage({ signal: never, onProgress: () => undefined });
  return {
    engine,
    image,
    instances,
    async [Symbol.asyncDispose]() {
      await engine.reap({ own: true });
      await engine[Symbol.asyncDispose]();
      await removeTestImages(REPOSITORY);
    },
  };
}

/** A server as a test starts it. */
export interface GivenServer {
  readonly files: BundleFiles;
  readonly entryPoint: string;
  readonly type: 'node' | 'python' | 'binary';
  readonly arguments?: readonly string[];
  readonly environment?: Record<string, string>;
  readonly delivery?: AuthMethod['delivery'];
  readonly fields?: Record<string, string>;
}

/** Main's half and the sidecar's of the relay, over streams in memory and this machine's engine. */
export class RelayedServers implements AsyncDisposable {
  readonly logs: string[] = [];
  readonly ends: string[] = [];
  readonly #stack = new AsyncDisposableStack();
  readonly #servers: LocalServers;
  readonly #relay: LocalServerRelay;

  private constructor(place: Placement, plans: readonly LocalServerPlan[]) {
    this.#servers = new LocalServers(plans, {
      engine: place.engine,
      image: place.image,
      runId: 'run',
      logger: silentLogger,
      onLog: (_, line) => this.logs.push(line),
      onStarted: () => undefined,
      onEnded: (_, detail) => this.ends.push(detail),
      restartPausesMs: [0, 10],
    });
    this.#stack.use(this.#servers);
    const [up, down] = [new PassThrough(), new PassThrough()];
    const [main, sidecar] = [connect(up, down), connect(down, up)];
    const abort = () => new AbortController();
    const faults: unknown[] = [];
    const onFault = (fault: unknown) => void faults.push(fault);
    const mainPeer = createPeer({
      channel: main,
      own: sidecarMainSide,
      other: sidecarSide,
      otherName: 'the sidecar',
      createAbort: abort,
      onFault,
    });
    const sidecarPeer = createPeer({
      channel: sidecar,
      own: sidecarSide,
      other: sidecarMainSide,
      otherName: 'main',
      createAbort: abort,
      onFault,
    });
    this.#relay = new LocalServerRelay(sidecarPeer);
    this.#stack.use(this.#servers.serve(mainPeer));
    this.#stack.defer(() => {
      main.dispose();
      sidecar.dispose();
      if (faults.length > 0) throw new Error(`Broken contract: ${JSON.stringify(faults)}`);
    });
    main.listen();
    sidecar.listen();
    this.#servers.begin();
  }

  /** Begins to start the servers, whose connections are `c0`, `c1` and so on. */
  static async open(place: Placement, given: readonly GivenServer[]): Promise<RelayedServers> {
    return new RelayedServers(place, await Promise.all(given.map((one, index) => planOf(one, `c${index}`))));
  }

  async connect(connectionId = 'c0', openMs = 30_000): Promise<ToolServer> {
    const server = await openToolServer(
      {
        name: 'The server',
        openTransport: (signal) => this.#relay.open(connectionId, signal),
        times: { openMs, callMs: 60_000 },
      },
      never,
    );
    this.#stack.use(server);
    return server;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack[Symbol.asyncDispose]();
  }
}

function connect(input: PassThrough, output: PassThrough) {
  return createMessageConnection(new StreamMessageReader(input), new StreamMessageWriter(output));
}

async function planOf(given: GivenServer, connectionId: string): Promise<LocalServerPlan> {
  const server = manifestOf(given);
  const source = new MemoryPackage('memory', server.name, given.files);
  const bundle = await readBundle(server.displayName, source, given.entryPoint);
  return {
    connectionId,
    displayName: server.displayName,
    bundle,
    launch: async () =>
      planLaunch({
        server,
        delivery: given.delivery ?? { env: {} },
        fields: given.fields ?? {},
        publicFields: [],
        settings: {},
        workspace: undefined,
      }),
    workspace: undefined,
  };
}

function manifestOf({ type, entryPoint, ...given }: GivenServer): McpServerManifest {
  const command = { command: 'given', args: given.arguments ?? [], env: given.environment ?? {} };
  return readMcpServer(
    {
      name: '@test/server',
      version: '1.0.0',
      type: 'mcp-server',
      schema_version: '0.2',
      display_name: 'The server',
      manifest_version: '0.3',
      server: { type, entry_point: entryPoint, mcp_config: command },
    },
    '0.x',
  );
}
