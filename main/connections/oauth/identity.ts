import type { Outbound } from '#main/network/index.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import type { AuthMethod } from '#shared/manifest/model/integration.ts';
import { ProblemError } from '#shared/problem.ts';
import { oauthFetch } from './oauth-fetch.ts';

/** Milliseconds to ask whose account it is. */
const USERINFO_MS = 10_000;
/** Characters of a claim that is kept. */
const MAX_CLAIM = 300;

/** Whose account a connection is for. */
export interface Identity {
  /** `default` when the service does not tell. */
  readonly accountId: string;
  /** Claims that the integration names, as text. */
  readonly claims: Readonly<Record<string, string>>;
}

/** What a service tells of the account; nothing when it cannot be asked: a name is no reason to fail. */
export async function readUserinfo(
  outbound: Outbound,
  endpoint: string | undefined,
  accessToken: string,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  if (endpoint === undefined) return {};
  try {
    const response = await oauthFetch(outbound, USERINFO_MS)(endpoint, {
      method: 'GET',
      headers: { accept: 'application/json', authorization: `Bearer ${accessToken}` },
      signal,
    });
    const body: unknown = response.status === 200 ? await response.json() : undefined;
    return isRecord(body) ? body : {};
  } catch (error) {
    if (signal.aborted) throw error;
    return {};
  }
}

/**
 * Names the account from what is known of it; of several sources the first that has a claim wins.
 * @throws ProblemError `identity_missing` when a claim that the integration requires is not there.
 */
export function identityOf(
  auth: Pick<AuthMethod, 'identityClaims' | 'requiredIdentityClaims'>,
  sources: readonly Readonly<Record<string, unknown>>[],
): Identity {
  const find = (path: string) => {
    for (const source of sources) {
      const value = claimAt(source, path);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  const claims: Record<string, string> = {};
  for (const [name, path] of Object.entries(auth.identityClaims)) {
    const value = find(path);
    if (value !== undefined) claims[name] = value;
  }
  const missing = auth.requiredIdentityClaims.filter((name) => !Object.hasOwn(claims, name));
  if (missing.length > 0) {
    throw new ProblemError({
      code: 'identity_missing',
      title: 'The service does not say whose account this is',
      detail: `The integration requires ${missing.join(', ')}, and the service did not give it.`,
      action: 'Allow access to the profile when signing in, or choose another account.',
    });
  }
  const accountId =
    claims['accountId'] ?? claims['account_id'] ?? find('email') ?? find('account_email') ?? find('sub');
  return { accountId: accountId ?? 'default', claims };
}

/** A claim by its name, or by a path such as `$.data.0.email`. Only text and numbers name an account. */
function claimAt(source: Readonly<Record<string, unknown>>, path: string): string | undefined {
  const steps = path.replace(/^\$\.?/, '').split('.');
  let value: unknown = Object.hasOwn(source, path) ? source[path] : source;
  if (value === source) {
    for (const step of steps) {
      if (Array.isArray(value)) value = value[Number(step)];
      else if (isRecord(value) && Object.hasOwn(value, step)) value = value[step];
      else return undefined;
    }
  }
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, MAX_CLAIM) : undefined;
}
