import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { VaultState } from '#shared/ipc/routes.ts';
import { MemorySecretStore } from './memory-secret-store.ts';
import { PassphraseSecretStore } from './passphrase-secret-store.ts';
import type { ScryptCost } from './sealed-file.ts';
import type { SecretStore } from './secret-store.ts';
import { SystemSecretStore, type SystemCipher } from './system-secret-store.ts';

export type { ScryptCost } from './sealed-file.ts';
export type { SecretStore } from './secret-store.ts';
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

/** A secret store whose author may decide against keeping keys. */
export interface SessionSecretStore extends SecretStore {
  /** Holds keys in memory until the process ends, instead of in a vault. A vault on disk stays as it is. */
  keepInMemory(): Promise<VaultState>;
}

/** Makes the app's secret store. Nothing is read or written before it is used. */
export function createSecretStore(options: SecretStoreOptions): SessionSecretStore {
  const passphrasePath = join(options.directory, 'secrets.passphrase.json');
  const systemPath = join(options.directory, 'secrets.system.json');
  const preference = options.preference ?? 'automatic';
  const makePassphraseStore = () => new PassphraseSecretStore(passphrasePath, options.scryptCost);
  if (preference === 'memory') return new SwitchableSecretStore(new MemorySecretStore(), makePassphraseStore);
  const cipher = options.systemCipher?.isAvailable() ? options.systemCipher : undefined;
  const usesSystem =
    cipher && preference !== 'passphrase' && (preference === 'system' || !existsSync(passphrasePath));
  const store = usesSystem ? new SystemSecretStore(systemPath, cipher) : makePassphraseStore();
  return new SwitchableSecretStore(store, makePassphraseStore);
}

/** Lets the store behind it be exchanged for memory, and back for a vault. */
class SwitchableSecretStore implements SessionSecretStore {
  #store: SecretStore;
  readonly #makeVault: () => SecretStore;
  readonly #listeners = new Set<(state: VaultState) => void>();
  #stopListening: () => void;

  constructor(store: SecretStore, makeVault: () => SecretStore) {
    this.#store = store;
    this.#makeVault = makeVault;
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
    const vault = this.#makeVault();
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
