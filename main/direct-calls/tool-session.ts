import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { withIntegrationCalls } from '#main/sandbox/integration-calls.ts';
import { connectToolServer, type CallOptions } from '#main/sandbox/mcp-client.ts';
import { createSocketFetch } from '#main/sandbox/socket-fetch.ts';
import { listenOnSocket } from '#main/sidecar/http-server.ts';
import { createIntegrationTools } from '#main/sidecar/integration-tools.ts';
import { McpEndpoint } from '#main/sidecar/mcp-endpoint.ts';
import { ToolRegistry } from '#main/sidecar/tool-registry.ts';
import type { RunIntegration, SidecarLimits, SidecarNetwork } from '#shared/protocol/integrations.ts';
import { linkSidecar, type SidecarLinkOptions } from './sidecar-link.ts';

export interface ToolSessionOptions extends SidecarLinkOptions {
  readonly integrations: readonly RunIntegration[];
  readonly limits: SidecarLimits;
  readonly network: SidecarNetwork;
  /** Folder that files are read from and written to. */
  readonly workspace: string;
}

/** The tools of integrations, as a run has them, without a run. */
export interface ToolSession extends AsyncDisposable {
  readonly tools: readonly Tool[];
  /**
   * Resolves when all requests of the call were told of.
   * @throws Error when there is no answer, or what the signal was aborted with.
   */
  callTool(name: string, input: Record<string, unknown>, options: CallOptions): Promise<CallToolResult>;
}

/**
 * Opens the sidecar's half and the sandbox's half of a run's calls in this process, joined by the same socket
 * and the same messages. Neither needs an engine: main holds the credentials anyway, and every check is in
 * the code.
 */
export async function openToolSession(options: ToolSessionOptions): Promise<ToolSession> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'slipway-calls-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const { link, settle } = stack.use(linkSidecar(options));
  const { integrations, limits, network, workspace } = options;
  const runId = randomUUID();
  const served = stack.use(createIntegrationTools({ runId, limits, network }, integrations, link));
  const sidecar = { socketPath: socketIn(folder), token: randomBytes(32).toString('base64url') };
  const server = await listenOnSocket({
    ...sidecar,
    mcp: await McpEndpoint.create(new ToolRegistry(served.tools), served.resources),
    maxMcpBytes: limits.maxMcpEnvelopeBytes,
    resources: served.resources,
    bodies: served.bodies,
  });
  stack.defer(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  const socketFetch = createSocketFetch(sidecar);
  const direct = await connectToolServer(socketFetch);
  const tools = withIntegrationCalls({
    server: direct,
    tools: await direct.listTools(),
    workspace,
    socketFetch,
    sidecar,
  });
  const listed = await tools.listTools();
  const owned = stack.move();
  return {
    tools: listed,
    callTool: async (name, input, call) => {
      try {
        return await tools.callTool(name, input, call);
      } finally {
        await settle();
      }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A socket in a folder that only this user may enter, or a pipe of Windows under a name nobody can guess. */
function socketIn(folder: string): string {
  if (process.platform !== 'win32') return join(folder, 's');
  return `\\\\.\\pipe\\slipway-calls-${randomBytes(16).toString('hex')}`;
}
