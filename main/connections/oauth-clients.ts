import type { RedirectChoice } from '#shared/connections/connection.ts';
import type { AuthMethod } from '#shared/manifest/model/integration.ts';
import { ProblemError } from '#shared/problem.ts';
import type { ClientRecord, ConnectionRepository } from './connection-repository.ts';
import type { ConnectionVault } from './connection-vault.ts';
import { assertSecretFits, type OAuthClient } from './oauth/oauth-client.ts';

export interface ClientInput {
  readonly integrationId: string;
  readonly authKey: string;
  readonly clientId: string;
  /** Absent leaves a kept secret; empty removes it. */
  readonly clientSecret?: string | undefined;
  /** The app has no secret, whatever the integration says. */
  readonly isPublic: boolean;
  readonly redirect?: RedirectChoice | undefined;
}

/** The apps that the author registered at services: ids in the database, secrets in the vault. */
export class OAuthClients {
  readonly #repository: ConnectionRepository;
  readonly #vault: ConnectionVault;

  readonly #redirect: RedirectChoice;

  /** @param redirect where apps come back to that say nothing else */
  constructor(repository: ConnectionRepository, vault: ConnectionVault, redirect: RedirectChoice) {
    this.#repository = repository;
    this.#vault = vault;
    this.#redirect = redirect;
  }

  describe(integrationId: string, authKey: string): ClientRecord | undefined {
    return this.#repository.client(integrationId, authKey);
  }

  /** @throws ProblemError `oauth_client_id_missing`, `oauth_client_secret_…`, `vault_locked`. */
  async save(input: ClientInput, auth: AuthMethod, isAutomatic = false): Promise<ClientRecord> {
    const { integrationId, authKey, isPublic } = input;
    const clientId = input.clientId.trim();
    if (clientId === '') {
      throw new ProblemError({
        code: 'oauth_client_id_missing',
        title: 'The client id is missing',
        detail: 'The service knows your app by its client id, and none was given.',
        action: 'Register an app at the service and copy its client id.',
        pointer: '/clientId',
      });
    }
    const authMethod = isPublic ? 'none' : auth.tokenEndpointAuthMethod;
    const known = this.describe(integrationId, authKey);
    const server = serverOf(auth);
    // A kept secret belongs to the app and the server it was given for, and to no other.
    const mayKeep = known?.clientId === clientId && known.server === server;
    const given = input.clientSecret?.trim();
    const kept =
      given === undefined && mayKeep ? await this.#vault.clientSecret(integrationId, authKey) : given;
    const secret = authMethod === 'none' && given === undefined ? undefined : kept || undefined;
    assertSecretFits(authMethod, secret);
    await this.#vault.setClientSecret(integrationId, authKey, secret);
    const record = {
      clientId,
      hasSecret: secret !== undefined,
      redirect: input.redirect ?? known?.redirect ?? auth.redirect ?? this.#redirect,
      authMethod,
      server,
      isAutomatic,
    };
    this.#repository.saveClient(integrationId, authKey, record);
    return record;
  }

  async remove(integrationId: string, authKey: string): Promise<void> {
    this.#repository.removeClient(integrationId, authKey);
    await this.#vault.setClientSecret(integrationId, authKey, undefined);
  }

  /**
   * The client with its secret.
   * @throws ProblemError `oauth_client_missing`, `oauth_client_other_server`, `vault_locked`.
   */
  async get(integrationId: string, authKey: string, auth: AuthMethod): Promise<OAuthClient> {
    const record = this.describe(integrationId, authKey);
    if (!record) {
      throw new ProblemError({
        code: 'oauth_client_missing',
        title: 'The app is not set up yet',
        detail: 'To sign in, the service wants to know an app of yours, by its client id.',
        action: 'Follow the setup of the integration, and copy the client id and secret from the service.',
      });
    }
    if (record.server !== serverOf(auth)) {
      throw new ProblemError({
        code: 'oauth_client_other_server',
        title: 'The integration now signs in somewhere else',
        detail: `Your app was set up for ${record.server}, and the integration now names ${serverOf(auth)}. Its secret is not sent there.`,
        action: 'If the change is right, set the app up again.',
      });
    }
    const { clientId, redirect, authMethod, hasSecret } = record;
    const clientSecret = hasSecret ? await this.#vault.clientSecret(integrationId, authKey) : undefined;
    return { clientId, clientSecret, redirect, authMethod };
  }
}

/** What a client is registered at: the server's own name, else the address that gives out tokens. */
export function serverOf(auth: AuthMethod): string {
  return auth.issuer ?? auth.tokenEndpoint ?? '';
}
