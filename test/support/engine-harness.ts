import { randomUUID } from 'node:crypto';
import { buffer, text } from 'node:stream/consumers';
import { homedir, hostname, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, pack, type Header } from 'tar-stream';
import { createDockerClient, type DockerClient } from '#main/engines/docker/client.ts';
import { DockerEngine } from '#main/engines/docker/docker-engine.ts';
import type { Endpoint } from '#main/engines/docker/endpoint.ts';
import { findDockerEngine, type FoundEngine } from '#main/engines/docker/find-engine.ts';
import type {
  AttachedStreams,
  Container,
  ContainerRole,
  ContainerSpecification,
  Engine,
  ResourceLimits,
} from '#main/engines/engine.ts';
import { readRecipe, type ImageRecipe, type ImageSources } from '#main/engines/image/recipe.ts';
import { silentLogger } from '#main/logging/logger.ts';
import type { InstanceRegistry } from '#main/store/index.ts';
import { SANDBOX_USER_ID, SIDECAR_USER_ID, SOCKET_FOLDER, WORKSPACE_PATH } from '#shared/protocol/layout.ts';

export const root = join(import.meta.dirname, '..', '..');

/** Sources of the image with stand-in programs that run what a test sends them. */
export const testSources: ImageSources = {
  image: join(root, 'main', 'sandbox', 'image'),
  pi: join(root, 'node_modules', '@earendil-works', 'pi-coding-agent'),
  programs: join(root, 'test', 'fixtures', 'programs'),
};

/** Name of the images that tests build, so that they never touch the app's own. */
export const TEST_REPOSITORY = 'slipway-test';

export const never = new AbortController().signal;

/** A registry of instances that a test decides on. */
export class TestInstances implements InstanceRegistry {
  readonly hostId: string;
  readonly instanceId: string;
  readonly live = new Set<string>();

  constructor(hostId = `test-${hostname()}-${randomUUID()}`, instanceId: string = randomUUID()) {
    this.hostId = hostId;
    this.instanceId = instanceId;
    this.live.add(instanceId);
  }

  isLive(instanceId: string): boolean {
    return this.live.has(instanceId);
  }

  [Symbol.dispose](): void {
    this.live.clear();
  }
}

export interface TestEngineOptions {
  readonly instances?: InstanceRegistry;
  readonly endpoint?: Endpoint;
  readonly recipe?: () => Promise<ImageRecipe>;
  /** Builds at once when absent, whoever else builds. */
  readonly claimBuild?: () => Disposable | undefined;
  readonly hostAddresses?: readonly string[];
}

/** The engine of this machine, as the app finds it; over another endpoint when one is given. */
export async function openTestEngine(options: TestEngineOptions = {}): Promise<DockerEngine> {
  const found = await findTestEngine();
  let { client } = found;
  if (options.endpoint) {
    client[Symbol.dispose]();
    client = createDockerClient(options.endpoint);
  }
  return new DockerEngine({
    client,
    identity: found.identity,
    address: found.address,
    instances: options.instances ?? new TestInstances(),
    recipe: options.recipe ?? (() => readRecipe(testSources, TEST_REPOSITORY)),
    buildArguments: () => Promise.resolve({}),
    claimBuild: options.claimBuild ?? (() => new DisposableStack()),
    preferGvisor: () => false,
    hostAddresses: () => options.hostAddresses ?? ownAddresses(),
    logger: silentLogger,
  });
}

async function findTestEngine(): Promise<FoundEngine> {
  const environment = {
    platform: process.platform,
    home: homedir(),
    variables: process.env,
    userId: process.getuid?.(),
    readText: () => Promise.resolve(undefined),
  };
  const { found, attempts } = await findDockerEngine(environment, never);
  if (!found) throw new Error(`No engine answers: ${JSON.stringify(attempts)}`);
  return found;
}

/** A bare client of the same engine, to look at what the app's own code did. */
export async function openTestClient(): Promise<DockerClient & { socketPath: string }> {
  const { client, address } = await findTestEngine();
  return { ...client, socketPath: address.replace('unix://', '') };
}

/** Makes sure of the image with the stand-in programs. */
export function prepareTestImage(engine: Engine): Promise<string> {
  return engine.ensureImage({ signal: never, onProgress: () => undefined });
}

/** Removes the tests' images, but not the layers they share with the app's own. */
export async function removeTestImages(repository = TEST_REPOSITORY): Promise<void> {
  using client = await openTestClient();
  const images = await client.docker.listImages({ filters: { reference: [repository] } });
  for (const tag of images.flatMap(({ RepoTags }) => RepoTags ?? []))
    await client.docker.getImage(tag).remove({ noprune: true });
}

/** Addresses of this machine that another could use. */
export function ownAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flat()
    .flatMap((entry) => (entry && !entry.internal && entry.family === 'IPv4' ? [entry.address] : []));
}

export const TEST_LIMITS: ResourceLimits = {
  memoryBytes: 256 * 1024 * 1024,
  cpus: 1,
  processes: 64,
  openFiles: 1024,
};

/** Containers and volumes of one test, removed when it ends however it ends. */
export class TestBench implements AsyncDisposable {
  readonly engine: Engine;
  readonly image: string;
  readonly name = `slipway-test-${randomUUID().slice(0, 8)}`;
  readonly #containers: Container[] = [];
  readonly #volumes = new Set<string>();

  constructor(engine: Engine, image: string) {
    this.engine = engine;
    this.image = image;
  }

  async volume(kind: 'workspace' | 'socket', sizeBytes = 16 * 1024 * 1024, inodes = 1024): Promise<string> {
    const name = `${this.name}-${kind}`;
    if (this.#volumes.has(name)) return name;
    this.#volumes.add(name);
    const userId = kind === 'socket' ? SIDECAR_USER_ID : SANDBOX_USER_ID;
    await this.engine.createVolume({ name, owner: { runId: this.name }, sizeBytes, inodes, userId }, never);
    return name;
  }

  async create(
    role: ContainerRole = 'sandbox',
    limits: Partial<ResourceLimits> = {},
    signal = never,
    network: ContainerSpecification['network'] = 'none',
  ): Promise<Container> {
    const mounts: ContainerSpecification['mounts'] = [
      { volume: await this.volume('socket'), path: SOCKET_FOLDER, readOnly: role === 'sandbox' },
      ...(role === 'sandbox'
        ? [{ volume: await this.volume('workspace'), path: WORKSPACE_PATH, readOnly: false }]
        : []),
    ];
    const container = await this.engine.createContainer(
      {
        name: `${this.name}-${role}-${this.#containers.length}`,
        role,
        owner: { runId: this.name },
        image: this.image,
        mounts,
        limits: { ...TEST_LIMITS, ...limits },
        network,
      },
      signal,
    );
    this.#containers.push(container);
    return container;
  }

  /** A container that runs a function of a test; the function may refer to nothing outside itself. */
  async run<A>(
    program: (argument: A) => unknown,
    argument: A,
    options: { role?: ContainerRole; limits?: Partial<ResourceLimits> } = {},
  ): Promise<{ container: Container; streams: AttachedStreams }> {
    const container = await this.create(options.role, options.limits);
    const streams = await container.attach(never);
    await container.start(never);
    streams.stdin.write(`${JSON.stringify({ source: program.toString(), argument })}\n`);
    return { container, streams };
  }

  /** What such a function printed, once it has ended. */
  async output<A>(
    program: (argument: A) => unknown,
    argument: A,
    options: { role?: ContainerRole; limits?: Partial<ResourceLimits> } = {},
  ): Promise<string> {
    const { streams } = await this.run(program, argument, options);
    const [said, errors] = await Promise.all([text(streams.stdout), text(streams.stderr)]);
    if (said === '' && errors !== '') throw new Error(`The program said nothing but: ${errors}`);
    return said;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled(this.#containers.map((container) => container.remove()));
    await Promise.allSettled([...this.#volumes].map((name) => this.engine.removeVolume(name)));
  }
}

/** A tar stream of the entries given. */
export function archiveOf(
  entries: readonly (Partial<Header> & { name: string; content?: string | Buffer })[],
): Readable {
  const archive = pack();
  for (const { content, ...header } of entries) archive.entry(header, content ?? '');
  archive.finalize();
  return Readable.from(archive);
}

/** Header and contents of a tar stream. */
export async function readArchive(
  archive: Readable,
): Promise<Map<string, { header: Header; content: Buffer }>> {
  const entries = new Map<string, { header: Header; content: Buffer }>();
  const reader = extract();
  const reading = pipeline(archive, reader);
  reading.catch(() => undefined);
  for await (const entry of reader)
    entries.set(entry.header.name, {
      header: entry.header,
      content: await buffer(entry),
    });
  await reading;
  return entries;
}
