import { ProblemError } from '#shared/problem.ts';

/** Why a login failed, as the codes of the reference (sidecar, section 12.7). */
type Reason =
  | 'bad_status'
  | 'extract_failed'
  | 'invalid_config'
  | 'response_too_large'
  | 'timeout'
  | 'unavailable'
  | 'unresolved_placeholder'
  | 'url_not_allowed';

/** @param detail a sentence that holds nothing of the service's answer */
export function loginFailure(reason: Reason, detail: string): ProblemError {
  const action =
    reason === 'bad_status'
      ? 'Check what you typed in. The service may also want a second factor, which a login like this cannot give.'
      : reason === 'timeout' || reason === 'unavailable'
        ? 'Try again later.'
        : 'Check what you typed in; if it is right, the integration needs a change.';
  return new ProblemError({ code: `login_${reason}`, title: 'The login failed', detail, action });
}
