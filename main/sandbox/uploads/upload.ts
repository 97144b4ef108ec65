import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { BODY_PATH, CALL_OPTIONS_META_KEY } from '#shared/protocol/api-tools.ts';
import { CONNECTION_PARAMETER } from '#shared/tools/connection-parameter.ts';
import { MAX_UPLOAD_BYTES } from '#shared/tools/sidecar-limits.ts';
import { isUploadProtocol, partSizeFor, type UploadProtocol } from '#shared/tools/upload-protocols.ts';
import { factsOf } from '../calls/call-results.ts';
import type { ApiCallTarget } from '../calls/file-calls.ts';
import { openWorkspaceFile, PathRefused, type OpenFile } from '../calls/workspace-file.ts';
import type { CallOptions, ToolServer } from '../mcp-client.ts';
import { GoogleResumable } from './google-resumable.ts';
import { MicrosoftResumable } from './ms-resumable.ts';
import { S3Multipart } from './s3-multipart.ts';
import type { SocketPut } from './socket-put.ts';
import { Tus } from './tus.ts';
import {
  UploadFailure,
  type Chunk,
  type Progress,
  type Send,
  type ServiceAnswer,
  type UploadRequest,
  type UploadSession,
} from './upload-protocol.ts';

/** Times a chunk is sent again after the service was asked how far it got. */
const MAX_RETRIES = 3;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
/** How long a service may take to discard what it has. */
const DISCARD_MS = 5000;
const STAGE_RETRY_MS = 50;
const MEBIBYTE = 1024 * 1024;

const SESSIONS: Readonly<Record<UploadProtocol, new (request: UploadRequest, send: Send) => UploadSession>> =
  {
    'google-resumable': GoogleResumable,
    's3-multipart': S3Multipart,
    tus: Tus,
    'ms-resumable': MicrosoftResumable,
  };

export interface UploadServices {
  readonly server: ToolServer;
  readonly workspace: string;
  readonly put: SocketPut;
  /** The `api_call` beside the upload, through which every request goes. */
  readonly call: ApiCallTarget;
  /** Without its namespace. */
  readonly key: string;
  /** Protocols that this integration declares. */
  readonly protocols: readonly string[];
  /** Waits between two tries of a chunk. */
  readonly pause?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Carries out an `api_upload`: checks everything before anything is sent, then sends the file chunk by
 * chunk. The result is one JSON text; a failure, and a cancelled upload, has the service discard its part.
 */
export async function upload(
  input: Readonly<Record<string, unknown>>,
  services: UploadServices,
  options: CallOptions,
): Promise<CallToolResult> {
  const { target, fromFile, uploadProtocol, partSizeBytes } = input;
  if (typeof target !== 'string' || typeof fromFile !== 'string' || typeof uploadProtocol !== 'string') {
    return textError(`${services.key}: missing one of target/fromFile/uploadProtocol; each must be a text`);
  }
  if (!services.protocols.includes(uploadProtocol)) {
    const allowed = services.protocols.join(', ');
    return textError(
      `${services.key}: this integration does not take ${JSON.stringify(uploadProtocol)}, but ${allowed}`,
    );
  }
  const known = ['target', 'fromFile', 'uploadProtocol', 'metadata', 'sourceMimeType', 'partSizeBytes'];
  const unknown = Object.keys(input).filter((name) => ![...known, CONNECTION_PARAMETER].includes(name));
  if (unknown.length > 0) return textError(`${services.key}: there is no argument ${unknown.join(', ')}`);

  const run = new UploadRun(services, input, options);
  try {
    if (!isUploadProtocol(uploadProtocol)) throw new UploadFailure(`${uploadProtocol} is not known here`);
    await using file = await run.open(fromFile);
    const part = partSizeFor(
      uploadProtocol,
      partSizeBytes,
      file.size,
      services.call.limits.maxRequestBodyBytes,
    );
    if (!part.ok) throw new UploadFailure(part.error);
    const request = requestOf(input, target, file.size);
    const session = new SESSIONS[uploadProtocol](request, (sent) => run.send(sent));
    const result = await run.transfer(session, file, part.bytes);
    return jsonResult({ ok: true, protocol: uploadProtocol, ...result }, false);
  } catch (error) {
    options.signal?.throwIfAborted();
    if (!(error instanceof UploadFailure)) throw error;
    const { status = 0, headers = {}, body } = error.answer ?? {};
    return jsonResult(
      {
        ok: false,
        protocol: uploadProtocol,
        status,
        headers,
        error: error.message,
        ...(body !== undefined && body !== '' && { body }),
        bytesSent: run.bytesReceived,
      },
      true,
    );
  }
}

function requestOf(input: Readonly<Record<string, unknown>>, target: string, size: number): UploadRequest {
  const { metadata = {}, sourceMimeType } = input;
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) {
    throw new UploadFailure('metadata must be an object');
  }
  if (sourceMimeType !== undefined && typeof sourceMimeType !== 'string') {
    throw new UploadFailure('sourceMimeType must be a text');
  }
  return { target, size, metadata: metadata as Record<string, unknown>, sourceMimeType };
}

class UploadRun {
  /** Bytes that the service has said it has. */
  bytesReceived = 0;
  readonly #services: UploadServices;
  readonly #hash = createHash('sha256');
  /** Ids of chunks that were handed over ahead of their call. */
  readonly #staged = new WeakMap<Buffer, Promise<string>>();
  readonly #connection: unknown;
  readonly #options: CallOptions;
  /** That of the call, and after it that of what is discarded. */
  #signal: AbortSignal;

  constructor(services: UploadServices, input: Readonly<Record<string, unknown>>, options: CallOptions) {
    this.#services = services;
    this.#connection = input[CONNECTION_PARAMETER];
    this.#options = options;
    this.#signal = options.signal ?? new AbortController().signal;
  }

  /** @throws UploadFailure */
  async open(path: string): Promise<OpenFile> {
    let file: OpenFile;
    try {
      file = await openWorkspaceFile(this.#services.workspace, path);
    } catch (error) {
      if (!(error instanceof PathRefused)) throw error;
      throw new UploadFailure(`cannot read the file: ${error.message}`);
    }
    const fault =
      file.size === 0
        ? 'the file is empty, and an upload in parts needs at least one byte; send it with api_call'
        : file.size > MAX_UPLOAD_BYTES
          ? `the file has ${file.size} bytes; the most that can be uploaded is ${MAX_UPLOAD_BYTES}, which no setting raises`
          : undefined;
    if (fault === undefined) return file;
    await file[Symbol.asyncDispose]();
    throw new UploadFailure(fault);
  }

  async send(request: Parameters<Send>[0]): Promise<ServiceAnswer> {
    const { method, target, headers, body, isAnonymous } = request;
    // Text is small; bytes of the file go by themselves, and the call names them.
    const bodyId = typeof body === 'object' ? await this.#stagedId(body) : undefined;
    const result = await this.#services.server.callTool(
      this.#services.call.name,
      {
        target,
        method,
        ...(headers && { headers }),
        ...(typeof body === 'string' && { body }),
        ...(this.#connection !== undefined && { [CONNECTION_PARAMETER]: this.#connection }),
      },
      {
        ...this.#options,
        signal: this.#signal,
        onProgress: () => undefined,
        meta: {
          [CALL_OPTIONS_META_KEY]: {
            body: 'whole',
            ...(isAnonymous === true && { credential: 'none' }),
            ...(bodyId !== undefined && { bodyId }),
          },
        },
      },
    );
    const { status, headers: received, code, text } = factsOf(result);
    const isTransient = code === 'upstream_timeout' || code === 'upstream_unreachable';
    return { status, headers: received, body: text, isTransient };
  }

  /** A chunk that is sent again was used up, so it is handed over again. */
  #stagedId(bytes: Buffer): Promise<string> {
    const staging = this.#staged.get(bytes) ?? this.#stage(bytes);
    this.#staged.delete(bytes);
    return staging;
  }

  /**
   * The file in chunks. While one is sent the next is read and handed to the sidecar.
   * @throws UploadFailure when the file becomes shorter
   */
  async *#chunks(handle: OpenFile['handle'], size: number, partBytes: number): AsyncGenerator<Chunk> {
    const buffers = [
      Buffer.allocUnsafe(partBytes),
      Buffer.allocUnsafe(Math.max(0, Math.min(partBytes, size - partBytes))),
    ];
    const read = async (start: number): Promise<Chunk> => {
      const index = start / partBytes;
      const wanted = Math.min(partBytes, size - start);
      const bytes = (buffers[index % 2] ?? Buffer.alloc(wanted)).subarray(0, wanted);
      const { bytesRead } = await handle.read(bytes, 0, wanted, start);
      if (bytesRead < wanted) throw new UploadFailure('the file became shorter while it was uploaded');
      this.#hash.update(bytes);
      const staging = this.#stage(bytes);
      // Told where it is waited for; a chunk before it may fail first.
      staging.catch(() => undefined);
      this.#staged.set(bytes, staging);
      return { bytes, start, number: index + 1, isLast: start + wanted === size };
    };
    let next: Promise<Chunk> | undefined = read(0);
    while (next !== undefined) {
      const chunk: Chunk = await next;
      const end = chunk.start + chunk.bytes.length;
      next = end < size ? read(end) : undefined;
      next?.catch(() => undefined);
      yield chunk;
    }
  }

  /** Hands bytes to the sidecar, under the id that is answered. */
  async #stage(bytes: Buffer): Promise<string> {
    const id = randomUUID();
    for (;;) {
      const status = await this.#services.put(`${BODY_PATH}${id}`, bytes, this.#signal);
      if (status === 204) return id;
      if (status !== 503) throw new UploadFailure(`the sidecar did not take a chunk (${status})`);
      // Other uploads have theirs there.
      await delay(STAGE_RETRY_MS, undefined, { signal: this.#signal });
    }
  }

  /** @throws UploadFailure, or what the upload was cancelled with */
  async transfer(
    session: UploadSession,
    { handle, size }: OpenFile,
    partBytes: number,
  ): Promise<Record<string, unknown>> {
    await session.begin();
    try {
      const chunks = this.#chunks(handle, size, partBytes);
      let final: ServiceAnswer | undefined;
      let count = 0;
      for await (const chunk of chunks) {
        final = await this.#sendChunk(session, chunk);
        count = chunk.number;
        this.#options.onProgress(`${inMebibytes(this.bytesReceived)} of ${inMebibytes(size)} MiB uploaded`);
      }
      if (session.finish) final = await session.finish();
      if (final === undefined)
        throw new UploadFailure('the service has every byte, but did not end the upload');
      const { status, headers, body } = final;
      return { status, headers, body, sha256: this.#hash.digest('hex'), size, chunks: count };
    } catch (error) {
      // Nobody waits for it; an upload that was cancelled must end at once.
      void this.#discard(session);
      throw error;
    }
  }

  /** Sends a chunk until the service has all of it. */
  async #sendChunk(session: UploadSession, chunk: Chunk): Promise<ServiceAnswer | undefined> {
    const end = chunk.start + chunk.bytes.length;
    let left = chunk;
    for (let retries = 0; ;) {
      const progress = await this.#try(session, left, retries);
      const { received, final } = progress;
      if (received < chunk.start || received > end) {
        throw new UploadFailure(
          `the service says that it has ${received} bytes, which cannot be after bytes ${chunk.start} to ${end - 1}`,
          final,
        );
      }
      this.bytesReceived = received;
      if (received === end) return final;
      // It took a part of it, or a failed one is sent again.
      if (received === left.start) retries += 1;
      if (retries > MAX_RETRIES) throw new UploadFailure(`bytes from ${received} were not taken`, final);
      left = { ...chunk, start: received, bytes: chunk.bytes.subarray(received - chunk.start) };
    }
  }

  async #try(session: UploadSession, chunk: Chunk, retries: number): Promise<Progress> {
    try {
      return await session.send(chunk);
    } catch (error) {
      this.#signal.throwIfAborted();
      if (!(error instanceof UploadFailure) || !error.isTransient || retries >= MAX_RETRIES) throw error;
      await this.#pause(error.answer, retries);
      try {
        return await session.ask(chunk);
      } catch (asking) {
        this.#signal.throwIfAborted();
        // Nobody knows where to go on, so what failed first is told.
        if (asking instanceof UploadFailure && asking.isTransient) return { received: chunk.start };
        throw error;
      }
    }
  }

  async #pause(answer: ServiceAnswer | undefined, retries: number): Promise<void> {
    const { pause = (ms, signal) => delay(ms, undefined, { signal }) } = this.#services;
    const asked = Number(answer?.headers['retry-after'] ?? 0) * 1000;
    const own = FIRST_PAUSE_MS * 2 ** retries;
    await pause(Math.min(LONGEST_PAUSE_MS, asked > 0 ? asked : own), this.#signal);
  }

  async #discard(session: UploadSession): Promise<void> {
    this.#signal = AbortSignal.timeout(DISCARD_MS);
    await session.discard().catch(() => undefined);
  }
}

function inMebibytes(bytes: number): string {
  return (bytes / MEBIBYTE).toFixed(1);
}

function textError(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

function jsonResult(value: Record<string, unknown>, isError: boolean): CallToolResult {
  return { ...(isError && { isError }), content: [{ type: 'text', text: JSON.stringify(value) }] };
}
