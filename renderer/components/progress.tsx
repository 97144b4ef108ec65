import { classes } from './classes.ts';

/** A bar for work of known or unknown length. */
export function ProgressBar({
  label,
  fraction,
  valueText,
}: {
  label: string;
  /** 0 to 1; `undefined` when nothing is known of the length. */
  fraction: number | undefined;
  valueText?: string;
}) {
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={fraction === undefined ? undefined : Math.round(fraction * 100)}
      aria-valuetext={valueText}
      className="h-1 overflow-hidden rounded-full bg-line"
    >
      {fraction === undefined ? (
        <div className="h-full w-1/3 animate-sweep rounded-full bg-accent" />
      ) : (
        <div
          className="h-full rounded-full bg-accent transition-[width] duration-200"
          style={{ width: `${fraction * 100}%` }}
        />
      )}
    </div>
  );
}

/** How full something is; warns in colour from four fifths on. */
export function Gauge({
  label,
  fraction,
  valueText,
  className,
}: {
  label: string;
  fraction: number;
  valueText: string;
  className?: string;
}) {
  const shown = Math.min(1, Math.max(0, fraction));
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(shown * 100)}
      aria-valuetext={valueText}
      className={classes('h-1.5 overflow-hidden rounded-full bg-line', className)}
    >
      <div
        className={classes('h-full rounded-full', shown >= 0.8 ? 'bg-caution' : 'bg-accent')}
        style={{ width: `${Math.max(shown * 100, shown > 0 ? 2 : 0)}%` }}
      />
    </div>
  );
}
