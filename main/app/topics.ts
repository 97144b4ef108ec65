import { randomBytes } from 'node:crypto';
import type { Application } from '#main/app/application.ts';
import { topics, type TopicMessage, type TopicName, type TopicParameters } from '#shared/ipc/topics.ts';
import { ProblemError } from '#shared/problem.ts';
import { connectionStateOf } from './connection-routes.ts';
import { invalidRequest } from './invalid-request.ts';
import { followMemory } from './memory-topic.ts';
import { followRun } from './run-topic.ts';
import { followServerLog } from './server-log-topic.ts';
import { RunListFeed } from './run-list-feed.ts';
import { StateFeed } from './state-feed.ts';

/** One message of a topic with the cursor that stands for all that was said up to it. */
export interface TopicUpdate<T extends TopicName = TopicName> {
  readonly cursor: string;
  readonly data: TopicMessage<T>;
}

/**
 * A topic is pulled: the next update is made when the last one was taken, so that a slow carrier gets the
 * newest state instead of a queue of stale ones.
 */
type Sources = {
  [T in TopicName]: (
    parameters: TopicParameters<T>,
    after: string | undefined,
    signal: AbortSignal,
  ) => AsyncIterable<TopicUpdate<T>>;
};

/** The topics of the contract, bound to services. */
export interface TopicBinding extends Disposable {
  /**
   * Updates after the cursor, or all that is known when there is none or it is not of this process.
   * Ends when the signal aborts or the topic's subject is gone.
   * @throws ProblemError `topic_unknown`, `request_invalid`.
   */
  open(
    topic: string,
    parameters: unknown,
    after: string | undefined,
    signal: AbortSignal,
  ): AsyncIterable<TopicUpdate>;
}

/** Binds every topic of the contract to the app's services. */
export function bindTopics(application: Application, checkOutputs: boolean): TopicBinding {
  const { connections, engines, library, models, packages, playground, runs, secrets, servers, settings } =
    application;
  // Tells this process's revisions from those of one before it.
  const epoch = randomBytes(6).toString('base64url');
  const engineFeed = new StateFeed(
    epoch,
    () => engines.report,
    (listener) => engines.onReport(listener),
  );
  const modelFeed = new StateFeed(
    epoch,
    () => models.list(),
    (listener) => models.onChange(listener),
  );
  const vaultFeed = new StateFeed(
    epoch,
    () => secrets.state,
    (listener) => secrets.onState(listener),
  );
  const settingsFeed = new StateFeed(
    epoch,
    () => settings.get(),
    (listener) => settings.onChange(listener),
  );
  const libraryFeed = new StateFeed(
    epoch,
    async () => ({ agents: await library.list() }),
    (listener) => library.onChange((agents) => listener({ agents })),
  );
  const packageFeed = new StateFeed(
    epoch,
    () => packages.state(),
    (listener) => packages.onChange(listener),
  );
  const connectionFeed = new StateFeed(
    epoch,
    () => connectionStateOf(connections),
    (listener) => connections.onState(() => listener(connectionStateOf(connections))),
  );
  const playgroundFeed = new StateFeed(
    epoch,
    () => playground.state(),
    (listener) => playground.onState(listener),
  );
  const serverFeed = new StateFeed(
    epoch,
    () => servers.state(),
    (listener) => servers.onState(listener),
  );
  const runFeed = new RunListFeed(epoch, runs);

  const sources: Sources = {
    engine: (_, after, signal) => engineFeed.follow(after, signal),
    models: (_, after, signal) => modelFeed.follow(after, signal),
    vault: (_, after, signal) => vaultFeed.follow(after, signal),
    settings: (_, after, signal) => settingsFeed.follow(after, signal),
    packages: (_, after, signal) => packageFeed.follow(after, signal),
    connections: (_, after, signal) => connectionFeed.follow(after, signal),
    playground: (_, after, signal) => playgroundFeed.follow(after, signal),
    servers: (_, after, signal) => serverFeed.follow(after, signal),
    serverLog: ({ sessionId }, after, signal) => followServerLog(servers, sessionId, after, signal),
    library: (_, after, signal) => libraryFeed.follow(after, signal),
    memory: ({ agentId }, after, signal) => followMemory(application.memory, agentId, after, signal),
    runs: (_, after, signal) => runFeed.follow(after, signal),
    run: ({ runId }, after, signal) => followRun(runs, runId, after, signal),
  };

  return {
    open(topic, parameters, after, signal) {
      if (!isTopicName(topic)) throw new ProblemError(unknownTopic(topic));
      const parsed = topics[topic].parameters.safeParse(parameters);
      if (!parsed.success) throw new ProblemError(invalidRequest(topic, parsed.error));
      // The compiler cannot see that the source and the parsed parameters come from one and the same topic.
      const source = sources[topic] as (
        parameters: unknown,
        after: string | undefined,
        signal: AbortSignal,
      ) => AsyncIterable<TopicUpdate>;
      const updates = source(parsed.data, after, signal);
      return checkOutputs ? checked(topic, updates) : updates;
    },
    [Symbol.dispose]() {
      const states = [
        engineFeed,
        modelFeed,
        vaultFeed,
        settingsFeed,
        libraryFeed,
        packageFeed,
        connectionFeed,
        playgroundFeed,
        serverFeed,
      ];
      for (const feed of [...states, runFeed]) feed[Symbol.dispose]();
    },
  };
}

function isTopicName(name: string): name is TopicName {
  return Object.hasOwn(topics, name);
}

function unknownTopic(topic: string) {
  return {
    code: 'topic_unknown',
    title: 'Unknown topic',
    detail: `This version of Slipway has no topic "${topic.slice(0, 100)}".`,
    action: 'Reload the window; the page may be older than the app.',
  };
}

async function* checked(topic: TopicName, updates: AsyncIterable<TopicUpdate>): AsyncGenerator<TopicUpdate> {
  for await (const update of updates) {
    topics[topic].message.parse(update.data);
    yield update;
  }
}
