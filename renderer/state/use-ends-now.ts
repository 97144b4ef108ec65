import { nextEnd, type Connection } from '#shared/connections/connection.ts';
import { useNow } from './use-now.ts';

const MINUTE_MS = 60_000;

/** The present time to a minute, and to the moment at which one of these accounts ends. Milliseconds. */
export function useEndsNow(connections: readonly Connection[]): number {
  return useNow(MINUTE_MS, true, (now) => nextEnd(connections, now));
}
