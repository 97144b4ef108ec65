import { Search } from 'lucide-react';
import type { ComponentProps } from 'react';
import { classes } from './classes.ts';
import { Input } from './field.tsx';

/** A field to search in what is below it. `className` is of the whole, for its place and width. */
export function SearchInput({ className, ...rest }: Omit<ComponentProps<'input'>, 'type'>) {
  return (
    <span className={classes('relative block', className)}>
      <Search
        size={14}
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-ink-faint"
      />
      <Input {...rest} type="search" className="pl-8" />
    </span>
  );
}
