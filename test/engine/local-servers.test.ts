import { PassThrough } from 'node:stream';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node';
import type { DockerEngine } from '#main/engines/docker/docker-engine.ts';
import { readRecipe } from '#main/engines/image/recipe.ts';
import { LABEL } from '#main/engines/labels.ts';
import { MemoryPackage } from '#main/library/memory-package.ts';
import { silentLogger } from '#main/logging/logger.ts';
import { readBundle } from '#main/runs/runners/bundle-archive.ts';
import { LocalServers, type LocalServerPlan } from '#main/runs/runners/local-servers.ts';
import { LocalServerRelay } from '#main/sidecar/mcp-servers/relayed-transport.ts';
import { openToolServer, type ToolServer } from '#main/sidecar/mcp-servers/tool-server.ts';
import { planLaunch } from '#shared/mcp-bundle/launch.ts';
import { readMcpServer, type McpServerManifest } from '#shared/manifest/model/mcp-server.ts';
import type { AuthMethod } from '#shared/manifest/model/integration.ts';
import { ProblemError } from '#shared/problem.ts';
import { createPeer } from '#shared/protocol/peer.ts';
import { sidecarMainSide, sidecarSide } from '#shared/protocol/sidecar.ts';
import {
  never,
  openTestClient,
  openTestEngine,
  removeTestImages,
  root,
  testSources,
  TestInstances,
} from '#test/support/engine-harness.ts';
import { packNpmServer, packOwnServer, type BundleFiles } from '#test/support/server-bundles.ts';

/** Its own image: that of the app's real programs, under a name of the tests. */
const REPOSITORY = 'slipway-test-servers';
const CANARY = 'canary-5b1f0c2e9d7a4463';

let engine: DockerEngine;
let image: string;
const instances = new TestInstances();

beforeAll(async () => {
  const sources = { ...testSources, programs: join(root, 'out', 'programs') };
  engine = await openTestEngine({ instances, recipe: () => readRecipe(sources, REPOSITORY) });
  image = await engine.ensureImage({ signal: never, onProgress: () => undefined });
});

afterAll(async () => {
  await engine.reap({ own: true });
  await engine[Symbol.asyncDispose]();
  await removeTestImages(REPOSITORY);
});

interface Given {
  readonly files: BundleFiles;
  readonly entryPoint: string;
  readonly type: 'node' | 'python' | 'binary';
  readonly arguments?: readonly string[];
  readonly environment?: Record<string, string>;
  readonly delivery?: AuthMethod['delivery'];
  readonly fields?: Record<string, string>;
}

/** Main's half and the sidecar's of the relay, over streams in memory and this machine's engine. */
class Bench implements AsyncDisposable {
  readonly logs: string[] = [];
  readonly ends: string[] = [];
  readonly #stack = new AsyncDisposableStack();
  readonly #servers: LocalServers;
  readonly #relay: LocalServerRelay;

  private constructor(plans: readonly LocalServerPlan[]) {
    this.#servers = new LocalServers(plans, {
      engine,
      image,
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

  static async open(...given: readonly Given[]): Promise<Bench> {
    return new Bench(await Promise.all(given.map((one, index) => planOf(one, `c${index}`))));
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

async function planOf(given: Given, connectionId: string): Promise<LocalServerPlan> {
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

function manifestOf({ type, entryPoint, ...given }: Given): McpServerManifest {
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

async function containers() {
  using client = await openTestClient();
  const filters = { label: [`${LABEL.instance}=${instances.instanceId}`] };
  const list = await client.docker.listContainers({ all: true, filters });
  const inspections = await Promise.all(list.map(({ Id }) => client.docker.getContainer(Id).inspect()));
  const { Volumes } = await client.docker.listVolumes({ filters });
  return { inspections, volumes: Volumes ?? [] };
}

const textOf = (result: { content: readonly unknown[] }) => (result.content[0] as { text: string }).text;

function callOf(server: ToolServer, tool: string, input: Record<string, unknown> = {}) {
  return server.call(tool, input, { signal: never });
}

async function problemOf(work: Promise<unknown>): Promise<{ code: string; detail: string }> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ProblemError) return error.problem;
  throw new Error(`It was to fail: ${String(error)}`);
}

afterEach(async () => {
  const { inspections, volumes } = await containers();
  if (inspections.length + volumes.length > 0) throw new Error('Something of a server was left behind.');
});

describe('servers of others', () => {
  it('run as they come from npm: files, memory and everything', async () => {
    const [filesystem, memory, everything] = await Promise.all(
      ['filesystem', 'memory', 'everything'].map((name) =>
        packNpmServer(`@modelcontextprotocol/server-${name}`),
      ),
    );
    await using bench = await Bench.open(
      { ...filesystem!, type: 'node', arguments: ['/tmp'] },
      { ...memory!, type: 'node' },
      {
        ...everything!,
        type: 'node',
        delivery: { env: { SERVICE_TOKEN: { value: '{$credential.token}' } } },
        fields: { token: CANARY },
      },
    );
    const [files, graph, all] = await Promise.all(['c0', 'c1', 'c2'].map((id) => bench.connect(id)));

    await callOf(files!, 'write_file', { path: '/tmp/note.txt', content: 'kept' });
    expect(textOf(await callOf(files!, 'read_text_file', { path: '/tmp/note.txt' }))).toBe('kept');
    const outside = await callOf(files!, 'read_text_file', { path: '/etc/passwd' });
    expect(outside.isError).toBe(true);

    const entities = [{ name: 'Slipway', entityType: 'app', observations: ['runs'] }];
    await callOf(graph!, 'create_entities', { entities });
    expect(textOf(await callOf(graph!, 'read_graph'))).toContain('Slipway');

    expect(textOf(await callOf(all!, 'echo', { message: 'hello' }))).toContain('hello');
    const environment = textOf(await callOf(all!, 'get-env'));
    expect(environment).toContain('SERVICE_TOKEN');
    expect(environment).not.toContain(CANARY);
  });
});

describe('what a server is given', () => {
  it('reaches it alone: no trace is in the engine, nor in what the server writes', async () => {
    const packed = await packOwnServer('ledger.py');
    await using bench = await Bench.open({
      ...packed,
      type: 'python',
      arguments: ['--mode', 'strict'],
      environment: { PLAIN: 'value' },
      delivery: {
        env: { LEDGER_TOKEN: { value: '{$credential.token}' } },
        files: { '/credentials/key.pem': { value: 'KEY {$credential.token}\n' } },
      },
      fields: { token: CANARY },
    });
    const server = await bench.connect();
    expect(textOf(await callOf(server, 'add', { number: 2 }))).toBe('2');
    expect(textOf(await callOf(server, 'add', { number: 3 }))).toBe('5');
    const told = JSON.parse(textOf(await callOf(server, 'told', { file: '/credentials/key.pem' }))) as Record<
      string,
      unknown
    >;
    expect(told).toMatchObject({
      variables: { LEDGER_TOKEN: '[secret]', PLAIN: 'value', HOME: '/home/runner' },
      arguments: ['--mode', 'strict'],
      user: 1002,
      text: '[secret]\n',
      mode: '0o400',
    });
    expect(Object.keys(told['variables'] as object)).not.toContain('NODE_COMPILE_CACHE');
    expect(bench.logs).toContain('ledger: ready with [secret]');

    const { inspections } = await containers();
    expect(inspections).toHaveLength(1);
    expect(JSON.stringify(inspections)).not.toContain(CANARY);
    const [{ HostConfig, Config }] = inspections as [(typeof inspections)[0]];
    expect(Config.User).toBe('1002:1002');
    expect(Config.Labels).toMatchObject({ [LABEL.role]: 'runner', [LABEL.run]: 'run' });
    expect(HostConfig).toMatchObject({
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      Memory: 256 * 1024 * 1024,
      PidsLimit: 128,
      Init: true,
    });
  });
});

describe('a server that fails', () => {
  const hostile = async (harm: string): Promise<Given> => ({
    ...(await packOwnServer('hostile.mjs')),
    type: 'node',
    environment: { HARM: harm },
  });

  it('at its start is told with its last words', async () => {
    await using bench = await Bench.open(await hostile('crash-at-start'));
    const problem = await problemOf(bench.connect());
    expect(problem.detail).toMatch(/ended with code 3.*no such luck/);
  });

  it('for good is started three times at most', async () => {
    await using bench = await Bench.open(await hostile('crash-at-start'));
    for (let count = 0; count < 3; count += 1) {
      await expect(problemOf(bench.connect())).resolves.toMatchObject({ code: 'mcp_server_gone' });
    }
    await expect(problemOf(bench.connect())).resolves.toMatchObject({ code: 'local_server_gave_up' });
  });

  it('by saying nothing is left after the time it has', async () => {
    await using bench = await Bench.open(await hostile('silent'));
    await expect(problemOf(bench.connect('c0', 5_000))).resolves.toMatchObject({
      code: 'mcp_server_timeout',
    });
  });

  it('in the midst of a call ends that call, and is there for the next', async () => {
    await using bench = await Bench.open(await hostile('crash-in-call'));
    const server = await bench.connect();
    const problem = await problemOf(callOf(server, 'work'));
    expect(problem.detail).toMatch(/code 4.*giving up in the middle/);
    // It runs again, and does the same again.
    await expect(problemOf(callOf(server, 'work'))).resolves.toMatchObject({ code: 'mcp_server_gone' });
    expect(bench.ends).toHaveLength(2);
  });

  it('by an answer of 100 MiB fails that call alone', async () => {
    await using bench = await Bench.open(await hostile('long-line'));
    const server = await bench.connect();
    const problem = await problemOf(callOf(server, 'work'));
    expect(problem.detail).toContain('are the most that are passed on');
    expect(bench.ends).toEqual([]);
  });

  it.each([
    ['flood', /(?:lines a|messages in a) second/],
    ['not-text', /not UTF-8/],
    ['memory', /256 MB of memory/],
  ])('by %s is ended', async (harm, detail) => {
    await using bench = await Bench.open(await hostile(harm));
    const server = await bench.connect();
    expect((await problemOf(callOf(server, 'work'))).detail).toMatch(detail);
  });

  it('by printing greetings is understood all the same', async () => {
    await using bench = await Bench.open(await hostile('garbage'));
    const server = await bench.connect();
    expect(textOf(await callOf(server, 'work'))).toBe('done');
    expect(bench.logs).toContain('Welcome to the hostile server!');
  });
});
