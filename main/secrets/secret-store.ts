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
