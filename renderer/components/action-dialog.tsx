import type { FormEvent, ReactNode } from 'react';
import { Button } from '#renderer/components/button.tsx';
import { Dialog } from '#renderer/components/dialog.tsx';
import { ProblemCard } from '#renderer/components/problem-card.tsx';
import type { Problem } from '#shared/problem.ts';

/** A window with one action: its particulars, what went wrong, and the buttons. */
export function ActionDialog({
  title,
  description,
  action,
  dangerous = false,
  busy,
  unavailable,
  problem,
  width,
  onClose,
  onSubmit,
  more,
  children,
}: {
  title: string;
  description?: string;
  /** Words of the button. */
  action: string;
  dangerous?: boolean;
  busy: boolean;
  unavailable?: string | undefined;
  problem?: Problem | undefined;
  width?: string;
  onClose: () => void;
  onSubmit: () => void;
  /** Stands beside the buttons. */
  more?: ReactNode;
  children?: ReactNode;
}) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // A form that the dialog was opened from would be sent as well: React's events rise through portals.
    event.stopPropagation();
    if (!busy && unavailable === undefined) onSubmit();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={title}
      {...(description !== undefined && { description })}
      {...(width !== undefined && { width })}
    >
      <form onSubmit={submit} className="flex min-h-0 flex-col">
        <div className="min-h-0 space-y-4 overflow-auto px-5 pb-4">
          {children}
          {problem && <ProblemCard problem={problem} />}
        </div>
        <footer className="flex items-center justify-end gap-2 border-t border-line px-5 py-3">
          {more && <div className="mr-auto">{more}</div>}
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            variant={dangerous ? 'danger' : 'primary'}
            busy={busy}
            unavailable={unavailable}
          >
            {action}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
