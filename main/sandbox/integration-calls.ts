import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { API_CALL_META_KEY, API_UPLOAD_META_KEY, CALL_LIMITS_META_KEY } from '#shared/protocol/api-tools.ts';
import { callLimitsSchema } from '#shared/protocol/integrations.ts';
import { NAMESPACE_SEPARATOR } from '#shared/tools/tool-names.ts';
import { callWithFiles, type ApiCallTarget } from './calls/file-calls.ts';
import { StoredResults, type SpilledResource } from './calls/stored-results.ts';
import type { ToolServer } from './mcp-client.ts';
import { createSocketPut } from './uploads/socket-put.ts';
import { upload, type UploadServices } from './uploads/upload.ts';

const callMetaSchema = z.object({ tool_key: z.string() });
const uploadMetaSchema = z.object({ tool_key: z.string(), api_call_tool_key: z.string() });
const protocolsSchema = z.object({
  properties: z.object({ uploadProtocol: z.object({ enum: z.array(z.string()) }) }),
});

export interface IntegrationCallOptions {
  readonly server: ToolServer;
  /** The tools it serves. */
  readonly tools: readonly Tool[];
  readonly workspace: string;
  readonly socketFetch: typeof fetch;
  /** The sidecar's socket, for what is too large for that. */
  readonly sidecar: { readonly socketPath: string; readonly token: string };
  /** Told of results that went to files. */
  readonly onSpill?: (resource: SpilledResource) => void;
}

/**
 * The same tools, with what the sidecar cannot do since it has no workspace: files as bodies and for
 * responses, uploads in parts, and large results in files. An upload without its call is not offered.
 */
export function withIntegrationCalls({
  server,
  tools,
  workspace,
  socketFetch,
  sidecar,
  onSpill,
}: IntegrationCallOptions): ToolServer {
  const stored = new StoredResults(workspace, socketFetch, onSpill);
  const put = createSocketPut(sidecar);
  const uploads = uploadsOf(tools);
  const calls = callsOf(tools, uploads);
  const callsByKey = new Map([...calls.values()].map((call) => [keyOf(call.name, call.key, call.key), call]));
  const pairs = new Map<string, Pick<UploadServices, 'call' | 'key' | 'protocols'>>();
  for (const { name, key, callKey, protocols } of uploads) {
    const call = callsByKey.get(keyOf(name, key, callKey));
    if (call !== undefined) pairs.set(name, { call, key, protocols });
  }
  const withoutPair = new Set(uploads.map(({ name }) => name).filter((name) => !pairs.has(name)));
  return {
    listTools: async () => (await server.listTools()).filter(({ name }) => !withoutPair.has(name)),
    async callTool(name, input, options) {
      const pair = pairs.get(name);
      if (pair !== undefined) return upload(input, { server, workspace, put, ...pair }, options);
      const call = calls.get(name);
      const result =
        call === undefined
          ? await server.callTool(name, input, options)
          : await callWithFiles(call, input, { server, workspace, stored }, options);
      return stored.localise(result, options.callId ?? 'call', options.signal);
    },
  };
}

interface UploadTool {
  readonly name: string;
  readonly key: string;
  readonly callKey: string;
  readonly protocols: readonly string[];
}

/** Told by what the sidecar says of them, never by their names. */
function uploadsOf(tools: readonly Tool[]): UploadTool[] {
  return tools.flatMap(({ name, _meta: meta, inputSchema }) => {
    const said = uploadMetaSchema.safeParse(meta?.[API_UPLOAD_META_KEY]).data;
    const declared = protocolsSchema.safeParse(inputSchema).data;
    if (said === undefined || declared === undefined) return [];
    const protocols = declared.properties.uploadProtocol.enum;
    return [{ name, key: said.tool_key, callKey: said.api_call_tool_key, protocols }];
  });
}

function callsOf(tools: readonly Tool[], uploads: readonly UploadTool[]): Map<string, ApiCallTarget> {
  const calls = new Map<string, ApiCallTarget>();
  for (const { name, _meta: meta } of tools) {
    const key = callMetaSchema.safeParse(meta?.[API_CALL_META_KEY]).data?.tool_key;
    const limits = callLimitsSchema.safeParse(meta?.[CALL_LIMITS_META_KEY]).data;
    if (key === undefined || limits === undefined) continue;
    const twin = uploads.find((tool) => keyOf(tool.name, tool.key, tool.callKey) === keyOf(name, key, key));
    calls.set(name, { name, key, limits, uploadName: twin?.name });
  }
  return calls;
}

/** The namespace of a tool, told by the rest of its name, with the key of the call it belongs to. */
function keyOf(name: string, ownKey: string, callKey: string): string {
  const namespace = name.slice(0, name.length - ownKey.length - NAMESPACE_SEPARATOR.length);
  return `${namespace}${NAMESPACE_SEPARATOR}${callKey}`;
}
