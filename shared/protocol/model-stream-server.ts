import type { z } from 'zod';
import { ProblemError, toProblem } from '../problem.ts';
import type { CancelSignal, Peer } from './peer.ts';
import {
  MAX_MODEL_REQUEST_BYTES,
  MODEL_FRAME_BYTES,
  MODEL_STREAM_CREDIT,
  type sidecarMainSide,
  type sidecarNotifications,
  type sidecarSide,
} from './sidecar.ts';

/** A request of the sandbox to the run's model, whole. */
export interface ModelStreamRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** An answer to it. `body` is pulled only as fast as the sandbox reads. */
export interface ModelStreamResponse {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: AsyncIterable<Uint8Array>;
}

export interface ModelStreamServerOptions<Signal extends CancelSignal> {
  readonly peer: Peer<typeof sidecarMainSide, typeof sidecarSide, Signal>;
  /** Sends a request; its signal fires when the sandbox gives up or the sidecar goes. */
  readonly send: (request: ModelStreamRequest, signal: Signal) => Promise<ModelStreamResponse>;
  readonly createAbort: () => { readonly signal: Signal; abort(): void };
  readonly base64: { encode(bytes: Uint8Array): string; decode(text: string): Uint8Array };
  /** Told of an error nobody described; the sandbox hears only that something went wrong. */
  readonly onError: (error: unknown) => void;
}

/**
 * Main's end of the model relay: gathers each request, has it sent, and streams the answer back within
 * the credit the sidecar grants. Disposing it aborts what is in flight.
 */
export function serveModelStreams<Signal extends CancelSignal>(
  options: ModelStreamServerOptions<Signal>,
): { readonly active: number; [Symbol.dispose](): void } {
  const { peer } = options;
  const streams = new Map<number, ServedStream<Signal>>();
  const stopListening = [
    peer.on('modelOpen', (opened) => {
      if (streams.has(opened.streamId)) return;
      const stream = new ServedStream(opened, options, () => streams.delete(opened.streamId));
      streams.set(opened.streamId, stream);
    }),
    peer.on('modelBody', ({ streamId, data, last }) => streams.get(streamId)?.take(data, last)),
    peer.on('modelCredit', ({ streamId, bytes }) => streams.get(streamId)?.grant(bytes)),
    peer.on('modelCancel', ({ streamId }) => streams.get(streamId)?.cancel()),
  ];
  const dispose = () => {
    for (const stop of stopListening) stop();
    for (const stream of streams.values()) stream.cancel();
  };
  void peer.closed.then(dispose);
  return {
    get active() {
      return streams.size;
    },
    [Symbol.dispose]: dispose,
  };
}

class ServedStream<Signal extends CancelSignal> {
  readonly #opened: z.output<typeof sidecarNotifications.modelOpen>;
  readonly #options: ModelStreamServerOptions<Signal>;
  readonly #abort: { readonly signal: Signal; abort(): void };
  readonly #onEnd: () => void;
  readonly #parts: Uint8Array[] = [];
  #received = 0;
  #isComplete = false;
  #credit = MODEL_STREAM_CREDIT;
  #wake: (() => void) | undefined;

  constructor(
    opened: z.output<typeof sidecarNotifications.modelOpen>,
    options: ModelStreamServerOptions<Signal>,
    onEnd: () => void,
  ) {
    this.#opened = opened;
    this.#options = options;
    this.#onEnd = onEnd;
    this.#abort = options.createAbort();
  }

  take(data: string, last: boolean): void {
    if (this.#isComplete) return;
    const part = this.#options.base64.decode(data);
    this.#received += part.byteLength;
    if (this.#received > MAX_MODEL_REQUEST_BYTES) {
      this.#isComplete = true;
      void this.#run(Promise.reject(tooLarge()));
      return;
    }
    this.#parts.push(part);
    if (!last) {
      if (part.byteLength === 0) return;
      void this.#options.peer.notify('modelBodyCredit', {
        streamId: this.#opened.streamId,
        bytes: part.byteLength,
      });
      return;
    }
    this.#isComplete = true;
    const { method, path, headers } = this.#opened;
    const body = joined(this.#parts.splice(0), this.#received);
    // Deferred, so that a `send` that throws at once is handled like one that rejects.
    void this.#run(
      Promise.resolve().then(() => this.#options.send({ method, path, headers, body }, this.#abort.signal)),
    );
  }

  grant(bytes: number): void {
    this.#credit += bytes;
    this.#wake?.();
  }

  cancel(): void {
    if (this.#abort.signal.aborted) return;
    this.#abort.abort();
    this.#wake?.();
    if (!this.#isComplete) this.#onEnd();
  }

  async #run(answer: Promise<ModelStreamResponse>): Promise<void> {
    const { peer } = this.#options;
    const { streamId } = this.#opened;
    try {
      const { status, headers, body } = await answer;
      await peer.notify('modelHead', { streamId, status, headers });
      for await (const chunk of body) {
        await this.#sendWithinCredit(chunk);
        if (this.#abort.signal.aborted) break;
      }
      if (!this.#abort.signal.aborted) await peer.notify('modelEnd', { streamId });
    } catch (error) {
      if (!this.#abort.signal.aborted) {
        const problem = toProblem(error);
        if (problem.code === 'internal_error') this.#options.onError(error);
        await peer.notify('modelFailure', { streamId, problem });
      }
    } finally {
      this.#onEnd();
    }
  }

  async #sendWithinCredit(chunk: Uint8Array): Promise<void> {
    let sent = 0;
    while (sent < chunk.byteLength && !this.#abort.signal.aborted) {
      if (this.#credit === 0) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
        continue;
      }
      const part = chunk.subarray(sent, sent + Math.min(this.#credit, MODEL_FRAME_BYTES));
      sent += part.byteLength;
      this.#credit -= part.byteLength;
      await this.#options.peer.notify('modelChunk', {
        streamId: this.#opened.streamId,
        data: this.#options.base64.encode(part),
      });
    }
  }
}

function tooLarge(): ProblemError {
  return new ProblemError({
    code: 'model_request_too_large',
    title: 'The request to the model is too large',
    detail: `The conversation has grown over ${MAX_MODEL_REQUEST_BYTES / 1024 / 1024} MiB, which no model takes.`,
  });
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}
