import { CircleAlert, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Problem } from '#shared/problem.ts';
import { classes } from './classes.ts';
import { ScrollRegion } from './scroll-region.tsx';

/** A problem in full: what, where, and what to do. */
export function ProblemCard({
  problem,
  tone = 'danger',
  children,
}: {
  problem: Problem;
  tone?: 'danger' | 'caution';
  /** Buttons that help. */
  children?: ReactNode;
}) {
  const place = problemPlace(problem);
  return (
    <section
      aria-label={problem.title}
      data-problem={problem.code}
      className={classes(
        'flex gap-3 rounded-md border-l-2 px-3 py-2.5',
        tone === 'danger' ? 'border-danger bg-danger-soft' : 'border-caution bg-caution-soft',
      )}
    >
      {tone === 'danger' ? (
        <CircleAlert size={16} aria-hidden="true" className="mt-0.5 shrink-0 text-danger" />
      ) : (
        <TriangleAlert size={16} aria-hidden="true" className="mt-0.5 shrink-0 text-caution" />
      )}
      <div className="min-w-0 flex-1 space-y-1 wrap-anywhere">
        <p className="font-semibold">{problem.title}</p>
        {problem.detail && <p className="text-ink">{problem.detail}</p>}
        {place && <p className="font-mono text-sm text-ink-soft">{place}</p>}
        {problem.action && <p className="text-ink-soft">{problem.action}</p>}
        {problem.causes && problem.causes.length > 0 && (
          <ul className="space-y-0.5 pt-1 text-sm">
            {problem.causes.map((cause) => (
              <li key={`${cause.pointer ?? ''} ${cause.detail}`} className="flex gap-2">
                {cause.pointer && <code className="shrink-0 text-ink-soft">{cause.pointer}</code>}
                <span>{cause.detail}</span>
              </li>
            ))}
          </ul>
        )}
        {problem.context && problem.context.length > 0 && (
          <ScrollRegion label="Last lines" className="mt-1 max-h-52 rounded-md bg-surface">
            <pre className="px-2.5 py-1.5 font-mono text-sm wrap-anywhere whitespace-pre-wrap">
              {problem.context.join('\n')}
            </pre>
          </ScrollRegion>
        )}
        {children && <div className="flex flex-wrap gap-2 pt-1.5">{children}</div>}
      </div>
    </section>
  );
}

/** Where a problem is, in one line. */
export function problemPlace({ file, line, column, pointer }: Problem): string | undefined {
  const position = [file, line, line === undefined ? undefined : column].filter((part) => part !== undefined);
  const place = [position.join(':'), pointer].filter(Boolean).join('  ');
  return place || undefined;
}
