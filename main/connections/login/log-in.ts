import type { Outbound } from '#main/network/index.ts';
import type { AuthMethod } from '#shared/manifest/model/integration.ts';
import { assertSuccess, extractAll } from './login-answer.ts';
import { loginFailure } from './login-failure.ts';
import type { Fields, Login } from './declared-login.ts';
import { sendLogin } from './login-request.ts';

/** What a login gave: only this is ever delivered, never what the person typed in. */
export interface LoggedIn {
  readonly outputs: Fields;
  /** Time in milliseconds; undefined when the service names none. */
  readonly expiresAt: number | undefined;
  readonly identity: Fields;
}

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
  if (!login) throw loginFailure('invalid_config', 'The integration declares no login.');
  const response = await sendLogin(auth, login, fields, outbound, signal);
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

function expiryOf(login: Login, outputs: Fields): number | undefined {
  const seconds = Number(outputs[login.expires_in_output ?? ''] ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? Date.now() + seconds * 1000 : undefined;
}
