import {
  allowInsecureRequests,
  customFetch,
  dynamicClientRegistrationRequest,
  processDynamicClientRegistrationResponse,
} from 'oauth4webapi';
import type { Outbound } from '#main/network/index.ts';
import { redirectUriOf, type RedirectChoice } from '#shared/connections/connection.ts';
import type { AuthMethod } from '#shared/manifest/model/integration.ts';
import { ProblemError } from '#shared/problem.ts';
import type { KnownServer } from './authorization-server.ts';
import { oauthFetch } from './oauth-fetch.ts';
import { oauthProblem } from './oauth-problem.ts';

const REGISTRATION_MS = 10_000;

/**
 * Registers Slipway as a public client of a server that takes anyone (RFC 7591), with the port that every
 * later sign-in uses: the redirect is part of the registration.
 * @returns the client id
 * @throws ProblemError `oauth_registration_failed`, `network_…`.
 */
export async function registerClient(
  outbound: Outbound,
  { metadata }: KnownServer,
  auth: AuthMethod,
  redirect: RedirectChoice,
): Promise<string> {
  const canRefresh = metadata.grant_types_supported?.includes('refresh_token') ?? false;
  try {
    const response = await dynamicClientRegistrationRequest(
      metadata,
      {
        client_name: 'Slipway',
        application_type: 'native',
        redirect_uris: [redirectUriOf(redirect)],
        response_types: ['code'],
        grant_types: ['authorization_code', ...(canRefresh ? ['refresh_token'] : [])],
        token_endpoint_auth_method: 'none',
        ...(auth.defaultScopes.length > 0 && { scope: auth.defaultScopes.join(' ') }),
      },
      { [customFetch]: oauthFetch(outbound, REGISTRATION_MS), [allowInsecureRequests]: true },
    );
    return (await processDynamicClientRegistrationResponse(response)).client_id;
  } catch (error) {
    const problem = oauthProblem(error, 'The service');
    if (!(problem instanceof ProblemError) || problem.problem.code.startsWith('network_')) throw problem;
    throw new ProblemError({
      code: 'oauth_registration_failed',
      title: 'The service did not take Slipway as an app',
      detail: problem.problem.detail,
      action: 'Register an app at the service yourself and enter its client id, or try again later.',
    });
  }
}
