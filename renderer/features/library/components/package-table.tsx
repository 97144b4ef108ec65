import { moveFocus } from '#renderer/components/move-focus.ts';
import { KindIcon, kindWords, StateBadges } from '#renderer/features/packages/index.ts';
import { formatDateTime, formatRelative } from '#renderer/format/format.ts';
import { useNow } from '#renderer/state/use-now.ts';
import type { PackageType } from '#shared/manifest/dialect.ts';
import { PackageLink, RunExample, type PackageItem } from './package-card.tsx';

/** Packages as lines, for when there are many. */
export function PackageTable({
  label,
  kind,
  items,
}: {
  label: string;
  kind: PackageType | undefined;
  items: readonly PackageItem[];
}) {
  const now = useNow(60_000);
  const hasAgents = items.some(({ agent }) => agent !== undefined);
  return (
    // Arrow keys move between the rows; each has a link that Tab reaches too.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <table
      aria-label={label}
      className="w-full border-collapse"
      onKeyDown={(event) => moveFocus(event, 'a[data-item]')}
    >
      <thead>
        <tr className="text-left text-sm text-ink-faint">
          <Head>Name</Head>
          {kind === undefined && <Head>Kind</Head>}
          <Head>State</Head>
          <Head>Version</Head>
          <Head>Tags</Head>
          <Head>Used by</Head>
          <Head>Changed</Head>
          {hasAgents && (
            <th scope="col" className="w-16">
              <span className="sr-only">Run</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {items.map((item) => {
          const { summary, agent } = item;
          return (
            <tr key={summary.name} className="relative border-t border-line last:border-b hover:bg-hover">
              <td className="max-w-0 py-1.5 pr-4 [width:34%]">
                <span className="flex items-center gap-2">
                  <span className="text-ink-faint">
                    <KindIcon kind={summary.type} size={14} />
                  </span>
                  <span className="truncate font-medium">
                    <PackageLink summary={summary} />
                  </span>
                </span>
                <span className="block truncate pl-5.5 font-mono text-xs text-ink-faint">{summary.name}</span>
              </td>
              {kind === undefined && (
                <td className="py-1.5 pr-4 whitespace-nowrap text-ink-soft">{kindWords(summary.type).one}</td>
              )}
              <td className="py-1.5 pr-4">
                <StateBadges summary={summary} />
              </td>
              <td className="py-1.5 pr-4 font-mono text-sm whitespace-nowrap text-ink-soft">
                {summary.draftVersion ?? summary.latestVersion}
              </td>
              <td className="max-w-50 truncate py-1.5 pr-4 text-sm text-ink-soft">
                {summary.keywords.join(', ')}
              </td>
              <td className="py-1.5 pr-4 text-ink-soft">
                {summary.usedByCount > 0 ? summary.usedByCount : ''}
              </td>
              <td className="py-1.5 pr-4 whitespace-nowrap text-ink-faint">
                {summary.updatedAt > 0 && (
                  <time title={formatDateTime(summary.updatedAt)}>
                    {formatRelative(summary.updatedAt, now)}
                  </time>
                )}
              </td>
              {hasAgents && <td className="py-1 text-right">{agent && <RunExample {...item} />}</td>}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Head({ children }: { children: string }) {
  return (
    <th scope="col" className="py-1.5 pr-4 font-medium whitespace-nowrap">
      {children}
    </th>
  );
}
