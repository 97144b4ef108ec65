import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Database, SqlValue } from './database.ts';
import { describedWriteFailure } from './full-disk.ts';
import { watchFile } from './watch-file.ts';

/** Milliseconds that a write waits for another process that is writing. */
const BUSY_TIMEOUT_MS = 5000;

/** {@link Database} over Node's own SQLite. The only file that knows it. */
export class NodeSqliteDatabase implements Database {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #statements = new Map<string, StatementSync>();
  #depth = 0;

  /**
   * @param path file, or `:memory:`
   * @param busyTimeoutMs how long anything waits for a lock of another process, the opening included
   */
  constructor(path: string, busyTimeoutMs = BUSY_TIMEOUT_MS) {
    this.#path = path;
    this.#database = new DatabaseSync(path, { timeout: busyTimeoutMs });
    // NORMAL in WAL keeps every committed transaction when the app is killed; only a power cut may lose the last.
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;');
  }

  run(sql: string, ...parameters: SqlValue[]): { changes: number; lastInsertRowid: number } {
    try {
      const result = this.#prepare(sql).run(...parameters);
      return { changes: Number(result.changes), lastInsertRowid: Number(result.lastInsertRowid) };
    } catch (error) {
      throw describedWriteFailure(error);
    }
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
      throw describedWriteFailure(error);
    } finally {
      this.#depth -= 1;
    }
  }

  onForeignChange(listener: () => void): Disposable {
    let seen = this.#foreignVersion();
    return watchFile(`${this.#path}-wal`, () => {
      if (!this.#database.isOpen) return;
      const version = this.#foreignVersion();
      if (version === seen) return;
      seen = version;
      listener();
    });
  }

  /** A number that changes with every commit of another connection, and with none of this one. */
  #foreignVersion(): SqlValue | undefined {
    return this.get('PRAGMA data_version')?.['data_version'];
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
