import { useEffect, useState } from 'react';
import { useServices } from '#renderer/state/app-context.tsx';
import { useRequest } from '#renderer/state/requests.ts';
import type { AgentMemoryState } from '#shared/ipc/memory-routes.ts';

/** Notes that a search lists; more than an agent may have. */
const SEARCH_LIMIT = 500;

/** What an agent remembers, as it changes. `undefined` until it is known. */
export function useMemory(agentId: string): AgentMemoryState | undefined {
  const { client } = useServices();
  const [known, setKnown] = useState<{ agentId: string; state: AgentMemoryState } | undefined>(undefined);
  useEffect(
    () => client.subscribe('memory', { agentId }, (state) => setKnown({ agentId, state })),
    [client, agentId],
  );
  return known?.agentId === agentId ? known.state : undefined;
}

/** The notes with every word of a query; all that are known for none. */
export function useFoundNotes(
  agentId: string,
  memory: AgentMemoryState,
  query: string,
): AgentMemoryState['notes'] {
  const version = memory.notes.map(({ id, changedAt }) => `${id} ${changedAt ?? ''}`).join();
  const found = useRequest(
    'memory.search',
    { agentId, query, limit: SEARCH_LIMIT },
    { enabled: query !== '', version, keepsPrevious: true },
  );
  return query === '' ? memory.notes : (found.data?.notes ?? memory.notes);
}
