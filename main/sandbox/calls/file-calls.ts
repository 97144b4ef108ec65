import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { CALL_OPTIONS_META_KEY } from '#shared/protocol/api-tools.ts';
import type { CallLimits } from '#shared/protocol/integrations.ts';
import type { CallOptions, ToolServer } from '../mcp-client.ts';
import { factsOf, refusal } from './call-results.ts';
import { reasonOf, type StoredResults } from './stored-results.ts';
import { checkWritable, openWorkspaceFile, PathRefused } from './workspace-file.ts';

/** Bytes of a message that stand around a call's own arguments. */
const ENVELOPE_ROOM = 4096;

export interface ApiCallTarget {
  /** Name of the tool. */
  readonly name: string;
  /** The same without its namespace, by which messages call it. */
  readonly key: string;
  readonly limits: CallLimits;
  /** The upload tool beside it, which larger files are sent to. */
  readonly uploadName: string | undefined;
}

export interface FileCallServices {
  readonly server: ToolServer;
  readonly workspace: string;
  readonly stored: StoredResults;
}

/** Carries out an `api_call` whose body comes from a file of the workspace, or whose response goes to one. */
export async function callWithFiles(
  target: ApiCallTarget,
  input: Readonly<Record<string, unknown>>,
  { server, workspace, stored }: FileCallServices,
  options: CallOptions,
): Promise<CallToolResult> {
  const { responseMode, ...rest } = input;
  let toFile: string | undefined;
  let call: Record<string, unknown>;
  try {
    toFile = toFileOf(responseMode);
    // Before the request has any effect.
    if (toFile !== undefined) await checkWritable(workspace, toFile);
    call = { ...rest, ...(await withFileBody(target, rest, workspace)) };
  } catch (error) {
    if (!(error instanceof PathRefused)) throw error;
    return refusal(target.key, error.message);
  }
  if (toFile === undefined) return server.callTool(target.name, call, options);
  const result = await server.callTool(target.name, call, {
    ...options,
    meta: { [CALL_OPTIONS_META_KEY]: { body: 'stored' } },
  });
  return writeResponse(target, result, toFile, stored, options.signal);
}

function toFileOf(responseMode: unknown): string | undefined {
  if (responseMode === undefined || responseMode === null) return undefined;
  if (typeof responseMode !== 'object') throw new PathRefused("'responseMode' must be an object");
  const { toFile, ...others } = responseMode as Record<string, unknown>;
  if (Object.keys(others).length > 0) {
    throw new PathRefused(`'responseMode' has an unknown ${Object.keys(others).join(', ')}`);
  }
  if (toFile === undefined) return undefined;
  if (typeof toFile !== 'string') throw new PathRefused("'responseMode.toFile' must be a path");
  return toFile;
}

/** The body with the bytes of its file in the place of its path. @throws PathRefused */
async function withFileBody(
  { limits, uploadName }: ApiCallTarget,
  call: Readonly<Record<string, unknown>>,
  workspace: string,
): Promise<{ body?: unknown }> {
  const { body } = call;
  if (typeof body !== 'object' || body === null || !('fromFile' in body)) return {};
  const { fromFile, ...others } = body as Record<string, unknown>;
  if (typeof fromFile !== 'string' || Object.keys(others).length > 0) {
    throw new PathRefused("'body.fromFile' must be a path, and nothing may stand beside it");
  }
  await using file = await openFile(workspace, fromFile);
  const instead = uploadName === undefined ? '' : `; send it with ${uploadName}, which uploads in parts`;
  const { maxRequestBodyBytes, maxMcpEnvelopeBytes } = limits;
  if (file.size > maxRequestBodyBytes) {
    throw new PathRefused(
      `the file ${JSON.stringify(fromFile)} has ${file.size} bytes, more than the ${maxRequestBodyBytes} one request may send (SIDECAR_MAX_REQUEST_BODY_BYTES)${instead}`,
    );
  }
  const others64 = Buffer.byteLength(JSON.stringify(call)) + ENVELOPE_ROOM;
  const needed = Math.ceil(file.size / 3) * 4 + others64;
  if (needed > maxMcpEnvelopeBytes) {
    throw new PathRefused(
      `the file ${JSON.stringify(fromFile)} takes ${needed} bytes in the message to the sidecar, more than its ${maxMcpEnvelopeBytes} (SIDECAR_MAX_MCP_ENVELOPE_BYTES)${instead}`,
    );
  }
  const bytes = Buffer.alloc(file.size);
  const { bytesRead } = await file.handle.read(bytes, 0, file.size, 0);
  return { body: { fromBytes: bytes.subarray(0, bytesRead).toString('base64'), encoding: 'base64' } };
}

async function openFile(workspace: string, path: string): ReturnType<typeof openWorkspaceFile> {
  try {
    return await openWorkspaceFile(workspace, path);
  } catch (error) {
    if (!(error instanceof PathRefused)) throw error;
    throw new PathRefused(`cannot read the body's file: ${error.message}`, { cause: error });
  }
}

/** A refused call writes nothing: there is no response, and its reason is for the model to read. */
async function writeResponse(
  target: ApiCallTarget,
  result: CallToolResult,
  path: string,
  stored: StoredResults,
  signal: AbortSignal | undefined,
): Promise<CallToolResult> {
  const { status, code, text } = factsOf(result);
  const link = result.content.find((block) => block.type === 'resource_link');
  if (status === 0 || link === undefined) {
    const descriptor = { kind: 'file', path, size: 0, status, ...(code !== undefined && { code }) };
    return described(result, descriptor, [text]);
  }
  try {
    const { size } = await stored.writeTo(path, link.uri, link.mimeType, signal);
    return described(result, { kind: 'file', path, size, status }, []);
  } catch (error) {
    signal?.throwIfAborted();
    return refusal(
      target.key,
      `the service answered ${status}, but could not write response to ${JSON.stringify(path)}: ${reasonOf(error)}`,
    );
  }
}

function described(
  result: CallToolResult,
  descriptor: Record<string, unknown>,
  texts: readonly string[],
): CallToolResult {
  return {
    ...result,
    content: [JSON.stringify(descriptor), ...texts].map((text) => ({ type: 'text', text })),
    structuredContent: descriptor,
  };
}
