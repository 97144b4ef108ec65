import { AuthorizationResponseError, ResponseBodyError } from 'oauth4webapi';
import { ProblemError } from '#shared/problem.ts';

/** Codes are words; what has digits or capitals may be anything. */
const CODE = /^[a-z_-]{1,40}$/;
/** A run of such characters may be a token, a code or a secret. */
const TOKEN_LIKE = /[A-Za-z0-9+/=_~.-]{20,}/g;
const MAX_WORDS = 200;

/**
 * What a failed exchange comes to. Nothing of the answer is carried on but its error code and its
 * description with everything taken out that may be a token; the cause is dropped, for it holds the answer.
 * @param service name to show, such as the integration's
 */
export function oauthProblem(error: unknown, service: string): unknown {
  if (error instanceof ProblemError || (error instanceof Error && error.name === 'AbortError')) return error;
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    return refused(error.error, error.error_description, service);
  }
  if (error instanceof Error && String((error as { code?: unknown }).code).startsWith('OAUTH_')) {
    return new ProblemError({
      code: 'oauth_response_invalid',
      title: `${service} answered something else`,
      detail: `The answer of ${service} is not what OAuth asks for (${readableReason(error)}).`,
      action: 'Try again. If it stays so, the addresses in the integration may be wrong.',
    });
  }
  return new ProblemError({
    code: 'oauth_failed',
    title: `Signing in to ${service} failed`,
    detail: `Signing in to ${service} failed for a reason that Slipway does not know.`,
    action: 'Try again.',
  });
}

/** Whether the service has taken the grant back, so that only a new sign-in helps. */
export function isRevoked(error: unknown): boolean {
  return error instanceof ProblemError && error.problem.code === 'oauth_invalid_grant';
}

function refused(code: string, description: string | undefined, service: string): ProblemError {
  const shown = CODE.test(code) ? code : 'an error';
  const words = description === undefined ? '' : ` It says: ${safeWords(description)}`;
  const known = {
    access_denied: {
      code: 'oauth_denied',
      title: 'Access was not granted',
      detail: `${service} reports that access was declined.${words}`,
      action: 'Sign in again and allow access, or leave it.',
    },
    invalid_client: {
      code: 'oauth_invalid_client',
      title: `${service} does not accept the app`,
      detail: `${service} refused the client id or secret (invalid_client).${words}`,
      action: 'Compare the client id and secret with those at the service, and save them again.',
    },
    invalid_grant: {
      code: 'oauth_invalid_grant',
      title: `${service} has ended the access`,
      detail: `${service} no longer accepts what it granted (invalid_grant).${words}`,
      action: 'Sign in again.',
    },
    invalid_scope: {
      code: 'oauth_invalid_scope',
      title: `${service} does not know a scope`,
      detail: `${service} refused the scopes that were asked for (invalid_scope).${words}`,
      action: 'Compare the scopes with those the registered app may ask for.',
    },
    authorization_pending: {
      code: 'oauth_authorization_pending',
      title: 'The sign-in is not finished yet',
      detail: `${service} still waits for the code to be typed in.`,
    },
    slow_down: {
      code: 'oauth_slow_down',
      title: 'The sign-in is not finished yet',
      detail: `${service} wants to be asked less often.`,
    },
    expired_token: {
      code: 'oauth_code_expired',
      title: 'The code has expired',
      detail: `The code was not typed in at ${service} in time.`,
      action: 'Begin again.',
    },
    redirect_uri_mismatch: {
      code: 'oauth_redirect_mismatch',
      title: 'The redirect URI is not registered',
      detail: `${service} does not know the redirect URI that was used.${words}`,
      action: 'Register exactly the redirect URI that the setup shows.',
    },
  }[code];
  return new ProblemError(
    known ?? {
      code: 'oauth_refused',
      title: `${service} refused the request`,
      detail: `${service} answered with ${shown}.${words}`,
      action: 'Try again, or look the error up in the documentation of the service.',
    },
  );
}

/** A service's own words without anything that may be secret, at most 200 characters. */
export function safeWords(text: string): string {
  const words = text
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')
    .replaceAll(TOKEN_LIKE, '[…]')
    .trim();
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words;
}

/** The client's own words about an answer name properties of it, never their values. */
function readableReason(error: Error): string {
  return safeWords(error.message).replaceAll('"', '');
}
