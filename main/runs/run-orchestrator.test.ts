import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Library, RunnableAgent } from '#main/library/library.ts';
import { silentLogger } from '#main/logging/logger.ts';
import type { ModelGateway, RunModel } from '#main/models/model-gateway.ts';
import { openDatabase, ProcessInstanceRegistry, type Database } from '#main/store/index.ts';
import { DEFAULT_SETTINGS } from '#shared/settings/settings.ts';
import { FakeApplication } from '#test/support/fake-application.ts';
import { NO_INTEGRATION_SERVICES } from '#test/support/no-integrations.ts';
import { memoryInMemory } from '#test/support/memory-in-memory.ts';
import { RunOrchestrator } from './run-orchestrator.ts';
import { RunRepository } from './run-repository.ts';

let folder: string;
let database: Database;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-orchestrator-'));
  database = openDatabase(folder);
});
afterEach(() => {
  database[Symbol.dispose]();
  rmSync(folder, { recursive: true, force: true });
});

it('begins no run that was asked for a moment before the app closed', async () => {
  using instances = new ProcessInstanceRegistry(folder);
  const repository = new RunRepository(database);
  const opening = Promise.withResolvers<RunModel>();
  const agent: Partial<RunnableAgent> = {
    id: '@a/b',
    timeoutSeconds: 10,
    packages: [],
    warnings: [],
    dependencies: { skills: {}, mcpServers: {}, integrations: {} },
  };
  const orchestrator = new RunOrchestrator({
    repository,
    library: { load: () => Promise.resolve(agent) } as unknown as Library,
    models: { open: () => opening.promise } as unknown as ModelGateway,
    engines: new FakeApplication().engines,
    integrations: NO_INTEGRATION_SERVICES,
    memory: memoryInMemory(),
    instances,
    logger: silentLogger,
    runsFolder: folder,
    settings: () => DEFAULT_SETTINGS,
    keepsWarmPair: false,
  });
  const starting = orchestrator.start({
    agent: '@a/b',
    input: {},
    files: [],
    model: undefined,
    trigger: 'app',
  });
  const outcome = starting.catch((error: unknown) => error);
  // Until the model is opened.
  await new Promise((resolve) => setImmediate(resolve));
  await orchestrator[Symbol.asyncDispose]();
  opening.resolve({ description: { displayName: 'M', providerId: 'p', modelId: 'm' } } as RunModel);
  expect(await outcome).toMatchObject({ problem: { code: 'app_closing' } });
  expect(repository.unfinished()).toEqual([]);
});
