import { z } from 'zod';
import type { Router } from '#main/app/router.ts';
import type { FileHandles } from '#main/app/shell-services.ts';
import type { Logger } from '#main/logging/logger.ts';
import { clientFrameSchema, type ClientFrame, type ServerFrame } from '#shared/ipc/frames.ts';
import type { Problem } from '#shared/problem.ts';

/** Requests of one connection that may wait for an answer at the same time. */
const MAX_REQUESTS = 64;
/** Subscriptions of one connection. */
const MAX_SUBSCRIPTIONS = 64;

/** Takes frames to one renderer, in order. */
export interface Carrier {
  /** Sends a frame; resolves when the carrier can take the next. Rejects or drops it when it is down. */
  send(frame: ServerFrame): Promise<void>;
}

export interface ConnectionOptions {
  readonly router: Router;
  readonly carrier: Carrier;
  readonly files: FileHandles;
  readonly logger: Logger;
}

/** Serves one renderer over one carrier, whichever that is, until disposed. */
export class Connection implements Disposable {
  readonly #router: Router;
  readonly #carrier: Carrier;
  readonly #files: FileHandles;
  readonly #logger: Logger;
  readonly #requests = new Map<number, AbortController>();
  readonly #subscriptions = new Map<number, AbortController>();
  #disposed = false;

  constructor({ router, carrier, files, logger }: ConnectionOptions) {
    this.#router = router;
    this.#carrier = carrier;
    this.#files = files;
    this.#logger = logger;
  }

  /** Takes one frame, parsed from its wire form but not trusted. Never throws. */
  receive(frame: unknown): void {
    if (this.#disposed) return;
    const parsed = clientFrameSchema.safeParse(frame);
    if (!parsed.success) {
      this.#refuse(frame);
      return;
    }
    switch (parsed.data.kind) {
      case 'request':
        void this.#answer(parsed.data);
        break;
      case 'cancel':
        this.#requests.get(parsed.data.id)?.abort();
        break;
      case 'subscribe':
        void this.#follow(parsed.data);
        break;
      case 'unsubscribe':
        this.#subscriptions.get(parsed.data.id)?.abort();
        this.#subscriptions.delete(parsed.data.id);
        break;
    }
  }

  /** Aborts every request and subscription; nothing is sent afterwards. */
  [Symbol.dispose](): void {
    this.#disposed = true;
    for (const controller of [...this.#requests.values(), ...this.#subscriptions.values()])
      controller.abort();
  }

  async #answer({ id, route, input }: Extract<ClientFrame, { kind: 'request' }>): Promise<void> {
    // An answer would settle the first request of that id, so the second gets none.
    if (this.#requests.has(id)) return this.#logDropped('A request used the id of one in flight');
    if (this.#requests.size >= MAX_REQUESTS) {
      await this.#send({ kind: 'response', id, result: { ok: false, error: tooMany('requests') } });
      return;
    }
    const controller = new AbortController();
    this.#requests.set(id, controller);
    const result = await this.#router.dispatch(route, input, {
      signal: controller.signal,
      files: this.#files,
    });
    this.#requests.delete(id);
    await this.#send({ kind: 'response', id, result });
  }

  async #follow({
    id,
    topic,
    parameters,
    after,
  }: Extract<ClientFrame, { kind: 'subscribe' }>): Promise<void> {
    if (this.#subscriptions.has(id)) return this.#logDropped('A subscription used the id of another');
    if (this.#subscriptions.size >= MAX_SUBSCRIPTIONS) {
      await this.#send({ kind: 'closed', id, error: tooMany('subscriptions') });
      return;
    }
    const controller = new AbortController();
    this.#subscriptions.set(id, controller);
    const { signal } = controller;
    let error: Problem | undefined;
    try {
      for await (const { cursor, data } of this.#router.open(topic, parameters, after, signal)) {
        if (signal.aborted) break;
        await this.#send({ kind: 'message', id, cursor, data });
      }
    } catch (thrown) {
      error = this.#router.describeError(thrown, { topic });
    }
    if (signal.aborted) return;
    this.#subscriptions.delete(id);
    await this.#send({ kind: 'closed', id, ...(error && { error }) });
  }

  async #send(frame: ServerFrame): Promise<void> {
    if (this.#disposed) return;
    try {
      await this.#carrier.send(frame);
    } catch (error) {
      // The carrier's owner disposes this connection when the carrier goes down.
      this.#logger.debug({ error, frame: frame.kind }, 'A frame could not be sent');
    }
  }

  /** Answers what can be answered, so that a caller does not wait for ever. */
  #refuse(frame: unknown): void {
    const addressed = addressedFrameSchema.safeParse(frame);
    if (!addressed.success) return this.#logDropped('A frame was not readable');
    const { kind, id } = addressed.data;
    const error = {
      code: 'frame_invalid',
      title: 'Slipway could not read the message',
      detail: `A "${kind}" message did not have the form it must have.`,
    };
    if (kind === 'request' && !this.#requests.has(id))
      void this.#send({ kind: 'response', id, result: { ok: false, error } });
    else if (kind === 'subscribe' && !this.#subscriptions.has(id))
      void this.#send({ kind: 'closed', id, error });
  }

  #logDropped(message: string): void {
    this.#logger.warn({}, message);
  }
}

const addressedFrameSchema = z.object({ kind: z.enum(['request', 'subscribe']), id: z.number().int() });

function tooMany(what: string): Problem {
  return {
    code: 'too_many_requests',
    title: 'Too much at once',
    detail: `The window has too many open ${what}.`,
    action: 'Wait for some to end, or reload the window.',
  };
}
