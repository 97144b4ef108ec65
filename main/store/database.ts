/** A value SQLite takes and gives. */
export type SqlValue = string | number | bigint | Uint8Array | null;

/** The few calls the app makes of SQLite, so that `node:sqlite` stands in one file. */
export interface Database extends Disposable {
  run(sql: string, ...parameters: SqlValue[]): { changes: number; lastInsertRowid: number };
  get(sql: string, ...parameters: SqlValue[]): Record<string, SqlValue> | undefined;
  all(sql: string, ...parameters: SqlValue[]): Record<string, SqlValue>[];
  /** Runs statements without parameters, such as a migration. */
  execute(sql: string): void;
  /** All or nothing; nested calls join the outer one. */
  transaction<T>(work: () => T): T;
  /** Calls back soon after another process has written to the database. */
  onForeignChange(listener: () => void): Disposable;
}
