import { isRefusedHost } from './address-class.ts';
import type { AuthorizedUris } from './authorized-uris.ts';
import type { CallFailureCode } from './call-failure.ts';
import type { Target, TargetFault } from './target-url.ts';

/** Where a credential may go. */
export interface TargetPolicy {
  readonly authorizedUris: AuthorizedUris;
  readonly allowsAllUris: boolean;
}

export type TargetVerdict =
  | {
      readonly allowed: true;
      readonly target: Target;
      /** The entry of the list that allows it; undefined when every address is allowed. */
      readonly pattern: string | undefined;
      /** The author named this very host: it may stand on a private network. */
      readonly waivesAddressCheck: boolean;
      /** The list confines where it goes, so a redirect there may take the credential along. */
      readonly isBounded: boolean;
    }
  | { readonly allowed: false; readonly code: CallFailureCode; readonly reason: string };

/**
 * Whether an address may be called, as far as its text tells (reference: sidecar, sections 1.4 and 1.6).
 * Names are resolved and their addresses checked when the connection is made.
 * @param call whether a secret is written into the request by placeholder, and whether a redirect led here
 */
export function judgeTarget(
  target: Target | TargetFault,
  policy: TargetPolicy,
  call: { readonly substitutesCredential: boolean; readonly isRedirect: boolean },
): TargetVerdict {
  const { authorizedUris, allowsAllUris } = policy;
  if (allowsAllUris && !call.substitutesCredential) {
    if ('fault' in target) return refused('blocked_target', target.fault);
    return checkHost({
      allowed: true,
      target,
      pattern: undefined,
      waivesAddressCheck: false,
      isBounded: false,
    });
  }
  if (authorizedUris.isEmpty && allowsAllUris) {
    return refused(
      'credential_exfiltration_refused',
      'A placeholder would write a secret into a request that may go anywhere. The credential is added by itself; leave the placeholder out.',
    );
  }
  if ('fault' in target) return refused('unauthorized_target', target.fault);
  const match = authorizedUris.match(target);
  if (match === undefined) {
    return refused('unauthorized_target', 'The address is not among those this integration may call.');
  }
  if (call.substitutesCredential && !match.isBounded) {
    return refused(
      'credential_exfiltration_refused',
      `A placeholder would write a secret into a request that "${match.pattern}" lets go to any host.`,
    );
  }
  return checkHost({
    allowed: true,
    target,
    pattern: match.pattern,
    waivesAddressCheck: match.namesHost && !call.isRedirect,
    isBounded: match.isBounded,
  });
}

/**
 * Whether a tunnel may be opened to a host: what travels in it is not seen, so scheme, host and port decide.
 */
export function judgeTunnel(target: Target | TargetFault, policy: TargetPolicy): TargetVerdict {
  const { authorizedUris, allowsAllUris } = policy;
  if ('fault' in target) return refused('unauthorized_target', target.fault);
  const match = authorizedUris.matchOrigin(target);
  if (match === undefined && !allowsAllUris) {
    return refused('unauthorized_target', 'The host is not among those this integration may call.');
  }
  return checkHost({
    allowed: true,
    target,
    pattern: match?.pattern,
    waivesAddressCheck: match?.namesHost ?? false,
    isBounded: match?.isBounded ?? false,
  });
}

function checkHost(verdict: TargetVerdict & { allowed: true }): TargetVerdict {
  if (verdict.waivesAddressCheck || !isRefusedHost(verdict.target.host)) return verdict;
  return refused('blocked_target', 'The address is on a private or special network, where calls may not go.');
}

function refused(code: CallFailureCode, reason: string): TargetVerdict {
  return { allowed: false, code, reason };
}
