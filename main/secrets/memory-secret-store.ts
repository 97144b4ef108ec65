import type { VaultState } from '#shared/ipc/routes.ts';
import type { SecretStore } from './secret-store.ts';

const STATE: VaultState = {
  backend: 'memory',
  state: 'open',
  detail: 'Keys are held in memory for this session only. They are gone when Slipway closes.',
};

/** Keeps secrets until the process ends and writes nothing: for an author who wants no vault. */
export class MemorySecretStore implements SecretStore {
  readonly #secrets = new Map<string, string>();

  get state(): VaultState {
    return STATE;
  }

  onState(): () => void {
    return () => undefined;
  }

  async get(name: string): Promise<string | undefined> {
    return this.#secrets.get(name);
  }

  async set(name: string, value: string): Promise<void> {
    this.#secrets.set(name, value);
  }

  async delete(name: string): Promise<void> {
    this.#secrets.delete(name);
  }

  async names(): Promise<string[]> {
    return [...this.#secrets.keys()].sort();
  }

  async unlock(): Promise<VaultState> {
    return STATE;
  }

  /** Nothing is on disk to lock, so locking forgets. */
  async lock(): Promise<VaultState> {
    this.#secrets.clear();
    return STATE;
  }
}
