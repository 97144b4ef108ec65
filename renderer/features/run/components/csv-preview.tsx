import { useVirtualizer } from '@tanstack/react-virtual';
import Papa from 'papaparse';
import { useMemo, useRef } from 'react';
import { formatQuantity } from '#renderer/format/format.ts';

const ROW_HEIGHT = 25;
/** Columns beyond this are named but not shown. */
const MAX_COLUMNS = 60;

/** A table of separated values; only the rows in sight are in the page. Default export, because it is loaded lazily. */
export default function CsvPreview({ text, path, isCut }: { text: string; path: string; isCut: boolean }) {
  const scroller = useRef<HTMLDivElement>(null);
  const { header, rows, widths, numeric, moreColumns } = useMemo(() => readTable(text, isCut), [text, isCut]);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 20,
  });
  const columns = { gridTemplateColumns: ['3.5rem', ...widths.map((width) => `${width}ch`)].join(' ') };
  return (
    <>
      <div
        ref={scroller}
        role="table"
        aria-label={path}
        aria-rowcount={rows.length + 1}
        aria-colcount={header.length}
        // A region that scrolls must be reachable by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        className="min-h-0 flex-1 overflow-auto border-t border-line text-sm"
      >
        <div className="w-max min-w-full">
          <div role="rowgroup" className="sticky top-0 z-10 border-b border-line bg-sunken">
            <div role="row" aria-rowindex={1} className="grid" style={columns}>
              <span role="columnheader" className="px-2 py-0.5 text-right text-ink-faint">
                #
              </span>
              {header.map((name, index) => (
                <span
                  // Columns have no other identity than their place: names may repeat.
                  // oxlint-disable-next-line react/no-array-index-key
                  key={index}
                  role="columnheader"
                  className={`truncate px-2 py-0.5 font-medium ${numeric[index] ? 'text-right' : ''}`}
                >
                  {name}
                </span>
              ))}
            </div>
          </div>
          <div role="rowgroup" className="relative" style={{ height: virtualizer.getTotalSize() }}>
            {virtualizer.getVirtualItems().map(({ index, start }) => (
              <div
                key={index}
                role="row"
                aria-rowindex={index + 2}
                className="absolute inset-x-0 grid border-b border-line"
                style={{ ...columns, height: ROW_HEIGHT, transform: `translateY(${start}px)` }}
              >
                <span role="rowheader" className="px-2 py-0.5 text-right text-ink-faint">
                  {index + 1}
                </span>
                {header.map((_, column) => {
                  const value = rows[index]?.[column] ?? '';
                  return (
                    <span
                      // oxlint-disable-next-line react/no-array-index-key
                      key={column}
                      role="cell"
                      title={value.length > 24 ? value : undefined}
                      className={`truncate px-2 py-0.5 ${numeric[column] ? 'text-right' : ''}`}
                    >
                      {value}
                    </span>
                  );
                })}
              </div>
            ))}
          </div>
        </div>
      </div>
      <p className="shrink-0 border-t border-line px-5 py-1 text-sm text-ink-faint">
        {formatQuantity(rows.length, 'row')}, {formatQuantity(header.length + moreColumns, 'column')}
        {moreColumns > 0 && `; the first ${header.length} are shown`}
      </p>
    </>
  );
}

function readTable(text: string, isCut: boolean) {
  const parsed = Papa.parse<string[]>(text, { skipEmptyLines: 'greedy' });
  const lines = parsed.data;
  // The last line of a text that was cut may be half a line.
  if (isCut) lines.pop();
  const [names = [], ...rows] = lines;
  const header = names.slice(0, MAX_COLUMNS);
  const sample = [header, ...rows.slice(0, 100)];
  const widths = header.map((_, column) => {
    const longest = Math.max(...sample.map((row) => row[column]?.length ?? 0));
    return Math.min(36, Math.max(6, longest)) + 4;
  });
  const numeric = header.map((_, column) => {
    const values = sample.slice(1).flatMap((row) => row[column] || []);
    return values.length > 0 && values.every(isNumber);
  });
  return { header, rows, widths, numeric, moreColumns: names.length - header.length };
}

function isNumber(value: string): boolean {
  return /^\s*[-+]?[\d.,' ]*\d\s*%?$/.test(value);
}
