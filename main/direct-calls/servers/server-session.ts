import {
  CallToolResultSchema,
  GetPromptResultSchema,
  PromptListChangedNotificationSchema,
  ReadResourceResultSchema,
  ResourceListChangedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { listPages, type ListMethod } from '#main/sidecar/mcp-servers/list-pages.ts';
import { isSessionLost, isTimeout, serverProblem } from '#main/sidecar/mcp-servers/server-failure.ts';
import {
  detached,
  ServerLink,
  type ServerRoot,
  type ServerTransport,
} from '#main/sidecar/mcp-servers/server-link.ts';
import type {
  ServerIdentity,
  ServerList,
  ServerRequest,
  ServerSession as ShownSession,
} from '#shared/ipc/server-routes.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import { cleanText } from '#shared/mcp/hidden-text.ts';
import { cleanTools } from '#shared/mcp/server-tool.ts';
import { ProblemError, toProblem, type Problem } from '#shared/problem.ts';
import { cutText } from '#shared/text/cut-text.ts';
import { LoggedTransport } from './logged-transport.ts';
import { ProtocolLog } from './protocol-log.ts';
import type { ServerItems } from './server-service.ts';

/** A way to the server that was opened for one session, and ends with it. */
export interface ServerReach extends AsyncDisposable {
  openTransport(signal: AbortSignal): ServerTransport | Promise<ServerTransport>;
  readonly roots?: readonly ServerRoot[] | undefined;
}

export interface ServerSessionOptions {
  readonly id: string;
  readonly subject: string;
  readonly connectionId: string | undefined;
  /** Names the server in what a person reads. */
  readonly displayName: string;
  /** Makes what the server is reached by; a container may have to be started for it. */
  readonly reach: (hooks: ReachHooks, signal: AbortSignal) => Promise<ServerReach>;
  /** Milliseconds for one request. */
  readonly callMs: number;
  /** Takes known secrets out of the log. */
  readonly redact: (text: string) => string;
  readonly onChange: () => void;
  readonly times?: Partial<SessionTimes>;
}

export interface ReachHooks {
  readonly onPhase: (phase: string) => void;
  readonly onNote: (about: string, text: string) => void;
}

/** Milliseconds. */
export interface SessionTimes {
  /** Without a request, after which the session is closed. */
  readonly idleMs: number;
  /** Without a page that shows it. */
  readonly lingerMs: number;
  /** From the opened way to the end of the greeting. */
  readonly greetMs: number;
}

const DEFAULT_TIMES: SessionTimes = { idleMs: 15 * 60_000, lingerMs: 2 * 60_000, greetMs: 30_000 };
/** Milliseconds in which all that a server says of a changed list is told once. */
const CHANGE_PAUSE_MS = 300;
/** Milliseconds for telling a server with sessions that this one is over. */
const FAREWELL_MS = 2_000;
const INSTRUCTIONS_BYTES = 64 * 1024;
const NAME_BYTES = 500;
/** Characters of what a server says it can as JSON; longer, only which abilities they are is told. */
const CAPABILITIES_CHARACTERS = 64 * 1024;
/** Abilities that are told by their name alone. */
const MAX_CAPABILITIES = 50;

const LISTS = {
  tools: { method: 'tools/list', capability: 'tools' },
  prompts: { method: 'prompts/list', capability: 'prompts' },
  resources: { method: 'resources/list', capability: 'resources' },
  templates: { method: 'resources/templates/list', capability: 'resources' },
} as const satisfies Record<ServerList, { method: ListMethod; capability: string }>;

/** One connection to an MCP server that a person opened, with all that was said over it. */
export class ServerSession implements AsyncDisposable {
  readonly log: ProtocolLog;
  readonly #options: ServerSessionOptions;
  readonly #times: SessionTimes;
  readonly #ended = new AbortController();
  readonly #stack = new AsyncDisposableStack();
  readonly #logListeners = new Set<() => void>();
  readonly #changed = new Set<ServerList>();
  #shown: ShownSession;
  #reach: ServerReach | undefined;
  #link: ServerLink | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #lingerTimer: NodeJS.Timeout | undefined;
  #changeTimer: NodeJS.Timeout | undefined;
  #opening: Promise<ServerIdentity> | undefined;
  #lastUsedAt = Date.now();
  #watchers = 0;
  #busy = 0;
  #closing: Promise<void> | undefined;

  constructor(options: ServerSessionOptions) {
    this.#options = options;
    this.#times = { ...DEFAULT_TIMES, ...options.times };
    this.log = new ProtocolLog({
      redact: options.redact,
      onEntry: () => {
        for (const listener of this.#logListeners) listener();
      },
    });
    const { id, subject, connectionId } = options;
    this.#shown = {
      id,
      subject,
      ...(connectionId !== undefined && { connectionId }),
      state: 'connecting',
      openedAt: Date.now(),
      listRevisions: { tools: 0, prompts: 0, resources: 0, templates: 0 },
    };
  }

  get shown(): ShownSession {
    return this.#shown;
  }

  /** Milliseconds since the epoch; who was not used for longest gives way when there are too many. */
  get lastUsedAt(): number {
    return this.#lastUsedAt;
  }

  onEntry(listener: () => void): () => void {
    this.#logListeners.add(listener);
    return () => this.#logListeners.delete(listener);
  }

  /** Says that a page shows the session; without any for a while it is closed. */
  watch(): Disposable {
    this.#watchers += 1;
    clearTimeout(this.#lingerTimer);
    return {
      [Symbol.dispose]: () => {
        this.#watchers -= 1;
        if (this.#watchers === 0) this.#linger();
      },
    };
  }

  /** Connects and says hello; what goes wrong becomes the state. Never rejects. */
  async connect(): Promise<void> {
    if (this.#ended.signal.aborted) return;
    this.#linger();
    this.#opening = this.#open();
    try {
      const server = await this.#opening;
      this.#ended.signal.throwIfAborted();
      const { phase: _phase, ...shown } = this.#shown;
      this.#shown = { ...shown, state: 'connected', server };
      this.#touch();
      this.#options.onChange();
    } catch (error) {
      const reason = this.#ended.signal.aborted ? undefined : this.#problemOf(error);
      await this.close(reason);
    }
  }

  async #open(): Promise<ServerIdentity> {
    const { signal } = this.#ended;
    const hooks: ReachHooks = {
      onPhase: (phase) => this.#change({ phase }),
      onNote: (about, text) => this.log.note(about, text),
    };
    // Whoever closes waits for this, so that what was just started is ended too.
    this.#reach = this.#stack.use(await this.#options.reach(hooks, signal));
    signal.throwIfAborted();
    return this.#greet(this.#reach, signal);
  }

  /**
   * All pages of a list, cleaned of what a person would not see.
   * @throws ProblemError, or what the signal was aborted with
   */
  async list(list: ServerList, signal: AbortSignal): Promise<ServerItems> {
    const { method, capability } = LISTS[list];
    if (this.#shown.server && !(capability in this.#shown.server.capabilities)) {
      return { items: [], pages: 0, refused: [] };
    }
    const { displayName: name } = this.#options;
    const { items, pages } = await this.#ask(signal, ({ client }, own, timeoutMs) =>
      listPages(client, method, { name, signal: own, timeoutMs }),
    );
    if (list === 'tools') {
      const { tools, refused } = cleanTools(items);
      return {
        items: tools.map((tool) => ({ ...tool })),
        pages,
        refused: refused.map((each) => ({ ...each })),
      };
    }
    return { items: items.filter(isRecord).map(cleanItem), pages, refused: [] };
  }

  /** Asks the server. @throws ProblemError, or what the signal was aborted with */
  async request(
    request: ServerRequest,
    signal: AbortSignal,
  ): Promise<{ result: Record<string, unknown>; durationMs: number }> {
    const startedAt = performance.now();
    const result = await this.#ask<Record<string, unknown>>(signal, ({ client }, own, milliseconds) => {
      const timing = {
        signal: own,
        timeout: milliseconds,
        maxTotalTimeout: milliseconds,
        // Asks for progress, which is seen in the log.
        onprogress: () => undefined,
      };
      switch (request.kind) {
        case 'tool': {
          const params = { name: request.name, arguments: request.arguments };
          return client.request({ method: 'tools/call', params }, CallToolResultSchema, timing);
        }
        case 'prompt': {
          const params = { name: request.name, arguments: request.arguments };
          return client.request({ method: 'prompts/get', params }, GetPromptResultSchema, timing);
        }
        case 'resource': {
          const params = { uri: request.uri };
          return client.request({ method: 'resources/read', params }, ReadResourceResultSchema, timing);
        }
      }
    });
    return { result, durationMs: performance.now() - startedAt };
  }

  /** Ends the connection and all that was started for it; the log stays. Safe to repeat. */
  close(problem?: Problem): Promise<void> {
    this.#closing ??= this.#close(problem);
    return this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    this.#logListeners.clear();
  }

  async #close(problem: Problem | undefined): Promise<void> {
    for (const timer of [this.#idleTimer, this.#lingerTimer, this.#changeTimer]) clearTimeout(timer);
    this.#ended.abort(new DOMException('The session was closed.', 'AbortError'));
    const link = this.#link;
    this.#link = undefined;
    const { phase: _phase, ...shown } = this.#shown;
    this.#shown = { ...shown, state: 'closed', ...(problem && { problem }) };
    if (problem) this.log.note('closed', `${problem.title}. ${problem.detail}`);
    this.#options.onChange();
    await link?.close(FAREWELL_MS);
    await this.#opening?.catch(() => undefined);
    await this.#stack.disposeAsync();
  }

  async #greet(reach: ServerReach, signal: AbortSignal): Promise<ServerIdentity> {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(this.#times.greetMs)]);
    const transport = new LoggedTransport(await reach.openTransport(deadline), this.log);
    const link: ServerLink = new ServerLink(transport, reach.roots, () => this.#onLinkClosed(link));
    for (const [schema, lists] of [
      [ToolListChangedNotificationSchema, ['tools']],
      [PromptListChangedNotificationSchema, ['prompts']],
      [ResourceListChangedNotificationSchema, ['resources', 'templates']],
    ] as const) {
      link.client.setNotificationHandler(schema, () => this.#noticeChange(lists));
    }
    try {
      await detached(deadline, (own) => link.connect(own));
      signal.throwIfAborted();
      this.#link = link;
      return identityOf(link, transport.protocolVersion);
    } catch (error) {
      await link.close(0);
      signal.throwIfAborted();
      throw serverProblem(
        this.#options.displayName,
        link.failure ?? error,
        deadline.aborted ? this.#times.greetMs : undefined,
      );
    }
  }

  /** Asks once more over a new session when the server has forgotten this one: then nothing was done yet. */
  async #ask<T>(
    signal: AbortSignal,
    ask: (link: ServerLink, own: AbortSignal, timeoutMs: number) => Promise<T>,
  ): Promise<T> {
    this.#busy += 1;
    this.#touch();
    const either = AbortSignal.any([signal, this.#ended.signal]);
    try {
      for (let attempt = 1; ; attempt += 1) {
        const link = this.#link;
        if (link === undefined) throw new ProblemError(notConnected(this.#shown.problem));
        try {
          return await detached(either, (own) => ask(link, own, this.#options.callMs));
        } catch (error) {
          either.throwIfAborted();
          if (attempt > 1 || this.#reach === undefined || !isSessionLost(error, link.hadSession)) {
            throw serverProblem(
              this.#options.displayName,
              link.failure ?? error,
              isTimeout(error) ? this.#options.callMs : undefined,
            );
          }
          this.log.note('session', 'The server has forgotten the session, so another one is begun.');
          this.#link = undefined;
          await link.close(0);
          await this.#greet(this.#reach, this.#ended.signal);
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      if (this.#ended.signal.aborted) throw new ProblemError(notConnected(this.#shown.problem));
      throw error;
    } finally {
      this.#busy -= 1;
      this.#touch();
    }
  }

  #onLinkClosed(link: ServerLink): void {
    if (this.#link !== link || this.#ended.signal.aborted) return;
    const { displayName } = this.#options;
    void this.close(
      link.failure?.problem ?? {
        code: 'mcp_server_gone',
        title: `${displayName} is gone`,
        detail: 'The server ended the connection.',
        action: 'Connect again.',
      },
    );
  }

  #noticeChange(lists: readonly ServerList[]): void {
    for (const list of lists) this.#changed.add(list);
    this.#changeTimer ??= setTimeout(() => {
      this.#changeTimer = undefined;
      const listRevisions = { ...this.#shown.listRevisions };
      for (const list of this.#changed) listRevisions[list] += 1;
      this.#changed.clear();
      this.#change({ listRevisions });
    }, CHANGE_PAUSE_MS);
  }

  #touch(): void {
    this.#lastUsedAt = Date.now();
    clearTimeout(this.#idleTimer);
    if (this.#busy > 0 || this.#ended.signal.aborted) return;
    const { idleMs } = this.#times;
    this.#idleTimer = setTimeout(() => {
      void this.close({
        code: 'server_session_idle',
        title: 'The connection was closed',
        detail: `Nothing was asked for ${Math.round(idleMs / 60_000)} minutes.`,
        action: 'Connect again.',
      });
    }, idleMs);
    this.#idleTimer.unref();
  }

  #linger(): void {
    clearTimeout(this.#lingerTimer);
    if (this.#ended.signal.aborted) return;
    this.#lingerTimer = setTimeout(() => {
      void this.close({
        code: 'server_session_left',
        title: 'The connection was closed',
        detail: 'No page showed it any more.',
        action: 'Connect again.',
      });
    }, this.#times.lingerMs);
    this.#lingerTimer.unref();
  }

  #change(change: Partial<ShownSession>): void {
    if (this.#ended.signal.aborted) return;
    this.#shown = { ...this.#shown, ...change };
    this.#options.onChange();
  }

  #problemOf(error: unknown): Problem {
    const problem = toProblem(error);
    if (problem.code === 'mcp_sign_in_needed' && this.#shown.connectionId === undefined) {
      return {
        code: problem.code,
        title: `${this.#options.displayName} wants you to sign in`,
        detail: 'The server answers only those it knows, and it was asked without an account.',
        action: 'Connect an account: with the browser where the server can say how, else with a key.',
      };
    }
    if (problem.code !== 'internal_error') return problem;
    return {
      code: 'mcp_server_failed',
      title: `${this.#options.displayName} could not be connected to`,
      detail: 'The connection failed in a way that nobody has described yet.',
    };
  }
}

function identityOf({ client }: ServerLink, protocolVersion: string): ServerIdentity {
  const said = client.getServerVersion();
  const instructions = client.getInstructions();
  const title = said?.title;
  return {
    name: shortText(said?.name ?? ''),
    ...(title !== undefined && { title: shortText(title) }),
    version: shortText(said?.version ?? ''),
    protocolVersion,
    ...(instructions !== undefined && {
      instructions: cutText(cleanText(instructions), INSTRUCTIONS_BYTES).text,
    }),
    capabilities: boundedCapabilities(client.getServerCapabilities() ?? {}),
  };
}

/** They are part of a state that is told at each change, so that a server must not make them large. */
function boundedCapabilities(said: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (JSON.stringify(said).length <= CAPABILITIES_CHARACTERS) return { ...said };
  const names = Object.keys(said).slice(0, MAX_CAPABILITIES);
  return Object.fromEntries(names.map((name) => [shortText(name), {}]));
}

function shortText(text: string): string {
  return cutText(cleanText(text).replaceAll(/\s+/g, ' ').trim(), NAME_BYTES).text;
}

/** What is read by people is cleaned; names and addresses are the server's own, to be sent back as they came. */
function cleanItem(item: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(item).map(([key, value]) => [
      key,
      typeof value === 'string' && /^(title|description)$/.test(key) ? cleanText(value) : value,
    ]),
  );
}

function notConnected(reason: Problem | undefined): Problem {
  return (
    reason ?? {
      code: 'server_not_connected',
      title: 'Not connected',
      detail: 'The connection to the server was closed.',
      action: 'Connect again.',
    }
  );
}
