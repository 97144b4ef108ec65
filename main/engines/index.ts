import { readFile } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '#main/logging/logger.ts';
import type { BuildNetwork } from '#main/network/index.ts';
import { tryExclusiveLock, type InstanceRegistry, type PathEnvironment } from '#main/store/index.ts';
import { LocatingEngineDirectory, type EngineSettings } from './directory.ts';
import { DockerLocator } from './docker/locate-docker.ts';
import type { EngineDirectory } from './engine.ts';
import { readRecipe, type ImageRecipe, type ImageSources } from './image/recipe.ts';
import { IsolationMemory } from './isolation/memory.ts';
import type { EngineLocator, LocatedEngine } from './located-engine.ts';
import { findBubblewrap, type Bubblewrap } from './process/bubblewrap.ts';
import { OWN_PROGRAMS, ProcessEngine } from './process/process-engine.ts';

export type { EngineSettings } from './directory.ts';
export type { ImageSources } from './image/recipe.ts';

export interface EngineDirectoryOptions {
  /** Where the app keeps its data; `isolation.json` is written there. */
  readonly dataDirectory: string;
  /** Variables, home folder and platform: they decide where engines are looked for. */
  readonly environment: PathEnvironment;
  /** Tells which app instances live; the labels of everything made carry its ids. */
  readonly instances: InstanceRegistry;
  readonly settings: EngineSettings;
  /** Where the Dockerfile, Pi's package and the built programs are; the app's resource paths have this form. */
  readonly resources: ImageSources;
  /**
   * A Node program that can run the programs as processes, or undefined where there is none, as in an Electron
   * app whose binary does not run as Node. Without it there is no process engine.
   */
  readonly nodePath: string | undefined;
  /** How commands inside a build reach the internet; as the environment says when absent. */
  readonly buildNetwork?: () => BuildNetwork;
  readonly logger: Logger;
}

/**
 * The app's engines: begins to look at once, keeps looking while none answers, and tells what it sees. What
 * dead instances left in an engine is removed when that engine is first seen. Dispose it at the end.
 */
export function createEngineDirectory(options: EngineDirectoryOptions): EngineDirectory {
  const { dataDirectory, environment, settings, logger } = options;
  return new LocatingEngineDirectory({
    locator: new HostEngineLocator(options),
    settings,
    memory: new IsolationMemory(join(dataDirectory, 'isolation.json')),
    platform: environment.platform,
    isolatesServers: environment.variables['INTEGRATION_RUNTIME_ADAPTER'] === 'docker',
    logger,
  });
}

/** Looks for engines on this computer. */
class HostEngineLocator implements EngineLocator {
  readonly #options: EngineDirectoryOptions;
  readonly #docker: DockerLocator;
  #recipe: Promise<ImageRecipe> | undefined;
  #bubblewrap: Promise<Bubblewrap | undefined> | undefined;

  constructor(options: EngineDirectoryOptions) {
    this.#options = options;
    const { environment, instances, settings, buildNetwork, logger } = options;
    this.#docker = new DockerLocator({
      environment: {
        ...environment,
        userId: process.getuid?.(),
        readText: (path) => readFile(path, 'utf8').catch(() => undefined),
      },
      instances,
      recipe: () => this.#readRecipe(),
      claimBuild: () => tryExclusiveLock(join(options.dataDirectory, 'image-build.lock')),
      preferGvisor: () => settings.get().preferGvisor,
      hostAddresses,
      buildNetwork,
      logger,
    });
  }

  locateDocker(
    current: LocatedEngine | undefined,
    signal: AbortSignal,
  ): ReturnType<EngineLocator['locateDocker']> {
    return this.#docker.locate(current, signal);
  }

  async describeProcess(): Promise<{ available: boolean; bubblewrap: boolean }> {
    if (this.#options.nodePath === undefined) return { available: false, bubblewrap: false };
    return { available: true, bubblewrap: (await this.#findBubblewrap()) !== undefined };
  }

  async openProcess(): Promise<LocatedEngine> {
    const { nodePath, resources, instances, settings, environment } = this.#options;
    if (nodePath === undefined) throw new Error('There is no Node program to run processes with.');
    const bubblewrap = await this.#findBubblewrap();
    const engine = new ProcessEngine({
      nodePath,
      bubblewrap,
      programs: resources.programs,
      pi: resources.pi,
      instances,
      consented: () => settings.get().processConsent,
      variables: environment.variables,
      platform: environment.platform,
      temporary: tmpdir(),
      hostAddresses,
    });
    const wrapper = bubblewrap ? `bubblewrap ${bubblewrap.version}` : 'no wrapper';
    return {
      engine,
      name: bubblewrap ? 'Processes in bubblewrap' : 'Processes',
      version: process.version,
      address: 'this computer',
      reason:
        settings.get().enginePreference === 'process'
          ? 'You chose processes in the settings.'
          : 'No Docker engine answers, and you agreed to run without isolation.',
      isolationKey: () => `process ${wrapper} ${process.version}`,
      inspectImage: () => Promise.resolve({ state: 'ready', tag: OWN_PROGRAMS, lines: [] }),
    };
  }

  #readRecipe(): Promise<ImageRecipe> {
    this.#recipe ??= readRecipe(this.#options.resources).catch((error: unknown) => {
      // What is missing may be there at the next try.
      this.#recipe = undefined;
      throw error;
    });
    return this.#recipe;
  }

  #findBubblewrap(): Promise<Bubblewrap | undefined> {
    this.#bubblewrap ??= findBubblewrap(this.#options.environment.platform);
    return this.#bubblewrap;
  }
}

/** This computer's addresses that others can use, without those of one link alone. */
function hostAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flat()
    .flatMap((entry) =>
      entry && !entry.internal && !entry.address.startsWith('fe80:') ? [entry.address] : [],
    );
}
