import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { VaultState } from '#shared/ipc/routes.ts';
import { ProblemError } from '#shared/problem.ts';
import { previousPath, readIfPresent, recoverPrevious, replaceDurably } from './durable-file.ts';
import { withFileLock } from './file-lock.ts';
import { assertIntact, deserialise, serialise, unwrapSystem, wrapSystem } from './sealed-file.ts';
import type { SecretStore } from './secret-store.ts';
import { SerialQueue } from './serial-queue.ts';
import { StateEmitter } from './state-emitter.ts';

/** Encryption by the operating system's own key store, which the desktop shell brings. */
export interface SystemCipher {
  /** False where the system has no real key store, such as Electron's `basic_text` on Linux. */
  isAvailable(): boolean;
  /** The system's name for its store, such as `gnome_libsecret` or `keychain`. */
  readonly backend: string;
  encrypt(plainText: string): Promise<Uint8Array>;
  /** Rejects when the data were not encrypted by this user on this computer. */
  decrypt(encrypted: Uint8Array): Promise<string>;
}

/** Keeps secrets in one file that only this user's system key store can open. */
export class SystemSecretStore implements SecretStore {
  readonly #path: string;
  readonly #cipher: SystemCipher;
  readonly #queue = new SerialQueue();
  readonly #open: VaultState;
  readonly #state: StateEmitter;

  constructor(path: string, cipher: SystemCipher) {
    this.#path = path;
    this.#cipher = cipher;
    this.#open = {
      backend: 'system',
      state: 'open',
      detail: `Keys are encrypted by this computer's key store (${cipher.backend}).`,
    };
    this.#state = new StateEmitter(this.#open);
  }

  get state(): VaultState {
    return this.#state.state;
  }

  onState(listener: (state: VaultState) => void): () => void {
    return this.#state.listen(listener);
  }

  get(name: string): Promise<string | undefined> {
    return this.#queue.run(async () => {
      await this.#recover();
      return (await this.#read()).get(name);
    });
  }

  names(): Promise<string[]> {
    return this.#queue.run(async () => {
      await this.#recover();
      return [...(await this.#read()).keys()].sort();
    });
  }

  set(name: string, value: string): Promise<void> {
    return this.#change((secrets) => secrets.set(name, value));
  }

  delete(name: string): Promise<void> {
    return this.#change((secrets) => secrets.delete(name));
  }

  /** The system opens its store as the user logs in; there is no passphrase to take. */
  async unlock(): Promise<VaultState> {
    await this.names();
    return this.state;
  }

  async lock(): Promise<VaultState> {
    return this.state;
  }

  #change(change: (secrets: Map<string, string>) => unknown): Promise<void> {
    return this.#queue.run(async () => {
      await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
      await this.#recover();
      await this.#locked(async () => {
        const secrets = await this.#read();
        change(secrets);
        const encrypted = await this.#cipher.encrypt(serialise(secrets));
        const bytes = wrapSystem(encrypted, this.#cipher.backend);
        await replaceDurably(this.#path, bytes, (readBack) => unwrapSystem(readBack));
      });
    });
  }

  async #read(): Promise<Map<string, string>> {
    try {
      const bytes = await readIfPresent(this.#path);
      const secrets = bytes ? await this.#decrypt(bytes) : new Map<string, string>();
      this.#state.change(this.#open);
      return secrets;
    } catch (error) {
      if (error instanceof ProblemError) {
        const { problem } = error;
        this.#state.change({ ...this.#open, state: 'locked', detail: problem.detail, problem });
      }
      throw error;
    }
  }

  async #recover(): Promise<void> {
    if (!existsSync(previousPath(this.#path))) return;
    await this.#locked(() => recoverPrevious(this.#path, assertIntact));
  }

  #locked<T>(work: () => Promise<T>): Promise<T> {
    return withFileLock(`${this.#path}.lock`, work);
  }

  async #decrypt(bytes: Buffer): Promise<Map<string, string>> {
    const { encrypted, cipher } = unwrapSystem(bytes);
    let text;
    try {
      text = await this.#cipher.decrypt(encrypted);
    } catch {
      throw new ProblemError({
        code: 'vault_other_machine',
        title: 'The key vault belongs to another computer or user',
        detail: `The vault was encrypted by the key store "${cipher}" of another computer or user account, and only that one can open it. The file was left as it is.`,
        action: 'Enter your keys again after moving the file away, or use the computer it was made on.',
        file: this.#path,
      });
    }
    return deserialise(text);
  }
}
