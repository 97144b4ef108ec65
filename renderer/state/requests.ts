import {
  keepPreviousData,
  useMutation,
  useQuery,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import type { RouteInput, RouteName, RouteOutput } from '#shared/ipc/routes.ts';
import { toProblem, type Problem, type ProblemError } from '#shared/problem.ts';
import { useServices } from './app-context.tsx';

/** Key under which an answer is kept. */
export function requestKey<R extends RouteName>(route: R, input?: RouteInput<R>): readonly unknown[] {
  return input === undefined ? [route] : [route, input];
}

/** The kept or fresh answer of a route that only reads. */
export function useRequest<R extends RouteName>(
  route: R,
  input: RouteInput<R>,
  options: {
    enabled?: boolean;
    /** Changes when the answer would. */
    version?: string | number | undefined;
    /** Goes on showing the answer for another version until the new one is there. */
    keepsPrevious?: boolean;
  } = {},
): UseQueryResult<RouteOutput<R>, ProblemError> {
  const { client } = useServices();
  const { enabled = true, version, keepsPrevious = false } = options;
  return useQuery<RouteOutput<R>, ProblemError>({
    queryKey: [...requestKey(route, input), version],
    queryFn: ({ signal }) => client.request(route, input, { signal }),
    enabled,
    ...(keepsPrevious && { placeholderData: keepPreviousData }),
  });
}

/** An action of the person. Its problem becomes a notice unless the screen shows it itself. */
export function useAction<R extends RouteName>(
  route: R,
  options: {
    onDone?: (output: RouteOutput<R>, input: RouteInput<R>) => void;
    onProblem?: (problem: Problem) => void;
  } = {},
): UseMutationResult<RouteOutput<R>, Error, RouteInput<R>> {
  const { client, notices } = useServices();
  return useMutation<RouteOutput<R>, Error, RouteInput<R>>({
    mutationKey: [route],
    mutationFn: (input) => client.request(route, input),
    // What was sent may hold a secret that was typed in: it goes with the screen.
    gcTime: 0,
    onSuccess: (output, input) => options.onDone?.(output, input),
    onError: (error) => {
      const problem = toProblem(error);
      if (options.onProblem) options.onProblem(problem);
      else notices.report(problem);
    },
  });
}
