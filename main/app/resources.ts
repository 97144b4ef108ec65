import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { posix, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { create as formatDisposition } from 'content-disposition';
import mime from 'mime';
import parseRange from 'range-parser';
import type { PackageService } from '#main/library/index.ts';
import type { RunService } from '#main/runs/run-service.ts';
import { keptFolderOf } from '#shared/ipc/resource-address.ts';
import { ProblemError } from '#shared/problem.ts';
import { callExportFormatSchema, callFilterSchema } from '#shared/runs/recorded-call.ts';
import type { KeptFolder } from '#shared/runs/run.ts';
import { OUTPUT_HEADERS, PAGE_HEADERS } from './page-headers.ts';

/** What a carrier of resources hands over: Electron's protocol and the HTTP server both have these. */
export interface ResourceRequest {
  readonly method: string;
  /** Path as it was in the URL, still percent-encoded, with a leading slash. */
  readonly pathname: string;
  readonly parameters: URLSearchParams;
  /** The `Range` header. */
  readonly range: string | undefined;
  readonly signal: AbortSignal;
}

/** Answers one request for a file; never rejects for what the request says. */
export type ResourceHandler = (request: ResourceRequest) => Promise<Response>;

interface OpenFile {
  readonly size: number;
  readonly mediaType: string;
  /** Bytes from `start` to `end`, both inclusive. */
  stream(start: number, end: number): Readable;
}

/**
 * Serves the renderer's files, and at `/output/<runId>/<path>` what runs left, at `/resource/` what was too
 * large for their conversations, at `/document/` what they were given; `?download` has the browser save it.
 * At `/export/<token>` an exported package is saved, at `/calls/<runId>/<format>` a run's audit.
 * @param rendererFolder Absolute path of the built renderer.
 */
export function createResourceHandler(options: {
  rendererFolder: string;
  runs: Pick<RunService, 'openOutput' | 'exportCalls'>;
  packages?: Pick<PackageService, 'heldExport'>;
}): ResourceHandler {
  const root = resolve(options.rendererFolder);

  return async (request) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return plainAnswer(405, 'Only reading is possible here.', { allow: 'GET, HEAD' });
    const segments = decodePath(request.pathname);
    if (!segments) return plainAnswer(400, 'The address is not readable.');
    const folder = keptFolderOf(segments[0]);
    if (folder !== undefined) {
      const [, runId, ...path] = segments;
      if (!runId || path.length === 0) return plainAnswer(404, 'There is no such file.');
      return serveOutput(options.runs, runId, path.join('/'), folder, request);
    }
    if (segments[0] === 'export' && options.packages !== undefined) {
      return serveExport(options.packages, segments[1] ?? '', request);
    }
    if (segments[0] === 'calls') return serveCalls(options.runs, segments, request);
    const file = await openStatic(root, segments.length === 0 ? ['index.html'] : segments);
    return file ? answer(file, request, PAGE_HEADERS) : plainAnswer(404, 'There is no such file.');
  };
}

/** Segments of a path, decoded; `undefined` when it is malformed or could leave its folder on any platform. */
function decodePath(pathname: string): string[] | undefined {
  const encoded = pathname.split('/').slice(1);
  if (encoded.at(-1) === '') encoded.pop();
  const segments: string[] = [];
  for (const part of encoded) {
    let segment: string;
    try {
      segment = decodeURIComponent(part);
    } catch {
      return undefined;
    }
    if (segment === '' || segment === '.' || segment === '..' || /[/\\\0]/.test(segment)) return undefined;
    segments.push(segment);
  }
  return segments;
}

async function openStatic(root: string, segments: readonly string[]): Promise<OpenFile | undefined> {
  const path = resolve(root, ...segments);
  // A segment such as `C:` means another drive on Windows.
  if (!path.startsWith(root + sep)) return undefined;
  let size: number;
  try {
    const information = await stat(path);
    if (!information.isFile()) return undefined;
    size = information.size;
  } catch {
    return undefined;
  }
  return {
    size,
    mediaType: mime.getType(path) ?? 'application/octet-stream',
    stream: (start, end) => createReadStream(path, { start, end }),
  };
}

async function serveOutput(
  runs: Pick<RunService, 'openOutput'>,
  runId: string,
  path: string,
  folder: KeptFolder,
  request: ResourceRequest,
): Promise<Response> {
  try {
    const file = await runs.openOutput(runId, path, folder);
    const disposition = formatDisposition(posix.basename(path), {
      type: request.parameters.has('download') ? 'attachment' : 'inline',
    });
    return answer(file, request, { ...OUTPUT_HEADERS, 'content-disposition': disposition });
  } catch (error) {
    if (error instanceof ProblemError) return plainAnswer(404, error.problem.detail);
    throw error;
  }
}

/** `/calls/<runId>/<format>`, with the filter in its parameters. */
function serveCalls(
  runs: Pick<RunService, 'exportCalls'>,
  [, runId = '', format]: readonly string[],
  request: ResourceRequest,
): Response {
  const filter = callFilterSchema.safeParse(Object.fromEntries(request.parameters)).data;
  const wanted = callExportFormatSchema.safeParse(format).data;
  if (filter === undefined || wanted === undefined) return plainAnswer(404, 'There is no such export.');
  return orNotFound(() => {
    const { fileName, mediaType, text } = runs.exportCalls(runId, filter, wanted);
    return attachment(fileName, mediaType, Buffer.from(text), request);
  });
}

function serveExport(
  packages: Pick<PackageService, 'heldExport'>,
  token: string,
  request: ResourceRequest,
): Response {
  return orNotFound(() => {
    const { fileName, bytes } = packages.heldExport(token);
    return attachment(fileName, 'application/afps+zip', bytes, request);
  });
}

/** Has the browser save what is in memory. */
function attachment(
  fileName: string,
  mediaType: string,
  bytes: Uint8Array,
  request: ResourceRequest,
): Response {
  const file: OpenFile = {
    size: bytes.length,
    mediaType,
    stream: (start, end) => Readable.from([bytes.subarray(start, end + 1)]),
  };
  const disposition = formatDisposition(fileName, { type: 'attachment' });
  return answer(file, request, { ...OUTPUT_HEADERS, 'content-disposition': disposition });
}

function orNotFound(serve: () => Response): Response {
  try {
    return serve();
  } catch (error) {
    if (error instanceof ProblemError) return plainAnswer(404, error.problem.detail);
    throw error;
  }
}

function answer(
  file: OpenFile,
  request: ResourceRequest,
  common: Readonly<Record<string, string>>,
): Response {
  const headers = {
    ...common,
    'content-type': withCharset(file.mediaType),
    'accept-ranges': 'bytes',
  };
  const range = chooseRange(file.size, request.range);
  if (range === 'unsatisfiable')
    return new Response(null, {
      status: 416,
      headers: { ...headers, 'content-range': `bytes */${file.size}` },
    });
  const { start, end } = range ?? { start: 0, end: file.size - 1 };
  const empty = request.method === 'HEAD' || file.size === 0;
  return new Response(empty ? null : toWebStream(file.stream(start, end), request.signal), {
    status: range ? 206 : 200,
    headers: {
      ...headers,
      'content-length': String(end - start + 1),
      ...(range && { 'content-range': `bytes ${start}-${end}/${file.size}` }),
    },
  });
}

/** One range of a file, or `undefined` for all of it; several ranges are answered with all (RFC 9110, 14.2). */
function chooseRange(
  size: number,
  header: string | undefined,
): { start: number; end: number } | 'unsatisfiable' | undefined {
  if (header === undefined) return undefined;
  const ranges = parseRange(size, header);
  if (ranges === -1) return 'unsatisfiable';
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return undefined;
  return ranges[0];
}

function toWebStream(stream: Readable, signal: AbortSignal): ReadableStream {
  signal.addEventListener('abort', () => stream.destroy(), { once: true });
  if (signal.aborted) stream.destroy();
  return Readable.toWeb(stream) as ReadableStream;
}

function withCharset(mediaType: string): string {
  const textual = /^text\/|^application\/(json|javascript)$|\+(json|xml)$/.test(mediaType);
  return textual ? `${mediaType}; charset=utf-8` : mediaType;
}

function plainAnswer(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(`${text}\n`, {
    status,
    headers: { ...PAGE_HEADERS, 'content-type': 'text/plain; charset=utf-8', ...headers },
  });
}
