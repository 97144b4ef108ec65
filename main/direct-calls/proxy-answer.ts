import type { ServerResponse } from 'node:http';
import { CallFailure } from '#main/sidecar/calls/call-failure.ts';
import { toProblem } from '#shared/problem.ts';
import type { CallFailureCode } from '#shared/tools/call-failure.ts';

/** Says who answered, in the words of `api_call`'s status line. */
export const CALL_HEADER = 'x-api-call';

const FAILURE_STATUS: Readonly<Record<CallFailureCode, number>> = {
  unauthorized_target: 403,
  blocked_target: 403,
  credential_exfiltration_refused: 403,
  credential_unusable: 424,
  upstream_unresolvable: 502,
  upstream_unreachable: 502,
  upstream_timeout: 504,
};

const PROBLEM_STATUS: Readonly<Record<string, number>> = {
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  integration_unknown: 404,
  connection_unknown: 404,
  not_connected: 404,
  api_not_offered: 403,
  must_choose_connection: 409,
  payload_too_large: 413,
  busy: 503,
  internal_error: 500,
};

/** `[api_call status=0 code=…]`, or the service's own status. */
export function statusLine(status: number, code?: string): string {
  return `[api_call status=${status}${code === undefined ? '' : ` code=${code}`}]`;
}

/** Answers in the place of a service, as problem details (RFC 9457) with the code beside them. */
export function answerFailure(response: ServerResponse, error: unknown): void {
  response.req.resume();
  if (response.destroyed) return;
  // What has begun to come cannot be called back: cut off, it is at least not taken for whole.
  if (response.headersSent) return void response.destroy();
  const { status, code, title, detail, extra } = described(error);
  const isShared = code in FAILURE_STATUS;
  const body = Buffer.from(JSON.stringify({ type: 'about:blank', title, status, detail, code, ...extra }));
  response.writeHead(status, {
    'content-type': 'application/problem+json',
    'content-length': body.length,
    'cache-control': 'no-store',
    [CALL_HEADER]: statusLine(0, isShared ? code : undefined),
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
  });
  response.end(body);
}

function described(error: unknown): {
  status: number;
  code: string;
  title: string;
  detail: string;
  extra?: Readonly<Record<string, unknown>>;
} {
  if (error instanceof CallFailure) {
    const { code, structured } = error;
    const isTooLarge = structured !== undefined && code === undefined;
    return {
      status: code !== undefined ? FAILURE_STATUS[code] : isTooLarge ? 413 : 400,
      code: code ?? (isTooLarge ? 'payload_too_large' : 'invalid_request'),
      title: 'The call was not carried out',
      detail: error.message,
      ...(structured && { extra: structured }),
    };
  }
  const { code, title, detail, action, causes } = toProblem(error);
  return {
    status: PROBLEM_STATUS[code] ?? 400,
    code,
    title,
    detail: action === undefined ? detail : `${detail} ${action}`,
    ...(causes && { extra: { causes } }),
  };
}
