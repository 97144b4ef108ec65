import { useMemo } from 'react';
import { useApp } from '#renderer/state/app-context.tsx';
import { useEndsNow } from '#renderer/state/use-ends-now.ts';
import { hasEnded, type Connection } from '#shared/connections/connection.ts';

/** A connection with what it was granted, as the manifest editor takes it. */
export interface GrantedAccount {
  readonly integration: string;
  readonly authKey: string;
  readonly label: string;
  readonly scopes: readonly string[];
}

const NONE: readonly Connection[] = [];

/** Every connection that works, kept at what main says; the same array until one changes. */
export function useGrantedConnections(): readonly GrantedAccount[] {
  const connections = useApp((state) => state.connections?.connections);
  const now = useEndsNow(connections ?? NONE);
  const working = (connections ?? NONE)
    .filter((connection) => !hasEnded(connection, now))
    .map(({ id }) => id)
    .join('\n');
  return useMemo(() => {
    const ids = new Set(working.split('\n'));
    return (connections ?? NONE)
      .filter(({ id }) => ids.has(id))
      .map(({ integrationId, authKey, label, scopes }) => ({
        integration: integrationId,
        authKey,
        label,
        scopes,
      }));
  }, [connections, working]);
}
