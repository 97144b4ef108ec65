import type { ComponentProps, ReactNode } from 'react';
import { classes } from './classes.ts';

/** Look of every text-like control. */
export const controlClass =
  'w-full rounded-md border border-line-strong/70 bg-surface px-2.5 text-base text-ink transition-colors duration-100 hover:border-line-strong aria-invalid:border-danger disabled:opacity-60';

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input {...rest} className={classes(controlClass, 'h-8', className)} />;
}

export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea {...rest} className={classes(controlClass, 'min-h-20 py-1.5', className)} />;
}

export function Select({ className, children, ...rest }: ComponentProps<'select'>) {
  return (
    <select {...rest} className={classes(controlClass, 'h-8 pr-7', className)}>
      {children}
    </select>
  );
}

export interface FieldAttributes {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
  readonly 'aria-required': boolean | undefined;
}

/** A control with its label, help and errors, tied together for assistive technology. */
export function Field({
  id,
  label,
  help,
  errors = [],
  required = false,
  extra,
  children,
}: {
  id: string;
  label: string;
  help?: ReactNode;
  errors?: readonly string[];
  required?: boolean;
  /** Stands at the end of the label's line. */
  extra?: ReactNode;
  children: (attributes: FieldAttributes) => ReactNode;
}) {
  const helpId = help ? `${id}-help` : undefined;
  const errorId = errors.length > 0 ? `${id}-error` : undefined;
  return (
    <div>
      <div className="mb-1 flex items-baseline gap-2">
        <label htmlFor={id} className="font-medium">
          {label}
          {required && (
            <span className="ml-1 font-normal text-ink-faint" aria-hidden="true">
              required
            </span>
          )}
        </label>
        {extra && <span className="ml-auto">{extra}</span>}
      </div>
      {children({
        id,
        'aria-describedby': [errorId, helpId].filter(Boolean).join(' ') || undefined,
        'aria-invalid': errors.length > 0 || undefined,
        'aria-required': required || undefined,
      })}
      <FieldErrors id={errorId} errors={errors} />
      {help && (
        <p id={helpId} className="mt-1 text-sm text-ink-faint">
          {help}
        </p>
      )}
    </div>
  );
}

/** Errors of one field, told as they come. */
export function FieldErrors({ id, errors }: { id: string | undefined; errors: readonly string[] }) {
  if (errors.length === 0) return null;
  return (
    <ul id={id} className="mt-1 text-sm text-danger">
      {errors.map((error) => (
        <li key={error}>{error}</li>
      ))}
    </ul>
  );
}
