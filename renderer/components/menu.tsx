import { DropdownMenu } from 'radix-ui';
import { useRef, type ReactNode } from 'react';
import { classes } from './classes.ts';

export interface MenuItem {
  readonly label: string;
  readonly icon?: ReactNode;
  readonly dangerous?: boolean;
  /** Why it cannot be chosen now. */
  readonly unavailable?: string | undefined;
  /** What it shows takes the focus; else the focus goes back to the menu's button. */
  readonly takesFocus?: boolean;
  readonly choose: () => void;
}

/** Actions behind a button. Groups are set apart by a line. */
export function Menu({
  label,
  groups,
  children,
}: {
  label: string;
  groups: readonly (readonly MenuItem[])[];
  /** The button that opens it. */
  children: ReactNode;
}) {
  const isTaken = useRef(false);
  const shown = groups.filter((items) => items.length > 0);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{children}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          aria-label={label}
          align="end"
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={(event) => {
            if (isTaken.current) event.preventDefault();
            isTaken.current = false;
          }}
          className="z-50 max-w-90 min-w-48 animate-appear rounded-md bg-raised p-1 shadow-float"
        >
          {shown.map((items, index) => (
            <DropdownMenu.Group key={items[0]?.label}>
              {index > 0 && <DropdownMenu.Separator className="mx-1 my-1 h-px bg-line" />}
              {items.map((item) => (
                <Item
                  key={item.label}
                  item={item}
                  onChoose={() => {
                    isTaken.current = item.takesFocus === true;
                    item.choose();
                  }}
                />
              ))}
            </DropdownMenu.Group>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function Item({ item, onChoose }: { item: MenuItem; onChoose: () => void }) {
  return (
    <DropdownMenu.Item
      disabled={item.unavailable !== undefined}
      onSelect={onChoose}
      className={classes(
        'flex gap-2 rounded-sm px-2 py-1.5 outline-none select-none data-highlighted:bg-selected [&_svg]:mt-0.5 [&_svg]:shrink-0',
        item.dangerous ? 'text-danger' : 'text-ink',
        item.unavailable !== undefined && 'text-ink-faint',
      )}
    >
      {item.icon}
      <span>
        {item.label}
        {item.unavailable && <span className="block text-sm text-ink-faint">{item.unavailable}</span>}
      </span>
    </DropdownMenu.Item>
  );
}
