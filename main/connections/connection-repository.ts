import { z } from 'zod';
import type { Database, SqlValue } from '#main/store/index.ts';
import { connectionSchema, redirectChoiceSchema, type Connection } from '#shared/connections/connection.ts';

/** What is known of the app that an author registered at a service, but for its secret. */
const clientRecordSchema = z.object({
  clientId: z.string(),
  hasSecret: z.boolean(),
  redirect: redirectChoiceSchema,
  authMethod: z.string(),
  /** The server it was registered at: its secret goes to no other. */
  server: z.string(),
  /** Whether Slipway registered it by itself (RFC 7591). */
  isAutomatic: z.boolean(),
});
export type ClientRecord = z.infer<typeof clientRecordSchema>;

const idsSchema = z.array(z.string());

/** Connections, clients and choices in the database; nothing here is secret. */
export class ConnectionRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  list(): Connection[] {
    return this.#database
      .all('SELECT data FROM connection ORDER BY integration_id, label')
      .flatMap((row) => readConnection(row['data']));
  }

  get(id: string): Connection | undefined {
    return readConnection(this.#database.get('SELECT data FROM connection WHERE id = ?', id)?.['data'])[0];
  }

  /** Adds or replaces; a label that another connection of the integration has gets a number. */
  save(connection: Connection): Connection {
    return this.#database.transaction(() => {
      const taken = new Set(
        this.#database
          .all(
            'SELECT label FROM connection WHERE integration_id = ? AND id <> ?',
            connection.integrationId,
            connection.id,
          )
          .map((row) => row['label']),
      );
      const saved = { ...connection, label: freeLabel(connection.label, taken) };
      this.#database.run(
        `INSERT INTO connection (id, integration_id, label, data) VALUES (?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET label = excluded.label, data = excluded.data`,
        saved.id,
        saved.integrationId,
        saved.label,
        JSON.stringify(saved),
      );
      return saved;
    });
  }

  /** Changes what stands there now; nothing when the connection is gone. */
  update(id: string, change: Partial<Connection>): Connection | undefined {
    return this.#database.transaction(() => {
      const present = this.get(id);
      return present && this.save({ ...present, ...change, updatedAt: Date.now() });
    });
  }

  remove(id: string): void {
    this.#database.run('DELETE FROM connection WHERE id = ?', id);
  }

  client(integrationId: string, authKey: string): ClientRecord | undefined {
    const row = this.#database.get(
      'SELECT data FROM oauth_client WHERE integration_id = ? AND auth_key = ?',
      integrationId,
      authKey,
    );
    return clientRecordSchema.safeParse(parse(row?.['data'])).data;
  }

  saveClient(integrationId: string, authKey: string, client: ClientRecord): void {
    this.#database.run(
      `INSERT INTO oauth_client (integration_id, auth_key, data) VALUES (?, ?, ?)
       ON CONFLICT (integration_id, auth_key) DO UPDATE SET data = excluded.data`,
      integrationId,
      authKey,
      JSON.stringify(client),
    );
  }

  removeClient(integrationId: string, authKey: string): void {
    this.#database.run(
      'DELETE FROM oauth_client WHERE integration_id = ? AND auth_key = ?',
      integrationId,
      authKey,
    );
  }

  /** What an agent chose of an integration; empty when it never chose. */
  choice(agentId: string, integrationId: string): string[] {
    const row = this.#database.get(
      'SELECT connection_ids FROM connection_choice WHERE agent_id = ? AND integration_id = ?',
      agentId,
      integrationId,
    );
    return idsSchema.safeParse(parse(row?.['connection_ids'])).data ?? [];
  }

  /** Remembers a choice; an empty one is forgotten. */
  choose(agentId: string, integrationId: string, connectionIds: readonly string[]): void {
    if (connectionIds.length === 0) {
      this.#database.run(
        'DELETE FROM connection_choice WHERE agent_id = ? AND integration_id = ?',
        agentId,
        integrationId,
      );
      return;
    }
    this.#database.run(
      `INSERT INTO connection_choice (agent_id, integration_id, connection_ids) VALUES (?, ?, ?)
       ON CONFLICT (agent_id, integration_id) DO UPDATE SET connection_ids = excluded.connection_ids`,
      agentId,
      integrationId,
      JSON.stringify(connectionIds),
    );
  }

  /** Agents that have chosen a connection, by its id. */
  uses(): Record<string, string[]> {
    const uses: Record<string, string[]> = {};
    const rows = this.#database.all(
      'SELECT agent_id, connection_ids FROM connection_choice ORDER BY agent_id',
    );
    for (const row of rows) {
      for (const id of idsSchema.safeParse(parse(row['connection_ids'])).data ?? [])
        (uses[id] ??= []).push(String(row['agent_id']));
    }
    return uses;
  }
}

/** The wish, or with the first number in brackets that makes it unlike the others. */
export function freeLabel(wish: string, taken: ReadonlySet<unknown>): string {
  if (!taken.has(wish)) return wish;
  for (let number = 2; ; number += 1) {
    const label = `${wish} (${number})`;
    if (!taken.has(label)) return label;
  }
}

function readConnection(data: SqlValue | undefined): Connection[] {
  const parsed = connectionSchema.safeParse(parse(data));
  return parsed.success ? [parsed.data] : [];
}

function parse(text: SqlValue | undefined): unknown {
  return typeof text === 'string' ? (JSON.parse(text) as unknown) : undefined;
}
