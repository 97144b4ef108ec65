import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { offerTools, type OfferedTool, type WithheldTool } from '#shared/mcp/offered-tools.ts';
import { cleanText } from '#shared/mcp/hidden-text.ts';
import { canonicalText } from '#shared/mcp/server-tool.ts';
import { ProblemError, type Problem } from '#shared/problem.ts';
import type { BoundConnection, RunIntegration, RunServer } from '#shared/protocol/integrations.ts';
import { CALL_ID_META_KEY, TOOL_SOURCE_META_KEY } from '#shared/protocol/mcp.ts';
import { chooseConnection, withConnectionParameter } from '#shared/tools/connection-parameter.ts';
import { cutText } from '#shared/text/cut-text.ts';
import type { Spiller } from '../spill/spiller.ts';
import type { MainLink } from '../stdio.ts';
import { errorResult, type SidecarTool, type ToolCallContext } from '../tool-registry.ts';
import { placeResult } from './server-result.ts';
import { openToolServer, type ToolServer, type ToolServerOptions } from './tool-server.ts';

/** Bytes of the lists of all connections together, well below what main takes in one message. */
const MAX_REVIEW_BYTES = 8 * 1024 * 1024;
const PROGRESS_PAUSE_MS = 250;
const PROGRESS_BYTES = 500;

/** An integration of a run that has a server. */
export type ServedIntegration = RunIntegration & { readonly server: RunServer };

export interface IntegrationServerOptions {
  readonly integration: ServedIntegration;
  /** How the server of one connection is reached. */
  readonly reach: (
    connection: BoundConnection,
  ) => Pick<ToolServerOptions, 'openTransport'> & Partial<Pick<ToolServerOptions, 'roots'>>;
  readonly main: MainLink;
  readonly spiller: Spiller;
  readonly seesImages: boolean;
  readonly callMs: number;
  /** Names without the namespace that the platform's own tools of the integration have. */
  readonly trusted: readonly string[];
}

/** The MCP server of an integration: one for each connection that the run has bound, all with the same tools. */
export class IntegrationServer implements AsyncDisposable {
  readonly tools: readonly SidecarTool[];
  readonly #options: IntegrationServerOptions;
  readonly #servers: ReadonlyMap<string, ToolServer>;

  private constructor(
    options: IntegrationServerOptions,
    servers: ReadonlyMap<string, ToolServer>,
    offered: readonly OfferedTool[],
  ) {
    this.#options = options;
    this.#servers = servers;
    this.tools = offered.map((tool) => options.spiller.watch(new ServerTool(options, servers, tool)));
  }

  /**
   * Opens the servers of all connections, has main hold their tools against what the author accepted, and
   * tells main what is missing.
   * @throws ProblemError when a server cannot be used, or nothing of it can be called
   */
  static async open(options: IntegrationServerOptions, signal: AbortSignal): Promise<IntegrationServer> {
    const { integration } = options;
    await using stack = new AsyncDisposableStack();
    const state: { ready?: IntegrationServer } = {};
    const opened = await Promise.allSettled(
      integration.connections.map(async (connection) => {
        const server = await openToolServer(
          {
            name: nameOf(integration, connection),
            ...options.reach(connection),
            times: { callMs: options.callMs },
            onToolsChanged: () => void state.ready?.review(),
          },
          signal,
        );
        stack.use(server);
        return [connection.id, server] as const;
      }),
    );
    const servers = new Map(
      opened.map((result) => {
        if (result.status === 'rejected') throw result.reason;
        return result.value;
      }),
    );
    const { offered, missing, withheld } = await offer(options, servers);
    const ready = new IntegrationServer(options, servers, offered);
    if (offered.length === 0) throw noTools(integration, withheld);
    for (const tool of missing) warn(options.main, missingTool(integration, tool));
    for (const [connectionId, { refused }] of servers) ready.#tellOfRefused(connectionId, refused);
    if (withheld.length > 0) warn(options.main, changedTools(integration, withheld));
    state.ready = ready;
    stack.move();
    return ready;
  }

  /** After a server has changed its list in the midst of a run: what changed is kept from the model. */
  async review(): Promise<void> {
    const { main, integration } = this.#options;
    try {
      const { withheld } = await offer(this.#options, this.#servers);
      if (withheld.length > 0) warn(main, changedTools(integration, withheld));
    } catch {
      // A tool that is not as it was offered is not called, whether or not main was told.
    }
  }

  #tellOfRefused(connectionId: string, refused: ToolServer['refused']): void {
    const { integration, main } = this.#options;
    const { tools } = integration.server;
    const told = refused.filter(({ name }) => tools === '*' || tools.includes(name));
    const [first] = told;
    if (first === undefined) return;
    const connection = integration.connections.find(({ id }) => id === connectionId);
    warn(main, {
      code: 'mcp_tools_refused',
      title: `${connection === undefined ? integration.displayName : nameOf(integration, connection)} lists tools that cannot be offered`,
      detail: told
        .map(({ name, reason }) => `${name}: ${reason}.`)
        .slice(0, 20)
        .join(' '),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#servers.values()].map((server) => server[Symbol.asyncDispose]()));
  }
}

/** One tool of a server, at whichever connection the model names. */
class ServerTool implements SidecarTool {
  readonly definition: Tool;
  readonly #options: IntegrationServerOptions;
  readonly #servers: ReadonlyMap<string, ToolServer>;
  readonly #offered: OfferedTool;
  /** What each connection's server said of it when it was offered. */
  readonly #accepted: ReadonlyMap<string, string>;

  constructor(
    options: IntegrationServerOptions,
    servers: ReadonlyMap<string, ToolServer>,
    offered: OfferedTool,
  ) {
    this.#options = options;
    this.#servers = servers;
    this.#offered = offered;
    this.#accepted = new Map(
      offered.connectionIds.map((id) => [id, textOf(servers.get(id), offered.definition.name) ?? '']),
    );
    const { definition, name } = offered;
    const { integration } = options;
    const { title, description, inputSchema, outputSchema, annotations } = definition;
    this.definition = {
      name,
      title: `${integration.displayName}: ${title ?? annotations?.['title'] ?? definition.name}`,
      ...(description !== undefined && { description }),
      inputSchema: (integration.connections.length > 1
        ? withConnectionParameter(inputSchema, this.#connections)
        : inputSchema) as Tool['inputSchema'],
      ...(outputSchema !== undefined && { outputSchema: { ...outputSchema } }),
      ...(annotations !== undefined && { annotations: { ...annotations } }),
      _meta: { [TOOL_SOURCE_META_KEY]: 'integration' },
    };
  }

  get #connections(): readonly BoundConnection[] {
    const { connectionIds } = this.#offered;
    return this.#options.integration.connections.filter(({ id }) => connectionIds.includes(id));
  }

  async call(input: unknown, { signal, meta }: ToolCallContext): Promise<CallToolResult> {
    const { integration } = this.#options;
    const serverName = this.#offered.definition.name;
    const chosen = chooseConnection(
      (input ?? {}) as Record<string, unknown>,
      this.#connections,
      integration.connections.length <= 1,
    );
    if (!chosen.ok) return errorResult(`${this.definition.name}: ${chosen.error}`);
    const { connection } = chosen;
    const server = this.#servers.get(connection.id);
    const now = textOf(server, serverName);
    if (server === undefined || now === undefined) {
      return errorResult(`${nameOf(integration, connection)} no longer has the tool ${serverName}.`);
    }
    if (now !== this.#accepted.get(connection.id)) {
      return errorResult(
        `${nameOf(integration, connection)} has changed what its tool ${serverName} says of itself. It is not called until the author has accepted the change in Slipway.`,
      );
    }
    try {
      const result = await server.call(serverName, chosen.input, {
        signal,
        onProgress: progressTo(this.#options.main, meta?.[CALL_ID_META_KEY]),
      });
      return await placeResult(result, {
        spiller: this.#options.spiller,
        seesImages: this.#options.seesImages,
        readResource: (uri) => server.readResource(uri, { signal }),
      });
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      const { title, detail, action } = error.problem;
      return errorResult([`${title}.`, detail, action].filter((part) => part !== undefined).join(' '));
    }
  }
}

/** Tells of progress in the run's record, so often as a person can read it. */
function progressTo(main: MainLink, callId: unknown): ((text: string) => void) | undefined {
  if (typeof callId !== 'string' || callId.length > 200) return undefined;
  let last = Number.NEGATIVE_INFINITY;
  return (text) => {
    const now = performance.now();
    if (now - last < PROGRESS_PAUSE_MS) return;
    last = now;
    const shown = cutText(cleanText(text), PROGRESS_BYTES).text;
    void main.notify('event', { event: { type: 'tool.progress', callId, text: shown } });
  };
}

async function offer(options: IntegrationServerOptions, servers: ReadonlyMap<string, ToolServer>) {
  const { integration, main, trusted } = options;
  const listings = [...servers].map(([connectionId, { tools }]) => ({ connectionId, tools }));
  const review = {
    integrationId: integration.id,
    listings: listings.map(({ connectionId, tools }) => ({
      connectionId,
      tools: tools.map((tool) => ({ ...tool })),
    })),
  };
  // Main ends a run whose messages are larger than any of its program's own.
  if (Buffer.byteLength(JSON.stringify(review)) > MAX_REVIEW_BYTES) throw tooManyTools(integration);
  const { withheld }: { withheld: readonly WithheldTool[] } = await main.request('reviewTools', review);
  const { namespace, server } = integration;
  return offerTools({ namespace, server, listings, withheld, trusted });
}

function tooManyTools({ displayName }: RunIntegration): ProblemError {
  return new ProblemError({
    code: 'mcp_list_too_large',
    title: `${displayName} lists too many tools`,
    detail: `What the servers of its connections list takes more than ${MAX_REVIEW_BYTES / 1024 / 1024} MiB together.`,
    action: 'Ask whoever runs the server, or bind fewer connections.',
  });
}

function textOf(server: ToolServer | undefined, name: string): string | undefined {
  const definition = server?.tools.find((tool) => tool.name === name);
  return definition === undefined ? undefined : canonicalText(definition);
}

function nameOf({ displayName, connections }: RunIntegration, { label }: BoundConnection): string {
  return connections.length > 1 ? `${displayName} (${label})` : displayName;
}

function warn(main: MainLink, problem: Problem): void {
  void main.notify('warning', { problem });
}

function missingTool({ displayName, id }: RunIntegration, tool: string): Problem {
  return {
    code: 'mcp_tool_missing',
    title: 'A chosen tool is not there',
    detail: `The agent has chosen "${tool}" of ${displayName}, but the server does not have it. The run goes on without.`,
    action: `Take it out of the tools of ${id}, or look up what the server calls it now.`,
  };
}

function changedTools({ displayName }: RunIntegration, tools: readonly string[]): Problem {
  return {
    code: 'mcp_tools_changed',
    title: `${displayName} has changed its tools`,
    detail: `What the server says of ${tools.join(', ')} is not what you accepted, so the agent does not have ${tools.length === 1 ? 'it' : 'them'}. A server may change a description to mislead a model.`,
    action: `Look at the change on the page of ${displayName}, and accept it if it is right.`,
  };
}

function noTools(integration: RunIntegration, withheld: readonly string[]): ProblemError {
  const { displayName, id } = integration;
  if (withheld.length > 0) return new ProblemError(changedTools(integration, withheld));
  return new ProblemError({
    code: 'mcp_no_callable_tool',
    title: `${displayName} has no tool for this agent`,
    detail: `The server of ${id} answered, but it has no tool that the agent has chosen and may call.`,
    action: 'Choose its tools in the editor, or remove the dependency.',
    pointer: `/integrations_configuration/${id.replaceAll('~', '~0').replaceAll('/', '~1')}`,
  });
}
