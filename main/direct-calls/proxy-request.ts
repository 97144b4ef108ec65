import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { readCallArguments, type CallArguments } from '#main/sidecar/calls/call-arguments.ts';
import { CallFailure } from '#main/sidecar/calls/call-failure.ts';
import { ProblemError } from '#shared/problem.ts';
import { BYTES_CEILING, MAX_RESPONSE_BYTES } from '#shared/tools/sidecar-limits.ts';

/** Headers that speak to the proxy, or belong to the connection with it: none is passed on. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'appstrate-user',
  'authorization',
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-application-id',
  'x-integration-id',
  'x-target',
  'x-session-id',
  'x-connection-id',
  'x-org-id',
  'x-substitute-body',
  'x-run-id',
  'x-stream-request',
  'x-stream-response',
  'x-max-response-size',
]);

const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** What a script asks of the proxy, beside what is to be sent. */
export interface ProxyRequest {
  readonly integrationId: string;
  readonly target: string;
  readonly connectionId: string | undefined;
  /** Cookies are shared within one; the proxy's own when absent. */
  readonly sessionId: string | undefined;
  readonly substitutesBody: boolean;
  /** Passes the response on as it comes, instead of whole. */
  readonly streamsResponse: boolean;
  /** Bytes of a response that is passed on whole; what is beyond is cut off. */
  readonly maxResponseBytes: number;
  /** Bytes of a request. */
  readonly maxRequestBytes: number;
}

/**
 * Reads the headers that speak to the proxy (reference: sidecar, section 1.17).
 * @throws ProblemError `invalid_request`.
 */
export function readProxyRequest({ headers }: IncomingMessage, requestCap: number): ProxyRequest {
  const one = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const needed = (name: string, title: string): string => {
    const value = one(name);
    if (value === undefined) throw invalid(`The header ${title} is missing.`);
    return value;
  };
  const sessionId = one('x-session-id');
  if (sessionId !== undefined && !UUID_4.test(sessionId)) {
    throw invalid('X-Session-Id must be a UUID of version 4.');
  }
  return {
    integrationId: needed('x-integration-id', 'X-Integration-Id'),
    target: needed('x-target', 'X-Target'),
    connectionId: one('x-connection-id'),
    sessionId,
    substitutesBody: one('x-substitute-body')?.toLowerCase() === 'true',
    streamsResponse: one('x-stream-response') === '1',
    maxResponseBytes: responseCap(one('x-max-response-size')),
    maxRequestBytes: one('x-stream-request') === '1' ? BYTES_CEILING : requestCap,
  };
}

/**
 * The call that a request stands for.
 * @throws CallFailure for what `api_call` would refuse too.
 */
export function callOf(request: IncomingMessage, wanted: ProxyRequest, body: Buffer): CallArguments {
  const call = readCallArguments(
    {
      target: wanted.target,
      method: request.method,
      headers: passedHeaders(request),
      // Only whether there is one is judged there: what it says is not for `api_call` to interpret.
      ...(body.length > 0 && { body: '' }),
    },
    wanted.maxRequestBytes,
  );
  if (body.length === 0) return call;
  if (!wanted.substitutesBody) return { ...call, body: { kind: 'bytes', bytes: body } };
  return { ...call, substituteBody: true, body: textBody(body, request.headers['content-type'] ?? '') };
}

/** Secrets are put into the texts of a JSON body before it is written, so that it stays JSON. */
function textBody(body: Buffer, contentType: string): CallArguments['body'] {
  if (!isUtf8(body)) throw new CallFailure("'X-Substitute-Body' needs a body that is text in UTF-8");
  const text = body.toString('utf8');
  if (/^application\/(.*\+)?json *(;|$)/i.test(contentType)) {
    try {
      return { kind: 'json', value: JSON.parse(text) as unknown };
    } catch {
      // It is filled in as the text that it is.
    }
  }
  return { kind: 'text', text };
}

function passedHeaders({ rawHeaders }: IncomingMessage): Record<string, string> {
  const passed: Record<string, string> = {};
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    const key = name.toLowerCase();
    if (OWN_HEADERS.has(key)) continue;
    const before = passed[key];
    passed[key] = before === undefined ? value : `${before}${key === 'cookie' ? '; ' : ', '}${value}`;
  }
  return passed;
}

function responseCap(header: string | undefined): number {
  if (header === undefined) return MAX_RESPONSE_BYTES;
  if (!/^\d{1,12}$/.test(header) || Number(header) === 0) {
    throw invalid('X-Max-Response-Size must be a number of bytes above 0.');
  }
  return Math.min(Number(header), MAX_RESPONSE_BYTES);
}

function invalid(detail: string): ProblemError {
  return new ProblemError({ code: 'invalid_request', title: 'The request cannot be understood', detail });
}
