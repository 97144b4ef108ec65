import { randomUUID } from 'node:crypto';
import type { Logger } from '#main/logging/index.ts';
import type { Outbound } from '#main/network/index.ts';
import type { SecretStore } from '#main/secrets/secret-store.ts';
import type { Database } from '#main/store/index.ts';
import {
  hasEnded,
  MAX_CHOSEN_CONNECTIONS,
  type ConnectFlow,
  type Connection,
  type RedirectChoice,
} from '#shared/connections/connection.ts';
import type { ConnectionTest, IntegrationNeeds, RunRequirements } from '#shared/connections/requirements.ts';
import type { AuthMethod, IntegrationManifest } from '#shared/manifest/model/integration.ts';
import type { McpServerManifest } from '#shared/manifest/model/mcp-server.ts';
import type { SettingValue } from '#shared/mcp-bundle/launch.ts';
import { ProblemError } from '#shared/problem.ts';
import type { CredentialsAnswer } from '#shared/protocol/integrations.ts';
import { requestedScopes } from '#shared/tools/scopes.ts';
import { checkFields } from './check-fields.ts';
import { checkedLabel, labelFor } from './connection-label.ts';
import { ConnectionRepository } from './connection-repository.ts';
import type {
  AuthReference,
  ConnectedAgent,
  ConnectionService,
  ConnectionState,
  ConnectRequest,
  CreateRequest,
  DescribedSettings,
  RunConnection,
} from './connection-service.ts';
import { ConnectionVault, type ConnectionSecrets } from './connection-vault.ts';
import { CredentialProvider } from './credential-provider.ts';
import { describeAuth } from './describe-auth.ts';
import type { IntegrationSource } from './integration-source.ts';
import { isOpenConnection, NOTHING, openConnectionOf } from './open-connections.ts';
import { logIn } from './login/log-in.ts';
import { AuthorizationServers, type KnownServer } from './oauth/authorization-server.ts';
import { assertLasting } from './oauth/lasting-access.ts';
import { DEFAULT_REDIRECT } from './oauth/oauth-client.ts';
import { registerClient } from './oauth/register-client.ts';
import { BROWSER_MS, type SignedIn } from './oauth/sign-in.ts';
import { SignIns } from './oauth/sign-ins.ts';
import { OAuthClients, type ClientInput } from './oauth-clients.ts';
import { requirementsOf } from './requirements.ts';
import { describeSettings, ServerSettings } from './server-settings.ts';
import { testCredential } from './test-connection.ts';

export interface ConnectionsOptions {
  readonly database: Database;
  readonly secrets: SecretStore;
  readonly integrations: IntegrationSource;
  readonly outbound: Outbound;
  readonly logger: Logger;
  /** Makes a secret known to the log's redactor. */
  readonly protect: (secret: string) => void;
  /** The data folder, for locks between processes. */
  readonly dataDirectory: string;
  /** Milliseconds the author has in the browser. */
  readonly browserMs?: number;
  readonly now?: () => number;
  /** Where apps come back to that say nothing else. */
  readonly defaultRedirect?: RedirectChoice;
}

/** {@link ConnectionService} over the database and the vault. */
export class Connections implements ConnectionService, AsyncDisposable {
  readonly #options: ConnectionsOptions;
  readonly #repository: ConnectionRepository;
  readonly #vault: ConnectionVault;
  readonly #serverSettings: ServerSettings;
  readonly #clients: OAuthClients;
  readonly #servers: AuthorizationServers;
  readonly #provider: CredentialProvider;
  readonly #signIns: SignIns;
  readonly #stateListeners = new Set<(state: ConnectionState) => void>();
  readonly #credentialListeners = new Set<(connectionId: string) => void>();

  readonly #redirect: RedirectChoice;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#redirect = options.defaultRedirect ?? DEFAULT_REDIRECT;
    this.#repository = new ConnectionRepository(options.database);
    this.#vault = new ConnectionVault(options.secrets, options.protect);
    this.#serverSettings = new ServerSettings(options.secrets, options.protect);
    this.#clients = new OAuthClients(this.#repository, this.#vault, this.#redirect);
    this.#servers = new AuthorizationServers(options.outbound);
    this.#signIns = new SignIns({
      outbound: options.outbound,
      browserMs: options.browserMs ?? BROWSER_MS,
      onChange: () => this.#tellState(),
    });
    this.#provider = new CredentialProvider({
      repository: this.#repository,
      vault: this.#vault,
      clients: this.#clients,
      servers: this.#servers,
      integrations: options.integrations,
      outbound: options.outbound,
      logger: options.logger,
      lockFolder: options.dataDirectory,
      onChange: (id) => this.#tellCredential(id),
      ...(options.now && { now: options.now }),
    });
  }

  state(): ConnectionState {
    return {
      connections: this.#repository.list(),
      flows: this.#signIns.flows(),
      uses: this.#repository.uses(),
    };
  }

  onState(listener: (state: ConnectionState) => void): () => void {
    this.#stateListeners.add(listener);
    return () => this.#stateListeners.delete(listener);
  }

  /** Tells the state anew: another process may have changed the database. */
  noticeOthers(): void {
    this.#tellState();
  }

  onCredentialChange(listener: (connectionId: string) => void): () => void {
    this.#credentialListeners.add(listener);
    return () => this.#credentialListeners.delete(listener);
  }

  async describe(integrationId: string): Promise<IntegrationNeeds> {
    const integration = await this.#integration(integrationId);
    const uses = this.#repository.uses();
    return {
      integrationId,
      displayName: integration.displayName,
      setupSteps: integration.setupSteps.map((step) => ({ ...step })),
      auths: Object.entries(integration.auths).map(([authKey, auth]) =>
        describeAuth(
          authKey,
          auth,
          integration,
          this.#clients.describe(integrationId, authKey),
          this.#redirect,
        ),
      ),
      connections: this.#repository
        .list()
        .filter((connection) => connection.integrationId === integrationId)
        .map((connection) => ({ ...connection, agentCount: uses[connection.id]?.length ?? 0 })),
    };
  }

  async saveClient(input: ClientInput): Promise<IntegrationNeeds> {
    const { source } = await this.#integration(input.integrationId);
    await this.#clients.save(input, await this.#servers.locate(await this.#oauthMethod(input), source));
    return this.describe(input.integrationId);
  }

  async removeClient({ integrationId, authKey }: AuthReference): Promise<IntegrationNeeds> {
    await this.#clients.remove(integrationId, authKey);
    return this.describe(integrationId);
  }

  async connect(request: ConnectRequest): Promise<ConnectFlow> {
    const { integrationId, authKey, scopes = [], connectionId, choosesAccount = false } = request;
    const integration = await this.#integration(integrationId);
    const declared = await this.#oauthMethod(request);
    const renewed = connectionId === undefined ? undefined : this.#own(request, connectionId);
    await this.#requireVault();
    const auth = await this.#servers.locate(declared, integration.source);
    const server = await this.#servers.describe(auth);
    await this.#ensureClient(request, auth, server);
    const client = await this.#clients.get(integrationId, authKey, auth);
    const canBrowse = server.metadata.authorization_endpoint !== undefined;
    return this.#signIns.start({
      integrationId,
      authKey,
      service: integration.displayName,
      auth,
      server,
      client,
      scopes: requestedScopes(auth, scopes, renewed?.scopes),
      kind: request.kind ?? (canBrowse ? 'browser' : 'device'),
      choosesAccount,
      connectionId,
      keep: (result) => this.#keepGrant(request, auth, server, result),
    });
  }

  cancel(flowId: string): void {
    this.#signIns.cancel(flowId);
  }

  async receiveRedirect(address: string): Promise<void> {
    await this.#signIns.receiveRedirect(address);
  }

  async create(request: CreateRequest, signal?: AbortSignal): Promise<Connection> {
    const { integrationId, authKey, connectionId, label } = request;
    const auth = await this.#fieldMethod(request);
    const fields = await checkFields(auth, request.fields);
    for (const value of Object.values(fields)) this.#options.protect(value);
    const present = connectionId === undefined ? undefined : this.#own(request, connectionId);
    await this.#requireVault();
    const { secrets, identity } = await this.#acquire(auth, fields, signal);
    const [accountId = 'default'] = Object.values(identity);
    if (present) assertSameAccount(present, accountId);
    return this.#keep(
      {
        ...(present ?? newConnection(integrationId, authKey, auth)),
        accountId,
        identity,
        label: label?.trim()
          ? checkedLabel(label)
          : (present?.label ?? labelFor(accountId, auth, fields, this.#countOf(integrationId))),
        renewable: auth.connect?.login !== undefined,
        expiresAt: secrets.expiresAt,
      },
      secrets,
    );
  }

  async test(
    subject: { readonly connectionId: string } | CreateRequest,
    url: string | undefined,
    signal?: AbortSignal,
  ): Promise<ConnectionTest> {
    const { outbound } = this.#options;
    if ('fields' in subject) {
      const auth = await this.#fieldMethod(subject);
      const given = await checkFields(auth, subject.fields);
      for (const value of Object.values(given)) this.#options.protect(value);
      const { secrets } = await this.#acquire(auth, given, signal);
      return testCredential({ auth, fields: secrets.outputs, url, outbound, signal });
    }
    const { connectionId } = subject;
    const connection = this.#get(connectionId);
    const auth = (await this.#integration(connection.integrationId)).auths[connection.authKey];
    if (!auth) throw authUnknown(connection);
    const { fields } = await this.#provider.answer(connectionId, 'initial', signal);
    const result = await testCredential({ auth, fields, url, outbound, signal });
    if (result.outcome === 'works' && connection.problem?.code === 'credential_not_renewable') {
      this.#repository.update(connectionId, { problem: undefined });
      this.#tellState();
    }
    return result;
  }

  rename(connectionId: string, label: string): Connection {
    const kept = checkedLabel(label);
    this.#get(connectionId);
    const renamed = this.#repository.update(connectionId, { label: kept });
    this.#tellState();
    return renamed ?? this.#get(connectionId);
  }

  async remove(connectionId: string): Promise<void> {
    this.#get(connectionId);
    // The secret goes first: what is left if this is cut short is a connection that says it is empty.
    await this.#vault.remove(connectionId);
    this.#repository.remove(connectionId);
    this.#provider.forget(connectionId);
    this.#tellCredential(connectionId);
  }

  async serverSettings(integrationId: string): Promise<DescribedSettings> {
    const server = await this.#localServer(integrationId);
    if (server === undefined) return { settings: [] };
    if (Object.keys(server.settings).length === 0) return { server: server.name, settings: [] };
    return describeSettings(server, await this.#serverSettings.show(server));
  }

  async saveServerSettings(
    integrationId: string,
    values: Readonly<Record<string, SettingValue | null>>,
  ): Promise<DescribedSettings> {
    const server = await this.#localServer(integrationId);
    if (server === undefined) return { settings: [] };
    return describeSettings(server, await this.#serverSettings.save(server, values));
  }

  choose(agentId: string, integrationId: string, connectionIds: readonly string[]): void {
    // What is kept nowhere need not be remembered: it is taken by itself.
    const ids = [...new Set(connectionIds)].filter((id) => !isOpenConnection(id));
    if (ids.length > MAX_CHOSEN_CONNECTIONS) {
      throw new ProblemError({
        code: 'too_many_connections',
        title: 'Too many accounts at once',
        detail: `${ids.length} were chosen; a run takes ${MAX_CHOSEN_CONNECTIONS} of one integration.`,
        pointer: '/connectionIds',
      });
    }
    for (const id of ids) {
      if (this.#get(id).integrationId !== integrationId) throw unknownConnection();
    }
    this.#repository.choose(agentId, integrationId, ids);
    this.#tellState();
  }

  async requirements(
    agentId: string,
    agent: ConnectedAgent,
    chosenNow: Readonly<Record<string, readonly string[]>> = {},
  ): Promise<RunRequirements> {
    const known = await this.#vault.known().catch(() => undefined);
    const integrations = new Map<string, IntegrationManifest>();
    for (const id of Object.keys(agent.dependencies.integrations)) {
      const integration = await (agent.integrations ?? this.#options.integrations).get(id);
      if (integration) integrations.set(id, integration);
    }
    const now = this.#now();
    const kept = this.#repository.list();
    const open = [...integrations.values()].flatMap(
      (integration) => openConnectionOf(integration, kept) ?? [],
    );
    return requirementsOf({
      agent,
      integrations,
      connections: [...kept.map((connection) => asItIs(connection, known, now)), ...open],
      chosenNow,
      chosenEarlier: (id) => this.#repository.choice(agentId, id),
      hasClient: (id, authKey) =>
        this.#clients.describe(id, authKey) !== undefined ||
        integrations.get(id)?.auths[authKey]?.tokenEndpointAuthMethod === 'none',
    });
  }

  async bind(
    agentId: string,
    agent: ConnectedAgent,
    chosenNow?: Readonly<Record<string, readonly string[]>>,
  ): Promise<RunConnection[]> {
    const { isReady, integrations } = await this.requirements(agentId, agent, chosenNow);
    if (!isReady) {
      const missing = integrations.filter(({ detail }) => detail !== '');
      throw new ProblemError({
        code: 'missing_integration_connection',
        title: 'The agent needs accounts that are not there',
        detail: missing.map(({ detail }) => detail).join(' '),
        action: 'Connect what is missing, then run the agent again.',
        causes: missing.map(({ integrationId, status, detail }) => ({
          code: status,
          detail,
          pointer: `/connections/${integrationId.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        })),
      });
    }
    return integrations.flatMap(({ status, chosen, candidates, integrationId }) => {
      if (status !== 'ready') return [];
      return chosen.map((id) => {
        if (!isOpenConnection(id)) return runConnectionOf(this.#get(id));
        const { authKey, label } = candidates.find(({ connectionId }) => connectionId === id) ?? unknown();
        return { id, integrationId, authKey, label, account: undefined, canRefresh: false };
      });
    });
  }

  credentials(
    connectionId: string,
    reason: 'initial' | 'refresh',
    signal?: AbortSignal,
  ): Promise<CredentialsAnswer> {
    if (isOpenConnection(connectionId)) return Promise.resolve(NOTHING);
    return this.#provider.answer(connectionId, reason, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#signIns[Symbol.asyncDispose]();
  }

  /** What is kept of typed-in fields: they themselves, or what a login gives for them. */
  async #acquire(
    auth: AuthMethod,
    fields: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<{ secrets: ConnectionSecrets; identity: Record<string, string> }> {
    const obtainedAt = this.#now();
    if (auth.connect?.tool) {
      return { secrets: { version: 1, outputs: {}, inputs: fields, obtainedAt }, identity: {} };
    }
    if (!auth.connect?.login) return { secrets: { version: 1, outputs: fields, obtainedAt }, identity: {} };
    const { outputs, expiresAt, identity } = await logIn(auth, fields, this.#options.outbound, signal);
    return {
      secrets: { version: 1, outputs: { ...outputs }, inputs: fields, obtainedAt, expiresAt },
      identity: { ...identity },
    };
  }

  /** Keeps what a sign-in granted, in the connection it was begun for or in a new one. */
  async #keepGrant(
    request: ConnectRequest,
    auth: AuthMethod,
    server: KnownServer,
    { tokens, identity, scopes }: SignedIn,
  ): Promise<Connection> {
    const { integrationId, authKey, connectionId } = request;
    const present = connectionId === undefined ? undefined : this.#own(request, connectionId);
    if (present) assertSameAccount(present, identity.accountId);
    // Many services give a refresh token at the first consent only.
    const old = present && (await this.#vault.read(present.id));
    const refreshToken = tokens.refreshToken ?? old?.refreshToken;
    assertLasting(auth, server, tokens.expiresAt, refreshToken);
    return this.#keep(
      {
        ...(present ?? newConnection(integrationId, authKey, auth)),
        accountId: identity.accountId,
        identity: { ...identity.claims },
        label: present?.label ?? labelFor(identity.accountId, auth, {}, this.#countOf(integrationId)),
        scopes: [...scopes],
        renewable: refreshToken !== undefined,
        expiresAt: tokens.expiresAt,
      },
      {
        version: 1,
        outputs: { access_token: tokens.accessToken },
        refreshToken,
        tokenEndpoint: server.metadata.token_endpoint,
        obtainedAt: this.#now(),
        expiresAt: tokens.expiresAt,
      },
    );
  }

  /** The secret first: a connection without one would promise what it has not. */
  async #keep(connection: Connection, secrets: ConnectionSecrets): Promise<Connection> {
    await this.#vault.write(connection.id, secrets);
    const { problem: _problem, ...rest } = connection;
    const saved = this.#repository.save({
      ...rest,
      lostScopes: [],
      state: 'connected',
      updatedAt: Date.now(),
    });
    this.#provider.forget(saved.id);
    this.#tellCredential(saved.id);
    return saved;
  }

  #countOf(integrationId: string): number {
    return this.#repository.list().filter((one) => one.integrationId === integrationId).length;
  }

  /** A service that registers apps by itself gets one, the first time. */
  async #ensureClient(reference: AuthReference, auth: AuthMethod, server: KnownServer): Promise<void> {
    const { integrationId, authKey } = reference;
    const known = this.#clients.describe(integrationId, authKey);
    if (known && !(known.isAutomatic && known.server !== (auth.issuer ?? auth.tokenEndpoint))) return;
    if (auth.tokenEndpointAuthMethod !== 'none' || server.metadata.registration_endpoint === undefined)
      return;
    const clientId = await registerClient(
      this.#options.outbound,
      server,
      auth,
      auth.redirect ?? this.#redirect,
    );
    await this.#clients.save({ integrationId, authKey, clientId, isPublic: true }, auth, true);
  }

  async #localServer(integrationId: string): Promise<McpServerManifest | undefined> {
    const { integrations } = this.#options;
    // The package of a server may be called by hand without an integration of it.
    const alone = (await integrations.get(integrationId))
      ? undefined
      : await integrations.server?.(integrationId);
    if (alone) return alone;
    const { source } = await this.#integration(integrationId);
    return source.kind === 'local' ? this.#options.integrations.server?.(source.server.name) : undefined;
  }

  async #requireVault(): Promise<void> {
    await this.#options.secrets.names();
  }

  async #integration(id: string): Promise<IntegrationManifest> {
    const integration = await this.#options.integrations.get(id);
    if (integration) return integration;
    throw new ProblemError({
      code: 'integration_unknown',
      title: 'Unknown integration',
      detail: `There is no integration "${id.slice(0, 200)}" in your library.`,
      action: 'Add it to the library first.',
    });
  }

  async #method({ integrationId, authKey }: AuthReference): Promise<AuthMethod> {
    const integration = await this.#integration(integrationId);
    const auth = Object.hasOwn(integration.auths, authKey) ? integration.auths[authKey] : undefined;
    if (!auth) throw authUnknown({ integrationId, authKey });
    return auth;
  }

  async #oauthMethod(reference: AuthReference): Promise<AuthMethod> {
    const auth = await this.#method(reference);
    if (auth.type === 'oauth2') return auth;
    throw wrongWay('This way of connecting takes fields to fill in, and no sign-in.');
  }

  async #fieldMethod(reference: AuthReference): Promise<AuthMethod> {
    const auth = await this.#method(reference);
    if (auth.type !== 'oauth2') return auth;
    throw wrongWay('This way of connecting takes a sign-in, and no fields.');
  }

  #get(connectionId: string): Connection {
    const connection = this.#repository.get(connectionId);
    if (!connection) throw unknownConnection();
    return connection;
  }

  /** A connection of exactly this method: one of another would be given what is not its own. */
  #own({ integrationId, authKey }: AuthReference, connectionId: string): Connection {
    const connection = this.#get(connectionId);
    if (connection.integrationId === integrationId && connection.authKey === authKey) return connection;
    throw unknownConnection();
  }

  #now(): number {
    return this.#options.now?.() ?? Date.now();
  }

  #tellCredential(connectionId: string): void {
    for (const listener of this.#credentialListeners) listener(connectionId);
    this.#tellState();
  }

  #tellState(): void {
    if (this.#stateListeners.size === 0) return;
    const state = this.state();
    for (const listener of this.#stateListeners) listener(state);
  }
}

function newConnection(integrationId: string, authKey: string, auth: AuthMethod): Connection {
  const now = Date.now();
  return {
    id: randomUUID(),
    integrationId,
    authKey,
    authType: auth.type,
    label: '',
    accountId: 'default',
    identity: {},
    scopes: [],
    lostScopes: [],
    state: 'connected',
    renewable: false,
    createdAt: now,
    updatedAt: now,
  };
}

/**
 * A vault that was set aside, or kept in memory, may have less than the database promises; and an access
 * that nobody can renew ends without a word.
 */
function asItIs(connection: Connection, known: ReadonlySet<string> | undefined, now: number): Connection {
  const isKept = known === undefined || known.has(connection.id);
  return isKept && !hasEnded(connection, now) ? connection : { ...connection, state: 'needs_sign_in' };
}

function runConnectionOf(connection: Connection): RunConnection {
  const { id, integrationId, authKey, label, accountId, renewable } = connection;
  return {
    id,
    integrationId,
    authKey,
    label,
    account: accountId === 'default' ? undefined : accountId,
    canRefresh: renewable,
  };
}

/** What was chosen for one account must not act for another. @throws ProblemError `identity_mismatch`. */
function assertSameAccount({ accountId: before }: Connection, after: string): void {
  if (before === 'default' || after === 'default' || before === after) return;
  throw new ProblemError({
    code: 'identity_mismatch',
    title: 'This is another account',
    detail: `The connection is for ${before}, and ${after} signed in. It was left as it is.`,
    action: 'Sign in with the same account, or add the other one as a new connection.',
  });
}

function unknown(): never {
  throw unknownConnection();
}

function unknownConnection(): ProblemError {
  return new ProblemError({
    code: 'connection_unknown',
    title: 'Unknown connection',
    detail: 'There is no such connection. It may have been removed.',
  });
}

function authUnknown({ integrationId, authKey }: AuthReference): ProblemError {
  return new ProblemError({
    code: 'auth_unknown',
    title: 'Unknown way of connecting',
    detail: `${integrationId} has no way of connecting called "${authKey.slice(0, 100)}".`,
  });
}

function wrongWay(detail: string): ProblemError {
  return new ProblemError({ code: 'auth_wrong_way', title: 'Not the way to connect', detail });
}
