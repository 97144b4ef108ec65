import type { Outbound } from '#main/network/index.ts';
import type { ConnectionTest } from '#shared/connections/requirements.ts';
import type { AuthMethod } from '#shared/manifest/model/integration.ts';
import { ProblemError, toProblem } from '#shared/problem.ts';
import { clientCertificateIn } from '#shared/tools/client-certificate.ts';
import { compileAuthorizedUris } from '#shared/tools/authorized-uris.ts';
import { httpDeliveryOf, renderDelivery } from '#shared/tools/http-delivery.ts';
import { judgeTarget } from '#shared/tools/target-rules.ts';
import { parseTarget } from '#shared/tools/target-url.ts';

const TEST_MS = 15_000;
const TEST_BYTES = 2_000_000;

export interface TestOptions {
  readonly auth: AuthMethod;
  readonly fields: Readonly<Record<string, string>>;
  /** Address to call; the integration's own idea when absent. */
  readonly url: string | undefined;
  readonly outbound: Outbound;
  readonly signal: AbortSignal | undefined;
}

/**
 * Makes one call with a credential and says what the service thinks of it. Nothing of the answer is kept
 * but its status.
 * @throws ProblemError `test_address_refused`.
 */
export async function testCredential(options: TestOptions): Promise<ConnectionTest> {
  const { auth, fields, outbound, signal } = options;
  const delivery = httpDeliveryOf(auth);
  const certificate = auth.type === 'mtls' ? clientCertificateIn(fields) : undefined;
  const address = options.url ?? auth.userinfoEndpoint ?? firstAddress(auth);
  if (address === undefined || (!delivery && !certificate)) {
    return {
      outcome: 'untested',
      detail: delivery
        ? 'The integration names no address that can be called without more. Give one to test with.'
        : 'The credential is for a local server, and is tested when that starts.',
    };
  }
  const target = allowedTarget(auth, address);
  const rendered = delivery && renderDelivery(delivery, fields, base64);
  if (rendered?.kind === 'unusable') return { outcome: 'refused', detail: rendered.reason };
  const headers: Record<string, string> = { accept: '*/*' };
  if (delivery && rendered?.kind === 'value') headers[delivery.header.toLowerCase()] = rendered.value;
  try {
    const { status } = await outbound.send({
      method: 'GET',
      url: new URL(target.href),
      headers,
      timeoutMs: TEST_MS,
      maxBytes: TEST_BYTES,
      signal,
      publicOnly: !target.waivesAddressCheck,
      clientCertificate: certificate,
    });
    return verdict(status, target.host, options.url !== undefined || address === auth.userinfoEndpoint);
  } catch (error) {
    if (signal?.aborted) throw error;
    const problem = toProblem(error);
    // An answer that is too long to read is an answer.
    if (problem.code === 'response_too_large')
      return { outcome: 'works', detail: `${target.host} answered.` };
    // Many servers end the connection without a word when they do not know a certificate.
    const doubt = certificate ? ' It may not accept the certificate.' : '';
    return { outcome: 'unreachable', detail: `${problem.detail}${doubt}` };
  }
}

function verdict(status: number, host: string, isTelling: boolean): ConnectionTest {
  if (status === 401 || status === 403) {
    const detail =
      status === 401
        ? `${host} does not accept the credential (401).`
        : `${host} knows the credential, or not, and refuses this call (403).`;
    return { outcome: status === 401 ? 'refused' : 'unclear', status, detail };
  }
  if (status >= 200 && status < 300)
    return { outcome: 'works', status, detail: `${host} answered with ${status}.` };
  const detail = `${host} answered with ${status}, which does not tell whether it accepts the credential.`;
  return {
    outcome: 'unclear',
    status,
    detail: isTelling ? detail : `${detail} Give an address of its API to test with.`,
  };
}

function allowedTarget(auth: AuthMethod, address: string) {
  const result = judge(auth, address);
  if (result.allowed) return { ...result.target, waivesAddressCheck: result.waivesAddressCheck };
  throw new ProblemError({
    code: 'test_address_refused',
    title: 'The credential may not go there',
    detail: result.reason,
    action: 'Give an address that the integration may call.',
    pointer: '/url',
  });
}

function judge(auth: AuthMethod, address: string) {
  const uris = address === auth.userinfoEndpoint ? [address] : auth.authorizedUris;
  return judgeTarget(
    parseTarget(address),
    { authorizedUris: compileAuthorizedUris(uris), allowsAllUris: auth.allowsAllUris },
    { substitutesCredential: false, isRedirect: false },
  );
}

/** The first beginning of a pattern that may itself be called, such as `https://api.example.com/`. */
function firstAddress(auth: AuthMethod): string | undefined {
  return auth.authorizedUris
    .filter((uri) => /^https?:\/\/[^/*]+\//.test(uri))
    .map((uri) => uri.replace(/\*.*$/, ''))
    .find((address) => judge(auth, address).allowed);
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
