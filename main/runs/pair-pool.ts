import { abortable } from '#main/async/abortable.ts';
import type { Engine } from '#main/engines/engine.ts';
import type { Logger } from '#main/logging/logger.ts';
import { launchPair, type Pair } from './pair.ts';

export interface PairPoolOptions {
  readonly logger: Logger;
  /** Whether an idle pair may wait for the next run; asked each time. */
  wantsWarmPair(): boolean;
  /** What makes a pair; another one in tests. */
  readonly launch?: typeof launchPair;
}

interface WarmPair {
  readonly engine: Engine;
  readonly image: string;
  /** Undefined when it could not be made. */
  readonly pair: Promise<Pair | undefined>;
}

/** Gives runs their pairs, and keeps one idle pair ready so that the next run starts at once. */
export class PairPool {
  readonly #options: PairPoolOptions;
  readonly #abort = new AbortController();
  readonly #launch: typeof launchPair;
  /** Removals under way, which the end waits for. */
  readonly #leaving = new Set<Promise<void>>();
  #warm: WarmPair | undefined;

  constructor(options: PairPoolOptions) {
    this.#options = options;
    this.#launch = options.launch ?? launchPair;
  }

  /** A pair for one run: the idle one where it fits and lives, else a new one. */
  async take(engine: Engine, image: string, signal: AbortSignal): Promise<Pair> {
    const warm = this.#warm;
    this.#warm = undefined;
    if (warm?.engine === engine && warm.image === image) {
      const pair = await abortable(warm.pair, signal).catch((error: unknown) => {
        this.#giveBack(warm);
        throw error;
      });
      if (pair && (await isAlive(pair))) return pair;
    }
    if (warm) void this.#discard(warm);
    return this.#launch(engine, image, this.#options.logger, signal);
  }

  /** Makes an idle pair unless there is one; failures are left for the next run to meet. */
  prepare(engine: Engine, image: string): void {
    if (this.#abort.signal.aborted || !this.#options.wantsWarmPair()) return;
    if (this.#warm?.engine === engine && this.#warm.image === image) return;
    if (this.#warm) void this.#discard(this.#warm);
    const pair = this.#launch(engine, image, this.#options.logger, this.#abort.signal).catch(
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

  /** Removes a pair that a run has done with. The pool's end waits for it, also where the run does not. */
  remove(pair: Pair): Promise<void> {
    return this.#leave(pair.remove());
  }

  /** Removes the idle pair, for example because the author turned it off. */
  async clear(): Promise<void> {
    const warm = this.#warm;
    this.#warm = undefined;
    if (warm) await this.#discard(warm);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.clear();
    await Promise.all(this.#leaving);
  }

  /** A run that was ended while its pair was being made leaves it to the next. */
  #giveBack(warm: WarmPair): void {
    if (this.#warm || this.#abort.signal.aborted || !this.#options.wantsWarmPair()) void this.#discard(warm);
    else this.#warm = warm;
  }

  #discard({ pair }: WarmPair): Promise<void> {
    return this.#leave(pair.then((launched) => launched?.remove()));
  }

  #leave(removal: Promise<void>): Promise<void> {
    const leaving = removal.finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
    return leaving;
  }
}

/** What the first run would wait for is loaded and compiled while nobody waits. */
function letRehearse({ sandbox, sidecar }: Pair): void {
  void sandbox.connection.peer.notify('rehearse', {});
  void sidecar.connection.peer.notify('rehearse', {});
}

async function isAlive(pair: Pair): Promise<boolean> {
  const failed = await Promise.race([pair.failure, Promise.resolve(undefined)]);
  return (
    failed === undefined && !pair.sandbox.connection.peer.isClosed && !pair.sidecar.connection.peer.isClosed
  );
}
