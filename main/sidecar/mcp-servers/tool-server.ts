import { setTimeout as delay } from 'node:timers/promises';
import {
  CallToolResultSchema,
  ReadResourceResultSchema,
  ToolListChangedNotificationSchema,
  type CallToolResult,
  type Progress,
  type ReadResourceResult,
} from '@modelcontextprotocol/sdk/types.js';
import { cleanTools, type RefusedTool, type ServerToolDefinition } from '#shared/mcp/server-tool.ts';
import { listPages } from './list-pages.ts';
import { isPassing, isSessionLost, isTimeout, serverProblem } from './server-failure.ts';
import { detached, ServerLink, type ServerRoot, type ServerTransport } from './server-link.ts';

export interface ToolServerOptions {
  /** Names the server in what a person or a model reads. */
  readonly name: string;
  /**
   * Makes a new way to the server. Called at first, and once more for a call that finds the session or the
   * process of before ended; what it throws fails that call.
   */
  readonly openTransport: (signal: AbortSignal) => ServerTransport | Promise<ServerTransport>;
  readonly times?: Partial<ToolServerTimes>;
  /** Folders the server is told of when it asks; without any it is told that there are none to ask for. */
  readonly roots?: readonly ServerRoot[];
  /** Told after the list has been read again because the server said that it had changed. */
  readonly onToolsChanged?: (server: ToolServer) => void;
}

/** How long a server may take, in milliseconds. */
export interface ToolServerTimes {
  /** From the first connection to the end of the list of tools. */
  readonly openMs: number;
  /** For one call; progress does not lengthen it. */
  readonly callMs: number;
  /** For what is said on leaving. */
  readonly closeMs: number;
}

const DEFAULT_SERVER_TIMES: ToolServerTimes = { openMs: 30_000, callMs: 300_000, closeMs: 2_000 };

export interface ServerCallOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: ((text: string) => void) | undefined;
}

/** A server's tools, wherever it is: on the internet, or in a container whose messages are relayed. */
export interface ToolServer extends AsyncDisposable {
  /** As last listed, cleaned; not yet held against what the author accepted. */
  readonly tools: readonly ServerToolDefinition[];
  readonly refused: readonly RefusedTool[];
  /**
   * Calls a tool by the server's own name for it. A result that says it is an error is a result.
   * @throws ProblemError, or what the signal was aborted with
   */
  call(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    options: ServerCallOptions,
  ): Promise<CallToolResult>;
  /** Reads what a result links to. @throws as {@link call} */
  readResource(uri: string, options: ServerCallOptions): Promise<ReadResourceResult>;
}

/** Milliseconds before the list is read again, however often a server says that it has changed. */
const RELIST_PAUSE_MS = 1_000;
const FIRST_RETRY_MS = 100;

/**
 * Connects to a server, says hello and reads its tools; a connection that cannot be made is tried again
 * while there is time.
 * @throws ProblemError `mcp_…`, or what the signal was aborted with
 */
export async function openToolServer(options: ToolServerOptions, signal: AbortSignal): Promise<ToolServer> {
  const server = new ConnectedToolServer(options);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(server.times.openMs)]);
  try {
    for (let wait = FIRST_RETRY_MS; ; wait *= 2) {
      try {
        await server.open(deadline);
        return server;
      } catch (error) {
        if (!isPassing(error) || deadline.aborted) throw error;
        await delay(wait, undefined, { signal: deadline });
      }
    }
  } catch (error) {
    await server[Symbol.asyncDispose]();
    signal.throwIfAborted();
    throw serverProblem(options.name, error, deadline.aborted ? server.times.openMs : undefined);
  }
}

class ConnectedToolServer implements ToolServer {
  readonly times: ToolServerTimes;
  readonly #options: ToolServerOptions;
  readonly #ended = new AbortController();
  #link: ServerLink | undefined;
  #opening: Promise<ServerLink> | undefined;
  #relisting: Promise<void> | undefined;
  #isListStale = false;
  #tools: readonly ServerToolDefinition[] = [];
  #refused: readonly RefusedTool[] = [];

  constructor(options: ToolServerOptions) {
    this.#options = options;
    this.times = { ...DEFAULT_SERVER_TIMES, ...options.times };
  }

  get tools(): readonly ServerToolDefinition[] {
    return this.#tools;
  }

  get refused(): readonly RefusedTool[] {
    return this.#refused;
  }

  async open(signal: AbortSignal): Promise<void> {
    const link = await this.#connected(signal);
    try {
      await this.#list(link, signal);
    } catch (error) {
      throw link.failure ?? error;
    }
  }

  call(
    tool: string,
    input: Readonly<Record<string, unknown>>,
    options: ServerCallOptions,
  ): Promise<CallToolResult> {
    const request = { method: 'tools/call' as const, params: { name: tool, arguments: { ...input } } };
    return this.#ask((link, timing) => link.client.request(request, CallToolResultSchema, timing), options);
  }

  readResource(uri: string, options: ServerCallOptions): Promise<ReadResourceResult> {
    const request = { method: 'resources/read' as const, params: { uri } };
    return this.#ask(
      (link, timing) => link.client.request(request, ReadResourceResultSchema, timing),
      options,
    );
  }

  /** Asks once more over a new session when the old one is gone: then nothing was done yet. */
  async #ask<T>(
    ask: (link: ServerLink, timing: ReturnType<typeof timingOf>) => Promise<T>,
    options: ServerCallOptions,
  ): Promise<T> {
    const { signal } = options;
    const until = performance.now() + this.times.callMs;
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted();
      const left = Math.max(1, until - performance.now());
      let link: ServerLink | undefined;
      try {
        link = await this.#connected(AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(left))]));
        const open = link;
        return await detached(signal, (own) =>
          ask(open, timingOf({ ...options, signal: own }, Math.max(1, until - performance.now()))),
        );
      } catch (error) {
        signal.throwIfAborted();
        if (link === undefined || attempt > 1 || !isSessionLost(error, link.hadSession)) {
          const reason = link?.failure ?? error;
          throw serverProblem(this.#options.name, reason, isTimeout(reason) ? this.times.callMs : undefined);
        }
        await this.#drop(link);
      }
    }
  }

  /** One connection at a time, which is made for all who wait for it: one of them may give up. */
  async #connected(signal: AbortSignal): Promise<ServerLink> {
    if (this.#link?.isOpen === true) return this.#link;
    this.#opening ??= this.#connect().finally(() => (this.#opening = undefined));
    return untilAborted(this.#opening, signal);
  }

  async #connect(): Promise<ServerLink> {
    const signal = AbortSignal.any([this.#ended.signal, AbortSignal.timeout(this.times.openMs)]);
    signal.throwIfAborted();
    const link = new ServerLink(await this.#options.openTransport(signal), this.#options.roots);
    const giveUp = () => void link.close(0);
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      link.client.setNotificationHandler(ToolListChangedNotificationSchema, () => this.#relist(link));
      await detached(signal, (own) => link.connect(own));
      signal.throwIfAborted();
      this.#link = link;
      return link;
    } catch (error) {
      await link.close(0);
      signal.throwIfAborted();
      throw link.failure ?? error;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  async #list({ client }: ServerLink, signal: AbortSignal): Promise<void> {
    const { items } = await listPages(client, 'tools/list', {
      name: this.#options.name,
      signal,
      timeoutMs: this.times.openMs,
    });
    const { tools, refused } = cleanTools(items);
    this.#tools = tools;
    this.#refused = refused;
  }

  /** Reads the list again, once for all that is said while it is read. */
  async #relist(link: ServerLink): Promise<void> {
    this.#isListStale = true;
    this.#relisting ??= this.#relistUntilFresh(link).finally(() => (this.#relisting = undefined));
    await this.#relisting;
  }

  async #relistUntilFresh(link: ServerLink): Promise<void> {
    const { signal } = this.#ended;
    while (this.#isListStale && !signal.aborted && this.#link === link && link.isOpen) {
      this.#isListStale = false;
      try {
        await delay(RELIST_PAUSE_MS, undefined, { signal, ref: false });
        await this.#list(link, AbortSignal.any([signal, AbortSignal.timeout(this.times.openMs)]));
        this.#options.onToolsChanged?.(this);
      } catch {
        // The list of before stays; a call that is no longer possible will say so.
      }
    }
  }

  async #drop(link: ServerLink): Promise<void> {
    if (this.#link === link) this.#link = undefined;
    await link.close(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort(new DOMException('The server is no longer needed.', 'AbortError'));
    const link = this.#link;
    this.#link = undefined;
    await link?.close(this.times.closeMs);
    await this.#opening?.catch(() => undefined);
  }
}

function timingOf({ signal, onProgress }: ServerCallOptions, milliseconds: number) {
  return {
    signal,
    timeout: milliseconds,
    maxTotalTimeout: milliseconds,
    ...(onProgress && {
      onprogress: ({ message, progress, total }: Progress) =>
        onProgress(message ?? (total === undefined ? `${progress}` : `${progress} of ${total}`)),
    }),
  };
}

/** Stops waiting when nobody wants the outcome any more; the work itself goes on for others. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined);
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason as Error);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
