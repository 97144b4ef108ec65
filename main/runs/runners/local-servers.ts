import { setTimeout as delay } from 'node:timers/promises';
import type { Engine, Mount } from '#main/engines/engine.ts';
import type { Logger } from '#main/logging/logger.ts';
import type { Launch } from '#shared/mcp-bundle/launch.ts';
import type { McpServerManifest } from '#shared/manifest/model/mcp-server.ts';
import { ProblemError } from '#shared/problem.ts';
import type { Peer } from '#shared/protocol/peer.ts';
import type { sidecarMainSide, sidecarSide } from '#shared/protocol/sidecar.ts';
import type { Bundle } from './bundle-archive.ts';
import { ServerRunner } from './server-runner.ts';

/** Times that a server is started again after it ended by itself, and milliseconds before each. */
const RESTART_PAUSES_MS = [0, 1_000, 4_000];

/** A local server as a run starts it. */
export interface LocalServerPlan {
  /** The connection it is for: each has a server of its own. */
  readonly connectionId: string;
  /** For people: the integration, and the connection where there are several. */
  readonly displayName: string;
  readonly bundle: Bundle;
  /** Made when it is started: a credential may have changed since. @throws ProblemError */
  launch(signal: AbortSignal): Promise<Launch>;
  /** How the server sees the run's workspace; undefined when it did not ask for it. */
  readonly workspace: McpServerManifest['workspace'];
}

export interface LocalServersOptions {
  readonly engine: Engine;
  readonly image: string;
  readonly runId: string;
  /**
   * Names of the volumes with the run's workspace and with the socket of the proxy that servers get out by;
   * absent where the run's pair is on another engine.
   */
  readonly shared?: { readonly workspace: string; readonly egress: string };
  readonly logger: Logger;
  /** A line that a server wrote for people. */
  readonly onLog: (server: LocalServerPlan, line: string) => void;
  /** A server runs; `durationMs` since its start was asked for. */
  readonly onStarted: (server: LocalServerPlan, durationMs: number) => void;
  /** A server ended that nobody had ended. */
  readonly onEnded: (server: LocalServerPlan, detail: string) => void;
  /** Pauses before restarts; shorter ones in tests. */
  readonly restartPausesMs?: readonly number[];
}

/** The end of a sidecar's channel that main has, as far as servers need it. */
export type SidecarPeer = Pick<
  Peer<typeof sidecarMainSide, typeof sidecarSide, AbortSignal>,
  'handle' | 'notify' | 'on'
>;

/** The local MCP servers of one run: starts them at once, relays what they say, and starts again what crashed. */
export class LocalServers implements AsyncDisposable {
  readonly #abort = new AbortController();
  readonly #servers: ReadonlyMap<string, SupervisedServer>;
  readonly #channels = new Map<number, SupervisedServer>();
  #disposal: Promise<void> | undefined;

  constructor(plans: readonly LocalServerPlan[], options: LocalServersOptions) {
    this.#servers = new Map(
      plans.map((plan) => [plan.connectionId, new SupervisedServer(plan, options, this.#abort.signal)]),
    );
  }

  /** Begins to start all of them, before anybody asks: what fails is told to who asks first. */
  begin(): void {
    for (const server of this.#servers.values()) server.begin();
  }

  /** Answers the sidecar until the returned is called. */
  serve(peer: SidecarPeer): Disposable {
    const stack = new DisposableStack();
    peer.handle('openServer', async ({ connectionId, channel }, signal) => {
      const server = this.#servers.get(connectionId);
      if (server === undefined) throw foreignServer();
      await server.open(
        {
          message: (message) => peer.notify('serverMessage', { channel, message }),
          ended: (detail) => {
            this.#channels.delete(channel);
            void peer.notify('serverEnded', { channel, detail });
          },
        },
        signal,
      );
      this.#channels.set(channel, server);
      return {};
    });
    stack.defer(
      peer.on('serverMessage', ({ channel, message }) => this.#channels.get(channel)?.send(message)),
    );
    stack.defer(
      peer.on('closeServer', ({ channel }) => {
        const server = this.#channels.get(channel);
        this.#channels.delete(channel);
        server?.close();
      }),
    );
    return stack;
  }

  /** Ends and removes all of them. Safe to repeat. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#disposal ??= (async () => {
      this.#abort.abort(new DOMException('The run is over.', 'AbortError'));
      await Promise.all([...this.#servers.values()].map((server) => server.remove()));
    })();
    return this.#disposal;
  }
}

/** Who listens to a server at present. */
interface Listener {
  message(message: string): Promise<void>;
  ended(detail: string): void;
}

/** A server that runs, and who hears it at present. */
interface Started {
  readonly runner: ServerRunner;
  listener: Listener | undefined;
}

/** One server over all its starts. */
class SupervisedServer {
  readonly #plan: LocalServerPlan;
  readonly #options: LocalServersOptions;
  readonly #signal: AbortSignal;
  /** The start that is under way or done, and that nobody has taken yet. */
  #next: Promise<Started> | undefined;
  #current: Started | undefined;
  #starts = 0;
  #lastEnd = '';
  readonly #removals = new Set<Promise<void>>();

  constructor(plan: LocalServerPlan, options: LocalServersOptions, signal: AbortSignal) {
    this.#plan = plan;
    this.#options = options;
    this.#signal = signal;
  }

  begin(): void {
    this.#next ??= this.#start();
    this.#next.catch(() => undefined);
  }

  /** Gives a running server to a listener; one that another had is ended. */
  async open(listener: Listener, signal: AbortSignal): Promise<void> {
    this.close();
    this.begin();
    const started = await this.#next;
    this.#next = undefined;
    if (started === undefined) return;
    if (signal.aborted || this.#signal.aborted) {
      this.#discard(started);
      AbortSignal.any([signal, this.#signal]).throwIfAborted();
    }
    this.#current = started;
    started.listener = listener;
    void started.runner.ended.then((detail) => {
      if (this.#current !== started) return;
      this.#current = undefined;
      this.#lastEnd = detail;
      this.#discard(started);
      if (!this.#signal.aborted) this.#options.onEnded(this.#plan, detail);
      listener.ended(`${this.#plan.displayName} ended. ${detail}`);
    });
  }

  send(message: string): void {
    this.#current?.runner.send(message);
  }

  close(): void {
    const started = this.#current;
    this.#current = undefined;
    if (started !== undefined) this.#discard(started);
  }

  async remove(): Promise<void> {
    const next = this.#next;
    this.#next = undefined;
    this.close();
    const late = await next?.catch(() => undefined);
    if (late !== undefined) this.#discard(late);
    await Promise.all(this.#removals);
  }

  async #start(): Promise<Started> {
    const pauses = this.#options.restartPausesMs ?? RESTART_PAUSES_MS;
    const restart = this.#starts - 1;
    if (restart >= pauses.length) throw gaveUp(this.#plan.displayName, this.#starts, this.#lastEnd);
    this.#starts += 1;
    try {
      if (restart >= 0) await delay(pauses[restart], undefined, { signal: this.#signal });
      const began = performance.now();
      const { engine, image, runId } = this.#options;
      let started: Started | undefined;
      const runner = await ServerRunner.start(
        {
          engine,
          image,
          runId,
          displayName: this.#plan.displayName,
          bundle: this.#plan.bundle,
          launch: await this.#plan.launch(this.#signal),
          workspace: this.#mount(),
          egress: this.#options.shared?.egress,
          onMessage: async (message) => started?.listener?.message(message),
          onLog: (line) => this.#options.onLog(this.#plan, line),
        },
        this.#signal,
      );
      this.#options.onStarted(this.#plan, performance.now() - began);
      started = { runner, listener: undefined };
      return started;
    } catch (error) {
      this.#next = undefined;
      throw error;
    }
  }

  #mount(): Mount | undefined {
    const { workspace } = this.#plan;
    const volume = this.#options.shared?.workspace;
    if (workspace === undefined || volume === undefined) return undefined;
    return {
      volume,
      path: workspace.mount,
      readOnly: workspace.access === 'ro',
    };
  }

  #discard(started: Started): void {
    started.listener = undefined;
    const removal = started.runner
      .remove()
      .catch((error: unknown) =>
        this.#options.logger.warn(
          { error, server: this.#plan.displayName },
          'A local server was not removed whole',
        ),
      )
      .finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
  }
}

function foreignServer(): ProblemError {
  return new ProblemError({
    code: 'server_unknown',
    title: 'Not a server of this run',
    detail: 'The run has no such local server.',
  });
}

function gaveUp(name: string, starts: number, lastEnd: string): ProblemError {
  return new ProblemError({
    code: 'local_server_gave_up',
    title: `${name} keeps ending`,
    detail: `The server was started ${starts} times in this run and ended each time. ${lastEnd}`.trim(),
    action: 'Look at what it wrote in the run, and correct its settings or its package.',
  });
}
