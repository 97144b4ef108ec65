import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { VaultState } from '#shared/ipc/routes.ts';
import { ProblemError } from '#shared/problem.ts';
import { setFileAside } from './durable-file.ts';
import { MemorySecretStore } from './memory-secret-store.ts';
import { PassphraseSecretStore } from './passphrase-secret-store.ts';
import type { ScryptCost } from './sealed-file.ts';
import type { SecretStore, SessionSecretStore } from './secret-store.ts';
import { SystemSecretStore, type SystemCipher } from './system-secret-store.ts';

export { withFileLock } from './file-lock.ts';
export type { ScryptCost } from './sealed-file.ts';
export type { SecretStore, SessionSecretStore } from './secret-store.ts';
export type { SystemCipher } from './system-secret-store.ts';

export interface SecretStoreOptions {
  /** Folder of the vault's file; made when the first secret is kept. */
  readonly directory: string;
  /** The desktop's key store, where there is one. */
  readonly systemCipher?: SystemCipher;
  /**
   * `automatic` opens the passphrase vault if one was ever made here, else uses the system's key store
   * where it is available, else asks for a passphrase. `memory` keeps nothing.
   */
  readonly preference?: 'automatic' | 'system' | 'passphrase' | 'memory';
  /** Cost of new passphrase vaults. */
  readonly scryptCost?: ScryptCost;
}

/** A kind of vault: where its file lies, and how to make the store over it. */
interface Vault {
  readonly path: string;
  make(): SecretStore;
}

/** Makes the app's secret store. Nothing is read or written before it is used. */
export function createSecretStore(options: SecretStoreOptions): SessionSecretStore {
  const passphrasePath = join(options.directory, 'secrets.passphrase.json');
  const systemPath = join(options.directory, 'secrets.system.json');
  const preference = options.preference ?? 'automatic';
  const cipher = options.systemCipher?.isAvailable() ? options.systemCipher : undefined;
  const hasUnreachableSystemVault = () => !cipher && existsSync(systemPath);
  const passphrase: Vault = {
    path: passphrasePath,
    make: () => new PassphraseSecretStore(passphrasePath, options.scryptCost, hasUnreachableSystemVault),
  };
  const system: Vault | undefined = cipher && {
    path: systemPath,
    make: () => new SystemSecretStore(systemPath, cipher),
  };
  const usesSystem = preference !== 'passphrase' && (preference === 'system' || !existsSync(passphrasePath));
  const vault = usesSystem && system ? system : passphrase;
  const store = preference === 'memory' ? new MemorySecretStore() : vault.make();
  return new SwitchableSecretStore(store, vault);
}

/** Lets the store behind it be exchanged for memory, and back for a vault. */
class SwitchableSecretStore implements SessionSecretStore {
  #store: SecretStore;
  readonly #vault: Vault;
  readonly #listeners = new Set<(state: VaultState) => void>();
  #stopListening: () => void;

  constructor(store: SecretStore, vault: Vault) {
    this.#store = store;
    this.#vault = vault;
    this.#stopListening = this.#listenTo(store);
  }

  get state(): VaultState {
    return this.#store.state;
  }

  onState(listener: (state: VaultState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get(name: string): Promise<string | undefined> {
    return this.#store.get(name);
  }

  set(name: string, value: string): Promise<void> {
    return this.#store.set(name, value);
  }

  delete(name: string): Promise<void> {
    return this.#store.delete(name);
  }

  names(): Promise<string[]> {
    return this.#store.names();
  }

  lock(): Promise<VaultState> {
    return this.#store.lock();
  }

  /** From memory, opens or makes the vault and moves this session's keys into it. */
  async unlock(passphrase: string): Promise<VaultState> {
    if (this.#store.state.backend !== 'memory') return this.#store.unlock(passphrase);
    const session = this.#store;
    const vault = this.#vault.make();
    await vault.unlock(passphrase);
    for (const name of await session.names()) {
      const value = await session.get(name);
      if (value !== undefined) await vault.set(name, value);
    }
    return this.#exchange(vault);
  }

  async keepInMemory(): Promise<VaultState> {
    if (this.#store.state.backend === 'memory') return this.state;
    await this.#store.lock();
    return this.#exchange(new MemorySecretStore());
  }

  async setAside(): Promise<VaultState & { keptAs: string }> {
    const { state, problem } = this.state;
    if (state === 'open' && !problem) throw notSetAside('The vault is open, so there is no need to.');
    const kept = await setFileAside(this.#vault.path);
    if (kept === undefined) throw notSetAside('There is no vault on this computer.');
    return { ...this.#exchange(this.#vault.make()), keptAs: basename(kept) };
  }

  #exchange(store: SecretStore): VaultState {
    this.#stopListening();
    this.#store = store;
    this.#stopListening = this.#listenTo(store);
    for (const listener of this.#listeners) listener(store.state);
    return store.state;
  }

  #listenTo(store: SecretStore): () => void {
    return store.onState((state) => {
      for (const listener of this.#listeners) listener(state);
    });
  }
}

function notSetAside(detail: string): ProblemError {
  return new ProblemError({ code: 'vault_in_use', title: 'The vault was left where it is', detail });
}
