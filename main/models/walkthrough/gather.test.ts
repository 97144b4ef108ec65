import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { play, type Played } from '#test/support/models/play.ts';
import { findPython } from '#test/support/models/python.ts';
import { readSample } from '#test/support/models/samples.ts';

const AGENT = '@slipway/gather';
const pythonFolder = findPython() ?? '';
const sample = readSample(AGENT);

async function gathered(files: Readonly<Record<string, string | Uint8Array>>): Promise<Played> {
  const played = await play({
    agentId: AGENT,
    pythonFolder,
    files: Object.entries(files).map(([name, bytes]) => ({ name, field: 'files', bytes })),
    outputSchema: sample.outputSchema,
  });
  expect(sample.violations(played.output)).toEqual([]);
  return played;
}

/** Runs Python with the packages of the sandbox and parses the JSON it prints. */
function python(script: string, ...args: string[]): unknown {
  const printed = execFileSync(join(pythonFolder, 'python3'), ['-c', script, ...args], { encoding: 'utf8' });
  return JSON.parse(printed === '' ? 'null' : printed);
}

/** Every sheet of a workbook with the values and types of its cells. */
function sheetsOf(played: Played): Record<string, [unknown, string][][]> {
  const script = `
import json, sys, openpyxl
book = openpyxl.load_workbook(sys.argv[1])
print(json.dumps({s.title: [[[str(c.value) if c.is_date else c.value, c.data_type] for c in row] for row in s.iter_rows()] for s in book}))`;
  return python(script, join(played.workspace, 'outputs/gathered.xlsx')) as Record<
    string,
    [unknown, string][][]
  >;
}

/** A file that Python makes, such as a workbook. */
function made(script: string): Buffer {
  return Buffer.from(
    python(
      `import base64, io, json\n${script}\nprint(json.dumps(base64.b64encode(out.getvalue()).decode()))`,
    ) as string,
    'base64',
  );
}

const workbook = (body: string) =>
  made(`import openpyxl\nout = io.BytesIO()\nbook = openpyxl.Workbook()\n${body}\nbook.save(out)`);

describe.skipIf(pythonFolder === '')('the walkthrough of @slipway/gather', () => {
  it('brings its own examples together, past a name that no sheet can have', async () => {
    const played = await play({
      agentId: AGENT,
      pythonFolder,
      files: sample.exampleFiles,
      outputSchema: sample.outputSchema,
    });
    expect(sample.violations(played.output)).toEqual([]);
    expect(played.output).toMatchObject({ status: 'done', tables: 3, rows: 32, pages: 2 });
    expect(played.calls.filter(({ tool }) => tool === 'edit')).toHaveLength(1);
    const sheets = sheetsOf(played);
    expect(Object.keys(sheets)).toEqual([
      'Summary',
      'PDF text',
      'Harbour dues Dues 2025',
      'Harbour dues Rates',
      'Moorings north pier',
    ]);
    expect(sheets['PDF text']?.[1]?.[2]?.[0]).toContain('Mainland to Island');
    expect(sheets['Moorings north pier']?.[1]?.[1]).toEqual([15, 'n']);
    expect(sheets['Harbour dues Dues 2025']?.[1]?.[1]?.[0]).toBe('2025-01-01 00:00:00');
    expect(played.read('outputs/summary.md')).toContain('| Ferry timetable.pdf | pdf |');
  });

  it('makes no formula of a text, and leaves codes as they are', async () => {
    const sheets = sheetsOf(
      await gathered({ 'a.csv': 'code,text,sum\n007,=1+1,1.50\n12345678901234567890,+x,"1,5"\n' }),
    );
    expect(sheets['a']?.slice(1)).toEqual([
      [
        ['007', 's'],
        ['=1+1', 's'],
        [1.5, 'n'],
      ],
      [
        ['12345678901234567890', 's'],
        ['+x', 's'],
        ['1,5', 's'],
      ],
    ]);
  });

  it('keeps sheets apart whose names are long, equal or not allowed', async () => {
    const long = 'a name that is much longer than Excel takes for a sheet';
    const sheets = sheetsOf(
      await gathered({
        [`${long} 1.csv`]: 'a\n1\n',
        [`${long} 2.csv`]: 'a\n2\n',
        'x.csv': 'a\n3\n',
        'X.tsv': 'a\n4\n',
        "'q'.txt": 'a\n5\n',
        'summary.csv': 'a\n6\n',
      }),
    );
    const names = Object.keys(sheets);
    expect(names).toHaveLength(7);
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(7);
    expect(names.every((name) => name.length <= 31 && !/^'|'$/.test(name))).toBe(true);
    expect(names.slice(1).map((name) => sheets[name]?.[1]?.[0]?.[0])).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('takes control characters out of texts', async () => {
    const played = await gathered({ 'a.csv': 'a,b\nx\u0007y,1\n' });
    expect(sheetsOf(played)['a']?.[1]?.[0]).toEqual(['x y', 's']);
  });

  it('tells which files could not be read and why, and keeps none of the others back', async () => {
    const locked = made(`
from PyPDF2 import PdfReader, PdfWriter
out = io.BytesIO()
writer = PdfWriter()
writer.add_blank_page(100, 100)
writer.encrypt("secret")
writer.write(out)`);
    const blank = made(`
from PyPDF2 import PdfWriter
out = io.BytesIO()
writer = PdfWriter()
writer.add_blank_page(100, 100)
writer.write(out)`);
    const played = await gathered({
      'locked.pdf': locked,
      'scan.pdf': blank,
      'cut.pdf': Buffer.from('%PDF-1.4\nrest'),
      'cut.xlsx': Buffer.from('PK\u0003\u0004rest'),
      'old.xls.xlsx': Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
      'empty.csv': '',
      'good.csv': 'a,b\n1,2\n',
    });
    expect(played.output).toMatchObject({ status: 'partial', tables: 1, rows: 1, pages: 1 });
    const notes = Object.fromEntries(
      (played.output!['sources'] as { source: string; note: string }[]).map(({ source, note }) => [
        source,
        note,
      ]),
    );
    expect(notes).toMatchObject({
      'locked.pdf': expect.stringContaining('password'),
      'scan.pdf': expect.stringContaining('scan'),
      'cut.pdf': expect.stringContaining('not a PDF'),
      'cut.xlsx': expect.stringContaining('not a workbook'),
      'old.xls.xlsx': expect.stringContaining('old .xls'),
      'empty.csv': expect.stringContaining('empty'),
      'good.csv': '',
    });
    expect(played.logs.at(-1)?.level).toBe('warn');
  });

  it('says that it failed when nothing could be read, or nothing was given', async () => {
    expect((await gathered({ 'empty.csv': '' })).output).toMatchObject({ status: 'failed', tables: 0 });
    expect((await gathered({})).output).toMatchObject({ status: 'failed', workbook: null });
  });

  it('keeps formulas without a value as text and counts them', async () => {
    const played = await gathered({
      'f.xlsx': workbook('s = book.active\ns.append(["a", "b"])\ns.append([1, "=A2*2"])'),
    });
    expect(sheetsOf(played)['f Sheet']?.[1]).toEqual([
      [1, 'n'],
      ['=A2*2', 's'],
    ]);
    expect((played.output!['sources'] as { note: string }[])[0]?.note).toContain('kept as text: 1');
  });
});
