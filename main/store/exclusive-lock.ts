import { NodeSqliteDatabase } from './node-sqlite-database.ts';

/**
 * Takes a lock that one process at a time can hold and that the system lifts when the process ends,
 * however it ends: an open write transaction of a database of its own. `undefined` when another holds it.
 * @param path File of the lock; made when it is missing, and left there.
 */
export function tryExclusiveLock(path: string): Disposable | undefined {
  let database: NodeSqliteDatabase | undefined;
  try {
    database = new NodeSqliteDatabase(path, 0);
    database.execute('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database?.[Symbol.dispose]();
    if (error instanceof Error && /locked|busy/.test(error.message)) return undefined;
    throw error;
  }
}
