import { isRecord } from '#shared/manifest/plain.ts';
import {
  asText,
  evaluate,
  matchGroup,
  parseJson,
  pathValue,
  pointerValue,
  type LoginResponse,
} from './expressions.ts';
import type { Fields, Login } from './declared-login.ts';
import { loginFailure } from './login-failure.ts';

/** @throws ProblemError `login_bad_status`, `login_unavailable`, `login_invalid_config`. */
export function assertSuccess(login: Login, response: LoginResponse): void {
  const criteria = login.success_criteria ?? [];
  const isSuccess =
    criteria.length === 0
      ? response.status >= 200 && response.status < 300
      : criteria.every((criterion) => holds(criterion, response));
  if (isSuccess) return;
  if (response.status >= 500 || response.status === 429) {
    throw loginFailure('unavailable', `The service answered the login with status ${response.status}.`);
  }
  const hint = /^(400|401|403)$/.test(String(response.status)) ? ' It did not accept what was typed in.' : '';
  throw loginFailure('bad_status', `The service answered the login with status ${response.status}.${hint}`);
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
      throw loginFailure('invalid_config', 'Conditions in XPath cannot be checked.');
  }
}

function operand(text: string, response: LoginResponse): unknown {
  if (text.startsWith('$')) return evaluate(text, response);
  return text.replace(/^(['"])(.*)\1$/s, '$2');
}

/**
 * Reads what the manifest names out of an answer. What is in a token of another output comes second.
 * @throws ProblemError `login_extract_failed`, `login_invalid_config`.
 */
export function extractAll(
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
      throw loginFailure(
        'extract_failed',
        `The answer of the service has nothing where "${name}" should be.`,
      );
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
  if (type === 'xpath') throw loginFailure('invalid_config', 'Values cannot be selected by XPath.');
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
