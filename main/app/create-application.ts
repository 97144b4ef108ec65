import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Connections, ServerSettings, ToolReviews } from '#main/connections/index.ts';
import { createCredentialProxies, Playground, ServerDesk, ServerTrials } from '#main/direct-calls/index.ts';
import { createEngineDirectory } from '#main/engines/index.ts';
import { createLibraries } from '#main/library/index.ts';
import type { Logger, Redactor } from '#main/logging/index.ts';
import { createMemory } from '#main/memory/index.ts';
import { createModelGateway, type ModelTimeouts } from '#main/models/index.ts';
import { AuthorNetwork, HttpOutbound, type SystemProxy } from '#main/network/index.ts';
import { Offers } from '#main/offering/index.ts';
import { readInternalHosts, RunOrchestrator, RunRepository } from '#main/runs/index.ts';
import { createSecretStore, type SystemCipher } from '#main/secrets/index.ts';
import { DatabaseSettingsStore, StoredValue } from '#main/settings/index.ts';
import {
  openDatabase,
  ProcessInstanceRegistry,
  processEnvironment,
  stateDirectory,
} from '#main/store/index.ts';
import { DatabaseTypedTexts } from '#main/typed-texts/index.ts';
import type { ProviderKind } from '#shared/models/model.ts';
import type { OutboundCall } from '#shared/protocol/integrations.ts';
import { readSidecarLimits } from '#shared/tools/sidecar-limits.ts';
import type { Application } from './application.ts';
import { LibraryIntegrations } from './manifest-sources.ts';
import { protectingSecrets } from './protecting-secrets.ts';
import type { ResourcePaths } from './resource-paths.ts';

export interface ApplicationOptions {
  readonly dataDirectory: string;
  /** `cli` for one run and out; `app` stays, so it keeps an idle pair and looks for local models. */
  readonly trigger: 'app' | 'cli';
  readonly resources: ResourcePaths;
  readonly version: string;
  readonly logger: Logger;
  readonly redactor: Redactor;
  readonly systemCipher?: SystemCipher;
  /** The operating system's proxy for an address, where the shell can ask for it. */
  readonly systemProxy?: SystemProxy;
  /** A Node to run programs with where no container engine answers; none where the process is not Node itself. */
  readonly nodePath: string | undefined;
  /** Milliseconds that a model's provider is given; the usual patience when absent. */
  readonly modelTimeouts?: Partial<ModelTimeouts>;
  /** Addresses in the place of the vendors' own. */
  readonly modelAddresses?: Partial<Record<ProviderKind, string>>;
}

/** Milliseconds between two pieces of the walkthrough's answers, so that a person can follow. */
const WALKTHROUGH_PACE_MS = 15;
/** Milliseconds in which a start has the computer to itself: containers that start would slow the first page. */
const FIRST_PAGE_MS = 2500;

/**
 * The composition root: makes every service once and ends them in reverse. What a dead instance left
 * behind is cleared before anything new begins.
 */
export async function createApplication(options: ApplicationOptions): Promise<Application> {
  const { dataDirectory, logger, resources, trigger } = options;
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  await using stack = new AsyncDisposableStack();
  const environment = processEnvironment();
  const instances = stack.use(new ProcessInstanceRegistry(stateDirectory(environment)));
  const database = stack.use(openDatabase(dataDirectory));
  const settings = new DatabaseSettingsStore(database);
  const secrets = protectingSecrets(
    createSecretStore({
      directory: dataDirectory,
      ...(options.systemCipher && { systemCipher: options.systemCipher }),
    }),
    options.redactor,
  );
  const { agents: library, packages } = createLibraries({
    samplesFolder: resources.samples,
    catalogueFolder: resources.catalogue,
    database,
    dataDirectory,
    secrets,
    isLasting: trigger === 'app',
    githubArchives: process.env['SLIPWAY_GITHUB_ARCHIVES'],
  });
  stack.use(library);
  stack.use(packages);
  const network = stack.use(
    new AuthorNetwork({
      settings: () => settings.get().network,
      secrets,
      environment: environment.variables,
      system: options.systemProxy,
      protect: (secret) => options.redactor.protect(secret),
    }),
  );
  void network.load();
  const outbound = stack.use(
    new HttpOutbound({ network: () => network.choice(), environment: environment.variables }),
  );
  const integrations = stack.use(new LibraryIntegrations(packages));
  const trials = new ServerTrials({
    integrations,
    isTaken: async (name) => (await packages.state()).packages.some((known) => known.name === name),
    stored: new StoredValue(database, 'server-trials'),
  });
  const connections = stack.use(
    new Connections({
      database,
      secrets,
      integrations: trials,
      outbound,
      logger,
      protect: (secret) => options.redactor.protect(secret),
      dataDirectory,
    }),
  );
  const directCalls = {
    connections,
    integrations,
    limits: () => readSidecarLimits(environment.variables).limits,
    network: () => network.forSidecar('here'),
    onOutboundCall: (call: OutboundCall) => logger.info({ call }, 'A call outside of a run'),
    logger,
  };
  const toolReviews = new ToolReviews(database);
  // One that is imported again is another, whose first list is accepted as it comes.
  stack.defer(packages.onChange((state) => toolReviews.keepOnly(state.packages.map(({ name }) => name))));
  const serverSettings = new ServerSettings(secrets, (secret) => options.redactor.protect(secret));
  const playground = stack.use(new Playground(directCalls));
  const models = stack.use(
    createModelGateway({
      secrets,
      configuration: new StoredValue(database, 'models'),
      walkthroughPaceMs: trigger === 'app' ? WALKTHROUGH_PACE_MS : 0,
      discoversLocalServers: trigger === 'app',
      dispatcherFor: (url) => outbound.dispatcherFor(url),
      ...(options.modelTimeouts && { timeouts: options.modelTimeouts }),
      ...(options.modelAddresses && { addresses: options.modelAddresses }),
    }),
  );
  const engines = stack.use(
    createEngineDirectory({
      environment,
      dataDirectory,
      instances,
      settings,
      resources,
      nodePath: options.nodePath,
      buildNetwork: () => network.forBuild(),
      logger,
    }),
  );
  const servers = stack.use(
    new ServerDesk({
      ...directCalls,
      engines,
      packages,
      trials,
      serverSettings: (name) => serverSettings.get(name),
      containerNetwork: () => network.forSidecar(),
      internalHosts: () => readInternalHosts(environment.variables),
      redact: (text) => options.redactor.redact(text),
    }),
  );
  const memory = createMemory(database);
  const runs = stack.use(
    new RunOrchestrator({
      repository: new RunRepository(database),
      library,
      models,
      engines,
      integrations: {
        connections,
        toolReviews,
        serverSettings: (name) => serverSettings.get(name),
        network: () => network.forSidecar(),
        environment: environment.variables,
      },
      memory,
      instances,
      logger,
      runsFolder: join(dataDirectory, 'runs'),
      settings: () => settings.get(),
      keepsWarmPair: trigger === 'app',
    }),
  );
  const interrupted = runs.closeInterruptedRuns();
  if (interrupted > 0)
    logger.info({ runs: interrupted }, 'Closed runs that an earlier start left unfinished');

  if (trigger === 'app') {
    runs.followOthers((listener) => database.onForeignChange(listener));
    stack.use(database.onForeignChange(() => connections.noticeOthers()));
    stack.use(database.onForeignChange(() => memory.noticeOthers()));
    const abort = new AbortController();
    stack.defer(() => abort.abort());
    const { signal } = abort;
    const firstPage = delay(FIRST_PAGE_MS, undefined, { signal, ref: false });
    const warm = () => void firstPage.then(() => runs.warmUp(signal)).catch(() => undefined);
    stack.defer(engines.onReport(warm));
    const onSettings = () => (settings.get().warmPair ? warm() : void runs.coolDown());
    stack.defer(settings.onChange(onSettings));
    warm();
  }
  const owned = stack.move();
  return {
    connections,
    toolReviews,
    engines,
    network,
    playground,
    servers,
    credentialProxies: createCredentialProxies(directCalls),
    offers: new Offers({ ...directCalls, library, runs, version: options.version }),
    library,
    packages,
    models,
    memory,
    runs,
    secrets,
    settings,
    typedTexts: new DatabaseTypedTexts(database),
    dataDirectory,
    version: options.version,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
