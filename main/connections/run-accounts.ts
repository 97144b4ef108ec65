import { hasEnded, MAX_CHOSEN_CONNECTIONS, type Connection } from '#shared/connections/connection.ts';
import type { RunRequirements } from '#shared/connections/requirements.ts';
import type { IntegrationManifest } from '#shared/manifest/model/integration.ts';
import { ProblemError } from '#shared/problem.ts';
import { unknownConnection } from './connection-problems.ts';
import type { ConnectionRepository } from './connection-repository.ts';
import type { ConnectedAgent, RunConnection } from './connection-service.ts';
import type { ConnectionVault } from './connection-vault.ts';
import type { IntegrationSource } from './integration-source.ts';
import type { OAuthClients } from './oauth-clients.ts';
import { isOpenConnection, openConnectionOf } from './open-connections.ts';
import { requirementsOf } from './requirements.ts';

export interface RunAccountsOptions {
  readonly repository: Pick<ConnectionRepository, 'get' | 'list' | 'choice' | 'choose'>;
  readonly vault: Pick<ConnectionVault, 'known'>;
  readonly clients: Pick<OAuthClients, 'describe'>;
  readonly integrations: IntegrationSource;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Which accounts an agent needs, which of them were chosen for it, and which a run gets. */
export class RunAccounts {
  readonly #options: RunAccountsOptions;

  constructor(options: RunAccountsOptions) {
    this.#options = options;
  }

  /** Remembers a choice. @throws ProblemError `too_many_connections`, `connection_unknown`. */
  choose(agentId: string, integrationId: string, connectionIds: readonly string[]): void {
    // What is kept nowhere need not be remembered: it is taken by itself.
    const ids = [...new Set(connectionIds)].filter((id) => !isOpenConnection(id));
    if (ids.length > MAX_CHOSEN_CONNECTIONS) {
      throw tooManyConnections(ids.length);
    }
    const { repository } = this.#options;
    for (const id of ids) {
      if (repository.get(id)?.integrationId !== integrationId) throw unknownConnection();
    }
    repository.choose(agentId, integrationId, ids);
  }

  /** What an agent needs, and what there is of it. */
  async requirements(
    agentId: string,
    agent: ConnectedAgent,
    chosenNow: Readonly<Record<string, readonly string[]>> = {},
  ): Promise<RunRequirements> {
    const { repository, vault, clients } = this.#options;
    const known = await vault.known().catch(() => undefined);
    const integrations = new Map<string, IntegrationManifest>();
    for (const id of Object.keys(agent.dependencies.integrations)) {
      const integration = await (agent.integrations ?? this.#options.integrations).get(id);
      if (integration) integrations.set(id, integration);
    }
    const now = this.#options.now();
    const kept = repository.list();
    const open = [...integrations.values()].flatMap(
      (integration) => openConnectionOf(integration, kept) ?? [],
    );
    return requirementsOf({
      agent,
      integrations,
      connections: [...kept.map((connection) => asItIs(connection, known, now)), ...open],
      chosenNow,
      chosenEarlier: (id) => repository.choice(agentId, id),
      hasClient: (id, authKey) =>
        clients.describe(id, authKey) !== undefined ||
        integrations.get(id)?.auths[authKey]?.tokenEndpointAuthMethod === 'none',
    });
  }

  /** What a run gets. @throws ProblemError `missing_integration_connection`, `connection_unknown`, `vault_locked`. */
  async bind(
    agentId: string,
    agent: ConnectedAgent,
    chosenNow?: Readonly<Record<string, readonly string[]>>,
  ): Promise<RunConnection[]> {
    const { isReady, integrations } = await this.requirements(agentId, agent, chosenNow);
    if (!isReady) throw accountsMissing(integrations);
    const bound = integrations.flatMap(({ status, chosen, candidates, integrationId }) => {
      if (status !== 'ready') return [];
      return chosen.map((id) => {
        const kept = this.#options.repository.get(id);
        if (kept) return runConnectionOf(kept);
        const open = candidates.find(({ connectionId }) => connectionId === id);
        if (open === undefined || !isOpenConnection(id)) throw unknownConnection();
        const { authKey, label } = open;
        return { id, integrationId, authKey, label, account: undefined, canRefresh: false };
      });
    });
    // A run that began would fail at each call, and might still end as a success.
    const needsVault = bound.some(({ id }) => !isOpenConnection(id));
    if (needsVault && (await this.#options.vault.known()) === undefined) throw vaultClosed();
    return bound;
  }
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

function tooManyConnections(count: number): ProblemError {
  return new ProblemError({
    code: 'too_many_connections',
    title: 'Too many accounts at once',
    detail: `${count} were chosen; a run takes ${MAX_CHOSEN_CONNECTIONS} of one integration.`,
    pointer: '/connectionIds',
  });
}

function vaultClosed(): ProblemError {
  return new ProblemError({
    code: 'vault_locked',
    title: 'The vault is locked',
    detail:
      'What the accounts of the agent are connected with is in the vault, so the run could call nothing.',
    action: 'Unlock the vault, then run the agent again.',
  });
}

function accountsMissing(integrations: RunRequirements['integrations']): ProblemError {
  const missing = integrations.filter(({ detail }) => detail !== '');
  return new ProblemError({
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
