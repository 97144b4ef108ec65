import { join } from 'node:path';
import { abortable } from '#main/async/abortable.ts';
import { withFileLock } from '#main/secrets/index.ts';
import type { Logger } from '#main/logging/index.ts';
import type { Outbound } from '#main/network/index.ts';
import { publicFieldsOf } from '#shared/connections/credential-fields.ts';
import type { Connection } from '#shared/connections/connection.ts';
import type { AuthMethod, IntegrationManifest } from '#shared/manifest/model/integration.ts';
import { ProblemError, toProblem, type Problem } from '#shared/problem.ts';
import type { CredentialsAnswer } from '#shared/protocol/integrations.ts';
import { missingScopes } from '#shared/tools/scopes.ts';
import type { ConnectionRepository } from './connection-repository.ts';
import type { ConnectionSecrets, ConnectionVault } from './connection-vault.ts';
import type { IntegrationSource } from './integration-source.ts';
import { logIn } from './login/log-in.ts';
import type { AuthorizationServers } from './oauth/authorization-server.ts';
import type { OAuthClients } from './oauth-clients.ts';
import { isRevoked } from './oauth/oauth-problem.ts';
import { TokenEndpoint } from './oauth/token-endpoint.ts';
import { grantedScopes } from './oauth/token-response.ts';

/** Milliseconds within which a second wish for a new credential gets the last one. */
const COOL_DOWN_MS = 5_000;
/** Milliseconds before its end at which an access is renewed; a quarter of a short one. */
const MARGIN_MS = 5 * 60_000;
/** Milliseconds for a renewal; shorter than a lock is held for alive. */
const RENEWAL_MS = 20_000;
/** Milliseconds to wait for another process that renews: longer than it may take. */
const RENEWAL_WAIT_MS = RENEWAL_MS + 5_000;

const RENEWAL_BUSY: Problem = {
  code: 'renewal_busy',
  title: 'Another Slipway renews this access',
  detail: 'Another Slipway of this computer renews the access, and did not finish in time.',
  action: 'Try again.',
};

export interface CredentialProviderOptions {
  readonly repository: ConnectionRepository;
  readonly vault: ConnectionVault;
  readonly clients: OAuthClients;
  readonly servers: AuthorizationServers;
  readonly integrations: IntegrationSource;
  readonly outbound: Outbound;
  readonly logger: Logger;
  /** Folder for locks, so that two processes do not use one refresh token twice. */
  readonly lockFolder: string;
  /** Told when something of a connection has changed. */
  readonly onChange: (connectionId: string) => void;
  readonly now?: () => number;
}

/** A renewal that is over, for those who ask again at once. */
interface Renewed {
  readonly at: number;
  readonly outcome: { readonly secrets: ConnectionSecrets } | { readonly error: unknown };
}

/**
 * Gives out what calls are made with, and keeps it fresh. One renewal at a time for a connection, kept
 * before it is used; an access that was taken back is marked once and not tried again. It never opens a
 * browser: it serves runs that nobody may be watching.
 */
export class CredentialProvider {
  readonly #options: CredentialProviderOptions;
  readonly #now: () => number;
  readonly #flights = new Map<string, Promise<ConnectionSecrets>>();
  readonly #renewed = new Map<string, Renewed>();
  /** When what a connection's calls carry was obtained, as this process last gave it out. */
  readonly #given = new Map<string, number>();

  constructor(options: CredentialProviderOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * What a connection's requests may carry now.
   * @param reason `refresh` when a service has refused what was given last
   * @throws ProblemError `connection_unknown`, `connection_needs_sign_in`, `credential_missing`,
   * `credential_not_renewable`, `vault_locked`, `renewal_busy`, or why it could not be renewed.
   */
  async answer(
    connectionId: string,
    reason: 'initial' | 'refresh',
    signal?: AbortSignal,
  ): Promise<CredentialsAnswer> {
    const { connection, auth } = await this.#find(connectionId);
    if (connection.state === 'needs_sign_in') throw needsSignIn(connection);
    let secrets = await this.#options.vault.read(connectionId);
    if (!secrets) throw this.#lost(connection);
    const canRenew = isRenewable(auth, secrets);
    if (reason === 'refresh' && !canRenew) throw this.#refused(connection);
    if (reason === 'refresh') secrets = await this.#renew(connection, signal);
    else if (canRenew && this.#isDue(secrets)) secrets = await this.#renewEarly(connection, secrets, signal);
    this.#given.set(connectionId, secrets.obtainedAt);
    return this.#answerOf(auth, secrets, canRenew);
  }

  /** Forgets what was renewed: the connection was changed by other means. */
  forget(connectionId: string): void {
    this.#renewed.delete(connectionId);
  }

  #answerOf(auth: AuthMethod, secrets: ConnectionSecrets, canRenew: boolean): CredentialsAnswer {
    const { outputs, expiresAt } = secrets;
    const isShown = new Set(auth.connect?.login ? [] : publicFieldsOf(auth.credentialsSchema));
    // A time that is past would have the sidecar ask without end.
    const askAgain =
      expiresAt === undefined
        ? undefined
        : Math.max(canRenew ? expiresAt - marginOf(secrets) : expiresAt, this.#now() + COOL_DOWN_MS);
    return {
      fields: outputs,
      publicFields: Object.keys(outputs).filter((name) => isShown.has(name)),
      ...(askAgain !== undefined && { expiresAt: askAgain }),
    };
  }

  async #find(
    connectionId: string,
  ): Promise<{ connection: Connection; auth: AuthMethod; integration: IntegrationManifest }> {
    const connection = this.#options.repository.get(connectionId);
    const integration = connection && (await this.#options.integrations.get(connection.integrationId));
    const auth = connection && integration?.auths[connection.authKey];
    if (connection && integration && auth) return { connection, auth, integration };
    throw new ProblemError({
      code: 'connection_unknown',
      title: 'The connection is gone',
      detail: connection
        ? `The integration ${connection.integrationId} no longer has the way of signing in that this connection was made with.`
        : 'The connection was removed.',
      action: 'Choose another connection, or connect again.',
    });
  }

  #isDue({ expiresAt, ...secrets }: ConnectionSecrets): boolean {
    return expiresAt !== undefined && this.#now() >= expiresAt - marginOf({ expiresAt, ...secrets });
  }

  /** While the present access still counts, a renewal that fails for a passing reason harms nobody. */
  async #renewEarly(
    connection: Connection,
    present: ConnectionSecrets,
    signal: AbortSignal | undefined,
  ): Promise<ConnectionSecrets> {
    try {
      return await this.#renew(connection, signal);
    } catch (error) {
      signal?.throwIfAborted();
      const isOver = present.expiresAt !== undefined && this.#now() >= present.expiresAt;
      if (isOver || isRevoked(error)) throw error;
      return present;
    }
  }

  async #renew({ id }: Connection, signal: AbortSignal | undefined): Promise<ConnectionSecrets> {
    const last = this.#renewed.get(id);
    if (last && this.#now() - last.at < COOL_DOWN_MS && !this.#flights.has(id)) {
      if ('error' in last.outcome) throw last.outcome.error;
      return last.outcome.secrets;
    }
    const flight = this.#flights.get(id) ?? this.#takeOff(id);
    return signal ? abortable(flight, signal) : flight;
  }

  /** A renewal that is under way goes on when those who wait for it have left: its result must be kept. */
  #takeOff(id: string): Promise<ConnectionSecrets> {
    const flight = this.#exchange(id).then(
      (secrets) => {
        this.#renewed.set(id, { at: this.#now(), outcome: { secrets } });
        return secrets;
      },
      (error: unknown) => {
        this.#renewed.set(id, { at: this.#now(), outcome: { error } });
        throw error;
      },
    );
    const landed = flight.finally(() => this.#flights.delete(id));
    landed.catch(() => undefined);
    this.#flights.set(id, landed);
    return landed;
  }

  async #exchange(id: string): Promise<ConnectionSecrets> {
    const before = this.#given.get(id) ?? (await this.#options.vault.read(id))?.obtainedAt;
    const renewOnce = async () => {
      const { connection, auth, integration } = await this.#find(id);
      // Another process has asked meanwhile: its answer counts, a refusal as much as a new access.
      if (connection.state === 'needs_sign_in') throw needsSignIn(connection);
      const present = await this.#options.vault.read(id);
      if (!present) throw this.#lost(connection);
      if (before !== undefined && present.obtainedAt > before) return present;
      const signal = AbortSignal.timeout(RENEWAL_MS);
      try {
        return auth.type === 'oauth2'
          ? await this.#refresh(connection, auth, integration, present, signal)
          : await this.#logInAgain(connection, auth, present, signal);
      } catch (error) {
        const isLate = signal.aborted && !(error instanceof ProblemError);
        const failure = isLate ? unanswered(integration.displayName, error) : error;
        this.#markFailed(id, failure);
        throw failure;
      } finally {
        this.#options.onChange(id);
      }
    };
    const lock = join(this.#options.lockFolder, `.connection-${id}.lock`);
    return withFileLock(lock, renewOnce, { timeoutMs: RENEWAL_WAIT_MS, busy: RENEWAL_BUSY });
  }

  async #refresh(
    connection: Connection,
    auth: AuthMethod,
    integration: IntegrationManifest,
    present: ConnectionSecrets,
    signal: AbortSignal,
  ): Promise<ConnectionSecrets> {
    const { servers, clients, outbound, vault, repository } = this.#options;
    const { id, integrationId, authKey } = connection;
    const located = await abortable(servers.locate(auth, integration.source), signal);
    const server = await abortable(servers.describe(located), signal);
    if (present.tokenEndpoint !== server.metadata.token_endpoint)
      throw movedEndpoint(integration.displayName);
    const endpoint = new TokenEndpoint({
      outbound,
      server,
      client: await clients.get(integrationId, authKey, located),
      service: integration.displayName,
      resource: located.resource,
    });
    const tokens = await endpoint.refresh(present.refreshToken ?? '', signal);
    const renewed: ConnectionSecrets = {
      ...present,
      outputs: { ...present.outputs, access_token: tokens.accessToken },
      refreshToken: tokens.refreshToken ?? present.refreshToken,
      obtainedAt: this.#now(),
      expiresAt: tokens.expiresAt,
    };
    await vault.write(id, renewed);
    const scopes = grantedScopes(
      { ...tokens, hasIdToken: true, refreshToken: renewed.refreshToken },
      connection.scopes,
    );
    const lost = missingScopes(auth, [...connection.scopes, ...connection.lostScopes], scopes);
    repository.update(id, {
      scopes,
      lostScopes: lost,
      expiresAt: tokens.expiresAt,
      problem: lost.length > 0 ? shrunk(integration.displayName, lost) : undefined,
    });
    return renewed;
  }

  async #logInAgain(
    { id }: Connection,
    auth: AuthMethod,
    present: ConnectionSecrets,
    signal: AbortSignal,
  ): Promise<ConnectionSecrets> {
    const { outputs, expiresAt } = await logIn(auth, present.inputs ?? {}, this.#options.outbound, signal);
    const renewed = { ...present, outputs: { ...outputs }, expiresAt, obtainedAt: this.#now() };
    await this.#options.vault.write(id, renewed);
    this.#options.repository.update(id, { expiresAt, problem: undefined });
    return renewed;
  }

  /** Marks a connection whose access is over, once; anything else is noted and tried again later. */
  #markFailed(id: string, error: unknown): void {
    const problem = toProblem(error);
    const isOver = isRevoked(error) || /^(login_bad_status|oauth_endpoint_moved)$/.test(problem.code);
    this.#options.logger.warn({ connectionId: id, code: problem.code }, 'A connection could not be renewed');
    if (problem.code.startsWith('vault_') || problem.code === 'cancelled') return;
    this.#options.repository.update(id, { problem, ...(isOver && { state: 'needs_sign_in' as const }) });
  }

  #lost(connection: Connection): ProblemError {
    const problem: Problem = {
      code: 'credential_missing',
      title: 'The vault has nothing of this connection',
      detail: `What ${connection.label} was connected with is not in the vault. It may have been kept in memory, or in a vault that was set aside.`,
      action: 'Connect it again.',
    };
    this.#options.repository.update(connection.id, { state: 'needs_sign_in', problem });
    this.#options.onChange(connection.id);
    return new ProblemError(problem);
  }

  /** A refusal of one call does not prove that a key is dead, so the connection stays usable. */
  #refused(connection: Connection): ProblemError {
    const problem: Problem = {
      code: 'credential_not_renewable',
      title: 'The service has refused this credential',
      detail: `A service refused what ${connection.label} is connected with, and it cannot be renewed by itself.`,
      action: 'Test the connection, and enter the credential again if it fails.',
    };
    this.#options.repository.update(connection.id, { problem });
    this.#options.onChange(connection.id);
    return new ProblemError(problem);
  }
}

/** Whether main can have another credential without a person. */
function isRenewable(auth: AuthMethod, secrets: Pick<ConnectionSecrets, 'refreshToken' | 'inputs'>): boolean {
  if (auth.type === 'oauth2') return secrets.refreshToken !== undefined;
  return auth.connect?.login !== undefined && secrets.inputs !== undefined;
}

/** Milliseconds before its end at which an access is renewed. */
function marginOf({ obtainedAt, expiresAt }: ConnectionSecrets): number {
  return expiresAt === undefined ? 0 : Math.min(MARGIN_MS, Math.max(0, (expiresAt - obtainedAt) / 4));
}

function needsSignIn({ label, problem }: Connection): ProblemError {
  return new ProblemError({
    code: 'connection_needs_sign_in',
    title: `${label} needs a new sign-in`,
    detail: problem?.detail ?? `The access of ${label} has ended.`,
    action: 'Open the integration in Slipway and sign in again.',
  });
}

function unanswered(service: string, cause: unknown): ProblemError {
  return new ProblemError(
    {
      code: 'network_timeout',
      title: `${service} did not answer in time`,
      detail: `${service} was asked for a new access and did not answer within ${RENEWAL_MS / 1000} seconds. What it granted still counts.`,
      action: 'Try again later.',
    },
    { cause },
  );
}

function movedEndpoint(service: string): ProblemError {
  return new ProblemError({
    code: 'oauth_endpoint_moved',
    title: 'The integration now signs in somewhere else',
    detail: `${service} was connected at another address than the integration names now. What was granted is not sent there.`,
    action: 'Sign in again.',
  });
}

function shrunk(service: string, lost: readonly string[]): Problem {
  return {
    code: 'scopes_shrunk',
    title: 'The service allows less than before',
    detail: `${service} no longer grants ${lost.join(', ')}.`,
    action: 'Sign in again to allow it, or go on without the tools that need it.',
  };
}
