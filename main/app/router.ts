import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import type { Application } from '#main/app/application.ts';
import type { ShellServices } from '#main/app/shell-services.ts';
import type { Logger } from '#main/logging/logger.ts';
import { routes, type RouteName } from '#shared/ipc/routes.ts';
import { ProblemError, toProblem, type Problem, type Result } from '#shared/problem.ts';
import { bindConnectionRoutes } from './connection-routes.ts';
import { invalidRequest } from './invalid-request.ts';
import { bindLibraryRoutes } from './library-routes.ts';
import { bindMemoryRoutes } from './memory-routes.ts';
import { bindPlaygroundRoutes } from './playground-routes.ts';
import { readTextStart } from './read-text-start.ts';
import type { RequestContext, RouteHandlers } from './route-handlers.ts';
import { bindServerRoutes } from './server-routes.ts';
import { resolveRunFiles } from './run-files.ts';
import { bindTopics, type TopicBinding } from './topics.ts';
import { bindTypedTextRoutes } from './typed-text-routes.ts';

export interface RouterOptions {
  readonly application: Application;
  readonly shell: ShellServices;
  readonly logger: Logger;
  /** Holds every answer against its schema too. For development and tests: it costs a pass over the data. */
  readonly checkOutputs: boolean;
}

/** The one door from a renderer to the services. Knows nothing of carriers. */
export interface Router extends Disposable {
  /** Answers one request; never rejects. */
  dispatch(route: string, input: unknown, context: RequestContext): Promise<Result<unknown>>;
  /** Opens a topic. @throws ProblemError `topic_unknown`, `request_invalid`. */
  open: TopicBinding['open'];
  /** The problem to show for what was thrown; what nobody described goes to the log under a reference. */
  describeError(error: unknown, place: Record<string, unknown>): Problem;
}

/** Binds every route and topic of the contract to the app's services. */
export function createRouter(options: RouterOptions): Router {
  const handlers = bindRoutes(options.application, options.shell);
  const topics = bindTopics(options.application, options.checkOutputs);

  function describeError(error: unknown, place: Record<string, unknown>): Problem {
    const problem = toProblem(error);
    if (problem.code !== 'internal_error' || error instanceof ProblemError) return problem;
    const reference = randomBytes(4).toString('hex');
    options.logger.error({ ...place, reference, error }, 'Unexpected error');
    return {
      ...problem,
      detail: `${problem.detail} Its reference there is ${reference}.`,
    };
  }

  return {
    describeError,
    open: (topic, parameters, after, signal) => topics.open(topic, parameters, after, signal),
    async dispatch(route, input, context) {
      if (!isRouteName(route)) return { ok: false, error: unknownRoute(route) };
      const parsed = routes[route].input.safeParse(input);
      if (!parsed.success) return { ok: false, error: invalidRequest(route, parsed.error) };
      // The compiler cannot see that the handler and the parsed input come from one and the same route.
      const handler = handlers[route] as (input: unknown, context: RequestContext) => unknown;
      try {
        const data = await handler(parsed.data, context);
        if (options.checkOutputs) routes[route].output.parse(data);
        return { ok: true, data };
      } catch (error) {
        return { ok: false, error: describeError(error, { route }) };
      }
    },
    [Symbol.dispose]: () => topics[Symbol.dispose](),
  };
}

function isRouteName(name: string): name is RouteName {
  return Object.hasOwn(routes, name);
}

function unknownRoute(route: string): Problem {
  return {
    code: 'route_unknown',
    title: 'Unknown request',
    detail: `This version of Slipway does not know the request "${route.slice(0, 100)}".`,
    action: 'Reload the window; the page may be older than the app.',
  };
}

function bindRoutes(application: Application, shell: ShellServices): RouteHandlers<RouteName> {
  const { engines, library, models, runs, secrets, settings } = application;
  return {
    'app.describe': () => ({
      version: application.version,
      shell: shell.kind,
      platform: process.platform,
      nodeVersion: process.versions.node,
      dataDirectory: application.dataDirectory,
      canReveal: shell.canReveal,
    }),
    'app.openLink': async ({ url }) => {
      await shell.openExternal(url);
      return {};
    },

    'library.list': async () => ({ agents: await library.list() }),
    'library.get': ({ agentId }) => library.get(agentId),
    ...bindLibraryRoutes(application.packages, application.typedTexts, shell),
    ...bindTypedTextRoutes(application.typedTexts),
    ...bindConnectionRoutes(application, shell),
    ...bindMemoryRoutes(application.memory),
    ...bindPlaygroundRoutes(application.playground),
    ...bindServerRoutes(application.servers, shell),

    'engine.describe': () => engines.report,
    'engine.look': () => engines.look(),
    'engine.prefer': ({ preference }) => engines.prefer(preference),
    'engine.consent': ({ granted }) => engines.consent(granted),
    'engine.prepareImage': async () => {
      await engines.prepareImage();
      return {};
    },

    'models.list': () => models.list(),
    'models.saveProvider': (input) => models.save(input),
    'models.removeProvider': async ({ id }) => {
      await models.remove(id);
      return {};
    },
    'models.test': (input, { signal }) => models.test(input, signal),
    'models.setDefault': async (reference) => {
      await models.setDefault(reference);
      return {};
    },

    'vault.describe': () => secrets.state,
    'vault.unlock': ({ passphrase }) => secrets.unlock(passphrase),
    'vault.lock': () => secrets.lock(),
    'vault.keepInMemory': () => secrets.keepInMemory(),
    'vault.setAside': () => secrets.setAside(),

    'settings.get': () => settings.get(),
    'settings.update': (change) => settings.update(withoutUndefined(change)),

    'runs.start': async ({ agentId, input, files, model, connections }, context) => {
      const inputFiles = await resolveRunFiles(library, runs, context.files, agentId, files);
      const run = await runs.start({
        agent: agentId,
        input,
        files: inputFiles,
        model,
        connections,
        trigger: 'app',
      });
      return { runId: run.id };
    },
    'runs.replay': async (request) => ({ runId: (await runs.replay({ ...request, trigger: 'app' })).id }),
    'runs.differences': ({ runId }) => ({ differences: runs.differences(runId) }),
    'runs.stop': async ({ runId }) => {
      await runs.stop(runId);
      return {};
    },
    'runs.list': (filter) => runs.list(filter),
    'runs.get': ({ runId }) => runs.get(runId),
    'runs.remove': async ({ runId }) => {
      await runs.remove(runId);
      return {};
    },
    'runs.readText': async ({ runId, path, folder, limit }, { signal }) => {
      const file = await runs.openOutput(runId, path, folder);
      return readTextStart(file.size, limit, signal, (start, end) => file.stream(start, end));
    },
    'runs.saveFile': async ({ runId, path, folder }, { signal }) => {
      const file = await runs.openOutput(runId, path, folder);
      return { savedTo: await shell.saveFile(basename(path), () => file.stream(), signal) };
    },
    'runs.calls': ({ runId, filter, after, limit }) => runs.calls(runId, filter, { after, limit }),
    'runs.saveCalls': async ({ runId, filter, format }, { signal }) => {
      const { fileName, text } = runs.exportCalls(runId, filter, format);
      return { savedTo: await shell.saveFile(fileName, () => Readable.from([text]), signal) };
    },
    'runs.reveal': async ({ runId }) => {
      runs.get(runId);
      await shell.revealFolder(runs.outputFolder(runId));
      return {};
    },
  };
}

type WithoutUndefined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Electron's carrier keeps keys whose value is undefined; they mean the same as absent ones. */
function withoutUndefined<T extends object>(value: T): WithoutUndefined<T> {
  return Object.fromEntries(
    Object.entries(value).filter(([, part]) => part !== undefined),
  ) as WithoutUndefined<T>;
}
