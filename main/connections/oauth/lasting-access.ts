import type { AuthMethod } from '#shared/manifest/model/integration.ts';
import { ProblemError } from '#shared/problem.ts';
import type { KnownServer } from './authorization-server.ts';

/**
 * An access that ends and cannot be renewed would stop working within the hour, without a word.
 * @throws ProblemError `refresh_token_missing`
 */
export function assertLasting(
  auth: AuthMethod,
  server: KnownServer,
  expiresAt: number | undefined,
  refreshToken: string | undefined,
): void {
  if (expiresAt === undefined || refreshToken !== undefined) return;
  if (auth.refreshTokenIssuance === 'not_supported') return;
  const grants = server.metadata.grant_types_supported;
  if (grants !== undefined && !grants.includes('refresh_token')) return;
  throw new ProblemError({
    code: 'refresh_token_missing',
    title: 'The access would end soon',
    detail: 'The service gave an access that ends, and nothing to renew it with, so it was not kept.',
    action:
      'Remove the app’s access at the service and sign in again. If it stays so, the integration has to ask for offline access.',
  });
}
