import { ProblemError } from '#shared/problem.ts';
import type { SecretStore } from '#main/secrets/secret-store.ts';

/** Characters below which a value in the vault is too common a text to look for. */
const SHORTEST_SECRET = 8;

/** What keys look like that are in use; each is of a form that hardly occurs otherwise. */
const KEY_FORMS: readonly (readonly [string, RegExp])[] = [
  ['a private key', /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----\s+[A-Za-z0-9+/=\s]{64,}/],
  ['a GitHub token', /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,})\b/],
  ['a GitLab token', /\bglpat-[A-Za-z0-9_-]{20,}\b/],
  ['a Slack token', /\bxox[abpr]-[0-9]{8,}-[A-Za-z0-9-]{20,}\b/],
  ['an AWS key', /\bAKIA[0-9A-Z]{16}\b[\s\S]{0,200}\b[A-Za-z0-9/+]{40}\b/],
  ['a key of a model provider', /\bsk-(?:ant-|proj-|or-v1-)[A-Za-z0-9_-]{32,}\b/],
  ['a Google key', /\bAIza[0-9A-Za-z_-]{35}\b/],
];

/**
 * Refuses to let a secret out in a package: a value of the vault, where that is open, in any of the forms in
 * which it is written, or what looks like a key.
 * @throws ProblemError `export_has_secret`, naming the file and never the secret
 */
export async function refuseSecrets(
  name: string,
  files: ReadonlyMap<string, Buffer>,
  secrets: Pick<SecretStore, 'state' | 'names' | 'get'> | undefined,
): Promise<void> {
  const kept = secrets?.state.state === 'open' ? await keptValues(secrets) : [];
  for (const [path, content] of files) {
    const found = kept.find(({ forms }) => forms.some((form) => content.includes(form)));
    if (found !== undefined) throw hasSecret(name, path, 'a secret that is in your vault');
    // Latin-1 keeps every byte of keys, which are ASCII, and never fails.
    const text = content.toString('latin1');
    const form = KEY_FORMS.find(([, pattern]) => pattern.test(text));
    if (form !== undefined) throw hasSecret(name, path, `what looks like ${form[0]}`);
  }
}

async function keptValues(
  secrets: Pick<SecretStore, 'names' | 'get'>,
): Promise<{ forms: readonly Buffer[] }[]> {
  const values: { forms: readonly Buffer[] }[] = [];
  for (const name of await secrets.names()) {
    for (const value of textsIn((await secrets.get(name)) ?? '')) {
      if (value.length < SHORTEST_SECRET) continue;
      const forms = [value, encodeURIComponent(value), Buffer.from(value).toString('base64')];
      values.push({ forms: [...new Set(forms)].map((form) => Buffer.from(form)) });
    }
  }
  return values;
}

/** The texts in a kept value: itself, or those of its members when it is JSON. */
function textsIn(value: string): string[] {
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'object' && parsed !== null ? leavesOf(parsed) : [value];
  } catch {
    return [value];
  }
}

/** Members of these names hold what only their owner may know; an address or a date is no secret. */
const SECRET_MEMBER = /token|secret|password|passphrase|key|credential|seed|cookie|value/i;

function leavesOf(value: object, isSecret = false): string[] {
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    const counts = isSecret || SECRET_MEMBER.test(name);
    if (typeof member === 'object' && member !== null) return leavesOf(member, counts);
    return typeof member === 'string' && counts ? [member] : [];
  });
}

function hasSecret(name: string, path: string, what: string): ProblemError {
  return new ProblemError({
    code: 'export_has_secret',
    title: 'A file holds a secret',
    detail: `${name} was not exported: "${path}" holds ${what}.`,
    file: path,
    action:
      'Take it out of the file. Whoever has had the file may know it, so change it where it is used too.',
  });
}
