import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from './database.ts';
import { migrate } from './migrations.ts';
import { NodeSqliteDatabase } from './node-sqlite-database.ts';

export {
  defaultDataDirectory,
  processEnvironment,
  stateDirectory,
  type PathEnvironment,
} from './app-paths.ts';
export type { Database, SqlValue } from './database.ts';
export { tryExclusiveLock } from './exclusive-lock.ts';
export { describedWriteFailure } from './full-disk.ts';
export type { InstanceRegistry } from './instance-registry.ts';
export { ProcessInstanceRegistry } from './process-instance-registry.ts';

/** Opens the app's database in a data folder, making both where they are missing. */
export function openDatabase(dataDirectory: string): Database {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  const database = new NodeSqliteDatabase(join(dataDirectory, 'slipway.db'));
  try {
    migrate(database);
    return database;
  } catch (error) {
    database[Symbol.dispose]();
    throw error;
  }
}
