import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ProblemError } from '#shared/problem.ts';

/** Cost of scrypt (RFC 7914): memory is 128 * N * r bytes. */
export interface ScryptCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** 128 MiB and about a third of a second. */
export const DEFAULT_SCRYPT_COST: ScryptCost = { N: 2 ** 17, r: 8, p: 1 };

/** Bounds on what a file may ask for, so that a damaged one cannot take all memory. */
const MAX_SCRYPT_MEMORY = 1024 * 1024 * 1024;

const headerSchema = z.object({
  format: z.literal('slipway-secrets'),
  version: z.number().int().positive(),
});

const checksummed = { checksum: z.base64() };

const passphraseFileSchema = headerSchema.extend({
  version: z.literal(1),
  backend: z.literal('passphrase'),
  kdf: z.object({
    name: z.literal('scrypt'),
    N: z
      .number()
      .int()
      .min(2)
      .refine((n) => (n & (n - 1)) === 0, 'must be a power of two'),
    r: z.number().int().min(1).max(64),
    p: z.number().int().min(1).max(16),
    salt: z.base64(),
  }),
  /** Tells a wrong passphrase from a damaged file. */
  verifier: z.base64(),
  nonce: z.base64(),
  tag: z.base64(),
  data: z.base64(),
  ...checksummed,
});
type PassphraseFile = z.infer<typeof passphraseFileSchema>;

const systemFileSchema = headerSchema.extend({
  version: z.literal(1),
  backend: z.literal('system'),
  /** Name of the operating system's store, to say which one is missing elsewhere. */
  cipher: z.string(),
  data: z.base64(),
  ...checksummed,
});

/** Pairs, since no object can hold every name. */
const secretsSchema = z.array(z.tuple([z.string(), z.string()]));

/** A key derived from a passphrase, with what a file needs to derive it again. */
export interface PassphraseKey {
  readonly kdf: PassphraseFile['kdf'];
  readonly encryptionKey: Buffer;
  readonly verifier: Buffer;
}

/** Derives the key of a new file. */
export async function newPassphraseKey(passphrase: string, cost: ScryptCost): Promise<PassphraseKey> {
  return deriveKey(passphrase, { name: 'scrypt', ...cost, salt: randomBytes(16).toString('base64') });
}

async function deriveKey(passphrase: string, kdf: PassphraseFile['kdf']): Promise<PassphraseKey> {
  const memory = 128 * kdf.N * kdf.r;
  const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);
  // The same passphrase typed on another system may come as other code points.
  const material = await derive(passphrase.normalize('NFKC'), Buffer.from(kdf.salt, 'base64'), 64, {
    N: kdf.N,
    r: kdf.r,
    p: kdf.p,
    maxmem: memory + 32 * 1024 * 1024,
  });
  const verifier = createHmac('sha256', material.subarray(32)).update('slipway-secrets verifier 1').digest();
  return { kdf, encryptionKey: material.subarray(0, 32), verifier };
}

/**
 * Derives the key of an existing file.
 * @throws ProblemError `vault_passphrase_wrong`, `vault_damaged`, `vault_too_new`.
 */
export async function openPassphraseKey(bytes: Buffer, passphrase: string): Promise<PassphraseKey> {
  const file = parseFile(bytes, passphraseFileSchema);
  if (128 * file.kdf.N * file.kdf.r > MAX_SCRYPT_MEMORY) throw damaged('it asks for too much memory');
  const key = await deriveKey(passphrase, file.kdf);
  if (!fits(key, file)) {
    throw new ProblemError({
      code: 'vault_passphrase_wrong',
      title: 'Wrong passphrase',
      detail: 'The passphrase does not open the key vault. The vault itself is intact.',
      action: 'Type the passphrase again.',
    });
  }
  unseal(bytes, key);
  return key;
}

function fits(key: PassphraseKey, file: PassphraseFile): boolean {
  const expected = Buffer.from(file.verifier, 'base64');
  return expected.length === key.verifier.length && timingSafeEqual(expected, key.verifier);
}

/** Whether the file was sealed with this key, rather than made anew by another process. */
export function isSealedWith(bytes: Buffer, key: PassphraseKey): boolean {
  return fits(key, parseFile(bytes, passphraseFileSchema));
}

/** Checks what can be checked without a key. @throws ProblemError `vault_damaged`, `vault_too_new`. */
export function assertIntact(bytes: Buffer): void {
  parseFile(bytes, z.discriminatedUnion('backend', [passphraseFileSchema, systemFileSchema]));
}

/** The header is authenticated with the data, so that neither can be exchanged alone. */
function associatedData(file: Pick<PassphraseFile, 'kdf' | 'verifier'>): Buffer {
  const { name, N, r, p, salt } = file.kdf;
  return Buffer.from(JSON.stringify(['slipway-secrets', 1, name, N, r, p, salt, file.verifier]));
}

/** Encrypts secrets under a fresh nonce. */
export function seal(secrets: ReadonlyMap<string, string>, key: PassphraseKey): Buffer {
  const nonce = randomBytes(12);
  const verifier = key.verifier.toString('base64');
  const cipher = createCipheriv('aes-256-gcm', key.encryptionKey, nonce);
  cipher.setAAD(associatedData({ kdf: key.kdf, verifier }));
  const data = Buffer.concat([cipher.update(serialise(secrets)), cipher.final()]);
  return writeFile({
    format: 'slipway-secrets',
    version: 1,
    backend: 'passphrase',
    kdf: key.kdf,
    verifier,
    nonce: nonce.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    data: data.toString('base64'),
  });
}

/** @throws ProblemError `vault_damaged`, `vault_too_new`. */
export function unseal(bytes: Buffer, key: PassphraseKey): Map<string, string> {
  const file = parseFile(bytes, passphraseFileSchema);
  let plain;
  try {
    const decipher = createDecipheriv('aes-256-gcm', key.encryptionKey, Buffer.from(file.nonce, 'base64'), {
      authTagLength: 16,
    });
    decipher.setAAD(associatedData(file));
    decipher.setAuthTag(Buffer.from(file.tag, 'base64'));
    plain = Buffer.concat([decipher.update(Buffer.from(file.data, 'base64')), decipher.final()]);
  } catch {
    throw damaged('its contents were changed');
  }
  return deserialise(plain.toString('utf8'));
}

/** Writes a file whose contents the operating system has encrypted. */
export function wrapSystem(encrypted: Uint8Array, cipher: string): Buffer {
  return writeFile({
    format: 'slipway-secrets',
    version: 1,
    backend: 'system',
    cipher,
    data: Buffer.from(encrypted).toString('base64'),
  });
}

/** @throws ProblemError `vault_damaged`, `vault_too_new`. */
export function unwrapSystem(bytes: Buffer): { encrypted: Buffer; cipher: string } {
  const file = parseFile(bytes, systemFileSchema);
  return { encrypted: Buffer.from(file.data, 'base64'), cipher: file.cipher };
}

/** The form of all secrets before they are encrypted; {@link deserialise} reads it. */
export function serialise(secrets: ReadonlyMap<string, string>): string {
  return JSON.stringify([...secrets]);
}

/** @throws ProblemError `vault_damaged`. */
export function deserialise(text: string): Map<string, string> {
  try {
    return new Map(secretsSchema.parse(JSON.parse(text)));
  } catch {
    throw damaged('its contents are not what Slipway writes');
  }
}

function writeFile(file: Record<string, unknown>): Buffer {
  return Buffer.from(`${JSON.stringify({ ...file, checksum: checksumOf(file) }, null, 2)}\n`);
}

function checksumOf(file: Record<string, unknown>): string {
  const { checksum: _, ...rest } = file;
  return createHash('sha256').update(JSON.stringify(rest)).digest('base64');
}

function parseFile<T extends z.ZodType>(bytes: Buffer, schema: T): z.infer<T> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw damaged('it is cut short or is not a vault');
  }
  const header = headerSchema.safeParse(value);
  if (header.success && header.data.version > 1) {
    throw new ProblemError({
      code: 'vault_too_new',
      title: 'The key vault is of a newer Slipway',
      detail: `The vault has format ${header.data.version}; this version of Slipway reads format 1.`,
      action: 'Update Slipway.',
    });
  }
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw damaged('a part of it is missing or not readable');
  if ((parsed.data as { checksum: string }).checksum !== checksumOf(value as Record<string, unknown>)) {
    throw damaged('its checksum does not fit');
  }
  return parsed.data;
}

function damaged(reason: string): ProblemError {
  return new ProblemError({
    code: 'vault_damaged',
    title: 'The key vault is damaged',
    detail: `The key vault cannot be read: ${reason}. Nothing was written to it.`,
    action: 'Restore the file from a backup, or move it away to begin with an empty vault.',
  });
}
