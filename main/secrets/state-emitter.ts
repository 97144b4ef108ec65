import type { VaultState } from '#shared/ipc/routes.ts';

/** Holds a vault's state and tells listeners when it has changed. */
export class StateEmitter {
  #state: VaultState;
  readonly #listeners = new Set<(state: VaultState) => void>();

  constructor(state: VaultState) {
    this.#state = state;
  }

  get state(): VaultState {
    return this.#state;
  }

  change(state: VaultState): VaultState {
    const before = this.#state;
    this.#state = state;
    if (
      before.backend !== state.backend ||
      before.state !== state.state ||
      before.detail !== state.detail ||
      before.problem?.code !== state.problem?.code
    ) {
      for (const listener of this.#listeners) listener(state);
    }
    return state;
  }

  listen(listener: (state: VaultState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
