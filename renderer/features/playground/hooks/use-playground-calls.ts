import { useEffect, useState } from 'react';
import { useServices } from '#renderer/state/app-context.tsx';
import type { PlaygroundCall } from '#shared/ipc/playground-routes.ts';
import type { Problem } from '#shared/problem.ts';

/** The calls of an integration by hand, the newest first, followed while they are shown. */
export function usePlaygroundCalls(integrationId: string): {
  readonly calls: readonly PlaygroundCall[] | undefined;
  /** Why main tells no more. */
  readonly problem: Problem | undefined;
} {
  const { client } = useServices();
  const [calls, setCalls] = useState<readonly PlaygroundCall[] | undefined>(undefined);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  useEffect(
    () =>
      client.subscribe(
        'playground',
        {},
        (message) => setCalls(message.calls.filter((call) => call.integrationId === integrationId)),
        setProblem,
      ),
    [client, integrationId],
  );
  return { calls, problem };
}
