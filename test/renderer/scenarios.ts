import type { RunEvent } from '#shared/events/run-event.ts';
import type { RouteInput, RouteName, RouteOutput } from '#shared/ipc/routes.ts';
import type { TopicMessage, TopicName } from '#shared/ipc/topics.ts';
import { ProblemError } from '#shared/problem.ts';
import { DEFAULT_SETTINGS } from '#shared/settings/settings.ts';
import { agentDetails, agents } from './fixtures/agents.ts';
import { importPreview } from './fixtures/imports.ts';
import { libraryRoutesOver, libraryState, manyState } from './library-scenario.ts';
import { readyEngine, missingEngine, failedImage } from './fixtures/engine.ts';
import { outputFiles, type FixtureFile } from './fixtures/files.ts';
import { damagedVault, models, openVault, lockedVault, lockedModels } from './fixtures/models.ts';
import { records, runDetail, summaries } from './fixtures/runs.ts';
import { callsOf, spilledFiles } from './fixtures/service-run.ts';

/** All that a page can be told. */
export interface Scenario {
  readonly connection: 'connecting' | 'open' | 'closed';
  readonly topics: { [T in Exclude<TopicName, 'run'>]?: TopicMessage<T> };
  readonly routes: {
    [R in RouteName]?: (input: RouteInput<R>) => RouteOutput<R> | Promise<RouteOutput<R>>;
  };
  readonly records: Readonly<
    Record<string, { readonly events: readonly RunEvent[]; readonly live?: number }>
  >;
  readonly files: Readonly<Record<string, FixtureFile>>;
}

const full: Scenario = {
  connection: 'open',
  topics: {
    engine: readyEngine,
    models,
    vault: openVault,
    settings: DEFAULT_SETTINGS,
    library: { agents },
    packages: libraryState,
    runs: { kind: 'reset', runs: summaries },
    connections: { connections: [], flows: [], uses: {} },
  },
  routes: {
    'app.describe': () => ({
      version: '0.1.0',
      shell: 'browser',
      platform: 'linux',
      nodeVersion: '24.22.3',
      dataDirectory: '/home/ada/.local/share/slipway',
      canReveal: false,
    }),
    'library.get': ({ agentId }) => {
      const detail = agentDetails[agentId];
      if (detail) return detail;
      throw new ProblemError({
        code: 'agent_unknown',
        title: 'Unknown agent',
        detail: `There is no agent “${agentId}” in the library.`,
      });
    },
    ...libraryRoutesOver(importPreview),
    'connections.requirements': () => ({ isReady: true, integrations: [] }),
    'engine.look': async () => {
      await new Promise((resolve) => setTimeout(resolve, 600));
      return readyEngine;
    },
    'models.test': async ({ kind }) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      if (kind === 'openai-compatible') {
        throw new ProblemError({
          code: 'model_unreachable',
          title: 'The server does not answer',
          detail: 'http://127.0.0.1:8000/v1/models refused the connection.',
          action: 'Start the server, or correct its address.',
        });
      }
      return { models: models.providers[1]?.models ?? [], latencyMs: 184 };
    },
    'settings.update': (change) => ({ ...DEFAULT_SETTINGS, ...change }) as typeof DEFAULT_SETTINGS,
    'runs.start': () => ({ runId: 'run-live' }),
    'runs.stop': async () => {
      await new Promise((resolve) => setTimeout(resolve, 800));
      return {};
    },
    'runs.remove': () => ({}),
    'runs.list': () => ({ runs: [], hasMore: false }),
    'runs.get': ({ runId }) => runDetail(runId),
    'runs.calls': ({ filter = {}, after = 0, limit = 200 }) => callsOf(filter, { after, limit }),
    'runs.readText': ({ path, limit, folder }) => {
      const file =
        folder === 'resources' ? spilledFiles[path as keyof typeof spilledFiles] : outputFiles[path];
      const text = file?.text ?? '';
      return {
        text: text.slice(0, limit),
        size: text.length,
        truncated: text.length > limit,
        binary: file?.text === undefined,
      };
    },
  },
  records,
  files: outputFiles,
};

const scenarios: Readonly<Record<string, Scenario>> = {
  full,
  empty: {
    ...full,
    topics: {
      ...full.topics,
      library: { agents: [] },
      packages: { packages: [], watches: [] },
      runs: { kind: 'reset', runs: [] },
    },
  },
  many: { ...full, topics: { ...full.topics, packages: manyState } },
  loading: { ...full, topics: {}, routes: {} },
  'no-engine': { ...full, topics: { ...full.topics, engine: missingEngine } },
  'image-failed': { ...full, topics: { ...full.topics, engine: failedImage } },
  'vault-locked': { ...full, topics: { ...full.topics, vault: lockedVault, models: lockedModels } },
  'vault-moved': { ...full, topics: { ...full.topics, vault: damagedVault, models: lockedModels } },
  offline: { ...full, connection: 'connecting' },
  refused: {
    ...full,
    routes: {
      ...full.routes,
      'runs.start': () => {
        throw new ProblemError({
          code: 'input_invalid',
          title: 'The input does not fit',
          detail: 'Two fields of the input are not as the agent wants them.',
          causes: [
            { code: 'value_invalid', detail: '"title" must have at most 80 characters.', pointer: '/title' },
            { code: 'file_missing', detail: 'A file for "csv" is missing.', pointer: '/csv' },
            { code: 'disk', detail: 'The disk has 12 MB left; 40 MB are needed.' },
          ],
        });
      },
    },
  },
};

/** The scenario of a name. @throws Error when there is none. */
export function scenarioOf(name: string): Scenario {
  const scenario = scenarios[name];
  if (!scenario) throw new Error(`There is no scenario "${name}"`);
  return scenario;
}
