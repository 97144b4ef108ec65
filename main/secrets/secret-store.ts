import type { VaultState } from '#shared/ipc/routes.ts';

/** Keeps secrets encrypted at rest; nothing else in the app writes one to disk. */
export interface SecretStore {
  readonly state: VaultState;
  onState(listener: (state: VaultState) => void): () => void;
  /** @throws ProblemError `vault_locked`, `vault_damaged`. */
  get(name: string): Promise<string | undefined>;
  /** Written through before it resolves. @throws ProblemError `vault_locked`. */
  set(name: string, value: string): Promise<void>;
  delete(name: string): Promise<void>;
  names(): Promise<string[]>;
  /**
   * Opens the vault, making it when there is none.
   * @throws ProblemError `vault_passphrase_wrong`, `vault_damaged`, `vault_other_machine`.
   */
  unlock(passphrase: string): Promise<VaultState>;
  lock(): Promise<VaultState>;
}

/** A secret store whose author may decide against keeping keys, or against a vault that does not open. */
export interface SessionSecretStore extends SecretStore {
  /** Holds keys in memory until the process ends, instead of in a vault. A vault on disk stays as it is. */
  keepInMemory(): Promise<VaultState>;
  /**
   * Renames the vault's file, so that a new vault can be made in its place. Nothing is deleted.
   * @returns the new state, and the name under which the old file lies beside the new one
   * @throws ProblemError `vault_in_use` while the vault is open or there is none.
   */
  setAside(): Promise<VaultState & { keptAs: string }>;
}
