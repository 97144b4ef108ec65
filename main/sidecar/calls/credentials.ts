import type { CredentialsAnswer } from '#shared/protocol/integrations.ts';
import type { MainLink } from '../stdio.ts';

/** Time before its end at which a credential is no longer begun with. */
const MARGIN_MS = 30_000;

/** The credentials of a run's connections, asked of main when they are needed and held in memory. */
export class Credentials implements Disposable {
  readonly #main: MainLink;
  readonly #held = new Map<string, CredentialsAnswer>();
  readonly #asking = new Map<string, Promise<CredentialsAnswer>>();
  readonly #stop: () => void;

  constructor(main: MainLink) {
    this.#main = main;
    this.#stop = main.on('credentialsChanged', ({ connectionId }) => this.#held.delete(connectionId));
  }

  /** @throws ProblemError when there is none. */
  async get(connectionId: string): Promise<CredentialsAnswer> {
    const held = this.#held.get(connectionId);
    if (held !== undefined && (held.expiresAt ?? Number.POSITIVE_INFINITY) - MARGIN_MS > Date.now()) {
      return held;
    }
    return this.#ask(connectionId, 'initial');
  }

  /**
   * What to use after a service refused `used`. That may be one which another call has fetched meanwhile.
   * @throws ProblemError when there is none.
   */
  async refresh(connectionId: string, used: CredentialsAnswer): Promise<CredentialsAnswer> {
    const held = this.#held.get(connectionId);
    if (held !== undefined && held !== used) return held;
    return this.#ask(connectionId, 'refresh');
  }

  /** One question at a time for each connection and reason; its answer serves all who wait. */
  #ask(connectionId: string, reason: 'initial' | 'refresh'): Promise<CredentialsAnswer> {
    const key = `${reason} ${connectionId}`;
    let asking = this.#asking.get(key);
    if (asking === undefined) {
      asking = this.#main
        .request('credentials', { connectionId, reason })
        .then((answer) => {
          this.#held.set(connectionId, answer);
          return answer;
        })
        .finally(() => this.#asking.delete(key));
      this.#asking.set(key, asking);
    }
    return asking;
  }

  [Symbol.dispose](): void {
    this.#stop();
  }
}
