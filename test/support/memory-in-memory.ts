import { createMemory, type MemoryService } from '#main/memory/index.ts';
import { migrate } from '#main/store/migrations.ts';
import { NodeSqliteDatabase } from '#main/store/node-sqlite-database.ts';

/** The memory of agents over a database that is gone with its test. */
export function memoryInMemory(): MemoryService {
  const database = new NodeSqliteDatabase(':memory:');
  migrate(database);
  return createMemory(database);
}
