import './lean-heap.ts';
import { join } from 'node:path';
import type { Application } from '#main/app/application.ts';
import { createApplication } from '#main/app/create-application.ts';
import type { ResourcePaths } from '#main/app/resource-paths.ts';
import { createResourceHandler, type ResourceHandler } from '#main/app/resources.ts';
import { createRouter, type Router } from '#main/app/router.ts';
import type { ShellServices } from '#main/app/shell-services.ts';
import { createFileLogger, Redactor, type Logger } from '#main/logging/index.ts';
import type { SystemProxy } from '#main/network/index.ts';
import type { SystemCipher } from '#main/secrets/index.ts';
import { onUncaughtError } from './fatal-errors.ts';

/** What a shell with windows stands on. */
export interface Composition extends AsyncDisposable {
  readonly application: Application;
  readonly router: Router;
  readonly resources: ResourceHandler;
  readonly logger: Logger;
}

export interface CompositionOptions {
  readonly dataDirectory: string;
  readonly resourcePaths: ResourcePaths;
  readonly version: string;
  /** A Node of its own for programs outside of containers; none where this process is not Node. */
  readonly nodePath: string | undefined;
  readonly shell: ShellServices;
  readonly systemCipher?: SystemCipher;
  /** The operating system's proxy for an address, where the shell can ask for it. */
  readonly systemProxy?: SystemProxy;
  /** Tells the person and ends the process, after an error that nothing caught; it is in the log already. */
  readonly onFatal: (error: Error) => void;
}

/** Builds the app and the door to it. */
export async function compose(options: CompositionOptions): Promise<Composition> {
  await using stack = new AsyncDisposableStack();
  const { dataDirectory, resourcePaths, version, nodePath, shell, systemCipher, systemProxy } = options;
  const redactor = new Redactor();
  const logger = stack.use(createFileLogger(join(dataDirectory, 'logs'), redactor));
  stack.use(onUncaughtError(logger, (error) => options.onFatal(error)));
  const application = stack.use(
    await createApplication({
      dataDirectory,
      trigger: 'app',
      resources: resourcePaths,
      version,
      nodePath,
      logger,
      redactor,
      ...(systemCipher && { systemCipher }),
      ...(systemProxy && { systemProxy }),
    }),
  );
  const router = stack.use(createRouter({ application, shell, logger, checkOutputs: checksOutputs() }));
  const resources = createResourceHandler({
    rendererFolder: resourcePaths.renderer,
    runs: application.runs,
    packages: application.packages,
  });
  const kept = stack.move();
  return {
    application,
    router,
    resources,
    logger,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Answers are held against their schemas in tests and where a developer asks for it. */
function checksOutputs(): boolean {
  return process.env['SLIPWAY_CHECK_OUTPUTS'] === '1';
}
