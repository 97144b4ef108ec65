import { FIND_ENCODING, READ_ALL_NUMBERS, REPORT_PROGRAM } from '../programs/report-program.ts';
import { call, turn, type Script, type ScriptContext, type Turn } from '../turn.ts';
import {
  bash,
  counted,
  deliver,
  edit,
  exitCode,
  fileName,
  inputText,
  log,
  missingTools,
  parseObject,
  quote,
} from './steps.ts';

const PROGRAM = 'work/report.py';
const RESULT = 'work/result.json';
/** Exit code of the program when the file holds no table. */
const NO_TABLE = 4;

/** Plays `@slipway/csv-report` over any table: program, first mistake, mend, check, delivery. */
export const csvReport: Script = function* (context) {
  const unable = missingTools(context);
  if (unable) return unable;
  const document = findTable(context);
  if (!document) return yield* giveUp(context, 'No table was given: this agent reports on one CSV file.');
  const name = fileName(document);

  yield turn(
    'I start with the first lines of the file, to see how it is written.',
    log(context, 'info', `Looking at ${name}`),
    call('read', { path: document, limit: 8 }),
  );
  yield turn(
    'A program is better than reading by eye: it sees every row. This first version expects UTF-8 and plain numbers, and stops if it meets anything else.',
    call('write', { path: PROGRAM, content: REPORT_PROGRAM }),
  );

  const options = [
    ...optionOf('--title', inputText(context, 'title')),
    ...optionOf('--group-by', inputText(context, 'group_by')),
  ];
  const command = ['python3', PROGRAM, ...options, '--', document].map(quote).join(' ');
  const reading = yield* readTable(context, command);
  if (reading.failure !== undefined) return yield* giveUp(context, reading.failure);

  const [text = ''] = yield turn(
    'It ran through. I check what it found and what it wrote before I hand anything over.',
    call('read', { path: RESULT }),
    bash('stat -c "%s %n" outputs/* && head -n 12 outputs/report.md'),
  );
  const result = parseObject(text);
  if (!result) return yield* giveUp(context, 'The program left no result that could be read.');
  const { rows, column_count: columns, numeric, notes } = result;
  const message = `${name}: ${counted(rows, 'row')}, ${counted(columns, 'column')}, ${String(numeric)} of them with numbers.`;
  return yield* deliver(context, 'info', message, {
    status: 'done',
    message,
    rows,
    column_count: columns,
    columns: result['columns'],
    report: 'outputs/report.md',
    chart: 'outputs/chart.svg',
    notes,
  });
};

/** Runs the program, and mends what its own messages say is wrong with it. */
function* readTable(
  context: ScriptContext,
  command: string,
): Generator<Turn, { failure: string | undefined }, readonly string[]> {
  const mended = { encoding: false, numbers: false };
  let say = 'Now the real file.';
  for (;;) {
    const [output = ''] = yield turn(say, bash(command));
    const code = exitCode(output);
    if (code === 0) return { failure: undefined };
    if (code === NO_TABLE) {
      const reason = /NO TABLE: (.*)/.exec(output)?.[1] ?? 'the file holds no table';
      return { failure: `There is nothing to report: ${reason}.` };
    }
    if (/UnicodeDecodeError/.test(output) && !mended.encoding) {
      mended.encoding = true;
      yield turn(
        'The file is not UTF-8. I let the program find the encoding.',
        log(context, 'info', 'The file is not in UTF-8; finding out what it is in'),
        edit(PROGRAM, FIND_ENCODING),
      );
    } else if (/look like numbers/.test(output) && !mended.numbers) {
      mended.numbers = true;
      const example = /^ {2}[^:]*: (.*?)(?:, |$)/m.exec(output)?.[1] ?? '';
      yield turn(
        `Numbers such as "${example}" were not understood. Without them the totals would be wrong, so the program must read separators, currencies and percents.`,
        log(context, 'info', `Some numbers are written like ${example}; teaching the program to read them`),
        edit(PROGRAM, READ_ALL_NUMBERS),
      );
    } else {
      const last = output
        .trim()
        .split('\n')
        .findLast((line) => line !== '' && !line.startsWith('Command exited'));
      return {
        failure: `The file could not be read as a table. The program ended with: ${last ?? 'no message'}`,
      };
    }
    say = 'Again, with the mended program.';
  }
}

function* giveUp(context: ScriptContext, message: string) {
  return yield* deliver(context, 'error', message, {
    status: 'failed',
    message,
    rows: 0,
    column_count: 0,
    columns: [],
    report: null,
    chart: null,
    notes: [],
  });
}

function findTable({ task }: ScriptContext): string | undefined {
  const { documents } = task;
  const chosen =
    documents.find(({ field }) => field === 'csv') ??
    documents.find(({ path }) => /\.(csv|tsv|txt)$/i.test(path)) ??
    documents[0];
  return chosen?.path;
}

function optionOf(name: string, value: string): string[] {
  return value.trim() === '' ? [] : [`${name}=${value.trim()}`];
}
