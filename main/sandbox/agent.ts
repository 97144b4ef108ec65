import { join } from 'node:path';
import type { AgentSession, ToolDefinition } from '@earendil-works/pi-coding-agent';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import type { ToolSource } from '#shared/events/run-event.ts';
import { ProblemError } from '#shared/problem.ts';
import { OUTPUTS_FOLDER } from '#shared/protocol/layout.ts';
import type { OfferedTool, PromptOutcome, SandboxConfiguration } from '#shared/protocol/sandbox.ts';
import { estimateTokens } from '#shared/tools/token-estimate.ts';
import { createBashTool } from './bash-tool.ts';
import type { EventBatcher } from './event-batcher.ts';
import { EventTranslator } from './event-translator.ts';
import { fixedResources } from './fixed-resources.ts';
import type { ToolServer } from './mcp-client.ts';
import { hasIntegrationTools, sourceOf, toPiTool } from './mcp-tools.ts';
import { createModel } from './model.ts';
import { OutputWatcher } from './output-watcher.ts';
import type { Pi } from './pi.ts';

export interface AgentParts {
  readonly pi: Pi;
  readonly configuration: SandboxConfiguration;
  readonly socketFetch: typeof fetch;
  readonly toolServer: ToolServer;
  readonly events: EventBatcher;
}

/** One run's agent: a Pi session with the tools of the sandbox and those of the sidecar. */
export class Agent implements Disposable {
  readonly tools: readonly OfferedTool[];
  readonly #session: AgentSession;
  readonly #events: EventBatcher;
  readonly #translator: EventTranslator;
  readonly #watcher: OutputWatcher;
  readonly #endings: LoopEndings;
  #isPrompting = false;
  #wasAborted = false;

  /** @throws ProblemError `sidecar_unreachable`; Error when Pi refuses the configuration. */
  static async create(parts: AgentParts): Promise<Agent> {
    const { pi, configuration } = parts;
    const { workspace } = configuration;
    const endings = new LoopEndings();
    const { toolServer, served } = await servedTools(parts);
    const sources = new Map<string, ToolSource>([
      ...configuration.sandboxTools.map((name): [string, ToolSource] => [name, 'sandbox']),
      ...served.map((tool): [string, ToolSource] => [tool.name, sourceOf(tool)]),
    ]);
    const customTools: ToolDefinition[] = [
      createBashTool(pi, workspace),
      ...served.map((tool) => toPiTool(toolServer, tool, () => endings.accept())),
    ];
    const { modelRuntime, model, thinkingLevel } = await createModel(pi, configuration, parts.socketFetch);
    const { session } = await pi.createAgentSession({
      cwd: workspace,
      agentDir: '/nonexistent',
      modelRuntime,
      model,
      thinkingLevel,
      tools: [...sources.keys()],
      customTools,
      resourceLoader: fixedResources(pi, configuration),
      sessionManager: pi.SessionManager.inMemory(workspace),
      settingsManager: pi.SettingsManager.inMemory(sessionSettings(configuration.model.contextWindow)),
    });
    return new Agent(parts, session, endings, sources);
  }

  private constructor(
    { configuration, events }: AgentParts,
    session: AgentSession,
    endings: LoopEndings,
    sources: ReadonlyMap<string, ToolSource>,
  ) {
    this.#session = session;
    this.#events = events;
    this.#endings = endings;
    this.#translator = new EventTranslator({
      sourceOf: (tool) => sources.get(tool) ?? 'other',
      contextWindow: configuration.model.contextWindow,
      shownResultBytes: configuration.shownResultBytes,
      now: () => performance.now(),
    });
    this.#watcher = new OutputWatcher(join(configuration.workspace, OUTPUTS_FOLDER), (event) =>
      this.#events.add(event),
    );
    endings.install(session);
    session.subscribe((event) => {
      if (event.type === 'agent_settled') this.#wasAborted = event.aborted;
      for (const translated of this.#translator.translate(event)) events.add(translated);
      if (event.type === 'tool_execution_start') this.#watcher.toolStarted();
      else if (event.type === 'tool_execution_end') this.#watcher.toolEnded();
    });
    this.tools = session.getActiveToolNames().flatMap((name) => {
      const tool = session.getToolDefinition(name);
      if (tool === undefined) return [];
      const declaration = `${name}${tool.description}${JSON.stringify(tool.parameters)}`;
      return [{ name, source: sources.get(name) ?? 'other', estimatedTokens: estimateTokens(declaration) }];
    });
  }

  /**
   * Gives the model a message and resolves when the loop has settled, everything of it reported.
   * @throws ProblemError `agent_busy`
   */
  async prompt(text: string, tools: readonly string[] | undefined): Promise<PromptOutcome> {
    if (this.#isPrompting) {
      throw new ProblemError({
        code: 'agent_busy',
        title: 'The agent is already at work',
        detail: 'A message was sent while the agent works on another one.',
      });
    }
    this.#isPrompting = true;
    this.#wasAborted = false;
    this.#endings.reset(this.#session);
    const offered = this.#session.getActiveToolNames();
    try {
      if (tools) this.#session.setActiveToolsByName(offered.filter((name) => tools.includes(name)));
      await this.#session.prompt(text, { expandPromptTemplates: false });
    } finally {
      if (tools) this.#session.setActiveToolsByName(offered);
      this.#isPrompting = false;
      await this.#watcher.look();
      await this.#events.flush();
    }
    const last = this.#translator.lastMessage;
    return {
      stopReason: last?.stopReason ?? 'none',
      aborted: this.#wasAborted,
      ...(last?.errorMessage !== undefined && { errorMessage: last.errorMessage }),
      turns: this.#translator.turns,
    };
  }

  /** @throws ProblemError `agent_idle` */
  async steer(text: string): Promise<void> {
    if (!this.#session.isStreaming) {
      throw new ProblemError({
        code: 'agent_idle',
        title: 'The agent is not at work',
        detail: 'A message for the work in progress came after it had ended.',
      });
    }
    await this.#session.steer(text);
  }

  /** Ends the tool and the model request in flight; resolves when nothing goes on. */
  async abort(): Promise<void> {
    this.#session.clearQueue();
    await this.#session.abort();
  }

  [Symbol.dispose](): void {
    this.#watcher[Symbol.dispose]();
    this.#session.dispose();
  }
}

/** The sidecar's tools. What files need is loaded only where a run has integrations. */
async function servedTools({
  toolServer: server,
  socketFetch,
  configuration: { workspace, sidecar },
  events,
}: AgentParts): Promise<{ toolServer: ToolServer; served: readonly Tool[] }> {
  const tools = await server.listTools();
  if (!hasIntegrationTools(tools)) return { toolServer: server, served: tools };
  const { withIntegrationCalls } = await import('./integration-calls.ts');
  const toolServer = withIntegrationCalls({
    server,
    tools,
    workspace,
    socketFetch,
    sidecar,
    onSpill: (resource) => events.add({ type: 'resource.spilled', ...resource }),
  });
  return { toolServer, served: await toolServer.listTools() };
}

/**
 * Ends the loop after the turn in which the run's result was accepted. Pi's own `terminate` ends it only
 * when every tool of the turn says so, and models like to log in the same turn.
 */
class LoopEndings {
  #isAccepted = false;

  accept(): void {
    this.#isAccepted = true;
  }

  reset(session: AgentSession): void {
    this.#isAccepted = false;
    session.setAutoCompactionEnabled(true);
  }

  install(session: AgentSession): void {
    const { agent } = session;
    const finishTurn = agent.finishTurn?.bind(agent);
    agent.finishTurn = async (turn, signal) => {
      const decision = await finishTurn?.(turn, signal);
      if (!this.#isAccepted) return decision ?? undefined;
      session.clearQueue();
      // Nothing follows that a shorter context would serve.
      session.setAutoCompactionEnabled(false);
      return { action: 'end' };
    };
  }
}

/** Pi's settings for a run. Token counts follow Pi's defaults, made smaller for small windows. */
function sessionSettings(contextWindow: number) {
  return {
    compaction: {
      enabled: true,
      reserveTokens: Math.min(16_384, Math.floor(contextWindow * 0.2)),
      keepRecentTokens: Math.min(20_000, Math.floor(contextWindow * 0.4)),
    },
    // Retries are the session's, which reports them; the clients' own would be silent.
    retry: { enabled: true, maxRetries: 3, baseDelayMs: 2000, provider: { maxRetries: 0 } },
    // Main ends a request that takes too long.
    httpIdleTimeoutMs: 0,
    steeringMode: 'all' as const,
    cacheWarming: 'off' as const,
    enableInstallTelemetry: false,
    enableAnalytics: false,
  };
}
