import { Tabs as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';
import { classes } from './classes.ts';

export interface Tab<K extends string> {
  readonly key: K;
  readonly label: string;
  /** A number or mark behind the label. */
  readonly extra?: ReactNode;
}

/** Tabs with an underline. The panels are {@link TabPanel}s inside. */
export function Tabs<K extends string>({
  label,
  tabs,
  current,
  onChange,
  narrow = false,
  className,
  children,
}: {
  label: string;
  tabs: readonly Tab<K>[];
  current: K;
  onChange: (key: K) => void;
  /** For a panel beside others. */
  narrow?: boolean;
  className?: string;
  children: ReactNode;
}) {
  return (
    <Primitive.Root
      value={current}
      onValueChange={(value) => {
        const tab = tabs.find(({ key }) => key === value);
        if (tab) onChange(tab.key);
      }}
      className={className}
    >
      <Primitive.List
        aria-label={label}
        className={classes(
          'flex shrink-0 items-stretch gap-5 border-b border-line',
          narrow ? 'px-5' : 'px-6',
        )}
      >
        {tabs.map(({ key, label: text, extra }) => (
          <Primitive.Trigger
            key={key}
            value={key}
            className="-mb-px flex h-10 items-center gap-1.5 border-b-2 border-transparent font-medium whitespace-nowrap text-ink-faint transition-colors duration-100 hover:text-ink data-[state=active]:border-accent data-[state=active]:text-ink"
          >
            {text}
            {extra}
          </Primitive.Trigger>
        ))}
      </Primitive.List>
      {children}
    </Primitive.Root>
  );
}

export function TabPanel({
  value,
  className,
  children,
}: {
  value: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    <Primitive.Content value={value} className={className} tabIndex={-1}>
      {children}
    </Primitive.Content>
  );
}

/** A count behind a tab's label. */
export function TabCount({ children }: { children: ReactNode }) {
  return (
    <span className="rounded-sm bg-sunken px-1 text-xs leading-4 font-normal text-ink-soft">{children}</span>
  );
}
