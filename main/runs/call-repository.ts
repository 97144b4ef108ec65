import type { Database, SqlValue } from '#main/store/index.ts';
import { callFailureCodeSchema } from '#shared/tools/call-failure.ts';
import type { CallFilter, CallOutcome, RecordedCall } from '#shared/runs/recorded-call.ts';

const OUTCOMES: Readonly<Record<CallOutcome, string>> = {
  answered: 'status BETWEEN 1 AND 399',
  rejected: 'status >= 400',
  unsent: 'status = 0',
};
const SEARCHED = ['url', 'tool', 'connection_label', 'rule', 'code', 'method'];

/** The audit: what runs sent to services, in the database. Goes with its run. */
export class CallRepository {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  append(runId: string, call: RecordedCall): void {
    this.#database.run(
      `INSERT INTO outbound_call (run_id, sequence, at, tool, integration_id, connection_id, connection_label,
         method, url, status, code, rule, bytes_sent, bytes_received, duration_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      runId,
      call.sequence,
      call.at,
      call.tool,
      call.integrationId,
      call.connectionId,
      call.connectionLabel,
      call.method,
      call.url,
      call.status,
      call.code ?? null,
      call.rule ?? null,
      call.bytesSent,
      call.bytesReceived,
      call.durationMs,
    );
  }

  /** Calls after a sequence number, oldest first, and how many fit the filter in all. */
  list(
    runId: string,
    filter: CallFilter,
    page: { readonly after: number; readonly limit: number },
  ): { calls: RecordedCall[]; total: number } {
    const { where, parameters } = conditionsOf(runId, filter);
    const total = this.#database.get(`SELECT count(*) AS total FROM outbound_call ${where}`, ...parameters);
    const rows = this.#database.all(
      `SELECT * FROM outbound_call ${where} AND sequence > ? ORDER BY sequence LIMIT ?`,
      ...parameters,
      page.after,
      page.limit,
    );
    return { calls: rows.map(toCall), total: Number(total?.['total'] ?? 0) };
  }
}

function conditionsOf(
  runId: string,
  { text, outcome, integrationId }: CallFilter,
): { where: string; parameters: SqlValue[] } {
  const conditions = ['run_id = ?'];
  const parameters: SqlValue[] = [runId];
  if (outcome !== undefined) conditions.push(OUTCOMES[outcome]);
  if (integrationId !== undefined) {
    conditions.push('integration_id = ?');
    parameters.push(integrationId);
  }
  if (text !== undefined && text.trim() !== '') {
    const pattern = `%${text.trim().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
    conditions.push(`(${SEARCHED.map((column) => String.raw`${column} LIKE ? ESCAPE '\'`).join(' OR ')})`);
    parameters.push(...SEARCHED.map(() => pattern));
  }
  return { where: `WHERE ${conditions.join(' AND ')}`, parameters };
}

function toCall(row: Record<string, SqlValue>): RecordedCall {
  const text = (column: string) => String(row[column]);
  const count = (column: string) => Number(row[column]);
  const { code } = row;
  const { rule } = row;
  return {
    sequence: count('sequence'),
    at: count('at'),
    tool: text('tool'),
    integrationId: text('integration_id'),
    connectionId: text('connection_id'),
    connectionLabel: text('connection_label'),
    method: text('method'),
    url: text('url'),
    status: count('status'),
    ...(code !== null && { code: callFailureCodeSchema.parse(code) }),
    ...(rule !== null && { rule: String(rule) }),
    bytesSent: count('bytes_sent'),
    bytesReceived: count('bytes_received'),
    durationMs: count('duration_ms'),
  };
}
