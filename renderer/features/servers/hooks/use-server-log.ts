import { useEffect, useState } from 'react';
import { useServices } from '#renderer/state/app-context.tsx';
import type { ProtocolEntry } from '#shared/ipc/server-routes.ts';

/** Entries that are kept; main forgets the same. */
const MAX_ENTRIES = 5_000;

/** The protocol log of the one session of a page: as long as it is followed, main keeps the session open. */
export function useServerLog(sessionId: string): readonly ProtocolEntry[] {
  const { client } = useServices();
  const [entries, setEntries] = useState<readonly ProtocolEntry[]>([]);
  useEffect(
    () =>
      client.subscribe('serverLog', { sessionId }, (message) =>
        setEntries((known) => [...known, ...message.entries].slice(-MAX_ENTRIES)),
      ),
    [client, sessionId],
  );
  return entries;
}
