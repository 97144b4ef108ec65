import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { AUTH, createCaller, type Caller, type CallerOptions } from '#main/sidecar/test-support/services.ts';
import { startServer, TOKEN } from '#main/sidecar/test-support/sidecar-server.ts';
import { createUploadTool } from '#main/sidecar/uploads/api-upload-tool.ts';
import { DEFAULT_SIDECAR_LIMITS } from '#shared/tools/sidecar-limits.ts';
import { UPLOAD_PROTOCOLS } from '#shared/tools/upload-protocols.ts';
import { withIntegrationCalls } from '#main/sandbox/integration-calls.ts';
import { connectToolServer, type ToolServer } from '#main/sandbox/mcp-client.ts';
import { createSocketFetch } from '#main/sandbox/socket-fetch.ts';

/** A workspace and a sidecar of one integration, as the sandbox program sees them. */
export interface IntegrationRun extends AsyncDisposable {
  readonly workspace: string;
  readonly caller: Caller;
  readonly tools: ToolServer;
  readonly progress: string[];
  readonly call: (input: Record<string, unknown>, callId?: string) => Promise<CallToolResult>;
  readonly upload: (
    input: Record<string, unknown>,
    signal?: AbortSignal,
  ) => Promise<CallToolResult & { json: Record<string, unknown> }>;
}

export const CALL_TOOL = 'acme_service__api_call';
export const UPLOAD_TOOL = 'acme_service__api_upload';

export async function startIntegrationRun(options: CallerOptions = {}): Promise<IntegrationRun> {
  const auth = { ...AUTH, uploadTool: 'api_upload', uploadProtocols: [...UPLOAD_PROTOCOLS], ...options.auth };
  const integration = {
    id: '@acme/service',
    displayName: 'Service',
    namespace: 'acme_service',
    apis: [auth],
    connections: [{ id: 'c1', authKey: 'oauth', label: 'Work' }],
    ...options.integration,
  };
  const limits = { ...DEFAULT_SIDECAR_LIMITS, ...options.limits };
  const caller = createCaller({ ...options, auth });
  const uploadTool = createUploadTool(integration, auth, limits);
  const server = await startServer([caller.tool, ...(uploadTool ? [uploadTool] : [])], {
    resources: caller.store,
    bodies: caller.bodies,
    maxMcpBytes: limits.maxMcpEnvelopeBytes,
  });
  const workspace = await mkdtemp(join(tmpdir(), 'slipway-integration-'));
  const sidecar = { socketPath: server.socketPath, token: TOKEN };
  const socketFetch = createSocketFetch(sidecar);
  const direct = await connectToolServer(socketFetch);
  const served = await direct.listTools();
  const tools = withIntegrationCalls({ server: direct, tools: served, workspace, socketFetch, sidecar });
  const progress: string[] = [];
  const call = (name: string, input: Record<string, unknown>, callId: string, signal?: AbortSignal) =>
    tools.callTool(name, input, { signal, callId, onProgress: (text) => progress.push(text) });
  return {
    workspace,
    caller,
    tools,
    progress,
    call: (input, callId = 'call-1') => call(CALL_TOOL, input, callId),
    upload: async (input, signal) => {
      const result = await call(UPLOAD_TOOL, input, 'call-1', signal);
      const [block] = result.content;
      let json = {};
      if (block?.type === 'text' && block.text.startsWith('{')) json = JSON.parse(block.text) as object;
      return { ...result, json };
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await caller[Symbol.asyncDispose]();
      await rm(workspace, { recursive: true, force: true });
    },
  };
}
