import { abortable } from '#main/async/abortable.ts';
import { connectionBroke, connectionCodeOf, describeEngineError } from './problems.ts';

/** What tells whether the engine lives. */
export interface EngineLife {
  /** Aborts, with a ProblemError as its reason, when the engine has stopped. */
  readonly lost: AbortSignal;
  /** Asks it now. */
  check(): Promise<boolean>;
  /** Says that something waits for it, so that one that hangs is noticed, until the returned is called. */
  use(): () => void;
}

/**
 * Makes calls to the engine end: docker-modem leaves a call without an answer where the connection breaks
 * after the answer's head, so each ends with the engine and with the caller's signal.
 */
export class EngineCalls {
  readonly #address: string;
  readonly #life: EngineLife;

  constructor(address: string, life: EngineLife) {
    this.#address = address;
    this.#life = life;
  }

  /**
   * The call's result.
   * @param doing completes "The engine refused to …"
   * @throws ProblemError `engine_unreachable`, `container_refused`; the signal's reason when it is aborted.
   */
  async make<T>(doing: string, call: Promise<T>, signal?: AbortSignal): Promise<T> {
    const { lost } = this.#life;
    const release = this.#life.use();
    try {
      return await abortable(call, signal ? AbortSignal.any([lost, signal]) : lost);
    } catch (error) {
      // The connection of an aborted call may break before the signal is seen here.
      if (signal?.aborted) throw signal.reason;
      const broke = connectionCodeOf(error);
      if (broke !== undefined && (await this.#life.check())) throw connectionBroke(doing, broke, error);
      throw describeEngineError(error, this.#address, doing);
    } finally {
      release();
    }
  }
}
