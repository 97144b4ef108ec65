import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { CALL_OPTIONS_META_KEY } from '#shared/protocol/api-tools.ts';
import { isRecord } from '#shared/manifest/plain.ts';
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

/**
 * The body with the bytes of its files in the place of their paths: of the whole body, or of parts of a
 * multipart one. What is wrong in another way is left to the sidecar, which says so.
 * @throws PathRefused
 */
async function withFileBody(
  target: ApiCallTarget,
  call: Readonly<Record<string, unknown>>,
  workspace: string,
): Promise<{ body?: unknown }> {
  const { body } = call;
  if (!isRecord(body)) return {};
  const files = new BodyFiles(target, workspace, Buffer.byteLength(JSON.stringify(call)) + ENVELOPE_ROOM);
  if ('fromFile' in body) {
    const { fromFile, ...others } = body;
    if (typeof fromFile !== 'string' || Object.keys(others).length > 0) {
      throw new PathRefused("'body.fromFile' must be a path, and nothing may stand beside it");
    }
    return { body: { fromBytes: await files.read(fromFile), encoding: 'base64' } };
  }
  const { multipart } = body;
  if (!Array.isArray(multipart)) return {};
  const parts: unknown[] = [];
  for (const [index, part] of (multipart as unknown[]).entries()) {
    parts.push(isRecord(part) && 'fromFile' in part ? await filePart(part, index, files) : part);
  }
  return { body: { ...body, multipart: parts } };
}

async function filePart(
  part: Readonly<Record<string, unknown>>,
  index: number,
  files: BodyFiles,
): Promise<Record<string, unknown>> {
  const { fromFile, filename, ...rest } = part;
  if (typeof fromFile !== 'string') throw new PathRefused(`'fromFile' of part ${index + 1} must be a path`);
  const unknown = Object.keys(rest).filter((key) => key !== 'name' && key !== 'contentType');
  if (unknown.length > 0) {
    throw new PathRefused(`part ${index + 1} takes its bytes from a file; leave out ${unknown.join(', ')}`);
  }
  const name = filename ?? fromFile.slice(fromFile.lastIndexOf('/') + 1);
  return { ...rest, filename: name, bytes: await files.read(fromFile), encoding: 'base64' };
}

/** Reads the files of one call, and keeps them together within its limits. */
class BodyFiles {
  readonly #target: ApiCallTarget;
  readonly #workspace: string;
  #bytes = 0;
  #envelopeBytes: number;

  /** @param envelopeBytes of the message without the files */
  constructor(target: ApiCallTarget, workspace: string, envelopeBytes: number) {
    this.#target = target;
    this.#workspace = workspace;
    this.#envelopeBytes = envelopeBytes;
  }

  /** A file's bytes in base64. @throws PathRefused */
  async read(path: string): Promise<string> {
    await using file = await openFile(this.#workspace, path);
    this.#check(path, file.size);
    const bytes = Buffer.alloc(file.size);
    const { bytesRead } = await file.handle.read(bytes, 0, file.size, 0);
    return bytes.subarray(0, bytesRead).toString('base64');
  }

  #check(path: string, size: number): void {
    const { limits, uploadName } = this.#target;
    const instead = uploadName === undefined ? '' : `; send it with ${uploadName}, which uploads in parts`;
    const { maxRequestBodyBytes, maxMcpEnvelopeBytes } = limits;
    const file = `the file ${JSON.stringify(path)}`;
    const others = this.#bytes === 0 ? '' : ` together with the files before it`;
    this.#bytes += size;
    if (this.#bytes > maxRequestBodyBytes) {
      throw new PathRefused(
        `${file} has ${this.#bytes} bytes${others}, more than the ${maxRequestBodyBytes} one request may send (SIDECAR_MAX_REQUEST_BODY_BYTES)${instead}`,
      );
    }
    this.#envelopeBytes += Math.ceil(size / 3) * 4;
    if (this.#envelopeBytes > maxMcpEnvelopeBytes) {
      throw new PathRefused(
        `${file} takes ${this.#envelopeBytes} bytes${others} in the message to the sidecar, more than its ${maxMcpEnvelopeBytes} (SIDECAR_MAX_MCP_ENVELOPE_BYTES)${instead}`,
      );
    }
  }
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
