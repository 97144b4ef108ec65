import { ProblemError, type Problem } from '#shared/problem.ts';

/** Where a request went, to name it in a problem. */
export interface Endpoint {
  readonly providerName: string;
  readonly baseUrl: string;
}

const TLS_CODES = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REVOKED',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_TLS_HANDSHAKE_TIMEOUT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/**
 * The problem behind a request that got no answer, or none to its end. Errors that are no network's
 * come back as they are, cancellation among them.
 */
export function networkProblem(error: unknown, endpoint: Endpoint): unknown {
  if (error instanceof ProblemError) return error;
  const code = codeOf(error);
  if (code === undefined) return error;
  const problem = describe(code, endpoint);
  return problem ? new ProblemError(problem) : error;
}

function describe(code: string, { providerName, baseUrl }: Endpoint): Problem | undefined {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).host : baseUrl;
  const unreachable = (detail: string, action: string): Problem => ({
    code: 'model_unreachable',
    title: `${providerName} cannot be reached`,
    detail,
    action,
    context: [code],
  });
  if (TLS_CODES.has(code) || code.startsWith('ERR_SSL')) {
    return {
      code: 'model_tls',
      title: `The connection to ${providerName} is not trusted`,
      detail: tlsDetail(code, host),
      action:
        'Check the address. Behind a company proxy, install its certificate in the system, or name its file in NODE_EXTRA_CA_CERTS.',
      context: [code],
    };
  }
  switch (code) {
    case 'ECONNREFUSED':
      return unreachable(`Nothing answers at ${host}.`, 'Start the server, or check its address and port.');
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return unreachable(
        `The name of ${host} cannot be resolved.`,
        'Check the address and your internet connection.',
      );
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'EADDRNOTAVAIL':
      return unreachable(`There is no way to ${host} from here.`, 'Check your network connection.');
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return unreachable(
        `${host} did not accept a connection in time.`,
        'Check the address and your network connection.',
      );
    case 'ECONNRESET':
    case 'EPIPE':
    case 'UND_ERR_SOCKET':
    case 'UND_ERR_CLOSED':
    case 'UND_ERR_DESTROYED':
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return unreachable(
        `${host} broke the connection off before its answer was whole.`,
        baseUrl.startsWith('http:')
          ? 'Try again, and check whether the address has to begin with https.'
          : 'Try again.',
      );
    case 'UND_ERR_HEADERS_TIMEOUT':
      return {
        code: 'model_timeout',
        title: `${providerName} did not answer`,
        detail: `${host} accepted the request and then sent nothing until the time limit.`,
        action: 'Try again. A local server may be loading the model, or be too slow for it.',
      };
    case 'UND_ERR_BODY_TIMEOUT':
      return {
        code: 'model_timeout',
        title: `${providerName} stopped answering`,
        detail: `${host} began to answer and then sent nothing more until the time limit.`,
        action: 'Try again.',
      };
    default:
      break;
  }
  if (code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW') {
    return {
      code: 'model_answered_nonsense',
      title: `${providerName} does not speak HTTP`,
      detail: `What answers at ${host} is not a web server, or wants https where http was given.`,
      action: 'Check the address, also whether it begins with http or https.',
      context: [code],
    };
  }
  if (code.startsWith('Z_') || code.startsWith('ERR_BROTLI') || code.startsWith('ZSTD_')) {
    return {
      code: 'model_answered_nonsense',
      title: `${providerName} sent an answer that cannot be unpacked`,
      detail: `${host} says its answer is compressed, and it is not, or not whole.`,
      action: 'Try again, or check what stands between this computer and the server.',
      context: [code],
    };
  }
  return undefined;
}

function tlsDetail(code: string, host: string): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return `The certificate of ${host} has expired.`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `The certificate of ${host} is for another name.`;
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
      return `${host} does not speak TLS: the address begins with https, but http is answered there.`;
    default:
      return `The certificate of ${host} is not signed by an authority this computer trusts.`;
  }
}

/** The most telling code of an error and what caused it. */
function codeOf(error: unknown): string | undefined {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; depth += 1) {
    if (current instanceof AggregateError && current.errors.length > 0) {
      const inner = codeOf(current.errors[0]);
      if (inner !== undefined) return inner;
    }
    // undici's parser gives no code for a first line that is no HTTP.
    if (current.name === 'HTTPParserError') return 'HPE_INVALID';
    if ('code' in current && typeof current.code === 'string') {
      // OpenSSL's own codes say less than the reason beside them.
      if (current.code === 'EPROTO' && /wrong version number/i.test(current.message)) {
        return 'ERR_SSL_WRONG_VERSION_NUMBER';
      }
      return current.code === 'EPROTO' ? 'ERR_SSL_PROTOCOL' : current.code;
    }
    current = current.cause;
  }
  return undefined;
}
