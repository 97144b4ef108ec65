import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { play, type Played } from '#test/support/models/play.ts';
import { findPython } from '#test/support/models/python.ts';
import { readSample } from '#test/support/models/samples.ts';

const AGENT = '@slipway/csv-report';
const pythonFolder = findPython() ?? '';
const sample = readSample(AGENT);

function report(
  bytes: string | Uint8Array,
  input: Record<string, unknown> = {},
  name = 'data.csv',
): Promise<Played> {
  return play({
    agentId: AGENT,
    pythonFolder,
    input,
    files: [{ name, field: 'csv', bytes }],
    outputSchema: sample.outputSchema,
  });
}

interface Column {
  name: string;
  kind: string;
  total: number | null;
  mean: number | null;
  min: number | null;
  max: number | null;
  missing: number;
  skipped: number;
}

function columnsOf(played: Played): Map<string, Column> {
  expect(sample.violations(played.output)).toEqual([]);
  expect(played.output).toMatchObject({ status: 'done' });
  return new Map((played.output!['columns'] as Column[]).map((column) => [column.name, column]));
}

/** The same table by other means: papaparse, told the separator, and sums of whole millionths. */
function independently(text: string, delimiter: string, mark: '.' | ',') {
  const { data } = Papa.parse<string[]>(text.replace(/^\ufeff/, ''), { delimiter, skipEmptyLines: 'greedy' });
  const [header = [], ...rows] = data;
  return {
    rows: rows.length,
    totalOf(name: string): number {
      const index = header.findIndex((cell) => cell.trim() === name);
      let millionths = 0n;
      for (const row of rows) {
        const cell = (row[index] ?? '').trim();
        const digits = cell.replaceAll(/[^\d.,]/g, '').replaceAll(mark === ',' ? '.' : ',', '');
        if (digits === '') continue;
        const [whole = '', part = ''] = digits.split(mark);
        const value = BigInt(`${whole}${part.padEnd(6, '0').slice(0, 6)}`);
        millionths += /^\(|-/.test(cell) ? -value : value;
      }
      return Number(millionths) / 1e6;
    },
  };
}

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');

describe.skipIf(pythonFolder === '')('the walkthrough of @slipway/csv-report', () => {
  it('meets a real mistake in its own example, mends it and hands over right numbers', async () => {
    const [file] = sample.exampleFiles;
    const played = await report(file!.bytes, sample.exampleInput, file!.name);
    const columns = columnsOf(played);
    const expected = independently(file!.bytes.toString(), ';', ',');
    expect(played.output).toMatchObject({
      rows: expected.rows,
      report: 'outputs/report.md',
      chart: 'outputs/chart.svg',
    });
    for (const name of ['Quantity', 'Price', 'Takings', 'Discount']) {
      expect(columns.get(name)?.total).toBeCloseTo(expected.totalOf(name), 6);
    }
    const tools = played.calls.map(({ tool }) => tool);
    expect(tools).toEqual([
      'log',
      'read',
      'write',
      'bash',
      'log',
      'edit',
      'bash',
      'read',
      'bash',
      'log',
      'output',
    ]);
    expect(played.calls.find(({ tool }) => tool === 'bash')?.result).toContain('exited with code 1');
    expect(played.read('outputs/report.md')).toContain('# Market stall, May');
    expect(played.read('outputs/chart.svg')).toContain('Takings by Stand');
  });

  const amounts = (format: (index: number) => string, delimiter: string) =>
    `name${delimiter}amount\n${Array.from({ length: 40 }, (_, index) => `item ${index}${delimiter}${format(index)}`).join('\n')}\n`;
  const comma = (index: number) => `${index + 1}.${String(100 + index)},${String(index).padStart(2, '0')}`;

  const tables: readonly [string, string | Uint8Array, string, '.' | ',', string[]][] = [
    ['plain commas', 'a,b\n1,2\n3,4.5\n', ',', '.', ['a', 'b']],
    ['semicolons and decimal commas', 'a;b\n1,5;2\n2,25;3\n', ';', ',', ['a', 'b']],
    ['tabs', 'a\tb\n1.5\t2\n2.5\t3\n', '\t', '.', ['a', 'b']],
    ['bars', 'a|b\n1|2\n3|4\n', '|', '.', ['a', 'b']],
    ['a byte order mark', '\ufeffa,b\n1,2\n', ',', '.', ['a', 'b']],
    ['Windows line ends', 'a,b\r\n1,2\r\n3,4\r\n', ',', '.', ['a', 'b']],
    ['quoted fields with line breaks and separators', 'a,b\n"x\ny, z",2\n"say ""hi""",40\n', ',', '.', ['b']],
    ['thousands with commas', 'name,sum\nx,"1,234,567.89"\ny,"12,000.10"\n', ',', '.', ['sum']],
    ['thousands with points', amounts(comma, ';'), ';', ',', ['amount']],
    ['thousands with blanks', 'n;v\na;1 234 567,5\nb;12 000,25\n', ';', ',', ['v']],
    ['thousands with narrow blanks', 'n;v\na;1\u202f234,5\nb;12\u00a0000,25\n', ';', ',', ['v']],
    ['euros behind', 'n;v\na;12,50 €\nb;1.000,00 €\n', ';', ',', ['v']],
    ['dollars in front', 'n,v\na,$12.50\nb,"-$1,000.00"\nc,$-3\n', ',', '.', ['v']],
    ['currency codes', 'n,v\na,USD 12.50\nb,7 USD\n', ',', '.', ['v']],
    ['percents', 'n;v\na;12,5 %\nb;7%\n', ';', ',', ['v']],
    ['negative numbers in brackets', 'n,v\na,(12.50)\nb,3\nc,-4\n', ',', '.', ['v']],
    ['blank cells and markers for missing', 'n,v\na,1\nb,\nc,n/a\nd,-\ne,2\n', ',', '.', ['v']],
    ['trailing blank rows', 'a,b\n1,2\n,\n\n,\n', ',', '.', ['a', 'b']],
    ['short rows', 'a,b,c\n1,2,3\n4\n5,6\n', ',', '.', ['a', 'b', 'c']],
    ['cents that binary fractions miss', `n,v\n${'x,0.1\n'.repeat(1000)}`, ',', '.', ['v']],
    ['UTF-16', utf16('a;b\n1,5;2\n2,5;3\n'), ';', ',', ['a', 'b']],
    ['Windows-1252', Buffer.from('Größe;Preis €\n1,5;2,25\n', 'latin1'), ';', ',', ['Größe']],
  ];

  it.each(tables)('adds up %s', async (_, bytes, delimiter, mark, names) => {
    const played = await report(bytes);
    const text =
      typeof bytes === 'string'
        ? bytes
        : new TextDecoder(bytes[0] === 0xff ? 'utf-16' : 'latin1').decode(bytes);
    const expected = independently(text, delimiter, mark);
    const columns = columnsOf(played);
    expect(played.output?.['rows']).toBe(expected.rows);
    for (const name of names) expect(columns.get(name)?.total).toBeCloseTo(expected.totalOf(name), 6);
  });

  it('adds up any table that is written unmistakably', async () => {
    const amount = fc.integer({ min: -99_999_999, max: 99_999_999 });
    const style = fc.record({
      delimiter: fc.constantFrom(',', ';', '\t', '|'),
      mark: fc.constantFrom('.' as const, ',' as const),
      hasGroups: fc.boolean(),
      unit: fc.constantFrom('', ' €', '%', ' kr'),
      hasMark: fc.boolean(),
    });
    const rows = fc.array(
      fc.record({
        text: fc.string({ unit: 'grapheme', maxLength: 12 }),
        cents: fc.option(amount, { freq: 6 }),
      }),
      { minLength: 1, maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(style, rows, async ({ delimiter, mark, hasGroups, unit, hasMark }, records) => {
        fc.pre(records.some(({ cents }) => cents !== null));
        const write = (cents: number) => {
          const whole = String(Math.trunc(Math.abs(cents) / 100));
          const grouped = hasGroups ? whole.replaceAll(/\B(?=(\d{3})+$)/g, mark === ',' ? '.' : ',') : whole;
          return `${cents < 0 ? '-' : ''}${grouped}${mark}${String(Math.abs(cents) % 100).padStart(2, '0')}${unit}`;
        };
        const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
        const text = ['text', 'amount']
          .join(delimiter)
          .concat(
            '\n',
            records
              .map(
                ({ text, cents }) =>
                  `${quote(`t${text}`)}${delimiter}${cents === null ? '' : quote(write(cents))}\n`,
              )
              .join(''),
          );
        const column = columnsOf(await report(hasMark ? `\ufeff${text}` : text)).get('amount');
        const given = records.flatMap(({ cents }) => (cents === null ? [] : [cents]));
        const sum = given.reduce((total, cents) => total + cents, 0);
        expect(column?.total).toBeCloseTo(sum / 100, 6);
        expect(column?.min).toBeCloseTo(Math.min(...given) / 100, 6);
        expect(column?.max).toBeCloseTo(Math.max(...given) / 100, 6);
        expect(column?.missing).toBe(records.length - given.length);
      }),
      { numRuns: 25 },
    );
  }, 120_000);

  it('keeps what is no number out of the sums, and says so', async () => {
    const rows = Array.from(
      { length: 19 },
      (_, index) => `${index},00${index % 10},10.0.0.${index},${index}`,
    ).join('\n');
    const played = await report(`qty,postcode,address,mixed\n${rows}\n5,007,1.2.3,unknown\n`);
    const columns = columnsOf(played);
    expect(columns.get('postcode')).toMatchObject({ kind: 'text', total: null });
    expect(columns.get('address')).toMatchObject({ kind: 'text', total: null });
    expect(columns.get('mixed')).toMatchObject({ kind: 'number', total: 171, skipped: 1 });
    expect(played.output?.['notes']).toContainEqual(
      expect.stringContaining('mixed: 1 cell without a number'),
    );
  });

  it('tells empty, equal and missing headers apart', async () => {
    const twice = columnsOf(await report('a,a,,A\n1,2,3,4\n'));
    expect([...twice].map(([name, { total }]) => [name, total])).toEqual([
      ['a', 1],
      ['a (2)', 2],
      ['column 3', 3],
      ['A (3)', 4],
    ]);
    const none = await report('1,2\n3,4\n');
    expect(columnsOf(none).get('column 1')?.total).toBe(4);
    expect(none.output?.['notes']).toContainEqual(expect.stringContaining('counted as data'));
    expect(columnsOf(await report('2023,2024\n3,4\n')).get('2023')?.total).toBe(3);
  });

  it('reads one column, also of decimal commas', async () => {
    expect(columnsOf(await report('amount\n1,5\n2,25\n')).get('amount')?.total).toBe(3.75);
    expect(columnsOf(await report('name\nalma\nbo\n')).get('name')).toMatchObject({
      kind: 'text',
      total: null,
    });
  });

  it('groups by a column in any case, and says when there is none of that name', async () => {
    const table = 'Region,Sum\nNorth,1\nSouth,5\nNorth,2\n,4\n';
    const grouped = await report(table, { group_by: ' region ' });
    expect(grouped.read('outputs/report.md')).toMatch(
      /## By Region\n\n\| Region \| Rows \| Sum \|\n\|[ -|]+\n\| South \| 1 \| 5 \|\n\| \(blank\) \| 1 \| 4 \|\n\| North \| 2 \| 3 \|/,
    );
    const other = await report(table, { group_by: "it's $(x)" });
    expect(other.output?.['notes']).toContainEqual(expect.stringContaining("it's $(x)"));
  });

  it('reads 100,000 rows', async () => {
    const rows = Array.from(
      { length: 100_000 },
      (_, index) => `${index},"x, ${index % 7}",${index % 1000}.25`,
    );
    const played = await report(`id,text,amount\n${rows.join('\n')}\n`);
    expect(played.output?.['rows']).toBe(100_000);
    expect(columnsOf(played).get('amount')?.total).toBe(49_975_000);
  }, 60_000);

  it('stays within what a result may hold, whatever the number of columns', async () => {
    const header = Array.from({ length: 1500 }, (_, index) => `a rather long name of a column ${index}`);
    const played = await report(`${header.join(',')}\n${header.map((_, index) => index).join(',')}\n`);
    expect(columnsOf(played)).toHaveLength(100);
    expect(played.output?.['column_count']).toBe(1500);
  });

  it.each([
    ['an empty file', '', 'the file is empty'],
    ['nothing but blank lines', '\n\n  \n', 'nothing but blank lines'],
    ['a workbook by a wrong name', Buffer.from('PK\u0003\u0004rest'), 'a workbook'],
    ['binary data', Buffer.from([0, 1, 2, 0, 9, 0, 3, 10, 0]), 'binary'],
  ])('says plainly that there is no report of %s', async (_, bytes, reason) => {
    const played = await report(bytes);
    expect(sample.violations(played.output)).toEqual([]);
    expect(played.output).toMatchObject({
      status: 'failed',
      rows: 0,
      columns: [],
      report: null,
      chart: null,
    });
    expect(played.output?.['message']).toContain(reason);
    expect(played.logs.at(-1)).toMatchObject({ level: 'error', message: expect.stringContaining(reason) });
  });

  it('reports a table without numbers, and one with a header only', async () => {
    const text = await report('a,b\nx,y\nz,\n');
    expect(columnsOf(text).get('b')).toMatchObject({ kind: 'text', total: null, missing: 1 });
    expect(text.read('outputs/chart.svg')).toContain('Filled cells');
    expect((await report('a,b\n')).output).toMatchObject({ status: 'done', rows: 0 });
  });

  it('draws a chart that is well-formed whatever the names', async () => {
    const played = await report('"a<b>&""]""",v\nx,3\ny,-4\n');
    const svg = played.read('outputs/chart.svg');
    expect(svg).not.toMatch(/&(?!(amp|lt|gt|quot|#x27|#39);)/);
    expect(svg.match(/<rect/g)).toHaveLength(1);
  });

  it('works for an agent without log, and ends without output where it has none', async () => {
    const [file] = sample.exampleFiles;
    const options = { agentId: AGENT, pythonFolder, files: [file!], outputSchema: sample.outputSchema };
    const quiet = await play({ ...options, runtimeTools: ['output'] });
    expect(quiet.output).toMatchObject({ status: 'done' });
    expect(quiet.calls.map(({ tool }) => tool)).not.toContain('log');
    const mute = await play({ ...options, runtimeTools: [] });
    expect(mute.output).toBeUndefined();
    expect(mute.read('outputs/report.md')).toContain('Takings');
  });
});
