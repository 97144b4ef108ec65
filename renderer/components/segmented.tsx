import { ToggleGroup } from 'radix-ui';
import type { ReactNode } from 'react';

/** One choice of a few, all in sight. */
export function Segmented<K extends string>({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: readonly { readonly value: K; readonly label: ReactNode; readonly name?: string }[];
  value: K;
  onChange: (value: K) => void;
}) {
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={label}
      value={value}
      onValueChange={(next) => {
        const option = options.find((candidate) => candidate.value === next);
        if (option) onChange(option.value);
      }}
      className="inline-flex h-8 shrink-0 items-center gap-0.5 rounded-md bg-sunken p-0.5"
    >
      {options.map((option) => (
        <ToggleGroup.Item
          key={option.value}
          value={option.value}
          aria-label={option.name}
          className="inline-flex h-7 items-center gap-1.5 rounded-sm px-2.5 text-sm font-medium text-ink-soft transition-colors duration-100 hover:text-ink data-[state=on]:bg-surface data-[state=on]:text-ink data-[state=on]:shadow-[0_0_0_1px_var(--color-line)]"
        >
          {option.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  );
}
