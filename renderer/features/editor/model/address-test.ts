import { compileAuthorizedUris } from '#shared/tools/authorized-uris.ts';
import { judgeTarget } from '#shared/tools/target-rules.ts';
import { parseTarget } from '#shared/tools/target-url.ts';

export interface AddressVerdict {
  readonly isAllowed: boolean;
  readonly sentence: string;
}

/** What the sidecar would say of a call to an address, by the very rules it goes by. */
export function testAddress(
  address: string,
  patterns: readonly string[],
  allowsAllUris: boolean,
): AddressVerdict {
  const policy = { authorizedUris: compileAuthorizedUris(patterns), allowsAllUris };
  const target = parseTarget(address);
  const judge = (substitutesCredential: boolean) =>
    judgeTarget(target, policy, { substitutesCredential, isRedirect: false });
  const verdict = judge(false);
  if (!verdict.allowed) return { isAllowed: false, sentence: `Refused. ${verdict.reason}` };
  const by =
    verdict.pattern === undefined ? 'since any address is allowed' : `by the entry ${verdict.pattern}`;
  const secret = judge(true);
  return {
    isAllowed: true,
    sentence: `Let through, ${by}.${secret.allowed ? '' : ' A call that writes the credential out by a {{placeholder}} would be refused.'}`,
  };
}
