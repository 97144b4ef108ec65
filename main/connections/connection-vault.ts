import { z } from 'zod';
import type { SecretStore } from '#main/secrets/secret-store.ts';

const fieldsSchema = z.record(z.string(), z.string());

const connectionSecretsSchema = z.object({
  version: z.literal(1),
  /** What is delivered. */
  outputs: fieldsSchema,
  /** What a login is repeated with; never delivered. */
  inputs: fieldsSchema.optional(),
  refreshToken: z.string().optional(),
  /** Where the refresh token may go: the address that gave it. */
  tokenEndpoint: z.string().optional(),
  /** Milliseconds since the epoch. */
  obtainedAt: z.number(),
  expiresAt: z.number().optional(),
});
export type ConnectionSecrets = z.infer<typeof connectionSecretsSchema>;

/**
 * The secrets of connections in the author's vault. Every value that passes is made known to the log's
 * redactor first.
 */
export class ConnectionVault {
  readonly #secrets: SecretStore;
  readonly #protect: (secret: string) => void;

  constructor(secrets: SecretStore, protect: (secret: string) => void) {
    this.#secrets = secrets;
    this.#protect = protect;
  }

  /** Undefined when the vault has nothing of the connection. @throws ProblemError `vault_locked`. */
  async read(connectionId: string): Promise<ConnectionSecrets | undefined> {
    const text = await this.#secrets.get(nameOf(connectionId));
    const secrets = text === undefined ? undefined : connectionSecretsSchema.safeParse(JSON.parse(text)).data;
    if (secrets) this.#protectAll(secrets);
    return secrets;
  }

  /** Written through before it resolves. @throws ProblemError `vault_locked`. */
  async write(connectionId: string, secrets: ConnectionSecrets): Promise<void> {
    this.#protectAll(secrets);
    await this.#secrets.set(nameOf(connectionId), JSON.stringify(secrets));
  }

  async remove(connectionId: string): Promise<void> {
    await this.#secrets.delete(nameOf(connectionId));
  }

  /** Connections that the vault has something of; undefined when it is not open. */
  async known(): Promise<ReadonlySet<string> | undefined> {
    if (this.#secrets.state.state !== 'open') return undefined;
    const names = await this.#secrets.names();
    return new Set(names.flatMap((name) => /^connection\/(.+)$/.exec(name)?.[1] ?? []));
  }

  async clientSecret(integrationId: string, authKey: string): Promise<string | undefined> {
    const secret = await this.#secrets.get(clientNameOf(integrationId, authKey));
    if (secret !== undefined) this.#protect(secret);
    return secret;
  }

  /** Keeps a client's secret, or removes it when there is none. */
  async setClientSecret(integrationId: string, authKey: string, secret: string | undefined): Promise<void> {
    const name = clientNameOf(integrationId, authKey);
    if (secret === undefined) return this.#secrets.delete(name);
    this.#protect(secret);
    await this.#secrets.set(name, secret);
  }

  #protectAll({ outputs, inputs = {}, refreshToken }: ConnectionSecrets): void {
    for (const value of [...Object.values(outputs), ...Object.values(inputs), refreshToken ?? '']) {
      this.#protect(value);
    }
  }
}

function nameOf(connectionId: string): string {
  return `connection/${connectionId}`;
}

function clientNameOf(integrationId: string, authKey: string): string {
  return `oauth-client/${integrationId}/${authKey}`;
}
