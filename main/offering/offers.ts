import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConnectionService, IntegrationSource } from '#main/connections/index.ts';
import { openSession, planAccounts } from '#main/direct-calls/index.ts';
import type { Library } from '#main/library/library.ts';
import type { Logger } from '#main/logging/index.ts';
import type { RunService } from '#main/runs/run-service.ts';
import type { Connection } from '#shared/connections/connection.ts';
import type { ChosenConnections } from '#shared/ipc/connection-routes.ts';
import type { ModelReference } from '#shared/models/model.ts';
import { ProblemError } from '#shared/problem.ts';
import type { OutboundCall, SidecarLimits, SidecarNetwork } from '#shared/protocol/integrations.ts';
import { assignNamespaces, qualifiedToolName } from '#shared/tools/tool-names.ts';
import { agentTool } from './agent-tool.ts';
import type { OfferServer } from './offer-server.ts';
import type { OfferedTool } from './offered-tool.ts';

export interface OffersOptions {
  readonly library: Pick<Library, 'load' | 'list'>;
  readonly runs: RunService;
  readonly connections: ConnectionService;
  readonly integrations: IntegrationSource;
  /** @throws ProblemError `sidecar_settings_invalid`. */
  readonly limits: () => SidecarLimits;
  readonly network: () => SidecarNetwork;
  readonly onOutboundCall: (call: OutboundCall) => void;
  readonly version: string;
  readonly logger: Logger;
}

export interface OfferRequest {
  /** Agents of the library, or packages on disk, as a run takes them. */
  readonly agents: readonly string[];
  /** Accounts whose integrations' tools are offered. */
  readonly connections: readonly Connection[];
  /** Narrows the tools of integrations to these names; all of them when absent. */
  readonly tools?: readonly string[] | undefined;
  readonly model?: ModelReference | undefined;
  /** Accounts that agents use, by integration. */
  readonly chosen: ChosenConnections;
  readonly port?: number | undefined;
  readonly onCall?: (call: { readonly tool: string; readonly outcome: string }) => void;
}

/** Offers agents and tools of the app to MCP clients outside of it. */
export class Offers {
  readonly #options: OffersOptions;

  constructor(options: OffersOptions) {
    this.#options = options;
  }

  /**
   * Starts to serve what is asked for; the server belongs to who started it.
   * @throws ProblemError `agent_unknown`, `package_invalid`, `offer_empty`, `tool_unknown`, `port_unusable`, …
   */
  async start(request: OfferRequest): Promise<OfferServer> {
    await using stack = new AsyncDisposableStack();
    const tools = [...(await this.#agentTools(request)), ...(await this.#integrationTools(request, stack))];
    if (tools.length === 0) throw offersNothing();
    const { version, logger } = this.#options;
    const { port, onCall } = request;
    const { OfferServer } = await import('./offer-server.ts');
    const server = await OfferServer.start({ tools, version, logger, port, onCall });
    const owned = stack.move();
    server.onEnd(() => owned.disposeAsync());
    return server;
  }

  async #agentTools({ agents, model, chosen }: OfferRequest): Promise<OfferedTool[]> {
    const { library, runs } = this.#options;
    const loaded = await Promise.all(
      agents.map(async (reference) => ({ reference, agent: await library.load(reference) })),
    );
    const summaries = await library.list();
    const namespaces = assignNamespaces(loaded.map(({ agent }) => agent.id));
    return loaded.map(({ reference, agent }) => {
      const needed = new Set(Object.keys(agent.dependencies.integrations));
      return agentTool({
        name: qualifiedToolName(namespaces.get(agent.id) ?? '', 'run'),
        agent,
        description:
          summaries.find(({ id }) => id === agent.id)?.description ??
          `Runs the agent ${agent.displayName} and gives its output.`,
        reference,
        model,
        connections: Object.fromEntries(Object.entries(chosen).filter(([id]) => needed.has(id))),
        runs,
      });
    });
  }

  /** Through the sidecar's own code, as in the playground: the same checks, and no secret in an answer. */
  async #integrationTools(
    { connections: accounts, tools: wanted }: OfferRequest,
    stack: AsyncDisposableStack,
  ): Promise<OfferedTool[]> {
    if (accounts.length === 0) return [];
    const { connections, integrations, limits, network, onOutboundCall, logger } = this.#options;
    const workspace = await mkdtemp(join(tmpdir(), 'slipway-offer-'));
    stack.defer(() => rm(workspace, { recursive: true, force: true }));
    const session = stack.use(
      await openSession({
        integrations: await planAccounts(integrations, accounts),
        limits: limits(),
        network: network(),
        connections,
        workspace,
        onOutboundCall,
        logger,
      }),
    );
    const names = new Set(session.tools.map(({ name }) => name));
    const unknown = wanted?.find((name) => !names.has(name));
    if (unknown !== undefined) throw toolUnknown(unknown, [...names]);
    let count = 0;
    return session.tools
      .filter(({ name }) => wanted === undefined || wanted.includes(name))
      .map((definition) => ({
        definition,
        call: (input, { signal, onProgress }) =>
          session.callTool(
            definition.name,
            { ...input },
            {
              callId: `call-${(count += 1)}`,
              signal,
              onProgress,
            },
          ),
      }));
  }
}

function offersNothing(): ProblemError {
  return new ProblemError({
    code: 'offer_empty',
    title: 'Nothing is offered',
    detail: 'Neither an agent nor an account was named.',
    action: 'Name an agent with --agent, or an account with --connection.',
  });
}

function toolUnknown(name: string, known: readonly string[]): ProblemError {
  return new ProblemError({
    code: 'tool_unknown',
    title: 'No such tool',
    detail: `"${name}" is none of ${known.join(', ')}.`,
  });
}
