import { Check, TriangleAlert } from 'lucide-react';
import { useId } from 'react';
import type { ScopeRow } from '../model/scope-rows.ts';

/** Scopes of a consent, each with what it lets an agent do and why it is asked for. */
export function ScopeList({ label, rows }: { label: string; rows: readonly ScopeRow[] }) {
  return (
    <ul aria-label={label} className="divide-y divide-line rounded-md border border-line">
      {rows.length === 0 && <li className="px-3 py-1.5 text-ink-soft">No scope is asked for.</li>}
      {rows.map((row) => (
        <li key={row.value} className="px-3 py-1.5">
          <div className="flex flex-wrap items-baseline gap-x-3">
            <span className="font-medium">{row.label}</span>
            <ScopeRisk risk={row.risk} />
            {row.isGranted ? (
              <span className="ml-auto inline-flex items-center gap-1 text-sm text-success">
                <Check size={12} aria-hidden="true" />
                granted
              </span>
            ) : (
              <span className="ml-auto text-sm text-ink-faint">{row.reason}</span>
            )}
          </div>
          <ScopeWords row={row} />
        </li>
      ))}
    </ul>
  );
}

/** Scopes of the catalogue that a person may add to a consent. */
export function ScopePicker({
  rows,
  added,
  onChange,
}: {
  rows: readonly Omit<ScopeRow, 'reason'>[];
  added: readonly string[];
  onChange: (added: readonly string[]) => void;
}) {
  const id = useId();
  return (
    <ul aria-label="Further scopes" className="max-h-56 space-y-1 overflow-auto py-1">
      {rows.map((row) => (
        <li key={row.value} className="flex items-start gap-2">
          <input
            id={`${id}-${row.value}`}
            type="checkbox"
            className="mt-[3px] size-3.5"
            checked={added.includes(row.value)}
            onChange={({ target }) =>
              onChange(target.checked ? [...added, row.value] : added.filter((value) => value !== row.value))
            }
          />
          <div className="min-w-0">
            <label htmlFor={`${id}-${row.value}`} className="mr-3">
              {row.label}
            </label>
            <ScopeRisk risk={row.risk} />
            <ScopeWords row={row} />
          </div>
        </li>
      ))}
    </ul>
  );
}

function ScopeWords({ row }: { row: Pick<ScopeRow, 'label' | 'value' | 'description'> }) {
  if (row.description === '' && row.label === row.value) return null;
  return (
    <p className="text-sm wrap-anywhere text-ink-faint">
      {row.description}
      {row.label !== row.value && <span className="block font-mono">{row.value}</span>}
    </p>
  );
}

/** Marks a scope that weighs much. */
export function ScopeRisk({ risk }: { risk: string | undefined }) {
  if (risk === undefined) return null;
  return (
    <span className="inline-flex items-center gap-1 text-sm text-caution">
      <TriangleAlert size={12} aria-hidden="true" />
      High risk: {risk}
    </span>
  );
}
