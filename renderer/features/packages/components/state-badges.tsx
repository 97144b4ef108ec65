import { Badge } from '#renderer/components/badge.tsx';
import { formatQuantity } from '#renderer/format/format.ts';
import type { PackageSummary } from '#shared/ipc/library-routes.ts';

/** In what state a package is, and what is wrong with it, in a few words. */
export function StateBadges({ summary }: { summary: PackageSummary }) {
  const { state, errorCount, publishErrorCount, watchedFolder } = summary;
  return (
    <span className="flex shrink-0 flex-wrap gap-1.5">
      {errorCount > 0 && <Badge tone="danger">{formatQuantity(errorCount, 'error')}</Badge>}
      {errorCount === 0 && publishErrorCount > 0 && <Badge tone="caution">Not publishable yet</Badge>}
      {watchedFolder && <Badge tone="accent">Follows a folder</Badge>}
      {state === 'sample' && <Badge>Sample</Badge>}
      {state === 'draft' && <Badge tone="caution">Draft</Badge>}
      {state === 'modified' && <Badge tone="caution">Changed since {summary.latestVersion}</Badge>}
      {isWithdrawn(summary) && <Badge tone="danger">Yanked</Badge>}
    </span>
  );
}

/** Whether every version was withdrawn. */
export function isWithdrawn({ versionCount, yankedCount }: PackageSummary): boolean {
  return versionCount > 0 && yankedCount === versionCount;
}
