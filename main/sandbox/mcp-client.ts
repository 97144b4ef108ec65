import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CallToolResultSchema,
  ListToolsResultSchema,
  type CallToolResult,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js';
import { ProblemError } from '#shared/problem.ts';
import { CALL_ID_META_KEY } from '#shared/protocol/mcp.ts';
import { MAX_TIMEOUT_SECONDS } from '#shared/runs/run.ts';

/** How long the sidecar may take to open its socket: until all MCP servers of the run have answered. */
const CONNECT_TIMEOUT_MS = 45_000;
const CONNECT_RETRY_MS = 25;
/** No call needs a limit of its own: none outlasts the run. The SDK's default would end it after 60 s. */
const CALL_TIMEOUT_MS = MAX_TIMEOUT_SECONDS * 1000;

/** The run's tools outside the sandbox. */
export interface ToolServer {
  /** Every page of the list, in order. */
  listTools(): Promise<Tool[]>;
  /** An abort of `signal` tells the sidecar to end the call. @throws Error when there is no answer. */
  callTool(name: string, input: Record<string, unknown>, options: CallOptions): Promise<CallToolResult>;
}

export interface CallOptions {
  readonly signal: AbortSignal | undefined;
  readonly onProgress: (text: string) => void;
  /** Pi's name of the call, after which its files are called. */
  readonly callId?: string;
  /** What we say to the sidecar beside the model's arguments. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

/** Nothing is validated against a tool's output schema: what the tool says is for the model to read. */
const NO_VALIDATION = {
  getValidator: () => {
    throw new Error('Output schemas are not checked here.');
  },
};

/**
 * Connects to the sidecar's MCP endpoint, waiting a little for its socket.
 * @throws ProblemError `sidecar_unreachable`
 */
export async function connectToolServer(socketFetch: typeof fetch): Promise<ToolServer> {
  const client = await connect(socketFetch);
  return {
    async listTools() {
      const tools: Tool[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.request(
          { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
          ListToolsResultSchema,
        );
        tools.push(...page.tools);
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      return tools;
    },
    callTool: (name, input, { signal, onProgress, callId, meta }) => {
      const said = { ...meta, ...(callId !== undefined && { [CALL_ID_META_KEY]: callId }) };
      const params = { name, arguments: input, _meta: said };
      return client.request({ method: 'tools/call', params }, CallToolResultSchema, {
        ...(signal && { signal }),
        timeout: CALL_TIMEOUT_MS,
        resetTimeoutOnProgress: true,
        onprogress: ({ message, progress, total }) => {
          onProgress(message ?? (total === undefined ? `${progress}` : `${progress} of ${total}`));
        },
      });
    },
  };
}

async function connect(socketFetch: typeof fetch): Promise<Client> {
  const giveUpAt = performance.now() + CONNECT_TIMEOUT_MS;
  for (;;) {
    const client = new Client(
      { name: 'slipway-sandbox', version: '1' },
      { jsonSchemaValidator: NO_VALIDATION },
    );
    try {
      const transport = new StreamableHTTPClientTransport(new URL('http://sidecar/mcp'), {
        fetch: socketFetch,
      });
      await client.connect(transport);
      return client;
    } catch (error) {
      if (performance.now() > giveUpAt || !isNotListening(error)) {
        throw new ProblemError(
          {
            code: 'sidecar_unreachable',
            title: 'The sandbox cannot reach its sidecar',
            detail: `The sidecar did not answer: ${error instanceof Error ? error.message : String(error)}.`,
          },
          { cause: error },
        );
      }
      await delay(CONNECT_RETRY_MS);
    }
  }
}

/** Whether the socket is not there yet, or not open to this user yet. */
function isNotListening(error: unknown): boolean {
  const { cause } = error as { cause?: NodeJS.ErrnoException };
  return ['ENOENT', 'ECONNREFUSED', 'EACCES'].includes(cause?.code ?? '');
}
