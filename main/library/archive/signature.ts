import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { z } from 'zod';
import { integrityOfPackages, refuseOwnRecord, type Bundle } from './bundle.ts';
import { RECORD_FILE } from './package-record.ts';

/** File of the root package that holds a bundle's signature. */
export const SIGNATURE_FILE = 'signature.sig';

/** A key to sign with. The seed is a secret: it belongs into the vault and nowhere else. */
export interface SigningKey {
  readonly keyId: string;
  /** 32 bytes in base64. */
  readonly publicKey: string;
  /** 32 bytes in base64. */
  readonly seed: string;
}

/** A key that is trusted, with what the person calls it. */
export interface TrustedKey {
  readonly keyId: string;
  /** 32 bytes in base64. */
  readonly publicKey: string;
  readonly comment?: string | undefined;
}

/** A key vouched for by another one. */
export interface ChainEntry {
  readonly keyId: string;
  readonly publicKey: string;
  /** The parent's signature over the 32 bytes of this key. */
  readonly signature: string;
  readonly parentKeyId?: string | undefined;
}

export type SignatureFault =
  | 'malformed'
  | 'alg_unsupported'
  | 'chain_missing'
  | 'chain_invalid'
  | 'chain_untrusted'
  | 'signature_invalid';

export type SignatureVerdict =
  | { readonly state: 'unsigned' }
  | { readonly state: 'trusted'; readonly keyId: string; readonly rootKeyId: string }
  | { readonly state: 'refused'; readonly reason: SignatureFault; readonly keyId: string | undefined };

/** What a person wants of signatures: nothing, a word about bad ones, or no package without a good one. */
export type SignaturePolicy = 'off' | 'warn' | 'required';

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** What precedes the raw bytes of an Ed25519 key in DER. */
const PRIVATE_KEY_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_KEY_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

function base64Of(bytes: number) {
  return z.base64().refine((text) => Buffer.from(text, 'base64').length === bytes);
}

const signatureSchema = z.object({
  alg: z.string(),
  keyId: z.string().min(1),
  signature: base64Of(SIGNATURE_BYTES),
  chain: z
    .array(
      z.object({
        keyId: z.string().min(1),
        publicKey: base64Of(KEY_BYTES),
        signature: base64Of(SIGNATURE_BYTES),
        parentKeyId: z.string().optional(),
      }),
    )
    .max(16)
    .optional(),
});

/** Makes a new key to sign with. */
export function createSigningKey(): SigningKey {
  const { privateKey } = generateKeyPairSync('ed25519');
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-KEY_BYTES);
  return signingKeyOf(seed.toString('base64'));
}

/** The key of a kept seed. @throws Error when it is not 32 bytes in base64. */
export function signingKeyOf(seed: string): SigningKey {
  const publicKey = rawPublicKey(createPublicKey(privateKeyOf(seed)));
  return { keyId: keyIdOf(publicKey), publicKey: publicKey.toString('base64'), seed };
}

/** Vouches for a key with another one. */
export function vouchFor(child: Pick<SigningKey, 'keyId' | 'publicKey'>, parent: SigningKey): ChainEntry {
  const signature = sign(null, Buffer.from(child.publicKey, 'base64'), privateKeyOf(parent.seed));
  const { keyId, publicKey } = child;
  return { keyId, publicKey, signature: signature.toString('base64'), parentKeyId: parent.keyId };
}

/**
 * The packages of a bundle with a signature of its root package in them.
 * @throws ProblemError `bundle_path_unlisted` for a package with a file that a signature cannot cover
 */
export function signPackages(
  { root, packages }: Pick<Bundle, 'root' | 'packages'>,
  key: SigningKey,
  chain: readonly ChainEntry[] = [],
): Bundle['packages'] {
  for (const [identity, files] of packages) refuseOwnRecord(identity, files);
  const text = signedText(root, packages);
  const signature = sign(null, Buffer.from(text), privateKeyOf(key.seed)).toString('base64');
  const content = { alg: 'ed25519', keyId: key.keyId, signature, ...(chain.length > 0 ? { chain } : {}) };
  const files = new Map(packages.get(root));
  files.set(SIGNATURE_FILE, Buffer.from(JSON.stringify(content)));
  return new Map(packages).set(root, files);
}

/** Who signed a bundle, and whether that leads to a trusted key (reference: afps, section 17). */
export function verifySignature(
  { root, packages }: Pick<Bundle, 'root' | 'packages'>,
  trusted: readonly TrustedKey[],
): SignatureVerdict {
  const bytes = packages.get(root)?.get(SIGNATURE_FILE);
  if (bytes === undefined) return { state: 'unsigned' };
  const parsed = signatureSchema.safeParse(parsedJson(bytes));
  if (!parsed.success) return { state: 'refused', reason: 'malformed', keyId: undefined };
  const { alg, keyId, signature, chain = [] } = parsed.data;
  const refused = (reason: SignatureFault): SignatureVerdict => ({ state: 'refused', reason, keyId });
  if (alg !== 'ed25519') return refused('alg_unsupported');

  const keyOf = (id: string): string | undefined =>
    trusted.find((key) => key.keyId === id)?.publicKey ??
    chain.find((entry) => entry.keyId === id)?.publicKey;
  const publicKey = keyOf(keyId);
  if (publicKey === undefined) return refused(chain.length === 0 ? 'chain_missing' : 'chain_untrusted');
  // A file of that name is in no list, so anybody could have put it there.
  const isCovered = ![...packages.values()].some((files) => files.has(RECORD_FILE));
  if (!isCovered || !isSigned(Buffer.from(signedText(root, packages)), signature, publicKey))
    return refused('signature_invalid');

  const seen = new Set<string>();
  for (let id = keyId; ;) {
    if (trusted.some((key) => key.keyId === id)) return { state: 'trusted', keyId, rootKeyId: id };
    const entry = chain.find((candidate) => candidate.keyId === id);
    if (entry?.parentKeyId === undefined) return refused('chain_untrusted');
    if (seen.has(id)) return refused('chain_invalid');
    seen.add(id);
    const parent = keyOf(entry.parentKeyId);
    if (parent === undefined) return refused('chain_untrusted');
    if (!isSigned(Buffer.from(entry.publicKey, 'base64'), entry.signature, parent))
      return refused('chain_invalid');
    id = entry.parentKeyId;
  }
}

/** Whether a policy lets a bundle in, and what to tell the person, as a sentence after the bundle's name. */
export function applyPolicy(
  verdict: SignatureVerdict,
  policy: SignaturePolicy,
): { readonly isAccepted: boolean; readonly warning: string | undefined } {
  if (policy === 'off' || verdict.state === 'trusted') return { isAccepted: true, warning: undefined };
  const isAccepted = policy === 'warn';
  if (verdict.state === 'unsigned') return { isAccepted, warning: 'It is not signed.' };
  return { isAccepted, warning: WARNINGS[verdict.reason] };
}

const WARNINGS: Readonly<Record<SignatureFault, string>> = {
  malformed: `Its ${SIGNATURE_FILE} cannot be read.`,
  alg_unsupported: 'It is signed by a method other than Ed25519.',
  chain_missing: 'It is signed by a key you do not trust.',
  chain_untrusted: 'It is signed by a key that leads to none you trust.',
  chain_invalid: 'It is signed by a key that its own chain does not vouch for.',
  signature_invalid: 'It was changed after it was signed.',
};

/** What a signature stands for: in this order, without the signature itself. */
function signedText(root: string, packages: Bundle['packages']): string {
  const files = new Map(packages.get(root));
  files.delete(SIGNATURE_FILE);
  const integrity = integrityOfPackages(new Map(packages).set(root, files));
  return JSON.stringify({ bundleFormatVersion: '1.0', root, integrity });
}

function isSigned(content: Buffer, signature: string, publicKey: string): boolean {
  const raw = Buffer.from(publicKey, 'base64');
  if (raw.length !== KEY_BYTES) return false;
  const key = createPublicKey({ key: Buffer.concat([PUBLIC_KEY_HEAD, raw]), format: 'der', type: 'spki' });
  return verify(null, content, key, Buffer.from(signature, 'base64'));
}

function privateKeyOf(seed: string): KeyObject {
  const raw = Buffer.from(seed, 'base64');
  if (raw.length !== KEY_BYTES) throw new Error(`A signing key has ${KEY_BYTES} bytes.`);
  return createPrivateKey({ key: Buffer.concat([PRIVATE_KEY_HEAD, raw]), format: 'der', type: 'pkcs8' });
}

function rawPublicKey(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES);
}

function keyIdOf(publicKey: Buffer): string {
  return createHash('sha256').update(publicKey).digest('hex').slice(0, 16);
}

function parsedJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
