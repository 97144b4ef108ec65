import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from '#main/logging/logger.ts';
import type { BuildNetwork } from '#main/network/index.ts';
import type { InstanceRegistry } from '#main/store/index.ts';
import type { EndpointAttempt, ImageStatus } from '#shared/engines/engine-report.ts';
import { buildArguments } from '../image/build-arguments.ts';
import type { ImageRecipe } from '../image/recipe.ts';
import type { LocatedEngine } from '../located-engine.ts';
import { DockerEngine } from './docker-engine.ts';
import type { EndpointEnvironment } from './endpoint.ts';
import { findDockerEngine, type FoundEngine } from './find-engine.ts';

export interface DockerLocatorOptions {
  readonly environment: EndpointEnvironment;
  readonly instances: InstanceRegistry;
  readonly recipe: () => Promise<ImageRecipe>;
  readonly claimBuild: () => Disposable | undefined;
  readonly preferGvisor: () => boolean;
  readonly hostAddresses: () => readonly string[];
  readonly buildNetwork: (() => BuildNetwork) | undefined;
  readonly logger: Logger;
}

/** Looks for Docker and keeps the engine that is in use for as long as it is the one to use. */
export class DockerLocator {
  readonly #options: DockerLocatorOptions;

  constructor(options: DockerLocatorOptions) {
    this.#options = options;
  }

  async locate(
    current: LocatedEngine | undefined,
    signal: AbortSignal,
  ): Promise<{ located: LocatedEngine | undefined; attempts: EndpointAttempt[] }> {
    const { found, attempts } = await findDockerEngine(this.#options.environment, signal);
    if (!found) return { located: undefined, attempts };
    if (current instanceof LocatedDocker && current.isSame(found)) {
      found.client[Symbol.dispose]();
      return { located: current, attempts };
    }
    return { located: this.#open(found, attempts), attempts };
  }

  #open(found: FoundEngine, attempts: readonly EndpointAttempt[]): LocatedDocker {
    const { environment, buildNetwork, ...options } = this.#options;
    const { client, identity, address } = found;
    const configuration = join(
      environment.variables['DOCKER_CONFIG'] || join(environment.home, '.docker'),
      'config.json',
    );
    const engine = new DockerEngine({
      ...options,
      client,
      identity,
      address,
      buildArguments: async () =>
        buildArguments(environment.variables, await environment.readText(configuration), buildNetwork?.()),
    });
    return new LocatedDocker(engine, found, reasonFor(found, attempts));
  }
}

class LocatedDocker implements LocatedEngine {
  readonly engine: DockerEngine;
  readonly name: string;
  readonly version: string;
  readonly address: string;
  readonly reason: string;

  constructor(engine: DockerEngine, found: FoundEngine, reason: string) {
    this.engine = engine;
    this.name = found.identity.name;
    this.version = found.identity.version;
    this.address = found.address;
    this.reason = reason;
  }

  isSame({ address, identity }: FoundEngine): boolean {
    const own = this.engine.identity;
    return address === this.address && identity.id === own.id && identity.version === own.version;
  }

  isolationKey(): string {
    const { id, version } = this.engine.identity;
    const runtime = this.engine.usesGvisor ? 'gvisor' : 'default';
    const place = createHash('sha256').update(`${id} ${this.address}`).digest('hex').slice(0, 16);
    return `docker ${place} ${version} ${runtime}`;
  }

  inspectImage(signal: AbortSignal): Promise<ImageStatus> {
    return this.engine.inspectImage(signal);
  }
}

function reasonFor(found: FoundEngine, attempts: readonly EndpointAttempt[]): string {
  const chosen = attempts.find(
    ({ origin, outcome }) => outcome !== 'answered' && /^(DOCKER_HOST|Docker context)/.test(origin),
  );
  return chosen && chosen.outcome !== 'not_tried'
    ? `${chosen.origin} could not be used, so the next place that answered was taken: ${found.origin}.`
    : `It was the first to answer: ${found.origin}.`;
}
