import type { ToolDefinition } from '@earendil-works/pi-coding-agent';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { toolSourceSchema, type ToolSource } from '#shared/events/run-event.ts';
import { API_CALL_META_KEY, API_UPLOAD_META_KEY } from '#shared/protocol/api-tools.ts';
import { ENDS_LOOP_META_KEY, TOOL_SOURCE_META_KEY } from '#shared/protocol/mcp.ts';
import type { CallOptions, ToolServer } from './mcp-client.ts';
import { toModelResult, type ReferredResource } from './mcp-content.ts';

/** The one tool whose result may end the loop. */
const OUTPUT_TOOL = 'output';

/** `details` of a result: beside what the model is given, what the run view shows. */
export const mcpDetailsSchema = z.object({
  resources: z.array(z.object({ uri: z.string(), title: z.string().optional() })),
});
interface McpDetails {
  readonly resources: ReferredResource[];
}

/**
 * A tool of the sidecar as a tool of Pi: name, description and schema as they are.
 * @param onOutputAccepted called when the sidecar took the run's result
 */
export function toPiTool(server: ToolServer, tool: Tool, onOutputAccepted: () => void): ToolDefinition {
  return {
    name: tool.name,
    label: tool.title ?? tool.annotations?.title ?? tool.name,
    description: tool.description ?? '',
    parameters: parametersOf(tool),
    async execute(callId, input, signal, onUpdate) {
      const result = await callTool(server, tool.name, input as Record<string, unknown>, {
        callId,
        signal,
        onProgress: (text) => onUpdate?.({ content: [{ type: 'text', text }], details: { resources: [] } }),
      });
      const { content, resources } = toModelResult(result);
      const details: McpDetails = { resources };
      const isError = result.isError === true;
      const endsLoop = tool.name === OUTPUT_TOOL && !isError && result._meta?.[ENDS_LOOP_META_KEY] === true;
      if (endsLoop) onOutputAccepted();
      return { content, details, isError, ...(endsLoop && { terminate: true }) };
    },
  };
}

/**
 * The schema Pi holds the model's arguments to. An address may have placeholders, which make it no URI before
 * the sidecar has filled them; the sidecar judges it then.
 */
function parametersOf({ inputSchema, _meta: meta }: Tool): Tool['inputSchema'] {
  const target = inputSchema.properties?.['target'];
  const callsService = meta?.[API_CALL_META_KEY] !== undefined || meta?.[API_UPLOAD_META_KEY] !== undefined;
  if (!callsService || target === undefined) return inputSchema;
  const { format: _format, ...rest } = target as Record<string, unknown>;
  return { ...inputSchema, properties: { ...inputSchema.properties, target: rest } };
}

/** Whether a run has tools of integrations, whose files are this program's to read and write. */
export function hasIntegrationTools(tools: readonly Tool[]): boolean {
  return tools.some((tool) => sourceOf(tool) === 'integration');
}

/** Where a tool comes from, as the sidecar says. */
export function sourceOf(tool: Tool): ToolSource {
  return toolSourceSchema.safeParse(tool._meta?.[TOOL_SOURCE_META_KEY]).data ?? 'other';
}

async function callTool(
  server: ToolServer,
  name: string,
  input: Record<string, unknown>,
  options: CallOptions,
): ReturnType<ToolServer['callTool']> {
  try {
    return await server.callTool(name, input, options);
  } catch (error) {
    if (options.signal?.aborted) throw new Error(`${name} was cancelled.`, { cause: error });
    // What is thrown here, the model reads.
    throw new Error(`${name} could not be called: ${reasonOf(error)}`, { cause: error });
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
}
