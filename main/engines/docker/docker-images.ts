import { createInterface } from 'node:readline/promises';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import type { Logger } from '#main/logging/logger.ts';
import type { ImageStatus } from '#shared/engines/engine-report.ts';
import { ProblemError, toProblem } from '#shared/problem.ts';
import { imageBuildFailed } from '../image/build-failure.ts';
import { BuildProgressTracker, buildEventSchema } from '../image/build-progress.ts';
import type { ImageRecipe } from '../image/recipe.ts';
import { SharedTask } from '../image/shared-task.ts';
import type { EngineCalls } from './engine-calls.ts';
import { engineMessage, statusOf } from './problems.ts';

/** Milliseconds between two reports of a build, which may say hundreds of lines a second. */
const REPORT_INTERVAL_MS = 100;
const WAITING = 'Another Slipway builds the image; waiting for it';
/** Milliseconds between two looks whether another process has built the image. */
const TURN_INTERVAL_MS = 500;

export interface DockerImagesOptions {
  readonly docker: Docker;
  readonly calls: EngineCalls;
  readonly recipe: () => Promise<ImageRecipe>;
  /** Arguments of the build that are not part of the image, such as proxies. */
  readonly buildArguments: () => Promise<Record<string, string>>;
  /** Claims the build among this person's processes; `undefined` while another has it. */
  readonly claimBuild: () => Disposable | undefined;
  readonly logger: Logger;
}

/** Makes sure that the image of the present recipe is in the engine. */
export class DockerImages {
  readonly #options: DockerImagesOptions;
  #task: SharedTask<string, ImageStatus> | undefined;

  constructor(options: DockerImagesOptions) {
    this.#options = options;
  }

  /** @throws ProblemError `image_build_failed`, `image_sources_missing`, `engine_unreachable`. */
  async ensure(signal: AbortSignal, onProgress: (status: ImageStatus) => void): Promise<string> {
    if (!this.#task || this.#task.over)
      this.#task = new SharedTask((ended, tell) => this.#ensure(ended, tell));
    return this.#task.join(signal, onProgress);
  }

  /** Whether the image is there; begins nothing. */
  async inspect(signal: AbortSignal): Promise<ImageStatus> {
    try {
      const { tag } = await this.#options.recipe();
      const state = (await this.#exists(tag, signal)) ? 'ready' : 'absent';
      return { state, tag, lines: [] };
    } catch (error) {
      signal.throwIfAborted();
      return { state: 'failed', lines: [], problem: toProblem(error) };
    }
  }

  async #ensure(signal: AbortSignal, tell: (status: ImageStatus) => void): Promise<string> {
    let tag: string | undefined;
    try {
      const recipe = await this.#options.recipe();
      tag = recipe.tag;
      if (!(await this.#exists(tag, signal))) await this.#buildInTurn(recipe, signal, tell);
      tell({ state: 'ready', tag, lines: [] });
      return tag;
    } catch (error) {
      if (!signal.aborted) {
        const problem = toProblem(error);
        tell({
          state: 'failed',
          ...(tag !== undefined && { tag }),
          lines: problem.context ?? [],
          problem,
        });
      }
      throw error;
    }
  }

  async #exists(tag: string, signal: AbortSignal): Promise<boolean> {
    const { docker, calls } = this.#options;
    try {
      await calls.make('look for the image', docker.getImage(tag).inspect(), signal);
      return true;
    } catch (error) {
      if (statusOf(error) === 404) return false;
      throw error;
    }
  }

  /** Builds unless another process, such as a command beside the app, has done so by this one's turn. */
  async #buildInTurn(
    recipe: ImageRecipe,
    signal: AbortSignal,
    tell: (status: ImageStatus) => void,
  ): Promise<void> {
    const { claimBuild } = this.#options;
    let turn = claimBuild();
    while (!turn) {
      tell({ state: 'building', tag: recipe.tag, step: WAITING, lines: [] });
      await delay(TURN_INTERVAL_MS, undefined, { signal });
      turn = claimBuild();
    }
    using _turn = turn;
    if (await this.#exists(recipe.tag, signal)) return;
    await this.#build(recipe, signal, tell);
    await this.#removeOld(recipe);
  }

  async #build(recipe: ImageRecipe, signal: AbortSignal, tell: (status: ImageStatus) => void): Promise<void> {
    const { docker, calls, buildArguments, logger } = this.#options;
    const started = Date.now();
    const tracker = new BuildProgressTracker(recipe.dockerfile);
    let reportedAt = 0;
    const report = (): void => {
      reportedAt = Date.now();
      const { step, fraction, lines } = tracker.progress;
      tell({ state: 'building', tag: recipe.tag, step, fraction, lines: [...lines] });
    };
    report();
    const context = recipe.context();
    try {
      const options: Docker.ImageBuildOptions = {
        t: recipe.tag,
        rm: true,
        // Without it a failed or cancelled build leaves its container behind.
        forcerm: true,
        buildargs: await buildArguments(),
        abortSignal: signal,
      };
      const building = docker.buildImage(context, options);
      const events = (await calls.make('build the image', building, signal)) as unknown as Readable;
      await calls.make(
        'build the image',
        this.#follow(events, tracker, () => {
          if (Date.now() - reportedAt >= REPORT_INTERVAL_MS) report();
        }),
        signal,
      );
    } catch (error) {
      if (signal.aborted) throw error;
      const unreachable = error instanceof ProblemError && error.problem.code === 'engine_unreachable';
      if (unreachable) throw error;
      const cause = error instanceof Error ? (error.cause ?? error) : error;
      throw imageBuildFailed(engineMessage(cause), tracker.progress.lines, error);
    } finally {
      context.destroy();
    }
    // The engine tells a failure only in an event of the stream, never by its status.
    if (tracker.error !== undefined) throw imageBuildFailed(tracker.error, tracker.progress.lines);
    if (!(await this.#exists(recipe.tag, signal)))
      throw imageBuildFailed('The build ended without an image.', tracker.progress.lines);
    logger.info({ tag: recipe.tag, milliseconds: Date.now() - started }, 'Built the sandbox image');
  }

  async #follow(events: Readable, tracker: BuildProgressTracker, onEvent: () => void): Promise<void> {
    const lines = createInterface({ input: events, crlfDelay: Number.POSITIVE_INFINITY });
    // The interface does not pass on its input's failure.
    const { promise: broken, reject } = Promise.withResolvers<never>();
    broken.catch(() => undefined);
    events.once('error', reject);
    const read = async (): Promise<void> => {
      for await (const line of lines) {
        if (line.trim() === '') continue;
        const event = buildEventSchema.safeParse(parseLine(line));
        if (event.success) tracker.add(event.data);
        onEvent();
      }
    };
    try {
      await Promise.race([read(), broken]);
    } finally {
      lines.close();
      events.destroy();
    }
  }

  /** Removes images of earlier recipes. One that a container uses stays: the engine refuses. */
  async #removeOld({ repository, tag }: ImageRecipe): Promise<void> {
    const { docker, calls, logger } = this.#options;
    try {
      const images = await calls.make(
        'list images',
        docker.listImages({ filters: { reference: [repository] } }),
      );
      const old = images
        .flatMap(({ RepoTags }) => RepoTags ?? [])
        .filter((name) => isOldTag(name, repository, tag));
      for (const name of old) {
        await calls.make('remove an old image', docker.getImage(name).remove()).catch((error: unknown) => {
          logger.info({ image: name, error }, 'An old image stays');
        });
      }
    } catch (error) {
      // Old images cost disk space, no more: a run must not fail for them.
      logger.warn({ error }, 'Old images could not be listed');
    }
  }
}

/** Whether a tag is ours and not the present one. Podman writes `localhost/` before local names. */
export function isOldTag(name: string, repository: string, present: string): boolean {
  const local = name.replace(/^localhost\//, '');
  return local.startsWith(`${repository}:`) && local !== present;
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
