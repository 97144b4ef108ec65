import { credentialFieldsOf, fingerprintOf } from '#shared/connections/credential-fields.ts';
import type { AuthMethod } from '#shared/manifest/model/integration.ts';
import { ProblemError } from '#shared/problem.ts';

const MAX_LABEL = 80;

/**
 * What a connection is called when its author says nothing: the account, else a hint at the one secret that
 * was typed in, else a number.
 * @param others connections of the integration that there are
 */
export function labelFor(
  accountId: string,
  auth: AuthMethod,
  fields: Readonly<Record<string, string>>,
  others: number,
): string {
  if (accountId !== 'default') return accountId.slice(0, MAX_LABEL);
  const known = credentialFieldsOf(auth.credentialsSchema);
  const named = known.find(({ name, secret }) => !secret && (fields[name] ?? '') !== '');
  const shown = named && fields[named.name];
  if (shown !== undefined) return shown.slice(0, MAX_LABEL);
  const secrets = known.filter(({ secret, required, multiline }) => secret && required && !multiline);
  const hint =
    secrets.length === 1 ? fingerprintOf((fields[secrets[0]?.name ?? ''] ?? '').trim()) : undefined;
  return hint ?? `Connection ${others + 1}`;
}

/** @returns the label as it is kept. @throws ProblemError `label_invalid`. */
export function checkedLabel(label: string): string {
  const trimmed = label.trim();
  if (trimmed !== '' && trimmed.length <= MAX_LABEL && !/\p{Cc}/u.test(trimmed)) return trimmed;
  throw new ProblemError({
    code: 'label_invalid',
    title: 'This label cannot be used',
    detail: `A label has 1 to ${MAX_LABEL} characters on one line. The model chooses an account by it.`,
    pointer: '/label',
  });
}
