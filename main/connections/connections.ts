import type { Logger } from '#main/logging/index.ts';
import type { Outbound } from '#main/network/index.ts';
import type { SecretStore } from '#main/secrets/secret-store.ts';
import type { Database } from '#main/store/index.ts';
import { type ConnectFlow, type Connection, type RedirectChoice } from '#shared/connections/connection.ts';
import type { ConnectionTest, IntegrationNeeds, RunRequirements } from '#shared/connections/requirements.ts';
import type { AuthMethod, IntegrationManifest } from '#shared/manifest/model/integration.ts';
import type { McpServerManifest } from '#shared/manifest/model/mcp-server.ts';
import type { SettingValue } from '#shared/mcp-bundle/launch.ts';
import { ProblemError } from '#shared/problem.ts';
import type { CredentialsAnswer } from '#shared/protocol/integrations.ts';
import { requestedScopes } from '#shared/tools/scopes.ts';
import { checkFields } from './check-fields.ts';
import { checkedLabel, labelFor } from './connection-label.ts';
import { authUnknown, unknownConnection, wrongWay } from './connection-problems.ts';
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
import { assertSameAccount, newConnection } from './new-connection.ts';
import { isOpenConnection, NO_CREDENTIAL } from './open-connections.ts';
import { logIn } from './login/log-in.ts';
import { AuthorizationServers, type KnownServer } from './oauth/authorization-server.ts';
import { assertLasting } from './oauth/lasting-access.ts';
import { DEFAULT_REDIRECT } from './oauth/oauth-client.ts';
import { registerClient } from './oauth/register-client.ts';
import { BROWSER_MS, type SignedIn } from './oauth/sign-in.ts';
import { SignIns } from './oauth/sign-ins.ts';
import { OAuthClients, type ClientInput } from './oauth-clients.ts';
import { RunAccounts } from './run-accounts.ts';
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
  readonly #accounts: RunAccounts;
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
    this.#accounts = new RunAccounts({
      repository: this.#repository,
      vault: this.#vault,
      clients: this.#clients,
      integrations: options.integrations,
      now: () => this.#now(),
    });
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
        ...(present ?? newConnection(integrationId, authKey, auth, { at: this.#now() })),
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
    this.#accounts.choose(agentId, integrationId, connectionIds);
    this.#tellState();
  }

  requirements(
    agentId: string,
    agent: ConnectedAgent,
    chosenNow?: Readonly<Record<string, readonly string[]>>,
  ): Promise<RunRequirements> {
    return this.#accounts.requirements(agentId, agent, chosenNow);
  }

  bind(
    agentId: string,
    agent: ConnectedAgent,
    chosenNow?: Readonly<Record<string, readonly string[]>>,
  ): Promise<RunConnection[]> {
    return this.#accounts.bind(agentId, agent, chosenNow);
  }

  credentials(
    connectionId: string,
    reason: 'initial' | 'refresh',
    signal?: AbortSignal,
  ): Promise<CredentialsAnswer> {
    if (isOpenConnection(connectionId)) return Promise.resolve(NO_CREDENTIAL);
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
        ...(present ?? newConnection(integrationId, authKey, auth, { at: this.#now() })),
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
