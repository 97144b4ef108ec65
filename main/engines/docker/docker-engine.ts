import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { Logger } from '#main/logging/logger.ts';
import type { InstanceRegistry } from '#main/store/index.ts';
import type { ImageStatus, IsolationCheck } from '#shared/engines/engine-report.ts';
import type {
  Container,
  ContainerSpecification,
  Engine,
  ReapReport,
  VolumeSpecification,
} from '../engine.ts';
import type { ImageRecipe } from '../image/recipe.ts';
import { runProbe } from '../isolation/probe.ts';
import { LABEL, isLeftOver } from '../labels.ts';
import type { DockerClient } from './client.ts';
import { containerOptions, volumeOptions, type ContainerDialect } from './container-options.ts';
import { DockerContainer } from './docker-container.ts';
import { EgressNetwork } from './egress-network.ts';
import { DockerImages } from './docker-images.ts';
import { EngineCalls } from './engine-calls.ts';
import { EngineWatch } from './engine-watch.ts';
import { statusOf } from './problems.ts';

/** gVisor's runtime, as Docker's configuration names it. */
const GVISOR_RUNTIME = 'runsc';
/** Times a volume's removal is tried while the engine still lets go of its last container. */
const VOLUME_ATTEMPTS = 5;
const VOLUME_RETRY_MS = 100;
/** Docker's version from which a container can be told where its host is. */
const HOST_GATEWAY_SINCE = [20, 10] as const;
/** Milliseconds that the end waits for removals under way. */
const UNDO_DEADLINE_MS = 3000;

/** What an engine says of itself. */
export interface DockerIdentity {
  /** The same as long as the installation is the same. */
  readonly id: string;
  /** Product, for example "Docker Desktop". */
  readonly name: string;
  readonly version: string;
  readonly runtimes: readonly string[];
  readonly podman: boolean;
  /** Processors the engine has; asking for more is refused. */
  readonly cpus: number;
}

export interface DockerEngineOptions {
  readonly client: DockerClient;
  readonly identity: DockerIdentity;
  /** Shown in problems; without credentials. */
  readonly address: string;
  readonly instances: InstanceRegistry;
  readonly recipe: () => Promise<ImageRecipe>;
  readonly buildArguments: () => Promise<Record<string, string>>;
  readonly claimBuild: () => Disposable | undefined;
  readonly preferGvisor: () => boolean;
  /** This computer's own addresses, which a sandbox must not reach. */
  readonly hostAddresses: () => readonly string[];
  readonly logger: Logger;
}

/** Sandboxes as containers of an engine with Docker's API. */
export class DockerEngine implements Engine {
  readonly kind = 'docker';
  readonly isolates = true;
  readonly identity: DockerIdentity;
  readonly #options: DockerEngineOptions;
  readonly #docker: Docker;
  readonly #watch: EngineWatch;
  readonly #calls: EngineCalls;
  readonly #images: DockerImages;
  readonly #egress: EgressNetwork;
  /** Removals of what was given up while the engine made it. */
  readonly #undoing = new Set<Promise<void>>();

  constructor(options: DockerEngineOptions) {
    this.#options = options;
    this.identity = options.identity;
    this.#docker = options.client.docker;
    this.#watch = new EngineWatch(this.#docker, options.address);
    this.#calls = new EngineCalls(options.address, this.#watch);
    this.#egress = new EgressNetwork(this.#docker, this.#calls, options.instances);
    this.#images = new DockerImages({
      docker: this.#docker,
      calls: this.#calls,
      recipe: options.recipe,
      buildArguments: options.buildArguments,
      claimBuild: options.claimBuild,
      logger: options.logger,
    });
  }

  get gone(): Promise<Error> {
    return this.#watch.gone;
  }

  /** Whether sandboxes are run by gVisor: asked for, and listed by the engine. */
  get usesGvisor(): boolean {
    return this.#options.preferGvisor() && this.identity.runtimes.includes(GVISOR_RUNTIME);
  }

  /** Whether the engine answers now. */
  answers(): Promise<boolean> {
    return this.#watch.check();
  }

  ensureImage(options: { signal: AbortSignal; onProgress(status: ImageStatus): void }): Promise<string> {
    return this.#images.ensure(options.signal, (status) => options.onProgress(status));
  }

  /** Whether the image is there, without making it. */
  inspectImage(signal: AbortSignal): Promise<ImageStatus> {
    return this.#images.inspect(signal);
  }

  async createVolume(specification: VolumeSpecification, signal: AbortSignal): Promise<void> {
    const { instances } = this.#options;
    const creating = this.#docker.createVolume(volumeOptions(specification, instances));
    try {
      await this.#calls.make(`create the volume ${specification.name}`, creating, signal);
    } catch (error) {
      // Given up while the engine was at it: nobody else knows of the volume.
      this.#undo(creating.then(() => this.removeVolume(specification.name)));
      throw error;
    }
  }

  async removeVolume(name: string): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#calls.make(`remove the volume ${name}`, this.#docker.getVolume(name).remove());
        return;
      } catch (error) {
        const status = statusOf(error);
        if (status === 404) return;
        if (status !== 409 || attempt === VOLUME_ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, VOLUME_RETRY_MS));
      }
    }
  }

  createContainer(specification: ContainerSpecification, signal: AbortSignal): Promise<Container> {
    return this.#create(specification, signal);
  }

  async probeIsolation(image: string, signal: AbortSignal): Promise<IsolationCheck[]> {
    const host = {
      kernel: { gvisor: this.usesGvisor },
      createVolume: (volume: VolumeSpecification, ended: AbortSignal) => this.createVolume(volume, ended),
      removeVolume: (name: string) => this.removeVolume(name),
      createScripted: (specification: ContainerSpecification, ended: AbortSignal) =>
        this.#create(specification, ended, ['node', '-']),
    };
    return runProbe(host, image, this.#options.hostAddresses(), signal);
  }

  async reap({ own = false }: { own?: boolean } = {}): Promise<ReapReport> {
    const { instances } = this.#options;
    const filters = { label: [`${LABEL.host}=${instances.hostId}`] };
    const isOurs = (labels: Record<string, string> | null): boolean =>
      isLeftOver(labels ?? {}, instances, own);

    const listed = await this.#calls.make(
      'list containers',
      this.#docker.listContainers({ all: true, filters }),
    );
    const containers = listed.filter(({ Labels }) => isOurs(Labels));
    await Promise.all(containers.map(({ Id }) => this.#removeContainer(Id)));

    // Only now: a volume cannot go while a container holds it.
    const { Volumes } = await this.#calls.make('list volumes', this.#docker.listVolumes({ filters }));
    const volumes = (Volumes ?? []).filter(({ Labels }) => isOurs(Labels));
    await Promise.all(volumes.map(({ Name }) => this.removeVolume(Name)));

    const networks = (await this.#calls.make('list networks', this.#docker.listNetworks({ filters }))).filter(
      ({ Labels }) => isOurs(Labels ?? null),
    );
    await Promise.all(networks.map(({ Id }) => this.#removeNetwork(Id)));
    return { containers: containers.length, volumes: volumes.length, networks: networks.length };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // An engine that hangs must not hold up the end.
    const ending = Promise.all([...this.#undoing, this.#egress.remove()]);
    await Promise.race([ending, delay(UNDO_DEADLINE_MS, undefined, { ref: false })]);
    this.#watch[Symbol.dispose]();
    this.#options.client[Symbol.dispose]();
  }

  async #create(
    specification: ContainerSpecification,
    signal: AbortSignal,
    command?: readonly string[],
  ): Promise<Container> {
    signal.throwIfAborted();
    const dialect: ContainerDialect = {
      sandboxRuntime: this.usesGvisor ? GVISOR_RUNTIME : undefined,
      needsProcessUlimit: this.identity.podman,
      cpus: this.identity.cpus,
      // Podman takes no container out of "none" again.
      laterNetwork:
        specification.network === 'later' && this.identity.podman
          ? await this.#egress.ensure(signal)
          : undefined,
      knowsHostGateway: !this.identity.podman && isAtLeast(this.identity.version, HOST_GATEWAY_SINCE),
    };
    const body = containerOptions(specification, this.#options.instances, dialect, command);
    // The two fields keep the body out of the address, where dockerode would repeat it.
    const split = { _query: { name: specification.name }, _body: body };
    const creating = this.#docker.createContainer(split as Docker.ContainerCreateOptions);
    try {
      const handle = await this.#calls.make(`create ${specification.name}`, creating, signal);
      return new DockerContainer(specification, handle, {
        calls: this.#calls,
        connect: (id, ended) =>
          dialect.laterNetwork === undefined ? this.#egress.connect(id, ended) : Promise.resolve(),
      });
    } catch (error) {
      // Given up while the engine was at it: nobody else knows of the container.
      this.#undo(creating.then(({ id }) => this.#removeLate(id, specification)));
      throw error;
    }
  }

  #undo(removal: Promise<void>): void {
    const undone = removal.catch(() => undefined).finally(() => this.#undoing.delete(undone));
    this.#undoing.add(undone);
  }

  /** Removes a container that came after all, with the volumes that the engine made anew for it. */
  async #removeLate(id: string, { mounts }: ContainerSpecification): Promise<void> {
    await this.#removeContainer(id);
    await Promise.allSettled(mounts.map(({ volume }) => this.removeVolume(volume)));
  }

  async #removeNetwork(id: string): Promise<void> {
    await this.#calls
      .make('remove a network', this.#docker.getNetwork(id).remove())
      .catch((error: unknown) => {
        // Already gone, or a container that is just going still holds it: the next start takes it.
        const status = statusOf(error);
        if (status !== 404 && status !== 403) throw error;
      });
  }

  async #removeContainer(id: string): Promise<void> {
    await this.#calls
      .make('remove a container', this.#docker.getContainer(id).remove({ force: true, v: true }))
      .catch((error: unknown) => {
        // Already gone, or another removal is under way.
        const status = statusOf(error);
        if (status !== 404 && status !== 409) throw error;
      });
  }
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [, ownMajor = '0', ownMinor = '0'] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(ownMajor) > major || (Number(ownMajor) === major && Number(ownMinor) >= minor);
}
