import type { ReactNode } from 'react';

/** What stands where nothing is yet: what will be here, and how it comes about. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  icon?: ReactNode;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="mx-auto flex max-w-100 flex-col items-center px-6 py-12 text-center">
      {icon && <div className="mb-3 text-ink-faint">{icon}</div>}
      <h2 className="font-semibold">{title}</h2>
      {children && <div className="mt-1 text-ink-soft">{children}</div>}
      {action && <div className="mt-4">{action}</div>}
    </div>
  );
}

/** A part that is on its way. */
export function Loading({ label }: { label: string }) {
  return (
    <p role="status" className="px-5 py-8 text-center text-ink-faint">
      {label}
    </p>
  );
}
