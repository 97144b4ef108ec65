import { useState, useSyncExternalStore } from 'react';
import { RunFeed, type RunFeedState } from '#renderer/client/run-feed.ts';
import { useServices } from '#renderer/state/app-context.tsx';

/** A run as its events tell it, live or from its record. The run of a component stays the same. */
export function useRunFeed(runId: string): RunFeedState {
  const { client } = useServices();
  const [feed] = useState(() => new RunFeed(client, runId));
  return useSyncExternalStore(feed.onChange, feed.getState);
}
