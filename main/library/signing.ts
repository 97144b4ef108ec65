import { z } from 'zod';
import { signaturePolicySchema, signingStateSchema, type SigningState } from '#shared/ipc/library-routes.ts';
import { ProblemError } from '#shared/problem.ts';
import type { StoredValue } from '#main/settings/index.ts';
import type { SecretStore } from '#main/secrets/secret-store.ts';
import type { Bundle } from './archive/bundle.ts';
import {
  applyPolicy,
  createSigningKey,
  signingKeyOf,
  verifySignature,
  type SigningKey,
  type TrustedKey,
} from './archive/signature.ts';

/** Name in the vault of the seed that the app signs with. */
export const SIGNING_SECRET = 'library.signing-key';

const storedSchema = z.object({
  policy: signaturePolicySchema.catch('warn'),
  own: signingStateSchema.shape.own.catch(undefined),
  trusted: signingStateSchema.shape.trusted.catch([]),
});

export interface SigningOptions {
  readonly value: Pick<StoredValue, 'read' | 'write'>;
  readonly secrets: Pick<SecretStore, 'get' | 'set'>;
}

/** The app's own key, the keys a person trusts, and what they want of signatures. */
export class Signing {
  readonly #options: SigningOptions;

  constructor(options: SigningOptions) {
    this.#options = options;
  }

  state(): SigningState {
    const { policy, own, trusted } = storedSchema.parse(this.#options.value.read() ?? {});
    return { policy, ...(own === undefined ? {} : { own }), trusted };
  }

  update(change: {
    policy?: SigningState['policy'] | undefined;
    trusted?: SigningState['trusted'] | undefined;
  }): SigningState {
    const state = this.state();
    for (const { publicKey, keyId } of change.trusted ?? []) {
      if (Buffer.from(publicKey, 'base64').length === 32) continue;
      const detail = `The key "${keyId}" is not 32 bytes in base64.`;
      throw new ProblemError({ code: 'signing_key_invalid', title: 'This is no key', detail });
    }
    this.#options.value.write({
      ...state,
      policy: change.policy ?? state.policy,
      trusted: change.trusted ?? state.trusted,
    });
    return this.state();
  }

  /** Makes the app's key where there is none; its secret half goes into the vault. @throws `vault_locked`. */
  async createKey(): Promise<SigningState> {
    const state = this.state();
    if (state.own !== undefined && (await this.#options.secrets.get(SIGNING_SECRET)) !== undefined)
      return state;
    const key = createSigningKey();
    await this.#options.secrets.set(SIGNING_SECRET, key.seed);
    this.#options.value.write({ ...state, own: { keyId: key.keyId, publicKey: key.publicKey } });
    return this.state();
  }

  /** The key to sign with, made when it is first needed. @throws ProblemError `vault_locked`. */
  async key(): Promise<SigningKey> {
    await this.createKey();
    const seed = await this.#options.secrets.get(SIGNING_SECRET);
    if (seed === undefined) throw new Error('The signing key was removed while it was in use.');
    return signingKeyOf(seed);
  }

  /**
   * Whether a bundle may come in, and what to tell its person.
   * @throws ProblemError `signature_required` when the policy refuses it
   */
  judge(bundle: Pick<Bundle, 'root' | 'packages'>): {
    warning: string | undefined;
    signedBy: string | undefined;
  } {
    const { policy, own, trusted } = this.state();
    const keys: TrustedKey[] = [...trusted, ...(own === undefined ? [] : [own])];
    const verdict = verifySignature(bundle, keys);
    const { isAccepted, warning } = applyPolicy(verdict, policy);
    if (isAccepted) {
      // That most packages are unsigned is no news; a signature that is wrong is.
      const isNews = verdict.state === 'refused';
      return {
        warning: isNews ? warning : undefined,
        signedBy: verdict.state === 'trusted' ? verdict.keyId : undefined,
      };
    }
    throw new ProblemError({
      code: 'signature_required',
      title: 'The signature is missing or not trusted',
      detail: `${bundle.root} was not taken. ${warning ?? ''}`,
      action: 'Trust the key of its maker in the settings, or allow packages without a trusted signature.',
    });
  }
}
