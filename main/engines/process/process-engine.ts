import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { InstanceRegistry } from '#main/store/index.ts';
import type { ImageStatus, IsolationCheck } from '#shared/engines/engine-report.ts';
import { ProblemError } from '#shared/problem.ts';
import type {
  Container,
  ContainerSpecification,
  Engine,
  ReapReport,
  VolumeSpecification,
} from '../engine.ts';
import { PI_PARTS, findPackage } from '../image/recipe.ts';
import { runProbe } from '../isolation/probe.ts';
import { LABEL, isLeftOver, ownerLabels } from '../labels.ts';
import { homeOf, startFolderOf, userIdOf } from '../program.ts';
import { consentRequired, serverNotIsolated } from '../selection.ts';
import { bubblewrapArguments, isSystemPath, type Binding, type Bubblewrap } from './bubblewrap.ts';
import { ProcessContainer, type FolderMount, type ProcessCommand } from './process-container.ts';
import { killTree } from './process-tree.ts';
import { programVariables } from './program-variables.ts';

/** Stands where an image's name would: the programs of this very app. */
export const OWN_PROGRAMS = 'own-programs';
const FOLDER_PREFIX = 'slipway-';
const OWNER_FILE = 'owner.json';

const ownerSchema = z.object({
  labels: z.object({ [LABEL.instance]: z.string().min(8), [LABEL.host]: z.string() }),
});

export interface ProcessEngineOptions {
  readonly nodePath: string;
  readonly bubblewrap: Bubblewrap | undefined;
  /** Folder with `sandbox.js` and `sidecar.js`. */
  readonly programs: string;
  /** Package folder of Pi. */
  readonly pi: string;
  readonly instances: InstanceRegistry;
  /** Whether the person agreed to run without isolation. */
  readonly consented: () => boolean;
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  /** Folder for temporary files; short, since a socket's path may have 104 bytes on some platforms. */
  readonly temporary: string;
  readonly hostAddresses: () => readonly string[];
}

/**
 * Sandboxes as child processes of the app. It does not isolate, also where bubblewrap takes away the network
 * and the person's files: limits of memory, processes and disk are not kept.
 */
export class ProcessEngine implements Engine {
  readonly kind = 'process';
  readonly isolates = false;
  /** A folder of this computer does not go away by itself. */
  readonly gone = new Promise<Error>(() => undefined);
  readonly #options: ProcessEngineOptions;
  /** Folder of each volume, by its name. */
  readonly #volumes = new Map<string, string>();
  readonly #containers = new Set<ProcessContainer>();
  #root: Promise<string> | undefined;
  #count = 0;

  constructor(options: ProcessEngineOptions) {
    this.#options = options;
  }

  ensureImage(options: { signal: AbortSignal; onProgress(status: ImageStatus): void }): Promise<string> {
    options.signal.throwIfAborted();
    options.onProgress({ state: 'ready', tag: OWN_PROGRAMS, lines: [] });
    return Promise.resolve(OWN_PROGRAMS);
  }

  async createVolume(specification: VolumeSpecification, signal: AbortSignal): Promise<void> {
    this.#requireConsent();
    signal.throwIfAborted();
    this.#volumes.set(specification.name, await this.#newFolder('v'));
  }

  async removeVolume(name: string): Promise<void> {
    const folder = this.#volumes.get(name);
    if (folder === undefined) return;
    this.#volumes.delete(name);
    await removeFolder(folder);
  }

  createContainer(specification: ContainerSpecification, signal: AbortSignal): Promise<Container> {
    // Others' programs would run as the person's own: no consent covers that.
    if (specification.role === 'runner') return Promise.reject(serverNotIsolated());
    return this.#create(specification, signal, [join(this.#options.programs, `${specification.role}.js`)]);
  }

  async probeIsolation(image: string, signal: AbortSignal): Promise<IsolationCheck[]> {
    const host = {
      kernel: { gvisor: false },
      createVolume: (volume: VolumeSpecification, ended: AbortSignal) => this.createVolume(volume, ended),
      removeVolume: (name: string) => this.removeVolume(name),
      createScripted: (specification: ContainerSpecification, ended: AbortSignal) =>
        this.#create(specification, ended, ['-']),
    };
    return runProbe(host, image, this.#options.hostAddresses(), signal);
  }

  async reap({ own = false }: { own?: boolean } = {}): Promise<ReapReport> {
    const report = { containers: 0, volumes: 0, networks: 0 };
    if (own) {
      report.containers = this.#containers.size;
      report.volumes = this.#volumes.size;
      await Promise.all([...this.#containers].map((container) => container.remove()));
      await Promise.all([...this.#volumes.keys()].map((name) => this.removeVolume(name)));
    }
    for (const root of await this.#foldersOfDead()) {
      await killTree(undefined, root.marker, this.#options.platform);
      report.volumes += (await readdir(root.folder)).filter((name) => name.startsWith('v')).length;
      await removeFolder(root.folder);
    }
    return report;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([...this.#containers].map((container) => container.remove()));
    if (this.#root) await removeFolder(await this.#root);
    this.#root = undefined;
  }

  async #create(
    specification: ContainerSpecification,
    signal: AbortSignal,
    program: readonly string[],
  ): Promise<Container> {
    this.#requireConsent();
    signal.throwIfAborted();
    const { instances, platform } = this.#options;
    const home = await this.#newFolder('h');
    const mounts = specification.mounts.map((mount): FolderMount & { readOnly: boolean } => {
      const folder = this.#volumes.get(mount.volume);
      if (folder === undefined) throw unknownVolume(mount.volume);
      return { path: mount.path, folder, readOnly: mount.readOnly };
    });
    const marker = `${instanceMarker(instances.instanceId)}${randomUUID()}`;
    const container: ProcessContainer = new ProcessContainer({
      name: specification.name,
      role: specification.role,
      marker,
      command: await this.#command(specification, marker, home, mounts, program),
      mounts,
      network: specification.network,
      platform,
      discard: async () => {
        this.#containers.delete(container);
        await removeFolder(home);
      },
    });
    this.#containers.add(container);
    return container;
  }

  async #command(
    { role, network }: ContainerSpecification,
    marker: string,
    home: string,
    mounts: readonly (FolderMount & { readOnly: boolean })[],
    program: readonly string[],
  ): Promise<ProcessCommand> {
    const { nodePath, bubblewrap, variables } = this.#options;
    if (!bubblewrap) {
      const start = mounts.find(({ path }) => path === startFolderOf(role))?.folder ?? home;
      return {
        file: nodePath,
        arguments: program,
        variables: programVariables(variables, { home, temporary: home, marker }),
        workingFolder: start,
        wrapped: false,
      };
    }
    const inner = programVariables(
      { PATH: '/usr/local/bin:/usr/bin:/bin' },
      { home: homeOf(role), temporary: '/tmp', marker },
    );
    return {
      file: bubblewrap.path,
      arguments: bubblewrapArguments({
        bubblewrap,
        bindings: [
          ...(await this.#programBindings()),
          ...mounts.map(({ path, folder, readOnly }) => ({ source: folder, target: path, readOnly })),
        ],
        variables: inner,
        userId: userIdOf(role),
        home: homeOf(role),
        workingFolder: startFolderOf(role),
        hostname: role,
        // No process enters or leaves a network namespace later, so this one is on the network at once.
        sharesNetwork: network === 'later',
        command: [nodePath, ...program],
      }),
      variables: {},
      workingFolder: home,
      wrapped: true,
    };
  }

  /** Node, the programs and Pi, each where it is: the programs look for Pi above themselves. */
  async #programBindings(): Promise<Binding[]> {
    const { nodePath, programs, pi } = this.#options;
    const packages = await Promise.all(PI_PARTS.map(({ name }) => findPackage(pi, name)));
    const paths = [nodePath, await realpath(nodePath), programs, ...packages];
    return [...new Set(paths)]
      .filter((path) => !isSystemPath(path))
      .map((path) => ({ source: path, target: path, readOnly: true }));
  }

  #requireConsent(): void {
    if (!this.#options.consented()) throw new ProblemError(consentRequired());
  }

  async #newFolder(prefix: 'v' | 'h'): Promise<string> {
    this.#root ??= this.#makeRoot();
    this.#count += 1;
    const name = `${prefix}${this.#count}`;
    const folder = join(await this.#root, name);
    await mkdir(folder, { mode: 0o700 });
    return folder;
  }

  async #makeRoot(): Promise<string> {
    const { instances, temporary } = this.#options;
    const root = await realpath(await mkdtemp(join(temporary, FOLDER_PREFIX)));
    const labels = ownerLabels(instances, { runId: '' });
    await writeFile(join(root, OWNER_FILE), JSON.stringify({ labels }));
    return root;
  }

  async #foldersOfDead(): Promise<{ folder: string; marker: string }[]> {
    const { temporary, instances } = this.#options;
    const names = await readdir(temporary).catch(() => []);
    const found = await Promise.all(
      names
        .filter((name) => name.startsWith(FOLDER_PREFIX))
        .map(async (name) => {
          const folder = join(temporary, name);
          try {
            const text = await readFile(join(folder, OWNER_FILE), 'utf8');
            const { labels } = ownerSchema.parse(JSON.parse(text));
            const marker = instanceMarker(labels[LABEL.instance]);
            return isLeftOver(labels, instances, false) ? { folder, marker } : undefined;
          } catch {
            return undefined;
          }
        }),
    );
    return found.filter((entry) => entry !== undefined);
  }
}

/** What the markers of all containers of an instance begin with. */
function instanceMarker(instanceId: string): string {
  return `${instanceId}/`;
}

/** Removes a folder that a program may still be filling for a moment. */
async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}

function unknownVolume(name: string): ProblemError {
  return new ProblemError({
    code: 'container_refused',
    title: 'A volume is missing',
    detail: `There is no volume ${name}.`,
  });
}
