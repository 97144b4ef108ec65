import type { Database } from '#main/store/index.ts';
import { MemoryRepository } from './memory-repository.ts';
import { MemoryService } from './memory-service.ts';

export type { AgentMemory, MemoryService } from './memory-service.ts';

/** The memory of agents over the app's database. */
export function createMemory(database: Database): MemoryService {
  return new MemoryService(new MemoryRepository(database));
}
