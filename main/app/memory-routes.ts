import type { MemoryService } from '#main/memory/index.ts';
import type { memoryRoutes } from '#shared/ipc/memory-routes.ts';
import type { RouteHandlers } from './route-handlers.ts';

/** Binds the requests about the memory of agents to their service. */
export function bindMemoryRoutes(memory: MemoryService): RouteHandlers<keyof typeof memoryRoutes, object> {
  return {
    'memory.search': ({ agentId, query, limit }) => memory.read(agentId, { query, limit }),
    'memory.addNote': ({ agentId, content, scope }) => memory.addNote(agentId, { content, scope }),
    'memory.changeNote': ({ agentId, noteId, content }) => {
      memory.changeNote(agentId, noteId, content);
      return {};
    },
    'memory.removeNote': ({ agentId, noteId }) => {
      memory.removeNote(agentId, noteId);
      return {};
    },
    'memory.pinNote': ({ agentId, noteId, key }) => {
      memory.pinNote(agentId, noteId, key);
      return {};
    },
    'memory.setPin': ({ agentId, key, content, scope }) => {
      memory.setPin(agentId, { key, content: content ?? null, scope });
      return {};
    },
    'memory.removePin': ({ agentId, key, scope }) => {
      memory.removePin(agentId, scope, key);
      return {};
    },
    'memory.clear': ({ agentId }) => {
      memory.clear(agentId);
      return {};
    },
    'memory.export': ({ agentId }) => ({
      fileName: `${agentId.replace(/^@/, '').replaceAll(/[^\w.-]+/g, '-')}-memory.jsonl`,
      text: memory.exportLines(agentId),
    }),
  };
}
