import type { ToolReviewService } from '#main/connections/index.ts';
import type { toolReviewRoutes } from '#shared/ipc/tool-review-routes.ts';
import type { RouteHandlers } from './route-handlers.ts';

/** Binds the requests about changed tools to their service. */
export function bindToolReviewRoutes(
  reviews: Pick<ToolReviewService, 'changes' | 'accept' | 'accepted'>,
): RouteHandlers<keyof typeof toolReviewRoutes, object> {
  return {
    'toolReviews.accepted': ({ integrationIds }) => ({
      tools: Object.fromEntries(
        integrationIds.map((id) => [id, reviews.accepted(id).map((tool) => ({ ...tool }))]),
      ),
    }),
    'toolReviews.list': ({ integrationId }) => ({ changes: [...reviews.changes(integrationId)] }),
    'toolReviews.accept': ({ integrationId, fingerprints }) => {
      reviews.accept(integrationId, fingerprints);
      return { changes: [...reviews.changes(integrationId)] };
    },
  };
}
