import { createStore, type StoreApi } from 'zustand/vanilla';
import type { EngineReport } from '#shared/engines/engine-report.ts';
import type { IpcClient } from '#shared/ipc/client.ts';
import type { ShellBridge } from '#shared/ipc/frames.ts';
import type { LibraryState } from '#shared/ipc/library-routes.ts';
import type { AgentSummary, VaultState } from '#shared/ipc/routes.ts';
import type { TopicMessage, TopicName, TopicParameters } from '#shared/ipc/topics.ts';
import type { Problem } from '#shared/problem.ts';
import type { RunSummary } from '#shared/runs/run.ts';
import type { Settings } from '#shared/settings/settings.ts';

export type ConnectionState = 'connecting' | 'open' | 'closed';

/** What main has told so far; a part is `undefined` until its first message came. */
export interface AppState {
  readonly connection: ConnectionState;
  readonly engine: EngineReport | undefined;
  readonly models: TopicMessage<'models'> | undefined;
  readonly vault: VaultState | undefined;
  readonly settings: Settings | undefined;
  readonly agents: readonly AgentSummary[] | undefined;
  /** Packages of every kind, and the folders that are followed. */
  readonly library: LibraryState | undefined;
  /** By id. */
  readonly runs: ReadonlyMap<string, RunSummary> | undefined;
  /** The author's accounts at services, the sign-ins under way, and which agents chose an account. */
  readonly connections: TopicMessage<'connections'> | undefined;
  /** Topics that main refused or ended, and why. */
  readonly failures: ReadonlyMap<TopicName, Problem>;
}

export type AppStore = StoreApi<AppState>;

/** A store of which nothing is known yet. */
export function createAppStore(): AppStore {
  return createStore<AppState>(() => ({
    connection: 'connecting',
    engine: undefined,
    models: undefined,
    vault: undefined,
    settings: undefined,
    agents: undefined,
    library: undefined,
    runs: undefined,
    connections: undefined,
    failures: new Map(),
  }));
}

/** Keeps the store at what main says until disposed. */
export function followApp(store: AppStore, client: IpcClient, bridge: ShellBridge): Disposable {
  const stops: (() => void)[] = [bridge.onState((connection) => store.setState({ connection }))];

  function follow<T extends Exclude<TopicName, 'run'>>(topic: T, take: (message: TopicMessage<T>) => void) {
    const onClosed = (problem: Problem | undefined) => {
      const failures = new Map(store.getState().failures);
      failures.set(topic, problem ?? topicEnded(topic));
      store.setState({ failures });
    };
    // The compiler cannot see that every topic but a run's takes no parameters.
    stops.push(client.subscribe(topic, {} as TopicParameters<T>, take, onClosed));
  }

  follow('engine', (engine) => store.setState({ engine }));
  follow('models', (models) => store.setState({ models }));
  follow('vault', (vault) => store.setState({ vault }));
  follow('settings', (settings) => store.setState({ settings }));
  follow('library', ({ agents }) => store.setState({ agents }));
  follow('packages', (library) => store.setState({ library }));
  follow('connections', (connections) => store.setState({ connections }));
  follow('runs', (message) => store.setState(({ runs }) => ({ runs: mergeRuns(runs, message) })));

  return {
    [Symbol.dispose]: () => {
      for (const stop of stops) stop();
    },
  };
}

/** The runs after a message of the topic. */
export function mergeRuns(
  known: ReadonlyMap<string, RunSummary> | undefined,
  message: TopicMessage<'runs'>,
): ReadonlyMap<string, RunSummary> {
  const runs = new Map(message.kind === 'reset' ? [] : known);
  for (const run of message.runs) runs.set(run.id, run);
  if (message.kind === 'changed') for (const id of message.removed) runs.delete(id);
  return runs;
}

/** Runs with the newest first. */
export function newestFirst(runs: Iterable<RunSummary>): RunSummary[] {
  return [...runs].sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
}

function topicEnded(topic: TopicName): Problem {
  return {
    code: 'topic_ended',
    title: 'Slipway stopped telling about changes',
    detail: `The stream "${topic}" was ended by the app.`,
    action: 'Reload the window.',
  };
}
