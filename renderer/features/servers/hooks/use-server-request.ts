import { useEffect, useRef, useState } from 'react';
import { useServices } from '#renderer/state/app-context.tsx';
import type { ServerRequest } from '#shared/ipc/server-routes.ts';
import { toProblem, type Problem } from '#shared/problem.ts';

/** What became of a request that was made by hand. */
export interface ServerAnswer {
  readonly request: ServerRequest;
  readonly startedAt: number;
  readonly state: 'running' | 'done' | 'failed' | 'cancelled';
  readonly result?: Readonly<Record<string, unknown>>;
  readonly durationMs?: number;
  readonly problem?: Problem;
}

/** Makes one request at a time to a server; leaving the page cancels it. */
export function useServerRequest(sessionId: string): {
  readonly answer: ServerAnswer | undefined;
  readonly send: (request: ServerRequest) => void;
  readonly cancel: () => void;
} {
  const { client } = useServices();
  const [answer, setAnswer] = useState<ServerAnswer | undefined>(undefined);
  const abort = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => abort.current?.abort(), []);
  const send = (request: ServerRequest) => {
    abort.current?.abort();
    const own = new AbortController();
    abort.current = own;
    const begun = { request, startedAt: Date.now() };
    const end = (ended: Omit<ServerAnswer, keyof typeof begun>) => {
      if (abort.current === own) setAnswer({ ...begun, ...ended });
    };
    setAnswer({ ...begun, state: 'running' });
    client.request('servers.request', { sessionId, request }, { signal: own.signal }).then(
      ({ result, durationMs }) =>
        end({ state: result['isError'] === true ? 'failed' : 'done', result, durationMs }),
      (error: unknown) => {
        const durationMs = Date.now() - begun.startedAt;
        if (own.signal.aborted) end({ state: 'cancelled', durationMs });
        else end({ state: 'failed', problem: toProblem(error), durationMs });
      },
    );
  };
  return { answer, send, cancel: () => abort.current?.abort() };
}
