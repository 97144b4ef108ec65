import { Search } from 'lucide-react';
import { useId, useMemo, useState, type KeyboardEvent } from 'react';
import { classes } from '#renderer/components/classes.ts';
import { Dialog } from '#renderer/components/dialog.tsx';
import { findCommands, type Command } from '../model/commands.ts';
import { useCommands } from './use-commands.ts';

/** Finds anything there is to open or to do, by a few letters. */
export function QuickOpen({
  open,
  onOpenChange,
  onHelp,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onHelp: () => void;
}) {
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Go to" width="max-w-150" bare>
      <CommandSearch onHelp={onHelp} onDone={() => onOpenChange(false)} />
    </Dialog>
  );
}

function CommandSearch({ onHelp, onDone }: { onHelp: () => void; onDone: () => void }) {
  const id = useId();
  const commands = useCommands(onHelp);
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState(0);
  const found = useMemo(() => findCommands(commands, query), [commands, query]);
  const position = Math.min(chosen, Math.max(0, found.length - 1));
  const current = found[position];
  const take = (command: Command) => {
    onDone();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen((position + step + found.length) % Math.max(1, found.length));
    else if (event.key === 'Enter' && current) take(current);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Search size={16} aria-hidden="true" className="text-ink-faint" />
        <input
          // The dialog is this field; the person asked for it to type.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          role="combobox"
          aria-label="Go to a package, a run, a setting or an action"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={current ? `${id}-${current.id}` : undefined}
          autoComplete="off"
          spellCheck={false}
          placeholder="Package, run, setting or action"
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
          className="h-12 min-w-0 flex-1 bg-transparent text-lg focus:outline-none"
        />
      </div>
      <div id={`${id}-list`} role="listbox" aria-label="Found" className="overflow-auto p-1.5">
        {found.map((command, index) => (
          // The field keeps the focus and names the chosen option, as a combobox does.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={command.id}
            id={`${id}-${command.id}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === position}
            onClick={() => take(command)}
            onPointerMove={() => setChosen(index)}
            className={classes(
              'flex items-baseline gap-3 rounded-md px-3 py-1.5',
              index === position && 'bg-selected',
            )}
          >
            <span className="font-medium">{command.title}</span>
            <span className="min-w-0 flex-1 truncate text-sm text-ink-faint">{command.hint}</span>
            <span className="text-sm text-ink-faint">{command.group}</span>
          </div>
        ))}
      </div>
      {found.length === 0 && (
        <p role="status" className="px-4 pt-2 pb-6 text-center text-ink-faint">
          Nothing is called “{query}”.
        </p>
      )}
    </>
  );
}
