import { ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { classes } from './classes.ts';

/** Children shown at once; the rest come on demand. */
const PAGE = 100;

/** JSON as a tree to open and close. */
export function JsonTree({ value, label }: { value: unknown; label: string }) {
  return (
    <div aria-label={label} role="group" className="font-mono text-sm wrap-anywhere">
      <Node name={undefined} value={value} depth={0} />
    </div>
  );
}

function Node({ name, value, depth }: { name: string | undefined; value: unknown; depth: number }) {
  const [open, setOpen] = useState(depth < 2);
  const [shown, setShown] = useState(PAGE);
  const indent = { paddingLeft: depth * 14 };
  if (typeof value !== 'object' || value === null) {
    return (
      <div style={indent} className="flex gap-1.5 py-px pl-4">
        <span className="w-3.5 shrink-0" />
        <Name name={name} />
        <Scalar value={value} />
      </div>
    );
  }
  const entries = Object.entries(value);
  const isArray = Array.isArray(value);
  const summary = isArray ? `[${entries.length}]` : `{${entries.length}}`;
  return (
    <div>
      <div style={indent}>
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setOpen(!open)}
          className="flex w-full items-center gap-1.5 rounded-sm py-px text-left hover:bg-hover"
        >
          <ChevronRight
            size={14}
            aria-hidden="true"
            className={classes('shrink-0 text-ink-faint transition-transform', open && 'rotate-90')}
          />
          <Name name={name} />
          <span className="text-ink-faint">{summary}</span>
        </button>
      </div>
      {open &&
        entries
          .slice(0, shown)
          .map(([key, child]) => <Node key={key} name={key} value={child} depth={depth + 1} />)}
      {open && entries.length > shown && (
        <button
          type="button"
          style={{ marginLeft: (depth + 1) * 14 + 20 }}
          className="text-accent underline underline-offset-2"
          onClick={() => setShown(shown + PAGE * 10)}
        >
          {entries.length - shown} more
        </button>
      )}
    </div>
  );
}

function Name({ name }: { name: string | undefined }) {
  return name === undefined ? null : <span className="shrink-0 text-accent">{name}</span>;
}

function Scalar({ value }: { value: unknown }) {
  if (typeof value === 'string') return <span className="whitespace-pre-wrap text-success">{value}</span>;
  return <span className="text-caution">{String(value)}</span>;
}
