import { CircleCheck, PackageOpen, TriangleAlert } from 'lucide-react';
import { useMemo, useState } from 'react';
import { classes } from '#renderer/components/classes.ts';
import { Badge, type Tone } from '#renderer/components/badge.tsx';
import { CodeBlock } from '#renderer/components/code-block.tsx';
import { CopyButton } from '#renderer/components/copy-button.tsx';
import { EmptyState } from '#renderer/components/empty-state.tsx';
import { JsonTree } from '#renderer/components/json-tree.tsx';
import { Segmented } from '#renderer/components/segmented.tsx';
import { ScrollRegion } from '#renderer/components/scroll-region.tsx';
import { formatQuantity } from '#renderer/format/format.ts';
import { isRecord } from '#shared/manifest/plain.ts';
import type { RunProjection } from '#shared/runs/projection.ts';
import type { RunDetail } from '#shared/runs/run.ts';
import {
  describeOutput,
  readableNumber,
  tableOf,
  type OutputRow,
  type OutputState,
} from '../model/output-table.ts';

/** What the agent delivered through `output`, held against the schema it was asked for. */
export function OutputPanel({
  output,
  detail,
  isLive,
}: {
  output: RunProjection['output'];
  detail: RunDetail | undefined;
  isLive: boolean;
}) {
  const [view, setView] = useState<'table' | 'json'>('table');
  const schema = detail?.outputSchema;
  const rows = useMemo(() => (output ? describeOutput(schema, output.data) : []), [schema, output]);
  if (!output) return <NoOutput schema={schema} isLive={isLive} isKnown={detail !== undefined} />;
  const isTable = isRecord(output.data);
  const text = JSON.stringify(output.data, null, 2) ?? '';
  return (
    <div className="px-5 py-4">
      <div className="mb-3 flex items-center gap-2">
        <Verdict rows={rows} hasSchema={schema !== undefined} />
        <span className="flex-1" />
        {isTable && (
          <Segmented
            label="Output view"
            value={view}
            onChange={setView}
            options={[
              { value: 'table', label: 'Table' },
              { value: 'json', label: 'JSON' },
            ]}
          />
        )}
        <CopyButton text={text} label="Copy the output" />
      </div>
      {isTable && view === 'table' ? (
        <OutputTable rows={rows} />
      ) : (
        <CodeBlock label="Output" text={text} language="json" maxHeight="" />
      )}
    </div>
  );
}

function NoOutput({
  schema,
  isLive,
  isKnown,
}: {
  schema: Record<string, unknown> | undefined;
  isLive: boolean;
  isKnown: boolean;
}) {
  const expected = schema ? describeOutput(schema, {}) : [];
  const title = isLive ? 'No output yet' : 'No output was delivered';
  return (
    <>
      <EmptyState icon={<PackageOpen size={28} aria-hidden="true" />} title={title}>
        {schema
          ? 'The agent delivers these fields by calling the tool “output”. Its plain text does not count.'
          : isKnown
            ? 'This agent has no output schema. What it leaves in the folder “outputs” is under Files.'
            : undefined}
      </EmptyState>
      {expected.length > 0 && (
        <dl className="mx-5 -mt-4 divide-y divide-line border-y border-line">
          {expected.map((row) => (
            <div key={row.field} className="flex items-baseline gap-3 py-1.5">
              <dt className="font-mono text-sm">{row.field}</dt>
              <dd className="min-w-0 flex-1 truncate text-sm text-ink-faint">{row.description}</dd>
              <dd className="text-sm text-ink-faint">{row.type}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

function Verdict({ rows, hasSchema }: { rows: readonly OutputRow[]; hasSchema: boolean }) {
  if (!hasSchema) return <p className="text-sm text-ink-faint">There is no schema to hold it against.</p>;
  const faults = rows.filter(
    ({ state, errors }) =>
      state === 'invalid' || state === 'missing' || (state === 'extra' && errors.length > 0),
  );
  if (faults.length === 0) {
    return (
      <p className="flex items-center gap-1.5 text-sm font-medium text-success">
        <CircleCheck size={14} aria-hidden="true" />
        Valid against the schema
      </p>
    );
  }
  return (
    <p className="flex items-center gap-1.5 text-sm font-medium text-danger">
      <TriangleAlert size={14} aria-hidden="true" />
      {formatQuantity(faults.length, 'field does', 'fields do')} not fit the schema
    </p>
  );
}

const stateBadges: Record<OutputState, { word: string; tone: Tone } | undefined> = {
  valid: undefined,
  unchecked: undefined,
  absent: { word: 'left out', tone: 'neutral' },
  invalid: { word: 'invalid', tone: 'danger' },
  missing: { word: 'missing', tone: 'danger' },
  extra: { word: 'not in the schema', tone: 'caution' },
};

function OutputTable({ rows }: { rows: readonly OutputRow[] }) {
  return (
    <table aria-label="Output" className="w-full table-fixed border-collapse">
      <thead className="sr-only">
        <tr>
          <th scope="col">Field and type</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <OutputRows key={row.field} row={row} />
        ))}
      </tbody>
    </table>
  );
}

/** A field in one row; a table within it gets the whole width in a second one. */
function OutputRows({ row }: { row: OutputRow }) {
  const isThere = row.state !== 'missing' && row.state !== 'absent';
  const table = useMemo(() => (isThere ? tableOf(row.value) : undefined), [isThere, row.value]);
  const badge = stateBadges[row.state];
  return (
    <>
      <tr data-state={row.state} className="border-t border-line align-top">
        <th
          scope="row"
          className={classes('w-[34%] pt-2 pr-4 text-left font-normal', table ? 'pb-1.5' : 'pb-2')}
          title={row.description}
        >
          <span className="block font-mono text-sm font-medium wrap-anywhere">{row.field}</span>
          <span className="block text-xs text-ink-faint">{row.type}</span>
        </th>
        <td className="py-2 wrap-anywhere">
          {table ? (
            <p className="text-ink-soft">{formatQuantity(table.rows.length, 'row')}</p>
          ) : (
            isThere && <OutputValue value={row.value} label={row.field} />
          )}
          {badge && <Badge tone={badge.tone}>{badge.word}</Badge>}
          {row.errors.map((error) => (
            <p key={error} className="text-sm text-danger">
              {error}
            </p>
          ))}
        </td>
      </tr>
      {table && (
        <tr>
          <td colSpan={2} className="pb-3">
            <NestedTable table={table} label={row.field} />
          </td>
        </tr>
      )}
    </>
  );
}

/** Rows of a nested table shown at once. */
const ROWS_SHOWN = 50;
/** Characters from which a cell's text may be broken. */
const LONG_CELL = 32;

function NestedTable({ table, label }: { table: NonNullable<ReturnType<typeof tableOf>>; label: string }) {
  const isNumeric = (column: string) => table.rows.some((row) => typeof row[column] === 'number');
  const alignment = Object.fromEntries(
    table.columns.map((column) => [column, isNumeric(column) ? 'text-right' : 'text-left']),
  );
  return (
    <ScrollRegion label={label} className="max-h-80 rounded-md border border-line">
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr>
            {table.columns.map((column) => (
              <th
                key={column}
                scope="col"
                className={`sticky top-0 bg-sunken px-2 py-1 font-medium whitespace-nowrap text-ink-soft ${alignment[column]}`}
              >
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.slice(0, ROWS_SHOWN).map((row, index) => (
            // Rows have no other identity than their number.
            // oxlint-disable-next-line react/no-array-index-key
            <tr key={index} className="border-t border-line align-top">
              {table.columns.map((column) => (
                <td key={column} className={`px-2 py-1 ${alignment[column]}`}>
                  <Cell value={row[column]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {table.rows.length > ROWS_SHOWN && (
        <p className="border-t border-line px-2 py-1 text-sm text-ink-faint">
          {formatQuantity(table.rows.length - ROWS_SHOWN, 'more row')} under JSON
        </p>
      )}
    </ScrollRegion>
  );
}

function OutputValue({ value, label }: { value: unknown; label: string }) {
  if (typeof value === 'object' && value !== null) return <JsonTree value={value} label={label} />;
  if (typeof value === 'string') return <p className="whitespace-pre-wrap">{value}</p>;
  return <p className="font-medium">{String(value)}</p>;
}

/** Numbers and short words stay in one line; only long texts are broken. */
function Cell({ value }: { value: unknown }) {
  const text = cellText(value);
  const shown = typeof value === 'number' ? readableNumber(value) : text;
  return (
    <span
      className={shown.length > LONG_CELL ? 'block min-w-48' : 'whitespace-nowrap'}
      title={shown === text ? undefined : text}
    >
      {shown}
    </span>
  );
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
