import type { Outbound } from '#main/network/index.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import type { AuthMethod } from '#shared/manifest/model/integration.ts';
import { ProblemError } from '#shared/problem.ts';
import { compileAuthorizedUris } from '#shared/tools/authorized-uris.ts';
import { fillJson, fillPlaceholders } from '#shared/tools/placeholders.ts';
import { judgeTarget } from '#shared/tools/target-rules.ts';
import { parseTarget } from '#shared/tools/target-url.ts';
import {
  asText,
  evaluate,
  matchGroup,
  parseJson,
  pathValue,
  pointerValue,
  type LoginResponse,
} from './expressions.ts';

const DEFAULT_TIMEOUT_MS = 15_000;
const DEFAULT_MAX_BYTES = 1_000_000;

type Login = NonNullable<NonNullable<AuthMethod['connect']>['login']>;
type Fields = Readonly<Record<string, string>>;

/** What a login gave: only this is ever delivered, never what the person typed in. */
export interface LoggedIn {
  readonly outputs: Fields;
  /** Time in milliseconds; undefined when the service names none. */
  readonly expiresAt: number | undefined;
  readonly identity: Fields;
}

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

/**
 * Plays the login that a manifest declares. The answer is read for what the manifest names and then
 * dropped; no problem holds any of it.
 * @param fields what the person typed in
 * @throws ProblemError `login_<reason>`, `network_…`.
 */
export async function logIn(
  auth: AuthMethod,
  fields: Fields,
  outbound: Outbound,
  signal: AbortSignal | undefined,
): Promise<LoggedIn> {
  const login = auth.connect?.login;
  if (!login) throw failure('invalid_config', 'The integration declares no login.');
  const response = await send(auth, login, fields, outbound, signal);
  assertSuccess(login, response);
  const outputs = extractAll(login.outputs ?? {}, response);
  return {
    outputs,
    expiresAt: expiryOf(login, outputs),
    identity: Object.fromEntries(
      (login.identity_outputs ?? []).flatMap((name) => {
        const value = outputs[name];
        return value === undefined ? [] : [[name, value]];
      }),
    ),
  };
}

async function send(
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
    throw failure('invalid_config', 'What was typed in has a line break, which cannot stand in a header.');
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
    if (code === 'network_timeout') throw failure('timeout', `${target.host} did not answer in time.`);
    if (code === 'response_too_large') throw failure('response_too_large', `${target.host} sent too much.`);
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
  if (!verdict.allowed) throw failure('url_not_allowed', verdict.reason);
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

function assertSuccess(login: Login, response: LoginResponse): void {
  const criteria = login.success_criteria ?? [];
  const isSuccess =
    criteria.length === 0
      ? response.status >= 200 && response.status < 300
      : criteria.every((criterion) => holds(criterion, response));
  if (isSuccess) return;
  if (response.status >= 500 || response.status === 429) {
    throw failure('unavailable', `The service answered the login with status ${response.status}.`);
  }
  const hint = /^(400|401|403)$/.test(String(response.status)) ? ' It did not accept what was typed in.' : '';
  throw failure('bad_status', `The service answered the login with status ${response.status}.${hint}`);
}

type Criterion = NonNullable<Login['success_criteria']>[number];

function holds({ condition, context, type = 'simple' }: Criterion, response: LoginResponse): boolean {
  switch (type) {
    case 'simple': {
      const [left, right] = condition.split('==').map((side) => side.trim());
      if (left === undefined || right === undefined) return false;
      return String(operand(left, response)) === String(operand(right, response));
    }
    case 'regex': {
      const text = asText(evaluate(context ?? '$response.body', response)) ?? '';
      return matchGroup(condition, text, 0) !== undefined;
    }
    case 'jsonpath': {
      const document = evaluate(context ?? '$response.body', response);
      const value = pathValue(typeof document === 'string' ? parseJson(document) : document, condition);
      return value !== undefined && value !== null && value !== false;
    }
    case 'xpath':
      throw failure('invalid_config', 'Conditions in XPath cannot be checked.');
  }
}

function operand(text: string, response: LoginResponse): unknown {
  if (text.startsWith('$')) return evaluate(text, response);
  return text.replace(/^(['"])(.*)\1$/s, '$2');
}

/** What is in a token of another output comes second. */
function extractAll(
  declared: Readonly<Record<string, unknown>>,
  response: LoginResponse,
): Record<string, string> {
  const outputs: Record<string, string> = {};
  const isSecond = (output: unknown) =>
    (isRecord(output) && output['from'] === 'jwt') || String(output).startsWith('$outputs.');
  const entries = Object.entries(declared);
  const ordered = [
    ...entries.filter(([, output]) => !isSecond(output)),
    ...entries.filter(([, output]) => isSecond(output)),
  ];
  for (const [name, output] of ordered) {
    const value = extract(output, response, outputs);
    if (value === undefined) {
      throw failure('extract_failed', `The answer of the service has nothing where "${name}" should be.`);
    }
    outputs[name] = value;
  }
  return outputs;
}

function extract(output: unknown, response: LoginResponse, outputs: Fields): string | undefined {
  if (typeof output === 'string') return asText(evaluate(output, response, outputs));
  if (!isRecord(output)) return undefined;
  const text = (key: string) => (typeof output[key] === 'string' ? output[key] : '');
  switch (output['from']) {
    case 'cookie':
      return cookieOf(response.headers, text('name'));
    case 'jwt': {
      const token = asText(evaluate(text('token'), response, outputs));
      const payload = token?.split('.')[1];
      const claims = payload && parseJson(Buffer.from(payload, 'base64url').toString('utf8'));
      const path = text('path').replace(/^#/, '');
      return asText(path.startsWith('/') ? pointerValue(claims, path) : pathValue(claims, path));
    }
    case 'regex': {
      const group = typeof output['group'] === 'number' ? output['group'] : 1;
      return matchGroup(text('pattern'), asText(evaluate(text('source'), response, outputs)) ?? '', group);
    }
    default:
      return selected(text('context'), text('selector'), output['type'], response, outputs);
  }
}

function selected(
  context: string,
  selector: string,
  type: unknown,
  response: LoginResponse,
  outputs: Fields,
): string | undefined {
  if (type === 'xpath') throw failure('invalid_config', 'Values cannot be selected by XPath.');
  const source = evaluate(context, response, outputs);
  const document = typeof source === 'string' ? parseJson(source) : source;
  return asText(type === 'jsonpointer' ? pointerValue(document, selector) : pathValue(document, selector));
}

function cookieOf(headers: Headers, name: string): string | undefined {
  for (const line of headers.getSetCookie()) {
    const pair = line.split(';', 1)[0] ?? '';
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim() || undefined;
  }
  return undefined;
}

function expiryOf(login: Login, outputs: Fields): number | undefined {
  const seconds = Number(outputs[login.expires_in_output ?? ''] ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? Date.now() + seconds * 1000 : undefined;
}

function resolved({ text, unresolved }: { text: string; unresolved: readonly string[] }): string {
  if (unresolved.length > 0) throw unfilled(unresolved);
  return text;
}

function unfilled(names: readonly string[]): ProblemError {
  return failure(
    'unresolved_placeholder',
    `The login needs ${[...new Set(names)].join(', ')}, which was not given.`,
  );
}

function failure(reason: Reason, detail: string): ProblemError {
  const action =
    reason === 'bad_status'
      ? 'Check what you typed in. The service may also want a second factor, which a login like this cannot give.'
      : reason === 'timeout' || reason === 'unavailable'
        ? 'Try again later.'
        : 'Check what you typed in; if it is right, the integration needs a change.';
  return new ProblemError({ code: `login_${reason}`, title: 'The login failed', detail, action });
}
