import { useId, type ComponentProps, type ReactNode } from 'react';
import { classes } from './classes.ts';
import { Spinner } from './spinner.tsx';
import { Tooltip } from './tooltip.tsx';

type Variant = 'primary' | 'secondary' | 'ghost' | 'danger';

const variants: Record<Variant, string> = {
  primary: 'bg-accent text-on-accent hover:not-aria-disabled:bg-accent-strong',
  secondary:
    'border border-line-strong/70 bg-surface text-ink hover:not-aria-disabled:border-line-strong hover:not-aria-disabled:bg-hover',
  ghost: 'text-ink-soft hover:not-aria-disabled:bg-hover hover:not-aria-disabled:text-ink',
  danger: 'bg-danger-fill text-on-danger hover:not-aria-disabled:brightness-110',
};

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'disabled'> {
  variant?: Variant;
  icon?: ReactNode;
  /** Shown while its action is under way; it cannot be pressed again meanwhile. */
  busy?: boolean;
  /** Why it cannot be pressed now. It stays reachable, so that the reason can be read. */
  unavailable?: string | undefined;
  size?: 'normal' | 'small';
}

/** A button. One that cannot be pressed says why instead of going grey without a word. */
export function Button({
  variant = 'secondary',
  icon,
  busy = false,
  unavailable,
  size = 'normal',
  className,
  onClick,
  children,
  type = 'button',
  ...rest
}: ButtonProps) {
  const reasonId = useId();
  const blocked = busy || unavailable !== undefined;
  return (
    <Tooltip text={unavailable}>
      <button
        {...rest}
        type={blocked && type === 'submit' ? 'button' : type}
        aria-disabled={blocked || undefined}
        aria-busy={busy || undefined}
        aria-describedby={unavailable === undefined ? undefined : reasonId}
        onClick={blocked ? undefined : onClick}
        className={classes(
          'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors duration-100 select-none',
          size === 'normal' ? 'h-8 px-3 text-base' : 'h-6.5 px-2 text-sm',
          variants[variant],
          blocked && 'opacity-60',
          className,
        )}
      >
        {busy ? <Spinner /> : icon}
        {children}
        {unavailable !== undefined && (
          <span id={reasonId} hidden>
            {unavailable}
          </span>
        )}
      </button>
    </Tooltip>
  );
}

/** A button of one icon. Its label is its accessible name and its tooltip. */
export function IconButton({
  label,
  icon,
  shortcut,
  size = 'normal',
  className,
  ...rest
}: Omit<ComponentProps<'button'>, 'children'> & {
  label: string;
  icon: ReactNode;
  shortcut?: string;
  size?: 'normal' | 'small';
}) {
  return (
    <Tooltip text={shortcut ? `${label} (${shortcut})` : label}>
      <button
        type="button"
        {...rest}
        aria-label={label}
        className={classes(
          'inline-flex shrink-0 items-center justify-center rounded-md text-ink-faint transition-colors duration-100 hover:bg-hover hover:text-ink aria-pressed:bg-selected aria-pressed:text-accent disabled:opacity-50',
          size === 'normal' ? 'size-8' : 'size-6',
          className,
        )}
      >
        {icon}
      </button>
    </Tooltip>
  );
}
