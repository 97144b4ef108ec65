import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Problem } from '#shared/problem.ts';
import { MAX_MODEL_REQUEST_BYTES, MODEL_FRAME_BYTES, MODEL_STREAM_CREDIT } from '#shared/protocol/sidecar.ts';
import { announcedLength } from './body-reader.ts';
import type { MainLink } from './stdio.ts';

/** Requests to the model at one time. Pi makes one; anything in the sandbox could make more. */
const MAX_STREAMS = 8;

/** Names that concern the connection, the token, or an encoding that main decides. */
const DROPPED_REQUEST_HEADERS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-api-key',
  'x-goog-api-key',
]);
/** Names this server sets itself, or that main's reading of the body has made untrue. */
const DROPPED_RESPONSE_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'keep-alive',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Statuses for what main could not do; the client tries again after those from 500 on. */
const PROBLEM_STATUS: Readonly<Record<string, number>> = {
  model_request_too_large: 413,
  model_unreachable: 502,
  model_answered_nonsense: 502,
  model_timeout: 504,
  internal_error: 500,
};

/** Carries requests to the run's model to main and the answers back, frame by frame. */
export class ModelRelay {
  readonly #peer: MainLink;
  readonly #streams = new Map<number, RelayedStream>();
  #lastStreamId = 0;

  constructor(peer: MainLink) {
    this.#peer = peer;
    peer.on('modelBodyCredit', ({ streamId, bytes }) => this.#streams.get(streamId)?.allow(bytes));
    peer.on('modelHead', ({ streamId, status, headers }) =>
      this.#streams.get(streamId)?.begin(status, headers),
    );
    peer.on('modelChunk', ({ streamId, data }) => this.#streams.get(streamId)?.pass(data));
    peer.on('modelEnd', ({ streamId }) => this.#streams.get(streamId)?.end());
    peer.on('modelFailure', ({ streamId, problem }) => this.#streams.get(streamId)?.fail(problem));
  }

  /** Requests in flight. */
  get active(): number {
    return this.#streams.size;
  }

  /** Takes over a request and its response; `path` is what follows `/model`, with its query. */
  relay(request: IncomingMessage, response: ServerResponse, path: string): void {
    const announced = announcedLength(request) ?? 0;
    if (announced > MAX_MODEL_REQUEST_BYTES) {
      request.resume();
      answerTooLarge(response);
      return;
    }
    if (this.#streams.size >= MAX_STREAMS) {
      request.resume();
      answerModelError(response, 429, 'too_many_requests', 'Too many model requests at one time.');
      return;
    }
    this.#lastStreamId += 1;
    const streamId = this.#lastStreamId;
    this.#streams.set(
      streamId,
      new RelayedStream(this.#peer, streamId, request, response, path, () => this.#streams.delete(streamId)),
    );
  }
}

/** One request on its way to main and its answer on the way back. */
class RelayedStream {
  readonly #peer: MainLink;
  readonly #streamId: number;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #onEnd: () => void;
  #credit = MODEL_STREAM_CREDIT;
  #received = 0;
  /** The rest of a chunk that there was no credit for. */
  #waiting: Buffer = Buffer.alloc(0);
  #isBodyComplete = false;
  #hasEnded = false;

  constructor(
    peer: MainLink,
    streamId: number,
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    onEnd: () => void,
  ) {
    this.#peer = peer;
    this.#streamId = streamId;
    this.#request = request;
    this.#response = response;
    this.#onEnd = onEnd;
    response.once('close', () => this.#leave());
    request.on('error', () => this.#leave());
    request.on('data', (chunk: Buffer) => this.#take(chunk));
    request.once('end', () => {
      this.#isBodyComplete = true;
      this.#sendBody();
    });
    void peer.notify('modelOpen', {
      streamId,
      method: request.method ?? 'GET',
      path,
      headers: relayedHeaders(request),
    });
  }

  allow(bytes: number): void {
    this.#credit += bytes;
    this.#sendBody();
  }

  begin(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.#hasEnded || this.#response.headersSent) return;
    const kept = Object.entries(headers).filter(
      ([name]) => !DROPPED_RESPONSE_HEADERS.has(name.toLowerCase()),
    );
    this.#response.writeHead(status, Object.fromEntries(kept));
    this.#response.flushHeaders();
  }

  pass(data: string): void {
    if (this.#hasEnded || !this.#response.headersSent) return;
    const bytes = Buffer.from(data, 'base64');
    if (bytes.length === 0) return;
    // Called when the bytes have left, which is as fast as the sandbox reads.
    this.#response.write(bytes, () => {
      if (!this.#hasEnded) {
        void this.#peer.notify('modelCredit', { streamId: this.#streamId, bytes: bytes.length });
      }
    });
  }

  end(): void {
    this.#settle();
    this.#response.end();
  }

  fail(problem: Problem): void {
    this.#settle();
    if (this.#response.headersSent) {
      // The only honest end of an answer that was cut.
      this.#response.destroy();
    } else {
      const status = PROBLEM_STATUS[problem.code] ?? 400;
      answerModelError(this.#response, status, problem.code, `${problem.title}. ${problem.detail}`);
    }
  }

  #take(chunk: Buffer): void {
    if (this.#hasEnded) return;
    this.#received += chunk.length;
    if (this.#received > MAX_MODEL_REQUEST_BYTES) {
      this.#leave();
      answerTooLarge(this.#response);
      return;
    }
    this.#waiting = this.#waiting.length === 0 ? chunk : Buffer.concat([this.#waiting, chunk]);
    this.#sendBody();
  }

  #sendBody(): void {
    if (this.#hasEnded) return;
    while (this.#waiting.length > 0 && this.#credit > 0) {
      const part = this.#waiting.subarray(0, Math.min(this.#credit, MODEL_FRAME_BYTES));
      this.#waiting = this.#waiting.subarray(part.length);
      this.#credit -= part.length;
      this.#sendFrame(part, false);
    }
    if (this.#waiting.length > 0) this.#request.pause();
    else if (this.#isBodyComplete) this.#sendFrame(Buffer.alloc(0), true);
    else this.#request.resume();
  }

  #sendFrame(part: Buffer, last: boolean): void {
    void this.#peer.notify('modelBody', { streamId: this.#streamId, data: part.toString('base64'), last });
  }

  /** The sandbox has gone or gave up. */
  #leave(): void {
    if (this.#hasEnded) return;
    this.#settle();
    void this.#peer.notify('modelCancel', { streamId: this.#streamId });
  }

  #settle(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#waiting = Buffer.alloc(0);
    this.#request.resume();
    this.#onEnd();
  }
}

function relayedHeaders(request: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, values] of Object.entries(request.headersDistinct)) {
    if (values !== undefined && !DROPPED_REQUEST_HEADERS.has(name)) headers[name] = values.join(', ');
  }
  return headers;
}

function answerTooLarge(response: ServerResponse): void {
  const mebibytes = MAX_MODEL_REQUEST_BYTES / 1024 / 1024;
  answerModelError(
    response,
    413,
    'model_request_too_large',
    `The conversation has grown over ${mebibytes} MiB, which no model takes.`,
  );
}

/** An error in a form that the clients of all four protocols show: each reads other fields of it. */
export function answerModelError(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
): void {
  if (response.headersSent || response.destroyed) return;
  const body = Buffer.from(
    JSON.stringify({ type: 'error', error: { type: code, code: status, status: code, message } }),
  );
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}
