import type { FileHandles } from '#main/app/shell-services.ts';
import type { RouteName, RouteOutput, RouteParsedInput } from '#shared/ipc/routes.ts';

/** What a handler knows of the request besides its input. */
export interface RequestContext {
  /** Aborted when the caller cancels or goes away. */
  readonly signal: AbortSignal;
  /** Files the caller's session has registered. */
  readonly files: FileHandles;
}

/** One handler for each of the routes of these names; `Context` is what they need of the request. */
export type RouteHandlers<Name extends RouteName, Context = RequestContext> = {
  [Route in Name]: (
    input: RouteParsedInput<Route>,
    context: Context,
  ) => RouteOutput<Route> | Promise<RouteOutput<Route>>;
};
