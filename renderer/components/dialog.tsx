import { AlertDialog, Dialog as Primitive } from 'radix-ui';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button, IconButton } from './button.tsx';
import { classes } from './classes.ts';

const scrim = 'fixed inset-0 z-40 bg-scrim';
const panel =
  'fixed left-1/2 z-40 w-[calc(100vw-48px)] -translate-x-1/2 rounded-lg bg-raised shadow-float focus:outline-none';

/** A window over the page, closed by Esc, by its cross, or by a click beside it. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  width = 'max-w-120',
  bare = false,
  children,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: string;
  width?: string;
  /** Without a visible heading, for panels that begin with a field of their own. */
  bare?: boolean;
  children: ReactNode;
}) {
  return (
    <Primitive.Root open={open} onOpenChange={onOpenChange}>
      <Primitive.Portal>
        <Primitive.Overlay className={scrim} />
        <Primitive.Content
          className={classes(panel, 'top-[12vh] flex max-h-[76vh] animate-appear flex-col', width)}
          {...(!description && { 'aria-describedby': undefined })}
        >
          {bare ? (
            <Primitive.Title className="sr-only">{title}</Primitive.Title>
          ) : (
            <header className="py-4 pr-14 pb-3 pl-5">
              <Primitive.Title className="truncate text-lg font-semibold">{title}</Primitive.Title>
              {description && (
                <Primitive.Description className="mt-0.5 text-ink-soft">{description}</Primitive.Description>
              )}
            </header>
          )}
          {children}
          {/* Last, so that the focus begins at what the window is for. */}
          {!bare && (
            <Primitive.Close asChild>
              <IconButton label="Close" icon={<X size={16} />} className="absolute top-3 right-3" />
            </Primitive.Close>
          )}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

/** A question before something that cannot be taken back. Focus starts on the way out. */
export function ConfirmDialog({
  open,
  onOpenChange,
  title,
  children,
  confirm,
  dangerous = false,
  onConfirm,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  children: ReactNode;
  confirm: string;
  dangerous?: boolean;
  onConfirm: () => void;
}) {
  return (
    <AlertDialog.Root open={open} onOpenChange={onOpenChange}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={scrim} />
        <AlertDialog.Content className={classes(panel, 'top-[22vh] max-w-110 animate-appear p-5')}>
          <AlertDialog.Title className="text-lg font-semibold">{title}</AlertDialog.Title>
          <AlertDialog.Description asChild>
            <div className="mt-2 space-y-2 text-ink-soft">{children}</div>
          </AlertDialog.Description>
          <footer className="mt-5 flex justify-end gap-2">
            <AlertDialog.Cancel asChild>
              <Button>Cancel</Button>
            </AlertDialog.Cancel>
            <AlertDialog.Action asChild>
              <Button variant={dangerous ? 'danger' : 'primary'} onClick={onConfirm}>
                {confirm}
              </Button>
            </AlertDialog.Action>
          </footer>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
