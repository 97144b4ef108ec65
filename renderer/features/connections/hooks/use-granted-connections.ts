import { useMemo } from 'react';
import { useApp } from '#renderer/state/app-context.tsx';

/** A connection with what it was granted, as the manifest editor takes it. */
export interface GrantedAccount {
  readonly integration: string;
  readonly authKey: string;
  readonly label: string;
  readonly scopes: readonly string[];
}

/** Every connection that works, kept at what main says; the same array until one changes. */
export function useGrantedConnections(): readonly GrantedAccount[] {
  const connections = useApp((state) => state.connections?.connections);
  return useMemo(
    () =>
      (connections ?? [])
        .filter(({ state }) => state === 'connected')
        .map(({ integrationId, authKey, label, scopes }) => ({
          integration: integrationId,
          authKey,
          label,
          scopes,
        })),
    [connections],
  );
}
