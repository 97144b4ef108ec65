import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Database, SqlValue } from './database.ts';

/** {@link Database} over Node's own SQLite. The only file that knows it. */
export class NodeSqliteDatabase implements Database {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #depth = 0;

  /** @param path file, or `:memory:` */
  constructor(path: string) {
    this.#database = new DatabaseSync(path);
    // NORMAL in WAL keeps every committed transaction when the app is killed; only a power cut may lose the last.
    this.#database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; PRAGMA busy_timeout = 5000;',
    );
  }

  run(sql: string, ...parameters: SqlValue[]): { changes: number; lastInsertRowid: number } {
    const result = this.#prepare(sql).run(...parameters);
    return { changes: Number(result.changes), lastInsertRowid: Number(result.lastInsertRowid) };
  }

  get(sql: string, ...parameters: SqlValue[]): Record<string, SqlValue> | undefined {
    return this.#prepare(sql).get(...parameters);
  }

  all(sql: string, ...parameters: SqlValue[]): Record<string, SqlValue>[] {
    return this.#prepare(sql).all(...parameters);
  }

  execute(sql: string): void {
    this.#database.exec(sql);
  }

  transaction<T>(work: () => T): T {
    if (this.#depth > 0) return work();
    this.#database.exec('BEGIN IMMEDIATE');
    this.#depth += 1;
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    } finally {
      this.#depth -= 1;
    }
  }

  [Symbol.dispose](): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
