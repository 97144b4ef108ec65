import { Badge } from '#renderer/components/badge.tsx';
import { formatQuantity } from '#renderer/format/format.ts';
import type { PackageSummary } from '#shared/ipc/library-routes.ts';

/** In what state a package is, and what is wrong with it, in a few words. */
export function StateBadges({
  summary,
  isDetailed = false,
}: {
  summary: PackageSummary;
  /** Where there is room for more than a word. */
  isDetailed?: boolean;
}) {
  const { state, errorCount, publishErrorCount, watchedFolder } = summary;
  return (
    <span className="flex shrink-0 flex-wrap gap-1.5">
      {errorCount > 0 && <Badge tone="danger">{formatQuantity(errorCount, 'error')}</Badge>}
      {errorCount === 0 && publishErrorCount > 0 && (
        <Badge tone="caution">{isDetailed ? 'Cannot be published yet' : 'Not publishable'}</Badge>
      )}
      {watchedFolder && <Badge tone="accent">{isDetailed ? 'Follows a folder' : 'Followed'}</Badge>}
      {state === 'sample' && <Badge>Sample</Badge>}
      {state === 'draft' && <Badge tone="caution">Draft</Badge>}
      {state === 'modified' && (
        <Badge tone="caution">
          {isDetailed && summary.latestVersion ? `Changed since ${summary.latestVersion}` : 'Changed'}
        </Badge>
      )}
      {isWithdrawn(summary) && <Badge tone="danger">Yanked</Badge>}
    </span>
  );
}

/** Whether every version was withdrawn. */
export function isWithdrawn({ versionCount, yankedCount }: PackageSummary): boolean {
  return versionCount > 0 && yankedCount === versionCount;
}
