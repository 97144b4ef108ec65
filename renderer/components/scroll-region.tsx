import type { ReactNode, Ref } from 'react';
import { classes } from './classes.ts';

/** A part that scrolls by itself. It is named and can be reached by keyboard, so that it can be scrolled. */
export function ScrollRegion({
  label,
  role = 'region',
  className,
  ref,
  children,
}: {
  label: string;
  role?: 'region' | 'log';
  className?: string | undefined;
  ref?: Ref<HTMLDivElement>;
  children: ReactNode;
}) {
  return (
    <div
      ref={ref}
      role={role}
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={0}
      className={classes('overflow-auto focus-visible:-outline-offset-2', className)}
    >
      {children}
    </div>
  );
}
