import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { API_UPLOAD_META_KEY, CALL_LIMITS_META_KEY } from '#shared/protocol/api-tools.ts';
import type { ApiAuth, RunIntegration, SidecarLimits } from '#shared/protocol/integrations.ts';
import { TOOL_SOURCE_META_KEY } from '#shared/protocol/mcp.ts';
import { withConnectionParameter } from '#shared/tools/connection-parameter.ts';
import { qualifiedToolName } from '#shared/tools/tool-names.ts';
import { isUploadProtocol } from '#shared/tools/upload-protocols.ts';
import { callLimitsOf } from '../calls/api-call-tool.ts';
import { errorResult, type SidecarTool } from '../tool-registry.ts';

/**
 * Offers `api_upload` where the method declares a protocol that the runtime can drive. It is the sandbox
 * that does the work: it alone sees the workspace, and sends each chunk through the `api_call` beside it.
 */
export function createUploadTool(
  integration: RunIntegration,
  auth: ApiAuth,
  limits: SidecarLimits,
): SidecarTool | undefined {
  const protocols = auth.uploadProtocols.filter(isUploadProtocol);
  if (auth.uploadTool === undefined || protocols.length === 0) return undefined;
  const connections = integration.connections.filter(({ authKey }) => authKey === auth.authKey);
  const schema = uploadSchema(protocols);
  const name = qualifiedToolName(integration.namespace, auth.uploadTool);
  return {
    definition: {
      name,
      title: `${integration.displayName}: ${auth.uploadTool}`,
      description:
        `Upload a file of the workspace to ${integration.displayName} in parts, up to 100 MiB, with the credential of a connected account. ` +
        'The result tells size and SHA-256 of what was sent, to compare with what the service has. For small files api_call with body.fromFile is simpler.',
      inputSchema: (integration.connections.length > 1
        ? withConnectionParameter(schema, connections)
        : schema) as SidecarTool['definition']['inputSchema'],
      annotations: { openWorldHint: true },
      _meta: {
        [TOOL_SOURCE_META_KEY]: 'integration',
        [CALL_LIMITS_META_KEY]: callLimitsOf(limits),
        [API_UPLOAD_META_KEY]: { tool_key: auth.uploadTool, api_call_tool_key: auth.callTool },
      },
    },
    call: async (): Promise<CallToolResult> =>
      errorResult(`${name} is carried out in the sandbox, which has the file; nothing was sent.`),
  };
}

function uploadSchema(protocols: readonly string[]) {
  return {
    type: 'object',
    additionalProperties: false,
    required: ['target', 'fromFile', 'uploadProtocol'],
    properties: {
      target: {
        type: 'string',
        format: 'uri',
        description:
          'Where the upload begins: for google-resumable the address with uploadType=resumable, for s3-multipart that of the object, for tus the creation address, for ms-resumable the createUploadSession address.',
      },
      fromFile: { type: 'string', description: 'Path of the file, relative to the workspace.' },
      uploadProtocol: { type: 'string', enum: [...protocols] },
      metadata: {
        type: 'object',
        description:
          'What the service is told of the file: for google-resumable its JSON, for s3-multipart request headers, for tus keys with texts, for ms-resumable {"item": {…}}.',
      },
      sourceMimeType: {
        type: 'string',
        description: 'Media type of the bytes that are sent, where it differs from that of the result.',
      },
      partSizeBytes: {
        type: 'integer',
        minimum: 1,
        description: "Bytes of a part; the protocol's own by default.",
      },
    },
  };
}
