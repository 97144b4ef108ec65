import { useEffect, useState } from 'react';
import { useServices } from '#renderer/state/app-context.tsx';
import type { ServerState } from '#shared/ipc/server-routes.ts';
import type { Problem } from '#shared/problem.ts';

/** The connections to servers and the trials there are, followed while they are shown. */
export function useServers(): {
  readonly state: ServerState | undefined;
  /** Why main tells no more. */
  readonly problem: Problem | undefined;
} {
  const { client } = useServices();
  const [state, setState] = useState<ServerState | undefined>(undefined);
  const [problem, setProblem] = useState<Problem | undefined>(undefined);
  useEffect(() => client.subscribe('servers', {}, setState, setProblem), [client]);
  return { state, problem };
}
