import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { VaultState } from '#shared/ipc/routes.ts';
import { ProblemError, type Problem } from '#shared/problem.ts';
import { previousPath, readIfPresent, recoverPrevious, replaceDurably } from './durable-file.ts';
import { withFileLock } from './file-lock.ts';
import {
  assertIntact,
  DEFAULT_SCRYPT_COST,
  isSealedWith,
  newPassphraseKey,
  openPassphraseKey,
  seal,
  unseal,
  type PassphraseKey,
  type ScryptCost,
} from './sealed-file.ts';
import type { SecretStore } from './secret-store.ts';
import { SerialQueue } from './serial-queue.ts';
import { StateEmitter } from './state-emitter.ts';

const DETAILS: Readonly<Record<VaultState['state'], string>> = {
  absent: 'There is no key vault yet. It is made with the passphrase you choose.',
  locked: 'Keys are kept in a file encrypted with your passphrase, which is needed to open it.',
  open: 'Keys are kept in a file encrypted with your passphrase.',
};

const UNREACHABLE: Problem = {
  code: 'vault_other_machine',
  title: 'Keys of another key store lie here',
  detail:
    'This data folder has a vault that the key store of a desktop encrypted, and there is none here. The file is left as it is.',
  action: 'Start Slipway as the desktop app on the computer it was made on, or make a new vault.',
};

/**
 * Keeps secrets in one file encrypted under a passphrase. Only the derived key stays in memory: every
 * operation reads the file anew, so several processes may use one vault.
 */
export class PassphraseSecretStore implements SecretStore {
  readonly #path: string;
  readonly #cost: ScryptCost;
  readonly #queue = new SerialQueue();
  readonly #state: StateEmitter;
  readonly #hasUnreachableSystemVault: () => boolean;
  #key: PassphraseKey | undefined;

  /** @param hasUnreachableSystemVault whether keys lie here that only a desktop's key store can open */
  constructor(
    path: string,
    cost: ScryptCost = DEFAULT_SCRYPT_COST,
    hasUnreachableSystemVault: () => boolean = () => false,
  ) {
    this.#path = path;
    this.#cost = cost;
    this.#hasUnreachableSystemVault = hasUnreachableSystemVault;
    this.#state = new StateEmitter(this.#stateOf(this.#isPresent() ? 'locked' : 'absent'));
  }

  get state(): VaultState {
    return this.#state.state;
  }

  onState(listener: (state: VaultState) => void): () => void {
    return this.#state.listen(listener);
  }

  get(name: string): Promise<string | undefined> {
    return this.#queue.run(async () => (await this.#read(this.#requireKey())).get(name));
  }

  names(): Promise<string[]> {
    return this.#queue.run(async () => [...(await this.#read(this.#requireKey())).keys()].sort());
  }

  set(name: string, value: string): Promise<void> {
    return this.#change((secrets) => secrets.set(name, value));
  }

  delete(name: string): Promise<void> {
    return this.#change((secrets) => secrets.delete(name));
  }

  unlock(passphrase: string): Promise<VaultState> {
    return this.#queue.run(async () => {
      try {
        this.#key = (await this.#openExisting(passphrase)) ?? (await this.#create(passphrase));
      } catch (error) {
        if (error instanceof ProblemError && /^vault_(damaged|too_new)$/.test(error.problem.code)) {
          this.#state.change({ ...this.#stateOf('locked'), problem: error.problem });
        }
        throw error;
      }
      return this.#state.change(this.#stateOf('open'));
    });
  }

  lock(): Promise<VaultState> {
    return this.#queue.run(async () => {
      this.#forgetKey();
      return this.#state.change(this.#stateOf(this.#isPresent() ? 'locked' : 'absent'));
    });
  }

  async #openExisting(passphrase: string): Promise<PassphraseKey | undefined> {
    if (existsSync(previousPath(this.#path))) {
      await this.#locked(() => recoverPrevious(this.#path, assertIntact));
    }
    const bytes = await readIfPresent(this.#path);
    return bytes && openPassphraseKey(bytes, passphrase);
  }

  async #create(passphrase: string): Promise<PassphraseKey> {
    const key = await newPassphraseKey(passphrase, this.#cost);
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const isMade = await this.#locked(async () => {
      if (existsSync(this.#path)) return false;
      await this.#write(new Map(), key);
      return true;
    });
    if (isMade) return key;
    // Another process made the vault while the key was derived.
    return openPassphraseKey((await readIfPresent(this.#path)) ?? Buffer.alloc(0), passphrase);
  }

  #change(change: (secrets: Map<string, string>) => unknown): Promise<void> {
    return this.#queue.run(async () => {
      const key = this.#requireKey();
      await this.#locked(async () => {
        const secrets = await this.#read(key);
        change(secrets);
        await this.#write(secrets, key);
      });
    });
  }

  async #read(key: PassphraseKey): Promise<Map<string, string>> {
    const bytes = await readIfPresent(this.#path);
    if (!bytes || !isSealedWith(bytes, key)) {
      this.#forgetKey();
      this.#state.change(this.#stateOf(bytes ? 'locked' : 'absent'));
      throw lockedProblem(this.state);
    }
    return unseal(bytes, key);
  }

  async #write(secrets: ReadonlyMap<string, string>, key: PassphraseKey): Promise<void> {
    await replaceDurably(this.#path, seal(secrets, key), (readBack) => unseal(readBack, key));
  }

  #locked<T>(work: () => Promise<T>): Promise<T> {
    return withFileLock(`${this.#path}.lock`, work);
  }

  #requireKey(): PassphraseKey {
    if (!this.#key) throw lockedProblem(this.state);
    return this.#key;
  }

  #forgetKey(): void {
    this.#key?.encryptionKey.fill(0);
    this.#key = undefined;
  }

  #stateOf(state: VaultState['state']): VaultState {
    const isMoved = state === 'absent' && this.#hasUnreachableSystemVault();
    return { backend: 'passphrase', state, detail: DETAILS[state], ...(isMoved && { problem: UNREACHABLE }) };
  }

  #isPresent(): boolean {
    return existsSync(this.#path) || existsSync(previousPath(this.#path));
  }
}

function lockedProblem(state: VaultState): ProblemError {
  const isAbsent = state.state === 'absent';
  return new ProblemError({
    code: 'vault_locked',
    title: isAbsent ? 'There is no key vault yet' : 'The key vault is locked',
    detail: isAbsent
      ? 'Keys are kept in an encrypted vault, and none has been made.'
      : 'The key vault has to be opened with its passphrase first.',
    action: isAbsent ? 'Choose a passphrase for the vault.' : 'Enter the passphrase of the vault.',
  });
}
