import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { abortable } from '#main/async/abortable.ts';
import { LABEL } from '../labels.ts';
import { connectionCodeOf, engineUnreachable } from './problems.ts';

/** Milliseconds a ping may take. */
export const PING_DEADLINE_MS = 2000;
const PING_INTERVAL_MS = 5000;
const RETRY_MS = 250;
/** Pings in a row without an answer, before an engine that takes connections counts as gone. */
const TIMEOUTS_ALLOWED = 3;
/** Pings in a row that found nobody listening. */
const REFUSALS_ALLOWED = 2;

/** dockerode takes the signal here too; its types do not say so. */
interface AbortablePing {
  ping(options: { abortSignal: AbortSignal }): Promise<unknown>;
}

/** Asks the engine for a sign of life. Rejects where there is none within the deadline. */
export async function ping(docker: Docker, signal?: AbortSignal): Promise<void> {
  const deadline = AbortSignal.timeout(PING_DEADLINE_MS);
  const abortSignal = signal ? AbortSignal.any([signal, deadline]) : deadline;
  await abortable((docker as AbortablePing).ping({ abortSignal }), abortSignal);
}

/**
 * Notices that an engine stopped: an idle event stream ends at once where the engine ends, pings find one
 * that hangs while it is in use. A connection that broke alone is told apart by asking again.
 */
export class EngineWatch implements Disposable {
  /** Resolves when the engine has stopped; never when the watch was disposed first. */
  readonly gone: Promise<Error>;
  readonly #docker: Docker;
  readonly #address: string;
  readonly #declareGone: (error: Error) => void;
  readonly #lost = new AbortController();
  readonly #stopped = new AbortController();
  /** Aborts when the engine is gone or the watch is disposed. */
  readonly #over = AbortSignal.any([this.#lost.signal, this.#stopped.signal]);
  #users = 0;

  constructor(docker: Docker, address: string) {
    this.#docker = docker;
    this.#address = address;
    const { promise, resolve } = Promise.withResolvers<Error>();
    this.gone = promise;
    this.#declareGone = resolve;
    void this.#followEvents();
    void this.#pingWhileUsed();
  }

  /** Aborts, with a ProblemError as its reason, when the engine has stopped. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Says that something runs on the engine, so that it is pinged until the returned is called. */
  use(): () => void {
    this.#users += 1;
    let used = true;
    return () => {
      if (used) this.#users -= 1;
      used = false;
    };
  }

  /** Whether the engine still answers; takes a while only where it does not. */
  async check(): Promise<boolean> {
    let refusals = 0;
    let timeouts = 0;
    while (!this.#over.aborted) {
      try {
        await ping(this.#docker, this.#over);
        return true;
      } catch (error) {
        if (connectionCodeOf(error) === undefined) timeouts += 1;
        else refusals += 1;
        if (refusals >= REFUSALS_ALLOWED || timeouts >= TIMEOUTS_ALLOWED) {
          this.#end(error);
          return false;
        }
        await this.#pause(RETRY_MS);
      }
    }
    return !this.#lost.signal.aborted;
  }

  async #followEvents(): Promise<void> {
    while (!this.#over.aborted) {
      await this.#untilEventsEnd().catch(() => undefined);
      await this.check();
      // An engine without events is asked now and then instead.
      await this.#pause(PING_INTERVAL_MS);
    }
  }

  /** Resolves when the engine's event stream has ended, however it did. */
  async #untilEventsEnd(): Promise<void> {
    // A filter that nothing matches: only the connection is of use.
    const filters = { label: [`${LABEL.role}=none`] };
    const events = (await this.#docker.getEvents({ filters, abortSignal: this.#over })) as Readable;
    const destroy = (): void => void events.destroy();
    this.#over.addEventListener('abort', destroy, { once: true });
    events.resume();
    await finished(events).finally(() => this.#over.removeEventListener('abort', destroy));
  }

  async #pingWhileUsed(): Promise<void> {
    while (!this.#over.aborted) {
      await this.#pause(PING_INTERVAL_MS);
      if (this.#users > 0) await this.check();
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    await delay(milliseconds, undefined, { signal: this.#over, ref: false }).catch(() => undefined);
  }

  #end(cause: unknown): void {
    if (this.#over.aborted) return;
    const error = engineUnreachable(this.#address, cause);
    this.#declareGone(error);
    this.#lost.abort(error);
  }

  [Symbol.dispose](): void {
    this.#stopped.abort();
  }
}
