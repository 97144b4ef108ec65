import { ClientSecretBasic, ClientSecretJwt, ClientSecretPost, None, type ClientAuth } from 'oauth4webapi';
import type { RedirectChoice } from '#shared/connections/connection.ts';
import { ProblemError } from '#shared/problem.ts';

/** The app that the author registered with a service. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  readonly redirect: RedirectChoice;
  /** How it proves itself at the token endpoint. */
  readonly authMethod: string;
}

/** Port that is free on most computers and the same at every start, so that it can be registered. */
export const DEFAULT_REDIRECT: RedirectChoice = { kind: 'loopback', host: '127.0.0.1', port: 47_823 };

/**
 * How a client proves itself, as the manifest says.
 * @throws ProblemError `oauth_client_secret_missing`, `oauth_client_secret_unexpected`,
 * `oauth_client_method_unsupported`.
 */
export function clientAuthentication({ authMethod, clientSecret }: OAuthClient): ClientAuth {
  assertSecretFits(authMethod, clientSecret);
  switch (authMethod) {
    case 'none':
      return None();
    case 'client_secret_post':
      return ClientSecretPost(clientSecret ?? '');
    case 'client_secret_jwt':
      return ClientSecretJwt(clientSecret ?? '');
    default:
      return ClientSecretBasic(clientSecret ?? '');
  }
}

/** Refuses what the service would refuse with a word that helps nobody. @throws as {@link clientAuthentication}. */
export function assertSecretFits(authMethod: string, clientSecret: string | undefined): void {
  if (!/^(none|client_secret_(basic|post|jwt))$/.test(authMethod)) {
    throw new ProblemError({
      code: 'oauth_client_method_unsupported',
      title: 'This way of proving the app is not supported',
      detail: `The integration asks for "${authMethod}" at the token endpoint. Slipway knows client_secret_basic, client_secret_post, client_secret_jwt and none.`,
    });
  }
  const hasSecret = clientSecret !== undefined && clientSecret !== '';
  if (authMethod === 'none' && hasSecret) {
    throw new ProblemError({
      code: 'oauth_client_secret_unexpected',
      title: 'This service takes no client secret',
      detail: 'The integration is for a public client, which has no secret, but one was given.',
      action: 'Leave the secret empty.',
      pointer: '/clientSecret',
    });
  }
  if (authMethod !== 'none' && !hasSecret) {
    throw new ProblemError({
      code: 'oauth_client_secret_missing',
      title: 'The client secret is missing',
      detail: 'The service wants the secret of the app you registered there, and none was given.',
      action: 'Copy the secret from the service, or say that the app is a public client.',
      pointer: '/clientSecret',
    });
  }
}
