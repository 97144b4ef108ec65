import type { ReactNode } from 'react';

/** Title area of a screen. */
export function PageHeader({
  title,
  before,
  subtitle,
  children,
}: {
  title: string;
  /** The way back, above the title. */
  before?: ReactNode;
  subtitle?: ReactNode;
  /** Actions at the end of the line. */
  children?: ReactNode;
}) {
  return (
    <header className="flex shrink-0 items-end gap-4 px-6 pt-5 pb-4">
      <div className="min-w-0 flex-1">
        {before && <div className="mb-1 text-sm text-ink-faint">{before}</div>}
        <h1 className="truncate text-xl font-semibold tracking-[-0.01em]">{title}</h1>
        {subtitle && <div className="mt-0.5 text-ink-soft">{subtitle}</div>}
      </div>
      {children && <div className="flex items-center gap-2">{children}</div>}
    </header>
  );
}
