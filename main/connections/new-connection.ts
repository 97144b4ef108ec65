import { randomUUID } from 'node:crypto';
import type { Connection } from '#shared/connections/connection.ts';
import type { AuthMethod } from '#shared/manifest/model/integration.ts';
import { ProblemError } from '#shared/problem.ts';

/** A connection of which nothing is known but its method. @param at milliseconds since the epoch */
export function newConnection(
  integrationId: string,
  authKey: string,
  auth: Pick<AuthMethod, 'type'>,
  { id = randomUUID(), at }: { readonly id?: string; readonly at: number },
): Connection {
  return {
    id,
    integrationId,
    authKey,
    authType: auth.type,
    label: '',
    accountId: 'default',
    identity: {},
    scopes: [],
    lostScopes: [],
    state: 'connected',
    renewable: false,
    createdAt: at,
    updatedAt: at,
  };
}

/** What was chosen for one account must not act for another. @throws ProblemError `identity_mismatch`. */
export function assertSameAccount({ accountId: before }: Connection, after: string): void {
  if (before === 'default' || after === 'default' || before === after) return;
  throw new ProblemError({
    code: 'identity_mismatch',
    title: 'This is another account',
    detail: `The connection is for ${before}, and ${after} signed in. It was left as it is.`,
    action: 'Sign in with the same account, or add the other one as a new connection.',
  });
}
