import type { ConnectFlow, Connection, RedirectChoice } from '#shared/connections/connection.ts';
import type { ConnectionTest, IntegrationNeeds, RunRequirements } from '#shared/connections/requirements.ts';
import type { AgentManifest } from '#shared/manifest/model/agent.ts';
import type { IntegrationManifest } from '#shared/manifest/model/integration.ts';
import type { ShownServerSetting } from '#shared/ipc/server-setting-routes.ts';
import type { SettingValue } from '#shared/mcp-bundle/launch.ts';
import type { CredentialsAnswer } from '#shared/protocol/integrations.ts';

/** All that a page may be shown of connections. */
export interface ConnectionState {
  readonly connections: readonly Connection[];
  /** Sign-ins under way, and the last that ended. */
  readonly flows: readonly ConnectFlow[];
  /** Agents that have chosen a connection, by its id. */
  readonly uses: Readonly<Record<string, readonly string[]>>;
}

export interface AuthReference {
  readonly integrationId: string;
  readonly authKey: string;
}

export interface ConnectRequest extends AuthReference {
  /** Scopes needed now, besides the integration's defaults and what the connection has. */
  readonly scopes?: readonly string[] | undefined;
  /** The connection to renew; a new one when absent. */
  readonly connectionId?: string | undefined;
  /** The browser, unless only another device can sign in. */
  readonly kind?: 'browser' | 'device' | undefined;
  readonly choosesAccount?: boolean | undefined;
}

export interface CreateRequest extends AuthReference {
  readonly fields: Readonly<Record<string, string>>;
  readonly label?: string | undefined;
  /** The connection to enter anew. */
  readonly connectionId?: string | undefined;
}

/** What of an agent says which services it needs. */
export interface ConnectedAgent extends Pick<AgentManifest, 'dependencies' | 'integrationChoices'> {
  /** Its integrations as a run takes them, by id; those of the library when absent. */
  readonly integrations?: ReadonlyMap<string, IntegrationManifest>;
}

/** A connection that a run binds, as the sidecar is told of it. */
export interface RunConnection {
  readonly id: string;
  readonly integrationId: string;
  readonly authKey: string;
  readonly label: string;
  readonly account: string | undefined;
  readonly canRefresh: boolean;
}

/** Without `server` where an integration has no local one in the library. */
export interface DescribedSettings {
  server?: string;
  settings: ShownServerSetting[];
}

/** The author's accounts at services, and what runs may do with them. */
export interface ConnectionService {
  state(): ConnectionState;
  onState(listener: (state: ConnectionState) => void): () => void;
  /** Tells of a connection whose credential is no longer what it was. */
  onCredentialChange(listener: (connectionId: string) => void): () => void;

  /** What connecting an integration takes. @throws ProblemError `integration_unknown`. */
  describe(integrationId: string): Promise<IntegrationNeeds>;
  saveClient(
    input: AuthReference & {
      readonly clientId: string;
      readonly clientSecret?: string | undefined;
      readonly isPublic: boolean;
      readonly redirect?: RedirectChoice | undefined;
    },
  ): Promise<IntegrationNeeds>;
  removeClient(reference: AuthReference): Promise<IntegrationNeeds>;

  /** Begins a sign-in. The caller opens the address. @throws ProblemError. */
  connect(request: ConnectRequest): Promise<ConnectFlow>;
  cancel(flowId: string): void;
  /** Takes a callback that came by the app's scheme, or was typed in. @throws ProblemError `redirect_unknown`. */
  receiveRedirect(address: string): Promise<void>;
  /** Keeps what the author typed in, or what a login gave for it. @throws ProblemError `credentials_invalid`, `login_…`. */
  create(request: CreateRequest, signal?: AbortSignal): Promise<Connection>;
  /** Calls the service once with a connection, or with what was typed in and is not kept. */
  test(
    subject: { readonly connectionId: string } | CreateRequest,
    url: string | undefined,
    signal?: AbortSignal,
  ): Promise<ConnectionTest>;
  /** @throws ProblemError `connection_unknown`, `label_invalid`. */
  rename(connectionId: string, label: string): Connection;
  remove(connectionId: string): Promise<void>;

  /** What the local server of an integration was told, without secrets. @throws ProblemError `vault_locked`. */
  serverSettings(integrationId: string): Promise<DescribedSettings>;
  /** @throws ProblemError `server_settings_invalid`, `vault_locked`, `integration_unknown`. */
  saveServerSettings(
    integrationId: string,
    values: Readonly<Record<string, SettingValue | null>>,
  ): Promise<DescribedSettings>;

  /** Remembers which connections an agent uses. @throws ProblemError `too_many_connections`. */
  choose(agentId: string, integrationId: string, connectionIds: readonly string[]): void;
  /** What a run of an agent needs. @param chosenNow connections chosen for this start, by integration */
  requirements(
    agentId: string,
    agent: ConnectedAgent,
    chosenNow?: Readonly<Record<string, readonly string[]>>,
  ): Promise<RunRequirements>;
  /** The same when a run begins. @throws ProblemError `missing_integration_connection`, with a cause for each. */
  bind(
    agentId: string,
    agent: ConnectedAgent,
    chosenNow?: Readonly<Record<string, readonly string[]>>,
  ): Promise<RunConnection[]>;
  /** What the sidecar's request `credentials` is answered with. */
  credentials(
    connectionId: string,
    reason: 'initial' | 'refresh',
    signal?: AbortSignal,
  ): Promise<CredentialsAnswer>;
}
