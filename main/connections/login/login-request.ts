import type { Outbound } from '#main/network/index.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import type { AuthMethod } from '#shared/manifest/model/integration.ts';
import { ProblemError } from '#shared/problem.ts';
import { compileAuthorizedUris } from '#shared/tools/authorized-uris.ts';
import { fillJson, fillPlaceholders } from '#shared/tools/placeholders.ts';
import { judgeTarget } from '#shared/tools/target-rules.ts';
import { parseTarget } from '#shared/tools/target-url.ts';
import { asText, type LoginResponse } from './expressions.ts';
import type { Fields, Login } from './declared-login.ts';
import { loginFailure } from './login-failure.ts';

const DEFAULT_TIMEOUT_MS = 15_000;
const DEFAULT_MAX_BYTES = 1_000_000;

/**
 * Makes the one request of a login, with what the person typed in where the manifest wants it.
 * @throws ProblemError `login_…`, `network_…`.
 */
export async function sendLogin(
  auth: AuthMethod,
  login: Login,
  fields: Fields,
  outbound: Outbound,
  signal: AbortSignal | undefined,
): Promise<LoginResponse> {
  const { request } = login;
  const { limits } = auth.connect ?? {};
  const target = targetOf(auth, request.url, fields);
  const { body, type } = bodyOf(request, fields);
  const headers: Record<string, string> = { ...(type !== undefined && { 'content-type': type }) };
  for (const [name, template] of Object.entries(request.headers ?? {})) {
    headers[name.toLowerCase()] = resolved(fillPlaceholders(template, fields));
  }
  if (Object.values(headers).some((value) => /[\r\n\0]/.test(value))) {
    throw loginFailure(
      'invalid_config',
      'What was typed in has a line break, which cannot stand in a header.',
    );
  }
  const timeoutMs = limits?.request_timeout_ms ?? DEFAULT_TIMEOUT_MS;
  try {
    const answer = await outbound.send({
      method: request.method.toUpperCase(),
      url: new URL(target.href),
      headers,
      body,
      timeoutMs,
      maxBytes: limits?.max_response_bytes ?? DEFAULT_MAX_BYTES,
      signal,
      publicOnly: !target.waivesAddressCheck,
    });
    return { status: answer.status, headers: answer.headers, text: answer.body.toString('utf8') };
  } catch (error) {
    const code = error instanceof ProblemError ? error.problem.code : '';
    if (code === 'network_timeout') throw loginFailure('timeout', `${target.host} did not answer in time.`);
    if (code === 'response_too_large')
      throw loginFailure('response_too_large', `${target.host} sent too much.`);
    throw error;
  }
}

/** The address with everything typed in encoded, and only where the integration may go. */
function targetOf(auth: AuthMethod, template: string, fields: Fields) {
  const encoded = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, encodeURIComponent(value)]),
  );
  // A whole address may be typed in at the beginning; anywhere else a field is one piece of it.
  const begins = /^\{\{\s*(\w+)\s*\}\}/.exec(template);
  const [head, rest] = begins ? [begins[0], template.slice(begins[0].length)] : ['', template];
  const address = resolved(fillPlaceholders(head, fields)) + resolved(fillPlaceholders(rest, encoded));
  const authority = /^[a-z]+:\/\/[^/?#]*/i.exec(template)?.[0] ?? template;
  const verdict = judgeTarget(
    parseTarget(address),
    { authorizedUris: compileAuthorizedUris(auth.authorizedUris), allowsAllUris: auth.allowsAllUris },
    { substitutesCredential: authority.includes('{{'), isRedirect: false },
  );
  if (!verdict.allowed) throw loginFailure('url_not_allowed', verdict.reason);
  return { ...verdict.target, waivesAddressCheck: verdict.waivesAddressCheck };
}

function bodyOf(
  request: Login['request'],
  fields: Fields,
): { body: string | undefined; type: string | undefined } {
  const { body, content_type: type } = request;
  if (body === undefined || body === null) return { body: undefined, type };
  const isForm = type?.includes('x-www-form-urlencoded') === true;
  if (typeof body === 'string') {
    const written = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, writtenIn(value, type)]),
    );
    return { body: resolved(fillPlaceholders(body, written)), type: type ?? 'text/plain' };
  }
  const { value, unresolved } = fillJson(body, fields);
  if (unresolved.length > 0) throw unfilled(unresolved);
  if (isForm && isRecord(value)) {
    const form = new URLSearchParams();
    for (const [name, member] of Object.entries(value)) form.set(name, asText(member) ?? '');
    return { body: form.toString(), type };
  }
  return { body: JSON.stringify(value), type: type ?? 'application/json' };
}

/** A field as it stands inside a text of that type, so that no character of it means anything there. */
function writtenIn(value: string, type: string | undefined): string {
  if (type?.includes('x-www-form-urlencoded')) return encodeURIComponent(value);
  if (type?.includes('json')) return JSON.stringify(value).slice(1, -1);
  return value;
}

function resolved({ text, unresolved }: { text: string; unresolved: readonly string[] }): string {
  if (unresolved.length > 0) throw unfilled(unresolved);
  return text;
}

function unfilled(names: readonly string[]): ProblemError {
  return loginFailure(
    'unresolved_placeholder',
    `The login needs ${[...new Set(names)].join(', ')}, which was not given.`,
  );
}
