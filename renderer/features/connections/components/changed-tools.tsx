import { Badge } from '#renderer/components/badge.tsx';
import { Button } from '#renderer/components/button.tsx';
import { LineDiff } from '#renderer/components/line-diff-view.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import { useAction, useRequest } from '#renderer/state/requests.ts';
import { toolText } from '#shared/mcp/tool-text.ts';
import type { ToolChange } from '#shared/ipc/tool-review-routes.ts';

/**
 * Tools of the integration's MCP server that say something else of themselves than the author accepted, each
 * beside what it said before. Nothing where all is as it was.
 */
export function ChangedTools({ integrationId }: { integrationId: string }) {
  const reviews = useRequest('toolReviews.list', { integrationId });
  const accept = useAction('toolReviews.accept', { onDone: () => void reviews.refetch() });
  if (reviews.isError) return <ProblemCard problem={reviews.error.problem} />;
  const changes = reviews.data?.changes ?? [];
  if (changes.length === 0) return undefined;
  const acceptAll = (accepted: readonly ToolChange[]) =>
    accept.mutate({ integrationId, fingerprints: accepted.map(({ fingerprint }) => fingerprint) });
  return (
    <section aria-label="Changed tools">
      <div className="mb-1 flex items-end gap-3">
        <h3 className="flex-1 font-semibold">Changed tools</h3>
        {changes.length > 1 && (
          <Button size="small" busy={accept.isPending} onClick={() => acceptAll(changes)}>
            Accept all {changes.length}
          </Button>
        )}
      </div>
      <p className="mb-3 text-ink-soft">
        The server describes these tools in another way than you accepted. A description is read by the model,
        so a server may use it to mislead. Until you accept a change, no agent has the tool.
      </p>
      <ul className="space-y-4">
        {changes.map((change) => (
          <li key={change.fingerprint} aria-label={change.tool} className="space-y-1.5">
            <div className="flex items-center gap-2">
              <code className="min-w-0 truncate font-mono text-sm font-medium">{change.tool}</code>
              <Badge tone="caution">{change.before === undefined ? 'New' : 'Changed'}</Badge>
              <span className="min-w-0 flex-1 truncate text-sm text-ink-faint">{change.server}</span>
              <Button
                size="small"
                busy={accept.isPending}
                aria-label={`Accept ${change.tool}`}
                onClick={() => acceptAll([change])}
              >
                Accept
              </Button>
            </div>
            <LineDiff
              label={`What ${change.tool} says now`}
              before={change.before === undefined ? '' : toolText(change.before)}
              after={toolText(change.after)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
