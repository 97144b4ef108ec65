import { z } from 'zod';
import { isRecord, itemsOf, membersOf } from '../manifest/plain.ts';

/** One thing a person is asked for to connect. */
export const credentialFieldSchema = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string().optional(),
  required: z.boolean(),
  /** Hidden while it is typed, and never shown again. */
  secret: z.boolean(),
  multiline: z.boolean(),
  /** Values to choose from; empty when any may be typed. */
  choices: z.array(z.string()),
  format: z.string().optional(),
  /** Shown in the empty field. */
  example: z.string().optional(),
  defaultValue: z.string().optional(),
});
export type CredentialField = z.infer<typeof credentialFieldSchema>;

const SECRET =
  /pass(word|phrase|code)?|secret|token|key|credential|cert|signature|pin\b|otp|private|cookie|session/i;
/** Names that tell where or who, and no more. */
const PUBLIC =
  /^(.*_)?(domain|subdomain|host|hostname|url|base_url|site|shop|region|zone|account|account_id|user|username|user_name|login|email|tenant|tenant_id|workspace|org|organization|instance|project|project_id|port|database|environment|version|client_id)$/i;
const MULTILINE = /cert|private_?key|_pem$|service_account|json$/i;

/** The form for a credentials schema, in the schema's order. */
export function credentialFieldsOf(schema: Readonly<Record<string, unknown>> | undefined): CredentialField[] {
  const required = new Set(itemsOf(schema?.['required']));
  return membersOf(schema?.['properties']).map(([name, raw]) => {
    const property = isRecord(raw) ? raw : {};
    const text = (key: string) => (typeof property[key] === 'string' ? property[key] : undefined);
    const description = text('description');
    const format = text('format');
    const example = itemsOf(property['examples']).find((one) => typeof one === 'string');
    const value = property['default'];
    return {
      name,
      title: text('title') ?? titleOf(name),
      ...(description !== undefined && { description }),
      required: required.has(name),
      secret: isSecretField(name, property),
      multiline: MULTILINE.test(name),
      choices: itemsOf(property['enum']).map(String),
      ...(format !== undefined && { format }),
      ...(typeof example === 'string' && { example }),
      ...((typeof value === 'string' || typeof value === 'number') && { defaultValue: String(value) }),
    };
  });
}

/** Names of the fields that are no secret. Whatever is not known to be harmless is one. */
export function publicFieldsOf(schema: Readonly<Record<string, unknown>> | undefined): string[] {
  return credentialFieldsOf(schema)
    .filter(({ secret }) => !secret)
    .map(({ name }) => name);
}

/**
 * A hint at a secret that tells two of them apart and gives neither away: two characters, stars, and the
 * last four. Undefined for one too short to show anything of.
 */
export function fingerprintOf(secret: string): string | undefined {
  return secret.length < 12 ? undefined : `${secret.slice(0, 2)}****${secret.slice(-4)}`;
}

function isSecretField(name: string, property: Readonly<Record<string, unknown>>): boolean {
  if (property['format'] === 'password' || property['writeOnly'] === true) return true;
  if (Array.isArray(property['enum'])) return false;
  if (PUBLIC.test(name)) return false;
  return SECRET.test(name) || !/^(uri|email|hostname)$/.test(String(property['format']));
}

function titleOf(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
