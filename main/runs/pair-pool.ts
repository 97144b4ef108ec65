import type { Engine } from '#main/engines/engine.ts';
import type { Logger } from '#main/logging/logger.ts';
import { launchPair, type Pair } from './pair.ts';

export interface PairPoolOptions {
  readonly logger: Logger;
  /** Whether an idle pair may wait for the next run; asked each time. */
  wantsWarmPair(): boolean;
}

/** Gives runs their pairs, and keeps one idle pair ready so that the next run starts at once. */
export class PairPool {
  readonly #options: PairPoolOptions;
  readonly #abort = new AbortController();
  #warm:
    { readonly engine: Engine; readonly image: string; readonly pair: Promise<Pair | undefined> } | undefined;

  constructor(options: PairPoolOptions) {
    this.#options = options;
  }

  /** A pair for one run: the idle one where it fits and lives, else a new one. */
  async take(engine: Engine, image: string, signal: AbortSignal): Promise<Pair> {
    const warm = this.#warm;
    this.#warm = undefined;
    if (warm) {
      if (warm.engine === engine && warm.image === image) {
        const pair = await abortable(warm.pair, signal);
        if (pair && (await isAlive(pair))) return pair;
        void pair?.remove();
      } else {
        void discard(warm.pair);
      }
    }
    return launchPair(engine, image, this.#options.logger, signal);
  }

  /** Makes an idle pair unless there is one; failures are left for the next run to meet. */
  prepare(engine: Engine, image: string): void {
    if (this.#abort.signal.aborted || !this.#options.wantsWarmPair()) return;
    if (this.#warm?.engine === engine && this.#warm.image === image) return;
    if (this.#warm) void discard(this.#warm.pair);
    const pair = launchPair(engine, image, this.#options.logger, this.#abort.signal).catch(
      (error: unknown) => {
        this.#options.logger.info({ error }, 'No idle pair could be made');
        return undefined;
      },
    );
    const warm = { engine, image, pair };
    this.#warm = warm;
    void pair.then(async (launched) => {
      if (launched) letRehearse(launched);
      await launched?.failure;
      // It ended while it waited; the next run makes its own.
      if (this.#warm !== warm) return;
      this.#warm = undefined;
      await launched?.remove();
    });
  }

  /** Removes the idle pair, for example because the author turned it off. */
  async clear(): Promise<void> {
    const warm = this.#warm;
    this.#warm = undefined;
    if (warm) await discard(warm.pair);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.clear();
  }
}

/** What the first run would wait for is loaded and compiled while nobody waits. */
function letRehearse({ sandbox, sidecar }: Pair): void {
  void sandbox.connection.peer.notify('rehearse', {});
  void sidecar.connection.peer.notify('rehearse', {});
}

async function discard(pair: Promise<Pair | undefined>): Promise<void> {
  await (await pair)?.remove();
}

async function isAlive(pair: Pair): Promise<boolean> {
  const failed = await Promise.race([pair.failure, Promise.resolve(undefined)]);
  return (
    failed === undefined && !pair.sandbox.connection.peer.isClosed && !pair.sidecar.connection.peer.isClosed
  );
}

/** Waits for a promise that goes on by itself when the signal fires. */
function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason as Error);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
